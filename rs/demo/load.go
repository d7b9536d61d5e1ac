package demo

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
)

// The connector and connection of every folder. A database holds one folder, so they need not be unique.
const (
	folderConnector  = "files"
	folderConnection = "cin_files"
	folderSourceID   = "https://registry.pdpp.example/connectors/files"
)

// A Skip is a piece of a file that was left out of a corpus, or, when Line is 0, a whole file or a part of its schema.
type Skip struct {
	File   string // path from the folder, with slashes
	Line   int    // where the piece begins, counted from 1
	Reason string
}

// String says where and why.
func (s Skip) String() string {
	if s.Line == 0 {
		return s.File + ": " + s.Reason
	}
	return fmt.Sprintf("%s:%d: %s", s.File, s.Line, s.Reason)
}

// A Watch follows the reading of files. Its functions may be nil.
type Watch struct {
	Skipped func(Skip)  // of each piece that is left out, once
	Found   func(n int) // of each thousand records found so far, before any is loaded
}

func (w Watch) skipped(s Skip) {
	if w.Skipped != nil {
		w.Skipped(s)
	}
}

// foundStep is after how many records a watch is told.
const foundStep = 1000

// Open reads a person's own files: a folder with all that is in it, or one file. What a file holds is known by its name, or else by how it
// begins:
//
//	.jsonl .ndjson     a JSON object to a line
//	.json              an array of objects, or an object in which one field is an array of them
//	.csv .tsv          a table whose first row names its columns
//	.mbox .mbx .eml    mail; the .eml files of one folder are one stream
//	.ics               a calendar; its events
//
// Each file is a stream that is called after its path, without the ending and with "_" for what separates folders and for all that is not
// a letter, a digit, ".", "_" or "-". Hidden files and folders, whose name begins with ".", are passed over, and so are the files of except,
// such as those of an index. A link is followed to a file in the folder and nowhere else. The field "id" of a JSON object
// or a row, a string or a number, is the record's id; without one the number of the line or item is. Nothing in a JSON record is changed.
// The cells of a table are strings; a column becomes integers, numbers, booleans or timestamps when all of its cells agree, and an empty cell
// is null.
//
// A record is emitted at its event time, or, when it has none that can be read, at the time of its file. Records come in the order of file
// names and lines. The corpus reads the files again whenever its records are asked for, a piece at a time.
//
// What cannot be used is told to the watch and left out: a line that is not a JSON object, not UTF-8, longer than 16 MiB or with a field
// twice, a second record of the same id, a message of more than 64 MiB, a file of an unknown kind. Open fails when the path cannot be read,
// holds nothing that can be used, or has a manifest that is wrong, and when the context ends.
//
// What the fields hold is found out by reading all of it once. The type of a field is the narrowest that all its values have: boolean,
// integer, number, timestamp (a date, or a date and a time with or without a zone), array, object, text (a string with spaces or of more than
// 100 characters) or string. A field that is null or absent anywhere is nullable. The event time is the first timestamp with a telling name,
// such as received_at or date, or else the only timestamp; the title is a string called title, subject, name or the like. Relations are not
// inferred, but that a message has its attachments.
//
// A file manifest.json at the top of a folder may say otherwise. All of it is optional, and a key that is not listed here is an error:
//
//	{
//	  "display_name": "My library",       name of the connection; else that of the folder
//	  "streams": {
//	    "loans": {                        there is a file loans.jsonl, or loans.csv
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
func Open(ctx context.Context, path string, watch Watch, except ...string) (Corpus, error) {
	sources, skips, err := listSources(path, except)
	for _, skip := range skips {
		watch.skipped(skip)
	}
	if err != nil {
		return Corpus{}, err
	}
	manifest, err := readManifest(path)
	if err != nil {
		return Corpus{}, err
	}
	if err := manifest.apply(sources); err != nil {
		return Corpus{}, err
	}
	var streams []Stream
	found := 0
	for index := range sources {
		described, err := sources[index].infer(ctx, watch, &found)
		if err != nil {
			return Corpus{}, err
		}
		streams = append(streams, described...)
	}
	if len(streams) == 0 {
		return Corpus{}, fmt.Errorf("nothing to load in %s: name a folder or a file of %s", path, knownEndings)
	}
	if err := manifest.relate(streams); err != nil {
		return Corpus{}, err
	}
	displayName := manifest.DisplayName
	if displayName == "" {
		displayName = folderName(path)
	}
	return Corpus{
		Connectors: []Connector{{
			Key: folderConnector, SourceID: folderSourceID, Streams: streams,
			Connections: []Connection{{ID: folderConnection, DisplayName: displayName}},
		}},
		Records: func(yield func(Record, error) bool) {
			keep := &blobBudget{left: maxBlobBytes}
			for index := range sources {
				if !sources[index].records(ctx, keep, yield) {
					return
				}
			}
		},
	}, nil
}

// A fileStream is a stream with the files that it is read from and what is known about it.
type fileStream struct {
	stream    string
	format    format
	files     []sourceFile
	declared  streamManifest
	idField   string
	timeField string              // found by infer, empty when the stream has none
	cells     map[string]cellType // found by infer, of the columns of a table
	unusable  bool                // found by infer: no file holds what its name promises
}

