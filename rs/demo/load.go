package demo

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"
)

// The connector and connection of every folder. A database holds one folder, so they need not be unique.
const (
	folderConnector  = "files"
	folderConnection = "cin_files"
	folderSourceID   = "https://registry.pdpp.example/connectors/files"
)

// A Skip is a line that was left out of a corpus, or, when Line is 0, a whole file or a part of its schema.
type Skip struct {
	File   string // base name
	Line   int    // counted from 1
	Reason string
}

// Open reads a person's own folder. Each file STREAM.jsonl is a stream: a JSON object to a line, whose field "id", a string or a number, is
// the record's id; without one the number of the line is. Nothing in a record is changed.
//
// A record is emitted at its event time, or, when it has none that can be read, at the time of its file. Records come in the order of file
// names and lines. The corpus reads the files again whenever its records are asked for, a line at a time.
//
// What cannot be used is told to report, which may be nil, and left out: a line that is not a JSON object, not UTF-8, longer than 16 MiB or
// with a field twice, a second record of the same id, and a file whose name cannot be a stream's. Open fails when the folder cannot be read,
// holds no usable *.jsonl file, or has a manifest that is wrong.
//
// What the fields hold is found out by reading all of it once. The type of a field is the narrowest that all its values have: boolean,
// integer, number, timestamp (a date, or a date and a time with or without a zone), array, object, text (a string with spaces or of more than
// 100 characters) or string. A field that is null or absent anywhere is nullable. The event time is the first timestamp with a telling name,
// such as received_at or date, or else the only timestamp; the title is a string called title, subject, name or the like. Relations are not
// inferred.
//
// A file manifest.json beside the streams may say otherwise. All of it is optional, and a key that is not listed here is an error:
//
//	{
//	  "display_name": "My library",       name of the connection; else that of the folder
//	  "streams": {
//	    "loans": {                        there is a file loans.jsonl
//	      "id_field": "loan_number",      holds the record id; else "id"
//	      "time_field": "lent_at",        when it happened: records sort by it and grants are bounded by it
//	      "title_field": "book",          the field that names a record
//	      "types": {"isbn": "string"},    string, text, integer, number, boolean, timestamp, array or object
//	      "relations": [{
//	        "name": "reminders",          what to expand
//	        "stream": "reminders",        where it leads; else the stream of that name
//	        "foreign_key": "loan",        the field there that holds the id of the loan
//	        "cardinality": "has_many",    or has_one
//	        "default_limit": 5,           of has_many: how many are shown; else 10
//	        "max_limit": 20               of has_many: how many may be asked for; else 50
//	      }]
//	    }
//	  }
//	}
func Open(dir string, report func(Skip)) (Corpus, error) {
	if report == nil {
		report = func(Skip) {}
	}
	sources, err := listSources(dir, report)
	if err != nil {
		return Corpus{}, err
	}
	manifest, err := readManifest(dir)
	if err != nil {
		return Corpus{}, err
	}
	if err := manifest.apply(sources); err != nil {
		return Corpus{}, err
	}
	streams := make([]Stream, len(sources))
	for index := range sources {
		if streams[index], err = sources[index].infer(report); err != nil {
			return Corpus{}, err
		}
	}
	if err := manifest.relate(streams); err != nil {
		return Corpus{}, err
	}
	displayName := manifest.DisplayName
	if displayName == "" {
		displayName = folderName(dir)
	}
	return Corpus{
		Connectors: []Connector{{
			Key: folderConnector, SourceID: folderSourceID, Streams: streams,
			Connections: []Connection{{ID: folderConnection, DisplayName: displayName}},
		}},
		Records: func(yield func(Record, error) bool) {
			for index := range sources {
				if !sources[index].records(yield) {
					return
				}
			}
		},
	}, nil
}

// A sourceFile is one file of a folder, with what is known about its stream.
type sourceFile struct {
	path, stream string
	modified     time.Time
	declared     streamManifest
	idField      string
	timeField    string // found by infer, empty when the stream has none
}

// streamName is what a stream may be called: its name is a segment of paths.
var streamName = regexp.MustCompile(`^[A-Za-z0-9._-]+$`)

