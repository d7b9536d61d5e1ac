// Package schema describes the streams of a folder, from what its manifest declares and what their records show.
package schema

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// The connector and connection of a folder whose manifest names none. They need not be unique, because a database has one folder.
const (
	folderConnector  = "files"
	folderConnection = "cin_files"
	folderSourceID   = "https://registry.pdpp.example/connectors/"
)

const maxManifestBytes = 1 << 20

// Read reads the manifest of the folder with this name, which need not have one. A file that cannot be read, or that another program made,
// is skipped: foreign is the reason.
func Read(fsys fs.FS, name string) (manifest Folder, foreign string, err error) {
	text := []byte("{}")
	file, err := fsys.Open(ManifestName)
	if err == nil {
		text, err = io.ReadAll(io.LimitReader(file, maxManifestBytes+1))
		_ = file.Close() // it was only read
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		foreign = "cannot be read: " + item.Reason(err)
	case len(text) > maxManifestBytes:
		foreign = fmt.Sprintf("larger than %d MiB, which no manifest is", maxManifestBytes>>20)
	case !isManifest(text):
		foreign = "the manifest of another program: it names none of display_name, blobs, sorted, streams and connectors"
	}
	if foreign != "" || err != nil {
		text = []byte("{}")
	}
	manifest, err = Parse(text, name)
	return manifest, foreign, err
}

// isManifest reports whether a text is meant as a manifest of this program: it is an empty object, or names one of the keys, even if it is
// invalid.
func isManifest(text []byte) bool {
	var members map[string]json.RawMessage
	text = bytes.TrimSpace(bytes.TrimPrefix(text, []byte(item.ByteOrderMark)))
	broken := json.Unmarshal(text, &members) != nil
	isNamed := func(key string) bool {
		return members[key] != nil || broken && bytes.Contains(text, []byte(`"`+key+`"`))
	}
	return slices.ContainsFunc([]string{"display_name", "blobs", "sorted", "streams", "connectors"}, isNamed) ||
		!broken && members != nil && len(members) == 0
}

// Parse parses the text of a manifest, for the folder with this name.
func Parse(text []byte, name string) (manifest Folder, err error) {
	defer func() {
		if err != nil {
			err = fmt.Errorf("%s: %w", ManifestName, err)
		}
	}()
	var outer struct {
		Folder
		DisplayName string  `json:"display_name"`
		Streams     Streams `json:"streams"`
	}
	if err := decodeStrictly(bytes.TrimPrefix(text, []byte(item.ByteOrderMark)), &outer); err != nil {
		return Folder{}, err
	}
	manifest = outer.Folder
	switch {
	case manifest.Blobs != "" && (!fs.ValidPath(manifest.Blobs) || manifest.Blobs == "."):
		return Folder{}, fmt.Errorf("blobs %q is not a folder below this one", manifest.Blobs)
	case manifest.Connectors == nil:
		only := Connection{ID: folderConnection, DisplayName: cmp.Or(outer.DisplayName, name), Folder: "."}
		manifest.Connectors = []Connector{{Key: folderConnector, Streams: outer.Streams, Connections: []Connection{only}}}
	case outer.DisplayName != "" || outer.Streams != nil:
		return Folder{}, errors.New("display_name and streams belong to each of the connectors")
	case len(manifest.Connectors) == 0:
		return Folder{}, errors.New("connectors is empty")
	}
	return manifest, manifest.complete()
}

