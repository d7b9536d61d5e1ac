// Package importer reads a person's own files: JSON lines, arrays, tables, mail and calendars, as the records and the schema of a corpus.
package importer

import (
	"context"
	"crypto/sha256"
	"fmt"
	"io/fs"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/archive"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// Open reads a person's own files: a folder with all that is in it, or one file. How a file is read is known by its name, or else by how it
// begins: docs/data.md lists the kinds, and describes the file manifest.json, which may say otherwise and may name several connectors with
// connections in folders of their own. docs/fields.md says how the fields of records are found out.
//
// Each file is a stream that is called after its path, without the ending and with "_" for what separates folders and for all that is not
// a letter, a digit, ".", "_" or "-"; what belongs together, such as the notes of a folder or the parts of an export, is one stream. Hidden
// files and folders, whose name begins with ".", are passed over, and so are the files of except, such as those of an index. A link is
// followed to a file in the folder and nowhere else.
//
// The field "id" of a JSON object or a row, a string or a number, is the record's id; without one the number of the line or item is. A
// repeated id gets a number: 7, 7-2, 7-3. A JSON record is as it was, but that objects become dotted fields, counts of time times, and
// amounts in strings numbers. A column of cells becomes integers, numbers, booleans or timestamps when all of its cells agree, and an empty
// cell is null.
//
// A record is emitted at its event time; when it has none that can be read, its time is not known. Records come in the order of file
// names and lines, but for those of one time in a file that begins with the newest, unless the manifest says that the files are sorted. The
// corpus reads the files again whenever its records are asked for, a piece at a time.
//
// What cannot be used is reported to the watch and left out: a line that is not a JSON object, not UTF-8, longer than 16 MiB or with a
// field twice, a copy of a message or an event, a message of more than 64 MiB, a file of an unknown kind. Open fails when the path cannot
// be read, holds nothing that can be used, or has a manifest that is wrong, and when the context ends.
func Open(ctx context.Context, path string, watch Watch, except ...string) (model.Corpus, error) {
	return Reopen(ctx, path, nil, watch, except...)
}

// Reopen reads as [Open] does, but not the parts whose files are as they are known to be, by the names of the parts: by name, size, times
// and inode or, where those differ and the size does not, by what they hold. Such a part has the streams that are known, and is read when
// its records are asked for.
func Reopen(ctx context.Context, path string, known map[string]model.Part, watch Watch, except ...string) (model.Corpus, error) {
	from, err := folderAt(path, except)
	if err != nil {
		return model.Corpus{}, err
	}
	return from.open(ctx, known, watch)
}

// OpenFS reads a folder as [Open] does. Its files can be sought in.
func OpenFS(ctx context.Context, fsys fs.FS, name string, watch Watch) (model.Corpus, error) {
	return folder{fsys: fsys, name: name, shown: name}.open(ctx, nil, watch)
}

func (f folder) open(ctx context.Context, known map[string]model.Part, watch Watch) (model.Corpus, error) {
	f.fsys, f.now, f.cache = archive.In(f.fsys), watch.Now, new(openedCache)
	if f.now.IsZero() {
		f.now = time.Now()
	}
	manifest, foreign, err := f.manifest()
	if err != nil {
		return model.Corpus{}, err
	}
	left := newLeftOut(manifest)
	watch = left.follow(watch)
	if foreign != "" {
		watch.Skipped(Skip{File: schema.ManifestName, Reason: foreign})
	}
	found, err := f.list(ctx, manifest, knownFiles(known))
	for index := range found.streams {
		left.found(manifest.Connectors[index].Key, found.streams[index])
	}
	for _, skip := range found.skips {
		if watch.isLater(skip.File) {
			skip.Reason = stillWritten
		}
		watch.Skipped(skip)
	}
	if err != nil {
		return model.Corpus{}, err
	}
	if err := found.checkStreams(manifest); err != nil {
		return model.Corpus{}, err
	}
	corpus := model.Corpus{ReadAt: time.Now(), LeftOut: func() []model.LeftOut { return left.ofPart("") }}
	reading := &reading{ctx: ctx, known: known, watch: watch, left: left, sorted: manifest.Sorted}
	for index, declared := range manifest.Connectors {
		connector, parts, err := reading.connector(declared, found.streams[index], stateOf(f.fsys, found.blobs))
		if err != nil {
			return model.Corpus{}, err
		}
		corpus.Connectors = append(corpus.Connectors, connector)
		corpus.Parts = append(corpus.Parts, parts...)
	}
	if len(manifest.Connectors) == 1 && len(corpus.Connectors[0].Streams) == 0 {
		return model.Corpus{}, f.nothingToLoad()
	}
	corpus.Records = func(yield func(model.Record, error) bool) {
		concatenate(reading.runs, yield)
	}
	if manifest.Sorted { // records of all parts come among one another
		corpus.Parts = nil
		corpus.LeftOut = func() []model.LeftOut { return left.of(func(string) bool { return true }) }
		corpus.Records = func(yield func(model.Record, error) bool) { mergeByTime(reading.runs, yield) }
	}
	return corpus, nil
}

func (f folder) manifest() (manifest schema.Folder, foreign string, err error) {
	if f.only != "" {
		manifest, err = schema.Parse([]byte("{}"), f.name)
		return manifest, "", err
	}
	return schema.Read(f.fsys, f.name)
}

// Compare compares the fingerprint of what was read with that of what is there now. After a newer program, which may read the same files in
// another way, what was read is left to it.
func Compare(read, now string) (same, byNewer bool) {
	version, files, _ := strings.Cut(read, " ")
	_, filesNow, _ := strings.Cut(now, " ")
	number, _ := strconv.Atoi(version) // 0 in one of an older form
	byNewer = number > readerVersion
	return read == now || byNewer && files == filesNow, byNewer
}

// A Sight is what lies where [Open] would read, at a moment: names, sizes, times and inodes.
type Sight struct {
	name  string
	files []fileState
}

// Fingerprint sums it up, but for some files, with the year, up to which and beyond events recur. As long as it is the same, a database
// that was filled from it is up to date.
func (s Sight) Fingerprint(now time.Time, except ...string) string {
	digest := sha256.New()
	fmt.Fprintf(digest, "%q %d\n", s.name, now.Year())
	for _, file := range s.files {
		if !slices.Contains(except, file.Name) {
			fmt.Fprintf(digest, "%v\n", file)
		}
	}
	return fmt.Sprintf("%d %x", readerVersion, digest.Sum(nil))
}

// Changed returns the names of the files that have changed since an earlier sight.
func (s Sight) Changed(since Sight) []string {
	states := map[fileState]int{}
	for _, file := range slices.Concat(since.files, s.files) {
		states[file]++
	}
	var names []string
	for file, count := range states {
		if count == 1 {
			names = append(names, file.Name)
		}
	}
	slices.Sort(names)
	return slices.Compact(names)
}

// Look finds what lies at a path, but for the files of except. It opens only files that may be indexes, which are left out.
func Look(path string, except ...string) (Sight, error) {
	from, err := folderAt(path, except)
	if err != nil {
		return Sight{}, err
	}
	sight := Sight{name: from.name}
	err = from.walk(".", func(name string, _ fs.DirEntry, err error) error {
		info, statErr := fs.Stat(from.fsys, name)
		if err != nil || statErr != nil {
			sight.files = append(sight.files, fileState{Name: name})
		} else if _, ok := indexOf(from.fsys, name); !ok && !from.passesOver(info) {
			sight.files = append(sight.files, stateOfFile(name, info))
		}
		return nil
	})
	return sight, err
}
