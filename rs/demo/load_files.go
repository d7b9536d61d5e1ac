package demo

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
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
	folder   string // that was named, and that links are not followed out of; empty: the file was named
	path     string // of a file that was named
	name     string // path from the folder, with slashes
	size     int64
	modified time.Time
}

// open opens the file for reading. What has become something else than a regular file since it was listed is an error.
func (f sourceFile) open() (*os.File, error) {
	const flags = os.O_RDONLY | syscall.O_NONBLOCK // else a pipe without a writer blocks
	if f.folder == "" {
		return regular(os.OpenFile(f.path, flags, 0)) // #nosec G304 -- the file that the user named
	}
	root, err := os.OpenRoot(f.folder)
	if err != nil {
		return nil, err
	}
	defer func() { _ = root.Close() }() // it was only read
	return regular(root.OpenFile(f.name, flags, 0))
}

// regular closes a file that is not a regular one.
func regular(file *os.File, err error) (*os.File, error) {
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err == nil && !info.Mode().IsRegular() {
		err = errors.New(notRegular)
	}
	if err != nil {
		_ = file.Close() // it was only read
		return nil, err
	}
	return file, nil
}

const (
	notRegular   = "not a regular file"
	linkToFolder = "a link to a folder, which is not followed"
	linkOut      = "a link out of the folder or to nothing, which is not followed"
)

// listSources finds the files under a path in the order of their names, and tells which it cannot use. It passes over those of except.
func listSources(path string, except []string) (sources []fileStream, skips []Skip, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, nil, fmt.Errorf("read %s: %w", path, err)
	}
	l := lister{folder: path, taken: map[string]bool{}}
	for _, name := range except {
		if info, err := os.Stat(name); err == nil {
			l.except = append(l.except, info)
		}
	}
	if !info.IsDir() {
		l.add(sourceFile{path: path, name: filepath.Base(path)}, info)
	} else if err := l.list(); err != nil {
		return nil, nil, fmt.Errorf("read the folder: %w", err)
	}
	if len(l.sources) == 0 {
		return nil, l.skips, fmt.Errorf("nothing to load in %s: name a folder or a file of %s", path, knownEndings)
	}
	return l.sources, l.skips, nil
}

// A lister collects sources.
type lister struct {
	folder  string
	root    *os.Root      // of the folder
	except  []fs.FileInfo // what is not the person's
	sources []fileStream
	skips   []Skip
	taken   map[string]bool // names of streams
}

// list adds everything in the folder.
func (l *lister) list() (err error) {
	if l.root, err = os.OpenRoot(l.folder); err != nil {
		return err
	}
	defer func() { _ = l.root.Close() }() // it was only read
	return l.walk(".")
}

// walk adds what is in a folder of the folder, in the order of names.
func (l *lister) walk(folder string) error {
	opened, err := l.root.Open(folder)
	if err != nil {
		return err
	}
	entries, err := opened.ReadDir(-1)
	_ = opened.Close() // it was only read
	if err != nil {
		return err
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	for _, entry := range entries {
		if err := l.visit(path.Join(folder, entry.Name()), entry); err != nil {
			return err
		}
	}
	return nil
}

func (l *lister) visit(name string, entry fs.DirEntry) error {
	switch {
	case strings.HasPrefix(entry.Name(), "."), name == manifestName:
		return nil
	case entry.IsDir():
		return l.walk(name)
	case entry.Type()&fs.ModeSymlink == 0:
		info, err := entry.Info()
		if err == nil {
			l.add(sourceFile{folder: l.folder, name: name}, info)
		}
		return err
	}
	info, err := l.root.Stat(name) // what the link leads to
	switch {
	case err != nil:
		l.skip(name, linkOut)
	case info.IsDir():
		l.skip(name, linkToFolder)
	default:
		l.add(sourceFile{folder: l.folder, name: name}, info)
	}
	return nil
}

func (l *lister) skip(name, reason string) {
	l.skips = append(l.skips, Skip{File: name, Reason: reason})
}

// add makes a file a source, or tells why not.
func (l *lister) add(file sourceFile, info fs.FileInfo) {
	if slices.ContainsFunc(l.except, func(other fs.FileInfo) bool { return os.SameFile(info, other) }) {
		return
	}
	if !info.Mode().IsRegular() {
		l.skip(file.name, notRegular)
		return
	}
	file.size, file.modified = info.Size(), info.ModTime()
	kind, reason := recognize(file)
	if kind == formatUnknown {
		l.skip(file.name, reason)
		return
	}
	if strings.EqualFold(path.Ext(file.name), ".eml") {
		l.addLetter(file)
		return
	}
	l.sources = append(l.sources, fileStream{stream: l.streamFor(file.name), format: kind, files: []sourceFile{file}, idField: "id"})
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
	start, err := beginning(file)
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
func beginning(file sourceFile) ([]byte, error) {
	opened, err := file.open()
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
