package schema

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// ID returns the name of the field with the ids of records.
func (s Stream) ID() string { return cmp.Or(s.IDField, "id") }

// What a manifest can declare for a field, in addition to its name.
var (
	inferredTypes = []string{"string", "text", "integer", "number", "boolean", "timestamp", "date", model.LocalTime, "array", "object"}
	declaredTypes = append(slices.Clone(inferredTypes), "blob")
	fieldRoles    = []string{"", "primary-title", "secondary", "event-time", "actor"}
)

// checkFields checks the fields that the manifest declares, before any record is read.
func (s Stream) checkFields() error {
	if s.Fields == nil {
		return nil
	}
	if s.TimeField != "" || s.TitleField != "" || s.Types != nil {
		return errors.New("fields says all about its fields: leave out time_field, title_field and types")
	}
	seen := map[string]bool{}
	for _, field := range s.Fields {
		switch {
		case field.Name == "":
			return errors.New("a field has no name")
		case seen[field.Name]:
			return fmt.Errorf("field %q is there twice", field.Name)
		case !slices.Contains(declaredTypes, field.Type):
			return fmt.Errorf("field %q has type %q: it is one of %s", field.Name, field.Type, strings.Join(declaredTypes, ", "))
		case !slices.Contains(fieldRoles, field.Role):
			return fmt.Errorf("field %q has role %q: it is one of %s", field.Name, field.Role, strings.Join(fieldRoles[1:], ", "))
		}
		if err := checkCapabilities(field); err != nil {
			return err
		}
		seen[field.Name] = true
	}
	return nil
}

var aggregations = map[string][]string{
	"integer": {"sum", "min", "max", "count_distinct", "group_by"}, "number": {"sum", "min", "max", "count_distinct", "group_by"},
	"timestamp":     {"min", "max", "group_by_time", "count_distinct", "group_by"},
	"date":          {"min", "max", "group_by_time", "count_distinct", "group_by"},
	model.LocalTime: {"min", "max", "group_by_time", "count_distinct", "group_by"},
	"string":        {"count_distinct", "group_by"}, "text": {"count_distinct", "group_by"}, "boolean": {"count_distinct", "group_by"},
	"array": {"count_distinct", "group_by"},
}

// checkCapabilities returns an error if the type of a field does not allow one of its capabilities.
func checkCapabilities(field model.Field) error {
	is := func(types ...string) bool { return slices.Contains(types, field.Type) }
	wrong := ""
	switch {
	case field.Exact && is("object", "blob"):
		wrong = "cannot be exact"
	case field.Range && !is(append(timeTypes, "integer", "number")...):
		wrong = "cannot have a range"
	case field.Lexical && !is("string", "text", "array", "object"):
		wrong = "cannot be lexical"
	}
	for _, one := range field.Aggregations {
		if wrong == "" && !slices.Contains(aggregations[field.Type], one) {
			wrong = fmt.Sprintf("has no aggregation %q", one)
		}
	}
	if wrong != "" {
		return fmt.Errorf("field %q is of type %s, which %s", field.Name, field.Type, wrong)
	}
	return nil
}

// check returns an error if the manifest names a field that the records do not have. The records of an empty file (not filled) have no
// fields to compare.
func (s Stream) check(fields []model.Field, filled bool) error {
	wrong := func(text string, values ...any) error {
		return fmt.Errorf("%s: stream %q: "+text, append([]any{ManifestName, s.Name}, values...)...)
	}
	named := []string{s.TimeField, s.TitleField, s.CursorField, s.ConsentTimeField}
	if s.Fields == nil {
		named = append(named, s.IDField)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Types)) {
		if !slices.Contains(inferredTypes, s.Types[name]) {
			return wrong("field %q has type %q: it is one of %s", name, s.Types[name], strings.Join(inferredTypes, ", "))
		}
		named = append(named, name)
	}
	for _, view := range s.Views {
		if view.ID == "" || len(view.Fields) == 0 {
			return wrong("a view has no id or no fields")
		}
		named = append(named, view.Fields...)
	}
	for _, name := range named {
		if filled && name != "" && !HasField(fields, name) {
			return wrong("no record has a field %q", name)
		}
	}
	return nil
}

// Describe returns the description of a stream whose fields are all declared in the manifest.
func (s Stream) Describe() (model.Stream, error) {
	stream := model.Stream{Name: s.Name, Fields: s.Fields, CursorField: s.CursorField, ConsentTimeField: s.ConsentTimeField, Views: s.Views}
	if HasField(s.Fields, s.ID()) {
		stream.PrimaryKey = []string{s.ID()}
	}
	return stream, s.check(s.Fields, true)
}

// Names reports whether the manifest declares a stream, or a relation to it.
func (c Connector) Names(stream string) bool {
	return slices.ContainsFunc(c.Streams, func(s Stream) bool {
		return s.Name == stream || slices.ContainsFunc(s.Relations, func(r model.Relation) bool { return r.Target == stream })
	})
}

// ManifestName is the name of the manifest, a file at the top of a folder.
const ManifestName = "manifest.json"

// A Folder is the content of the file manifest.json of a folder, which docs/data.md describes.
type Folder struct {
	Blobs      string      `json:"blobs"`  // the folder of files that records name; empty: none
	Sorted     bool        `json:"sorted"` // each file is in the order of emission
	Connectors []Connector `json:"connectors"`
}

// A Connector is what the manifest declares for one connector.
type Connector struct {
	Key         string       `json:"key"`
	SourceID    string       `json:"source_id"`
	Connections []Connection `json:"connections"`
	Streams     Streams      `json:"streams"`
}

// A Connection is a folder of a connector.
type Connection struct {
	ID          string `json:"id"`
	DisplayName string `json:"display_name"`
	Folder      string `json:"folder"`
}

// Streams are the streams that a manifest declares, in the order in which they are served.
type Streams []Stream

// A Stream is what the manifest declares for one stream.
type Stream struct {
	Name string `json:"-"`

	IDField      string            `json:"id_field"`
	TimeField    string            `json:"time_field"`
	TitleField   string            `json:"title_field"`
	EmittedField string            `json:"emitted_field"`
	Types        map[string]string `json:"types"`
	Relations    []model.Relation  `json:"relations"`
	Views        []model.View      `json:"views"`

	// Fields describes the stream completely, so that its files are not read in advance.
	Fields           []model.Field `json:"fields"`
	CursorField      string        `json:"cursor_field"`
	ConsentTimeField string        `json:"consent_time_field"`
}
