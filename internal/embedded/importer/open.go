// Package importer reads a person's files, such as JSON, tables, mail and calendars, and turns them into the records and the schema of a
// corpus.
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

// Open reads a person's files: a folder with all files in it, or one file. It recognizes the format of a file by its name, else by its
// first bytes. docs/data.md lists the formats and describes manifest.json, which can override this and can name several connectors with
// connections in separate folders. docs/fields.md describes how the fields of records are inferred.
//
// Open skips hidden files and folders, whose names begin with ".", and the files of except, such as those of an index. It follows a link
// only to a file in the folder. A record is emitted at its event time; the time is unknown if the record has none that can be parsed.
// Records come in the order of file names and lines, or by time if the manifest says that the files are sorted. In a file that begins with
// the newest record, the records of one time come in reverse. The corpus reads the files again, piece by piece, each time its records are
// iterated.
//
// What cannot be used is reported to watch and skipped. Open fails if the path cannot be read, has nothing that can be used or has an
// invalid manifest, and if the context ends.
//
// Open does not read a part of known, which is keyed by part name, if its files are unchanged: they have the same name, size, times and
// inode or, if only times or inode differ, the same contents. Such a part keeps its streams, and is read when its records are asked for.
func Open(ctx context.Context, path string, known map[string]model.Part, watch Watch, except ...string) (model.Corpus, error) {
	from, err := folderAt(path, except)
	if err != nil {
		return model.Corpus{}, err
	}
	return from.open(ctx, known, watch)
}

// OpenFS is like [Open], for the root of a file system. Its files must be seekable.
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
	found, err := f.list(ctx, manifest, knownPieces(known))
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
	if manifest.Sorted { // the records of all parts are merged by time
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

// Compare reports whether the fingerprint of the files that were read is the same as that of the files now. If a newer program read them
// (byNewer), perhaps in another way, only the files are compared and not the versions.
func Compare(read, now string) (same, byNewer bool) {
	version, files, _ := strings.Cut(read, " ")
	_, filesNow, _ := strings.Cut(now, " ")
	number, _ := strconv.Atoi(version) // 0 in a fingerprint of an older form
	byNewer = number > readerVersion
	return read == now || byNewer && files == filesNow, byNewer
}

// A Sight is the state of the files that [Open] would read, at one moment: names, sizes, times and inodes.
type Sight struct {
	name  string
	files []fileState
}

// Fingerprint returns a digest of the files, except some, and of the year of now, which limits how far events recur. While it stays the
// same, a database that was filled from the files is up to date.
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

// Changed returns the names of the files that differ from an earlier sight, sorted.
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

// Look returns the files at a path, without those of except and without indexes. It opens only files that may be indexes.
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
		} else if _, ok := indexOf(from.fsys, name); !ok && !from.excludes(info) {
			sight.files = append(sight.files, stateOfFile(name, info))
		}
		return nil
	})
	return sight, err
}