// listSources finds the files of a folder, in the order of their names.
func listSources(dir string, report func(Skip)) ([]sourceFile, error) {
	files, err := jsonLines(dir)
	if err != nil {
		return nil, err
	}
	var sources []sourceFile
	for _, info := range files {
		stream := strings.TrimSuffix(info.Name(), ".jsonl")
		switch {
		case !streamName.MatchString(stream) || strings.Contains(stream, "..") || stream == ".":
			report(Skip{File: info.Name(), Reason: `the name of a stream consists of letters, digits, ".", "_" and "-", and has no ".."`})
		case !info.Mode().IsRegular():
			report(Skip{File: info.Name(), Reason: "not a regular file"})
		default:
			sources = append(sources, sourceFile{path: filepath.Join(dir, info.Name()), stream: stream, modified: info.ModTime(), idField: "id"})
		}
	}
	if len(sources) == 0 {
		return nil, fmt.Errorf("no usable *.jsonl file in %s: a folder holds a file STREAM.jsonl for each stream, with a JSON object on each line", dir)
	}
	return sources, nil
}

// jsonLines describes the *.jsonl files of a folder in the order of their names. Links are followed.
func jsonLines(dir string) ([]fs.FileInfo, error) {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("read the folder: %w", err)
	}
	var files []fs.FileInfo
	for _, entry := range entries {
		if !strings.HasSuffix(entry.Name(), ".jsonl") {
			continue
		}
		info, err := os.Stat(filepath.Join(dir, entry.Name()))
		if err != nil {
			return nil, fmt.Errorf("read the folder: %w", err)
		}
		files = append(files, namedInfo{info, entry.Name()})
	}
	return files, nil
}

// A namedInfo describes a file under the name that it has in its folder, whatever a link leads to.
type namedInfo struct {
	fs.FileInfo
	name string
}

func (i namedInfo) Name() string { return i.name }

// folderName is what a person calls a folder, however the path to it is written.
func folderName(dir string) string {
	if absolute, err := filepath.Abs(dir); err == nil {
		dir = absolute
	}
	return filepath.Base(dir)
}

// infer reads the file once to describe its stream.
func (s *sourceFile) infer(report func(Skip)) (Stream, error) {
	tally := newStreamTally()
	err := s.scan(report, func(line goodLine) bool {
		for _, extra := range tally.add(line.fields) {
			report(Skip{File: filepath.Base(s.path), Line: line.number, Reason: fmt.Sprintf("the stream has more than %d fields: %q is not described, and only an owner sees it", maxFields, extra)})
		}
		return true
	})
	if err != nil {
		return Stream{}, err
	}
	stream, err := tally.stream(s.stream, s.declared)
	for _, field := range stream.Fields {
		if field.Role == "event-time" {
			s.timeField = field.Name
		}
	}
	return stream, err
}

// records yields the records of the file, and reports whether to go on with the next.
func (s *sourceFile) records(yield func(Record, error) bool) bool {
	wanted := true
	err := s.scan(func(Skip) {}, func(line goodLine) bool {
		record := Record{ConnectionID: folderConnection, Stream: s.stream, ID: line.id, EmittedAt: s.modified.UTC(), Data: line.data()}
		if when, ok := line.instant(s.timeField); ok {
			record.EmittedAt = when
		}
		wanted = yield(record, nil)
		return wanted
	})
	if err != nil {
		yield(Record{}, err)
		return false
	}
	return wanted
}

// Fingerprint sums up what [Open] would read in a folder: the names, sizes and times of its files. As long as it is the same, a database
// that was filled from the folder is up to date.
func Fingerprint(dir string) (string, error) {
	files, err := jsonLines(dir)
	if err != nil {
		return "", err
	}
	switch manifest, err := os.Stat(filepath.Join(dir, manifestName)); {
	case err == nil:
		files = append(files, manifest)
	case !errors.Is(err, fs.ErrNotExist):
		return "", fmt.Errorf("read the folder: %w", err)
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%q\n", folderName(dir))
	for _, file := range files {
		fmt.Fprintf(digest, "%q %d %d\n", file.Name(), file.Size(), file.ModTime().UnixNano())
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}
