package demo

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"slices"
	"strings"
)

const manifestName = "manifest.json"

// A folderManifest is the file manifest.json of a folder, in the form that [Open] describes.
type folderManifest struct {
	DisplayName string
	Streams     map[string]streamManifest
}

// A streamManifest is what a manifest says about one stream.
type streamManifest struct {
	IDField    string             `json:"id_field"`
	TimeField  string             `json:"time_field"`
	TitleField string             `json:"title_field"`
	Types      map[string]string  `json:"types"`
	Relations  []manifestRelation `json:"relations"`
}

type manifestRelation struct {
	Name         string `json:"name"`
	Stream       string `json:"stream"`
	ForeignKey   string `json:"foreign_key"`
	Cardinality  string `json:"cardinality"`
	DefaultLimit int    `json:"default_limit"`
	MaxLimit     int    `json:"max_limit"`
}

// maxManifestBytes bounds a manifest.
const maxManifestBytes = 1 << 20

// openManifest opens the manifest of a folder: nil when there is none, as for a single file.
func openManifest(folder string) (*os.File, error) {
	if info, err := os.Stat(folder); err != nil || !info.IsDir() {
		return nil, err
	}
	file, err := sourceFile{folder: folder, name: manifestName}.open()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("read the manifest, which is a file in the folder: %w", err)
	}
	return file, nil
}

// statManifest describes the manifest of a folder: nil when there is none.
func statManifest(folder string) (fs.FileInfo, error) {
	file, err := openManifest(folder)
	if err != nil || file == nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	return file.Stat()
}

// readManifest reads the manifest of a folder, which may have none.
func readManifest(folder string) (folderManifest, error) {
	file, err := openManifest(folder)
	if err != nil || file == nil {
		return folderManifest{}, err
	}
	defer func() { _ = file.Close() }() // it was only read
	text, err := io.ReadAll(io.LimitReader(file, maxManifestBytes+1))
	if err == nil && len(text) > maxManifestBytes {
		err = fmt.Errorf("it is larger than %d bytes", maxManifestBytes)
	}
	if err != nil {
		return folderManifest{}, fmt.Errorf("read the manifest: %w", err)
	}
	return parseManifest(text)
}

func parseManifest(text []byte) (folderManifest, error) {
	var outer struct {
		DisplayName string                     `json:"display_name"`
		Streams     map[string]json.RawMessage `json:"streams"`
	}
	if err := decodeStrictly(bytes.TrimPrefix(text, []byte("\xef\xbb\xbf")), &outer); err != nil {
		return folderManifest{}, fmt.Errorf("%s: %w", manifestName, err)
	}
	manifest := folderManifest{DisplayName: outer.DisplayName, Streams: map[string]streamManifest{}}
	// In the order of names, so that of several mistakes it is always the same that is told.
	for _, name := range slices.Sorted(maps.Keys(outer.Streams)) {
		var declared streamManifest
		if err := decodeStrictly(outer.Streams[name], &declared); err != nil {
			return folderManifest{}, fmt.Errorf("%s: stream %q: %w", manifestName, name, err)
		}
		for index := range declared.Relations {
			if err := declared.Relations[index].complete(); err != nil {
				return folderManifest{}, fmt.Errorf("%s: stream %q: %w", manifestName, name, err)
			}
		}
		manifest.Streams[name] = declared
	}
	return manifest, nil
}

// decodeStrictly decodes one JSON value that has no keys but those of the target.
func decodeStrictly(text []byte, target any) error {
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(target); err != nil {
		if key, ok := strings.CutPrefix(err.Error(), "json: unknown field "); ok {
			return fmt.Errorf("unknown key %s", key)
		}
		return err
	}
	if _, err := decoder.Token(); !errors.Is(err, io.EOF) {
		return errors.New("there is something after the end of the object")
	}
	return nil
}

// complete checks a relation and puts in what it leaves out.
func (r *manifestRelation) complete() error {
	if r.Name == "" {
		return errors.New("a relation has no name")
	}
	if r.ForeignKey == "" {
		return fmt.Errorf("relation %q has no foreign_key: name the field that holds the record id", r.Name)
	}
	if r.Stream == "" {
		r.Stream = r.Name
	}
	switch r.Cardinality {
	case "has_one":
		if r.DefaultLimit != 0 || r.MaxLimit != 0 {
			return fmt.Errorf("relation %q is has_one, which has no limits", r.Name)
		}
		return nil
	case "has_many":
		if r.MaxLimit == 0 {
			r.MaxLimit = max(maxExpandLimit, r.DefaultLimit)
		}
		if r.DefaultLimit == 0 {
			r.DefaultLimit = min(defaultExpandLimit, r.MaxLimit)
		}
		if r.DefaultLimit < 1 || r.MaxLimit < r.DefaultLimit {
			return fmt.Errorf("relation %q has limits %d and %d: default_limit is at least 1 and at most max_limit", r.Name, r.DefaultLimit, r.MaxLimit)
		}
		return nil
	}
	return fmt.Errorf("relation %q has cardinality %q: it is has_one or has_many", r.Name, r.Cardinality)
}

// apply gives each source what the manifest says about it.
func (m folderManifest) apply(sources []fileStream) error {
	for _, name := range slices.Sorted(maps.Keys(m.Streams)) {
		at := slices.IndexFunc(sources, func(one fileStream) bool { return one.stream == name })
		if at < 0 {
			return fmt.Errorf("%s: stream %q: no file is called so", manifestName, name)
		}
		sources[at].declared = m.Streams[name]
		sources[at].idField = m.Streams[name].idField()
	}
	return nil
}

func (s streamManifest) idField() string {
	if s.IDField == "" {
		return "id"
	}
	return s.IDField
}

// check compares a stream's manifest with the fields that its records have. An empty file has none to compare with.
func (s streamManifest) check(stream string, fields []Field, filled bool) error {
	kinds := []string{"string", "text", "integer", "number", "boolean", "timestamp", "array", "object"}
	named := []string{s.IDField, s.TimeField, s.TitleField}
	for _, name := range slices.Sorted(maps.Keys(s.Types)) {
		if !slices.Contains(kinds, s.Types[name]) {
			return fmt.Errorf("%s: stream %q: field %q has type %q: it is one of %s", manifestName, stream, name, s.Types[name], strings.Join(kinds, ", "))
		}
		named = append(named, name)
	}
	for _, name := range named {
		if filled && name != "" && !hasField(fields, name) {
			return fmt.Errorf("%s: stream %q: no record has a field %q", manifestName, stream, name)
		}
	}
	return nil
}

// relate puts the relations on the streams, once all of them are known.
func (m folderManifest) relate(streams []Stream) error {
	for index := range streams {
		from := &streams[index]
		for _, declared := range m.Streams[from.Name].Relations {
			at := slices.IndexFunc(streams, func(stream Stream) bool { return stream.Name == declared.Stream })
			if at < 0 {
				return fmt.Errorf("%s: stream %q: relation %q leads to %q, and there is no such stream", manifestName, from.Name, declared.Name, declared.Stream)
			}
			if err := asKey(&streams[at], declared.ForeignKey); err != nil {
				return fmt.Errorf("%s: stream %q: relation %q: %w", manifestName, from.Name, declared.Name, err)
			}
			from.Relations = append(from.Relations, Relation{
				Name: declared.Name, Target: declared.Stream, ForeignKey: declared.ForeignKey, Cardinality: declared.Cardinality,
				DefaultLimit: declared.DefaultLimit, MaxLimit: declared.MaxLimit,
			})
		}
	}
	return nil
}