// complete sets what connectors and connections leave out, and checks that no two have the same key, id or folder.
func (m Folder) complete() error {
	taken := map[string]bool{}
	var folders []string
	for index := range m.Connectors {
		connector := &m.Connectors[index]
		connector.SourceID = cmp.Or(connector.SourceID, folderSourceID+connector.Key)
		switch {
		case connector.Key == "":
			return errors.New("a connector has no key")
		case taken["key "+connector.Key]:
			return fmt.Errorf("two connectors have the key %q", connector.Key)
		case len(connector.Connections) == 0:
			return fmt.Errorf("connector %q has no connections", connector.Key)
		}
		taken["key "+connector.Key] = true
		for index := range connector.Connections {
			one := &connector.Connections[index]
			one.DisplayName, one.Folder = cmp.Or(one.DisplayName, one.ID), cmp.Or(one.Folder, one.ID)
			switch {
			case one.ID == "":
				return fmt.Errorf("connector %q: a connection has no id", connector.Key)
			case !fs.ValidPath(one.Folder):
				return fmt.Errorf("connection %q: %q is not a folder below this one", one.ID, one.Folder)
			case taken["id "+one.ID]:
				return fmt.Errorf("two connections have the id %q", one.ID)
			case slices.ContainsFunc(folders, func(other string) bool { return IsWithin(one.Folder, other) || IsWithin(other, one.Folder) }):
				return fmt.Errorf("connection %q: %q is in the folder of another connection", one.ID, one.Folder)
			}
			taken["id "+one.ID] = true
			folders = append(folders, one.Folder)
		}
	}
	return nil
}

// IsWithin reports whether a path is a folder or is in it.
func IsWithin(name, folder string) bool {
	return folder == "." || name == folder || strings.HasPrefix(name, folder+"/")
}

// UnmarshalJSON decodes an object of streams and keeps their order.
func (s *Streams) UnmarshalJSON(text []byte) error {
	if string(text) == "null" {
		return nil
	}
	*s = Streams{}
	named, err := item.NewParser().Parse(text)
	if err != nil {
		return fmt.Errorf("streams is %w", err)
	}
	for _, one := range named {
		declared := Stream{Name: one.Name}
		if err := declared.parse(one.Value); err != nil {
			return fmt.Errorf("stream %q: %w", one.Name, err)
		}
		*s = append(*s, declared)
	}
	return nil
}

// UnmarshalJSON decodes a connector. Its errors name the connector.
func (c *Connector) UnmarshalJSON(text []byte) error {
	type plain Connector
	if err := decodeStrictly(text, (*plain)(c)); err != nil {
		return fmt.Errorf("connector %q: %w", c.Key, err)
	}
	return nil
}

func (s *Stream) parse(text []byte) error {
	if err := decodeStrictly(text, s); err != nil {
		return err
	}
	for index := range s.Relations {
		if err := completeRelation(&s.Relations[index]); err != nil {
			return err
		}
	}
	return s.checkFields()
}

// decodeStrictly decodes a single JSON value. Keys that the target does not have are errors.
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

// completeRelation checks a relation and sets what it leaves out.
func completeRelation(r *model.Relation) error {
	if r.Name == "" {
		return errors.New("a relation has no name")
	}
	if r.ForeignKey == "" {
		return fmt.Errorf("relation %q has no foreign_key: name the field that holds the record id", r.Name)
	}
	r.Target = cmp.Or(r.Target, r.Name)
	switch r.Cardinality {
	case "has_one":
		if r.DefaultLimit != 0 || r.MaxLimit != 0 {
			return fmt.Errorf("relation %q is has_one, which has no limits", r.Name)
		}
	case "has_many":
		if r.MaxLimit == 0 {
			r.MaxLimit = max(model.MaxExpandLimit, r.DefaultLimit)
		}
		if r.DefaultLimit == 0 {
			r.DefaultLimit = min(model.DefaultExpandLimit, r.MaxLimit)
		}
		if r.DefaultLimit < 1 || r.MaxLimit < r.DefaultLimit {
			return fmt.Errorf("relation %q has limits %d and %d: default_limit is at least 1 and at most max_limit", r.Name, r.DefaultLimit,
				r.MaxLimit)
		}
	default:
		return fmt.Errorf("relation %q has cardinality %q: it is has_one or has_many", r.Name, r.Cardinality)
	}
	return nil
}
