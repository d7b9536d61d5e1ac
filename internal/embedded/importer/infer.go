package importer

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// longString is how many characters make a string without spaces a text.
const longString = 100

// A fieldTally counts what the values of one field were.
type fieldTally struct {
	name                                                                      string
	null, boolean, integer, number, timestamp, short, long, array, objectKind int

	wide   bool         // a string has several lines, or more than longString characters
	column table.Column // of cells

	members *streamTally // what objects hold, by dotted names; nil: nothing yet, or they are maps
	isMap   bool
	record  int // that was counted last
}

// maxMembers is how many fields an object may become. One with more is rather a map.
const maxMembers = 64

// countMembers counts what an object holds.
func (t *fieldTally) countMembers(object item.Field) {
	if t.isMap {
		return
	}
	if t.members == nil {
		t.members = newStreamTally()
	}
	t.members.add(item.Unfold(object), (*fieldTally).count)
	if len(t.members.fields) > maxMembers || t.members.ambiguous {
		t.members, t.isMap = nil, true
	}
}

func (t *fieldTally) present() int {
	return t.boolean + t.integer + t.number + t.timestamp + t.short + t.long + t.array + t.objectKind
}

// count puts a valid JSON value on the tally.
func (t *fieldTally) count(value []byte) {
	switch value[0] {
	case 'n':
		t.null++
	case 't', 'f':
		t.boolean++
	case '[':
		t.array++
	case '{':
		t.objectKind++
	case '"':
		text := model.Unquote(value)
		if strings.Trim(text, "0123456789") == "" {
			t.column.AddWhole(text) // some write counts of time so
		}
		t.countString(text)
	default:
		// A whole number that needs more than 64 bits is kept as a number, since the store would have to round it.
		if t.column.AddWhole(string(value)) {
			t.integer++
		} else {
			t.number++
		}
	}
}

func (t *fieldTally) countString(text string) {
	switch {
	case item.IsTimestamp(text):
		t.timestamp++
	case len(text) > longString && utf8.RuneCountInString(text) > longString || strings.Contains(text, "\n"):
		t.wide = true
		fallthrough
	case strings.ContainsAny(text, " \t"):
		t.long++
	default:
		t.short++
	}
}

// kind is the narrowest type that all values have. A field of mixed values is a string, which promises the least.
func (t *fieldTally) kind() string {
	all := t.present()
	switch all {
	case 0:
		return "string"
	case t.boolean:
		return "boolean"
	case t.integer:
		return t.column.Cell(t.name, "integer", all, 0, all).Kind
	case t.integer + t.number:
		return "number"
	case t.timestamp:
		return "timestamp"
	case t.array:
		return "array"
	case t.objectKind:
		return "object"
	}
	kind := "string"
	if t.long > 0 {
		kind = "text"
	}
	return t.column.Cell(t.name, kind, all, t.short+t.long, t.integer+t.number).Kind
}

// cell is how the cells of a column become values.
func (t *fieldTally) cell(kind string) table.Cell {
	return t.column.Cell(t.name, kind, t.present(), t.short+t.long, t.integer+t.number)
}

// countCell puts a cell of a table on the tally as what it would be in JSON.
func (t *fieldTally) countCell(value []byte) {
	if value[0] != '"' {
		t.count(value)
		return
	}
	text := model.Unquote(value)
	switch t.column.Add(text) {
	case table.Boolean:
		t.boolean++
	case table.Integer:
		t.integer++
	case table.Number:
		t.number++
	case table.Timestamp:
		t.timestamp++
	default:
		t.countString(text)
	}
}

// cells says how the cells of each column become values of its field.
func (t *streamTally) cells(fields []model.Field) map[string]table.Cell {
	cells := map[string]table.Cell{}
	for _, field := range fields {
		one := t.byName[field.Name]
		if one == nil { // the unit of another
			continue
		}
		cells[field.Name] = one.cell(field.Type)
		if cell := cells[field.Name]; cell.Kind != field.Type || t.byName[cell.UnitField] != nil { // the manifest or another column says otherwise
			cell.UnitField = ""
			if cell.Kind != field.Type {
				cell = table.Cell{Kind: field.Type}
			}
			cells[field.Name] = cell
		}
	}
	return cells
}

// A streamTally counts the fields of a stream's records, in the order in which they were first seen.
type streamTally struct {
	records   int
	fields    []*fieldTally
	byName    map[string]*fieldTally
	refused   map[string]bool // fields beyond item.MaxFields
	unfolds   bool            // objects become fields
	objects   map[string]bool // those that do; set by unfold
	ambiguous bool            // a record has a field twice
}

func newStreamTally() *streamTally {
	return &streamTally{byName: map[string]*fieldTally{}, refused: map[string]bool{}}
}

// add counts the values of a record and returns the fields beyond the bound, each once.
func (t *streamTally) add(fields []item.Field, count func(*fieldTally, []byte)) []string {
	var extra []string
	t.records++
	for _, one := range fields {
		field, known := t.byName[one.Name]
		if !known {
			if len(t.fields) == item.MaxFields {
				if !t.refused[one.Name] {
					t.refused[one.Name] = true
					extra = append(extra, one.Name)
				}
				continue
			}
			field = &fieldTally{name: one.Name}
			t.byName[one.Name] = field
			t.fields = append(t.fields, field)
		}
		count(field, one.Value)
		if t.unfolds && one.Value[0] == '{' {
			field.countMembers(one)
		}
		t.ambiguous = t.ambiguous || field.record == t.records
		field.record = t.records
	}
	return extra
}

