package demo

import (
	"bufio"
	"bytes"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// A format is how a file is read.
type format int

const (
	formatUnknown format = iota
	formatLines          // a JSON object to a line
	formatArray          // JSON objects in an array
	formatTable          // rows
	formatMail           // messages, many or one to a file
	formatCalendar
)

const knownEndings = ".jsonl, .ndjson, .json, .csv, .tsv, .mbox, .mbx, .eml or .ics"

// formatOf knows a file by the ending of its name.
func formatOf(name string) format {
	switch strings.ToLower(path.Ext(name)) {
	case ".jsonl", ".ndjson":
		return formatLines
	case ".json":
		return formatArray
	case ".csv", ".tsv":
		return formatTable
	case ".mbox", ".mbx", ".eml":
		return formatMail
	case ".ics":
		return formatCalendar
	}
	return formatUnknown
}

// A sourceFile is one file of a stream.
type sourceFile struct {
	path     string
	name     string // path from the folder, with slashes
	size     int64
	modified time.Time
}

// listSources finds the files under a path in the order of their names, and tells which it cannot use.
func listSources(root string) (sources []fileStream, skips []Skip, err error) {
	info, err := os.Stat(root)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", root, err)
	}
	l := lister{taken: map[string]bool{}}
	if !info.IsDir() {
		l.add(root, filepath.Base(root), info)
	} else if err := filepath.WalkDir(root, func(place string, entry fs.DirEntry, err error) error {
		return l.visit(root, place, entry, err)
	}); err != nil {
		return nil, nil, err
	}
	if len(l.sources) == 0 {
		return nil, nil, fmt.Errorf("nothing to load in %s: name a folder or a file of %s", root, knownEndings)
	}
	return l.sources, l.skips, nil
}

// A lister collects sources.
type lister struct {
	sources []fileStream
	skips   []Skip
	taken   map[string]bool // names of streams
}

func (l *lister) visit(root, place string, entry fs.DirEntry, err error) error {
	if err != nil {
		return fmt.Errorf("read the folder: %w", err)
	}
	if place == root {
		return nil
	}
	if strings.HasPrefix(entry.Name(), ".") {
		if entry.IsDir() {
			return fs.SkipDir
		}
		return nil
	}
	relative, err := filepath.Rel(root, place)
	if err != nil {
		return fmt.Errorf("read the folder: %w", err)
	}
	if entry.IsDir() || relative == manifestName {
		return nil
	}
	info, err := os.Stat(place) // what a link leads to
	if err != nil {
		return fmt.Errorf("read the folder: %w", err)
	}
	l.add(place, filepath.ToSlash(relative), info)
	return nil
}

// add makes a file a source, or tells why not.
func (l *lister) add(place, name string, info fs.FileInfo) {
	if !info.Mode().IsRegular() {
		l.skips = append(l.skips, Skip{File: name, Reason: "not a regular file"})
		return
	}
	file := sourceFile{path: place, name: name, size: info.Size(), modified: info.ModTime()}
	kind, reason := recognize(file)
	if kind == formatUnknown {
		l.skips = append(l.skips, Skip{File: name, Reason: reason})
		return
	}
	if strings.EqualFold(path.Ext(name), ".eml") {
		l.addLetter(file)
		return
	}
	l.sources = append(l.sources, fileStream{stream: l.streamFor(name), format: kind, files: []sourceFile{file}, idField: "id"})
}

// addLetter puts a message in a file of its own with the others of its folder.
func (l *lister) addLetter(file sourceFile) {
	folder := path.Dir(file.name)
	for index := range l.sources {
		stream := &l.sources[index]
		if first := stream.files[0].name; strings.EqualFold(path.Ext(first), ".eml") && path.Dir(first) == folder {
			stream.files = append(stream.files, file)
			return
		}
	}
	if folder == "." {
		folder = "messages"
	}
	l.sources = append(l.sources, fileStream{stream: l.free(streamName(folder)), format: formatMail, files: []sourceFile{file}, idField: "id"})
}

// streamFor names the stream of a file. Of two files that differ in their ending alone, the second keeps it.
func (l *lister) streamFor(name string) string {
	ending := path.Ext(name)
	if formatOf(name) == formatUnknown {
		return l.free(streamName(name))
	}
	short := streamName(strings.TrimSuffix(name, ending))
	if l.taken[short] {
		return l.free(streamName(name))
	}
	return l.free(short)
}

// free takes a name that no stream has yet, and none of attachments may get.
func (l *lister) free(name string) string {
	unique := name
	for number := 2; l.taken[unique] || l.taken[unique+attachmentsSuffix] || l.taken[strings.TrimSuffix(unique, attachmentsSuffix)]; number++ {
		unique = fmt.Sprintf("%s_%d", name, number)
	}
	l.taken[unique] = true
	return unique
}

var (
	notInNames  = regexp.MustCompile(`[^A-Za-z0-9._-]+`)
	severalDots = regexp.MustCompile(`\.{2,}`)
)

// streamName makes a path a name that can be a segment of paths.
func streamName(name string) string {
	name = severalDots.ReplaceAllString(notInNames.ReplaceAllString(name, "_"), ".")
	if strings.Trim(name, "._-") == "" {
		return "stream"
	}
	return name
}

// recognize settles how a file is read, or says why it is not.
func recognize(file sourceFile) (kind format, reason string) {
	if kind = formatOf(file.name); kind == formatMail {
		return kind, "" // there may be many, and their reader tells what is none
	}
	start, err := beginning(file.path)
	if err != nil {
		return formatUnknown, "cannot be read: " + err.Error()
	}
	if kind == formatArray && holdsLines(start) {
		return formatLines, ""
	}
	switch {
	case kind != formatUnknown && !hasUTF16Mark(start) && slices.Contains(start, 0):
		return formatUnknown, "not text: it holds bytes that are 0"
	case kind != formatUnknown:
		return kind, ""
	case fromLine.Match(firstLine(start)):
		return formatMail, ""
	case bytes.EqualFold(firstLine(start), []byte("BEGIN:VCALENDAR")):
		return formatCalendar, ""
	}
	return formatUnknown, "of no known kind: " + knownEndings
}

// beginning reads the first bytes of a file.
func beginning(place string) ([]byte, error) {
	opened, err := os.Open(place) // #nosec G304 -- the folder is the one that the user named
	if err != nil {
		return nil, err
	}
	defer func() { _ = opened.Close() }() // it was only read
	start, err := bufio.NewReaderSize(opened, 1<<12).Peek(1 << 12)
	if len(start) == 0 && err != nil && !isEnd(err) {
		return nil, err
	}
	return bytes.TrimPrefix(start, []byte(byteOrderMark)), nil
}

// firstLine is the first line that is not empty.
func firstLine(start []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimLeft(start, "\r\n"), []byte("\n"))
	return bytes.TrimRight(line, "\r")
}

// holdsLines tells a .json file that is an object to a line: an object, and after it another.
func holdsLines(start []byte) bool {
	first, rest, more := bytes.Cut(bytes.TrimLeft(start, " \t\r\n"), []byte("\n"))
	if !more || len(first) == 0 || first[0] != '{' {
		return false
	}
	_, err := newLineParser().parse(bytes.TrimSpace(first))
	rest = bytes.TrimLeft(rest, " \t\r\n")
	return err == nil && len(rest) > 0 && rest[0] == '{'
}