// infer reads the files once to describe their stream, and that of the attachments when there are any.
func (s *fileStream) infer(ctx context.Context, watch Watch, found *int) ([]Stream, error) {
	tally, attached := newStreamTally(), newStreamTally()
	whole := 0 // files left out
	err := s.scan(ctx, func(skip Skip) {
		if skip.Line == 0 {
			whole++
		}
		watch.skipped(skip)
	}, func(at sourceFile, one item) bool {
		count := tally.add
		if s.format == formatTable {
			count = tally.addCells
		}
		for _, extra := range count(one.fields) {
			watch.skipped(Skip{File: at.name, Line: one.line, Reason: fmt.Sprintf("the stream has more than %d fields: %q is not described, and only an owner sees it", maxFields, extra)})
		}
		for _, file := range one.attached {
			attached.add(file.fields)
		}
		if *found++; *found%foundStep == 0 && watch.Found != nil {
			watch.Found(*found)
		}
		return true
	})
	if err != nil {
		return nil, err
	}
	if s.unusable = tally.records == 0 && whole > 0; s.unusable {
		return nil, nil
	}
	stream, err := tally.stream(s.stream, s.declared)
	if err != nil {
		return nil, err
	}
	for _, field := range stream.Fields {
		if field.Role == "event-time" {
			s.timeField = field.Name
		}
	}
	if s.format == formatTable {
		s.cells = tally.cellTypes(stream.Fields)
	}
	if s.format == formatMail {
		tuneMail(&stream)
	}
	if attached.records == 0 {
		return []Stream{stream}, nil
	}
	files, err := attached.stream(s.stream+attachmentsSuffix, streamManifest{})
	tuneAttachments(&stream, &files)
	return []Stream{stream, files}, err
}

// records yields the records of the source, and reports whether to go on with the next.
func (s *fileStream) records(ctx context.Context, keep *blobBudget, yield func(Record, error) bool) bool {
	if s.unusable {
		return true
	}
	wanted := true
	err := s.scan(ctx, func(Skip) {}, func(at sourceFile, one item) bool {
		record := Record{ConnectionID: folderConnection, Stream: s.stream, ID: one.id, EmittedAt: at.modified.UTC(), Data: one.data()}
		if when, ok := one.instant(s.timeField); ok {
			record.EmittedAt = when
		}
		if wanted = yield(record, nil); !wanted {
			return false
		}
		for _, file := range one.attached {
			hung := Record{ConnectionID: folderConnection, Stream: s.stream + attachmentsSuffix, ID: file.id, EmittedAt: record.EmittedAt, Data: file.data()}
			hung.Blob = keep.take(file.blob)
			if wanted = yield(hung, nil); !wanted {
				return false
			}
		}
		return true
	})
	if err != nil {
		yield(Record{}, err)
		return false
	}
	return wanted
}

// scan calls visit for each record of the source until it returns false, and report for each piece that is none.
func (s *fileStream) scan(ctx context.Context, report func(Skip), visit func(sourceFile, item) bool) error {
	ids := knownIDs{}
	for _, file := range s.files {
		more, err := s.scanFile(ctx, file, ids, report, visit)
		if err != nil || !more {
			return err
		}
	}
	return nil
}

func (s *fileStream) scanFile(ctx context.Context, file sourceFile, ids knownIDs, report func(Skip), visit func(sourceFile, item) bool) (more bool, err error) {
	opened, err := file.open()
	if err != nil {
		return false, fmt.Errorf("read stream %s: %w", s.stream, err)
	}
	defer func() { _ = opened.Close() }() // it was only read
	reader := s.reader(opened)
	for {
		if err := ctx.Err(); err != nil {
			return false, fmt.Errorf("read stream %s: %w", s.stream, err)
		}
		one, err := reader.next()
		if errors.Is(err, io.EOF) {
			return true, nil
		}
		if bad, ok := errors.AsType[unusable](err); ok {
			report(Skip{File: file.name, Line: bad.line, Reason: bad.reason})
			continue
		}
		if err != nil {
			return false, fmt.Errorf("read stream %s: %w", s.stream, err)
		}
		one.identify(s.idField)
		if reason := ids.admit(&one, file.name); reason != "" {
			report(Skip{File: file.name, Line: one.line, Reason: reason})
			continue
		}
		if !visit(file, one) {
			return false, nil
		}
	}
}

// readerVersion changes when the same files give other records than before, so that kept indexes are made again.
const readerVersion = 2

// Fingerprint sums up what [Open] would read: the names, sizes and times of the files. As long as it is the same, a database that was filled
// from them is up to date.
func Fingerprint(path string, except ...string) (string, error) {
	sources, _, err := listSources(path, except)
	if err != nil {
		return "", err
	}
	digest := sha256.New()
	fmt.Fprintf(digest, "%d %q\n", readerVersion, folderName(path))
	for _, source := range sources {
		for _, file := range source.files {
			fmt.Fprintf(digest, "%q %d %d\n", file.name, file.size, file.modified.UnixNano())
		}
	}
	manifest, err := statManifest(path)
	if err != nil {
		return "", err
	}
	if manifest != nil {
		fmt.Fprintf(digest, "%q %d %d\n", manifestName, manifest.Size(), manifest.ModTime().UnixNano())
	}
	return hex.EncodeToString(digest.Sum(nil)), nil
}

// folderName is what a person calls a folder or a file, however the path to it is written.
func folderName(path string) string {
	if absolute, err := filepath.Abs(path); err == nil {
		path = absolute
	}
	return filepath.Base(path)
}