// unfold puts the fields that objects become in their place. Objects stay that the manifest declares, that are maps, or whose fields would
// be too many or have the name of another.
func (t *streamTally) unfold(declared streamManifest) {
	var fields []*fieldTally
	t.objects = map[string]bool{}
	room := item.MaxFields - len(t.fields)
	for _, field := range t.fields {
		if field.members == nil || len(field.members.fields) == 0 || len(field.members.fields) > room || declared.Types[field.name] != "" ||
			slices.ContainsFunc(field.members.fields, func(member *fieldTally) bool { return t.byName[member.name] != nil }) {
			fields = append(fields, field)
			continue
		}
		t.objects[field.name] = true
		room -= len(field.members.fields)
		if field.objectKind < field.present() { // some records have something else there
			field.objectKind = 0
			fields = append(fields, field)
		}
		for _, member := range field.members.fields {
			t.byName[member.name] = member
			fields = append(fields, member)
		}
	}
	t.fields = fields
}

// stream describes the stream from its tally. What the manifest declares comes before what was found.
func (t *streamTally) stream(declared streamManifest) (model.Stream, error) {
	stream := model.Stream{Name: declared.Name, Fields: []model.Field{}}
	t.unfold(declared)
	for _, field := range t.fields {
		kind := field.kind()
		if declaredKind, ok := declared.Types[field.name]; ok {
			kind = declaredKind
		} else if field.name == declared.TimeField {
			kind = "timestamp"
		}
		described := capable(model.Field{Name: field.name, Type: kind, Nullable: field.present() < t.records})
		if kind == "text" && !field.wide { // names of people, shops and songs
			described.Aggregations = []string{"count_distinct", "group_by"}
		}
		stream.Fields = append(stream.Fields, described)
		if unit := field.cell(kind); unit.Kind == kind && unit.UnitField != "" && t.byName[unit.UnitField] == nil {
			stream.Fields = append(stream.Fields, capable(model.Field{Name: unit.UnitField, Type: "string", Nullable: true}))
		}
	}
	if err := declared.check(stream.Fields, t.records > 0); err != nil {
		return model.Stream{}, err
	}
	if idField := declared.idField(); hasField(stream.Fields, idField) {
		stream.PrimaryKey = []string{idField}
	}
	eventTime := assignRole(stream.Fields, "event-time", declared.TimeField, eventTimeNames(), "timestamp")
	if eventTime == nil {
		eventTime = onlyTimestamp(stream.Fields)
	}
	if eventTime == nil {
		eventTime = firstDate(stream.Fields)
	}
	if eventTime != nil {
		stream.ConsentTimeField = eventTime.Name
		// Records without the time would all sort to one end; the time of emission is there for each.
		if !eventTime.Nullable {
			stream.CursorField = eventTime.Name
		}
	}
	stream.CursorField = cmp.Or(declared.CursorField, stream.CursorField)
	stream.ConsentTimeField = cmp.Or(declared.ConsentTimeField, stream.ConsentTimeField)
	stream.Views = declared.Views
	assignRole(stream.Fields, "primary-title", declared.TitleField, titleNames(), "string", "text")
	assignRole(stream.Fields, "secondary", "", secondaryNames(), "string", "text")
	assignRole(stream.Fields, "actor", "", actorNames(), "string", "text")
	return stream, nil
}

// capable says what may be asked of a field, from its type.
func capable(field model.Field) model.Field {
	switch field.Type {
	case "timestamp":
		field.Exact, field.Range, field.Aggregations = true, true, []string{"min", "max", "group_by_time"}
	case "integer", "number":
		field.Exact, field.Range, field.Aggregations = true, true, []string{"sum", "min", "max", "count_distinct", "group_by"}
	case "boolean":
		field.Exact, field.Aggregations = true, []string{"group_by"}
	case "text":
		field.Exact, field.Lexical = true, true
	case "array", "object": // the texts in it
		field.Lexical = !isKey(field.Name)
	case "string":
		field.Exact, field.Lexical, field.Aggregations = true, !isKey(field.Name), []string{"count_distinct", "group_by"}
	}
	return field
}

// isKey reports the name of a field that holds a key or an address: nobody searches for a word in it.
func isKey(name string) bool {
	name = strings.ToLower(name[strings.LastIndexByte(name, '.')+1:])
	return name == "id" || name == "url" || name == "sha256" || strings.HasSuffix(name, "_id") || strings.HasSuffix(name, "_url")
}

func hasField(fields []model.Field, name string) bool {
	return slices.ContainsFunc(fields, func(field model.Field) bool { return field.Name == name })
}

// asKey declares a field that a relation leads by as a string, which record ids are: an integer would never equal one.
func asKey(stream *model.Stream, name string) error {
	at := slices.IndexFunc(stream.Fields, func(field model.Field) bool { return field.Name == name })
	switch {
	case len(stream.Fields) == 0: // of an empty file
		stream.Fields = []model.Field{{Name: name, Nullable: true}}
		at = 0
	case at < 0:
		return fmt.Errorf("stream %q has no field %q", stream.Name, name)
	}
	field := &stream.Fields[at]
	switch field.Type {
	case "", "string", "text", "integer", "number":
		*field = capable(model.Field{Name: name, Type: "string", Nullable: field.Nullable, Role: field.Role})
		field.Lexical = false
		return nil
	}
	return fmt.Errorf("field %q of stream %q is of type %s: a foreign key is a string or a number", name, stream.Name, field.Type)
}
