package schema

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// longString is how many characters make a string without spaces a text.
const longString = 100

// A FieldTally counts what the values of one field were.
type FieldTally struct {
	name    string
	kinds   map[string]int // how many values look like one of each type
	present int            // how many those are
	amount  bool           // the name is that of an amount
	amounts int            // strings that are numbers, where it is
	undated bool           // not a field of dates, by its name
	mixed   bool           // a list has something else than short strings
	wide    bool           // a string has several lines, or more than longString characters
	lasts   bool           // the name is that of how long something took, or of a time of the day
	timed   bool           // the dates of the same table have times of the day
	column  table.Column   // of cells

	members *Tally // what objects hold, by dotted names; nil: nothing yet, or they are maps
	isMap   bool
	singles int    // lists of one object, which is counted as what the field holds
	several bool   // a list has other elements than one object
	record  int    // that was counted last
	bit     uint64 // of dated
}

// amountName is of fields in which many programs write numbers as strings, so that none is rounded, and of measurements. Elsewhere a
// string of digits is a string, as the number of a house is.
var amountName = item.Expression(`(?i)amount|price|balance|cost|total|distance|(?:^|[._ ])(?:fee|tax|tip|sum|discount|value|probability)$`)

// MaxMembers is how many fields an object may become. One with more is rather a map.
const MaxMembers = 64

// maxName is how long a dotted name may become, in bytes: an object that is deeper stays whole.
const maxName = 250

// countMembers counts what an object holds.
func (t *FieldTally) countMembers(object item.Field) {
	if t.isMap {
		return
	}
	if t.members == nil {
		t.members = NewTally()
	}
	t.members.Add(item.Unfold(object), (*FieldTally).Count)
	if last := len(t.members.fields); last > MaxMembers || t.members.ambiguous || last > 0 && len(t.members.fields[last-1].name) > maxName {
		t.members, t.isMap = nil, true
	}
}

func (t *FieldTally) count(kind string) {
	t.kinds[kind]++
	t.present++
}

// Count puts a valid JSON value on the tally.
func (t *FieldTally) Count(value []byte) {
	switch value[0] {
	case 'n':
	case 't', 'f':
		t.count("boolean")
	case '[':
		t.count("array")
		t.mixed = t.mixed || !item.IsWords(value, longString)
	case '{':
		t.count("object")
	case '"':
		text := model.Unquote(value)
		if table.IsDigits(text) {
			t.column.AddWhole(text) // some write counts of time so
		}
		if t.amount {
			if t.column.AddAmount(text); table.IsNumber(text) {
				t.amounts++
			}
		}
		if t.countString(text); !t.undated && !item.IsTimestamp(text) {
			t.column.AddDay(text)
		}
	default:
		if t.column.AddWhole(string(value)) {
			t.count("integer")
		} else {
			t.column.AddFraction(string(value))
			t.count("number")
		}
	}
}

// CountCell puts a cell of a table on the tally as what it would be in JSON.
func (t *FieldTally) CountCell(value []byte) {
	if value[0] != '"' {
		t.Count(value)
		return
	}
	text := model.Unquote(value)
	if table.IsMissing(text) {
		return
	}
	t.undated = false // whatever its name is
	if kind := t.column.Add(text); kind != "" {
		t.count(kind)
	} else {
		t.countString(text)
	}
}

func (t *FieldTally) countString(text string) {
	if t.lasts {
		t.column.AddLasting(text)
	}
	isLong := len(text) > longString && utf8.RuneCountInString(text) > longString || strings.Contains(text, "\n")
	switch {
	case item.IsTimestamp(text):
		t.column.AddStamp(text)
		t.count("timestamp")
	case isLong || strings.ContainsAny(text, " \t"):
		t.wide = t.wide || isLong
		t.count("text")
	default:
		t.count("string")
	}
}

// A Tally counts the fields of a stream's records, in the order in which they were first seen.
type Tally struct {
	Records   int
	Days      int // how many of them have a day by the name of their file
	fields    []*FieldTally
	byName    map[string]*FieldTally
	refused   map[string]bool        // fields beyond item.MaxFields
	Unfolds   bool                   // objects become fields
	Commas    bool                   // numbers may have decimal commas
	Objects   map[string]item.Holder // those that do; set by Stream
	Times     []string               // whose first is that of a record, in WhenField; set by Stream
	ambiguous bool                   // a record has a field twice
	dated     dated
}

// NewTally returns a tally of no records.
func NewTally() *Tally {
	return &Tally{byName: map[string]*FieldTally{}, refused: map[string]bool{}}
}

// Add counts the values of a record and returns the fields beyond the bound, each once.
func (t *Tally) Add(fields []item.Field, count func(*FieldTally, []byte)) []string {
	var extra []string
	times := uint64(0) // that the record has
	t.Records++
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
			field = &FieldTally{name: one.Name, kinds: map[string]int{}, amount: amountName().MatchString(one.Name),
				undated: !table.MayBeDate(one.Name) && !ahead().MatchString(one.Name), lasts: table.Lasts(one.Name)}
			if t.Unfolds {
				field.bit = t.dated.bitOf(one.Name)
			}
			t.byName[one.Name] = field
			t.fields = append(t.fields, field)
		}
		before := field.present
		if count(field, one.Value); field.present > before {
			times |= field.bit
		}
		switch {
		case !t.Unfolds:
		case one.Value[0] == '{':
			field.countMembers(one)
		case one.Value[0] == '[':
			field.countSingle(one)
		}
		t.ambiguous = t.ambiguous || field.record == t.Records
		field.record = t.Records
	}
	t.dated.note(times)
	return extra
}

// unfold puts the fields that objects become in their place. Objects stay that the manifest declares, that are maps, or whose fields would
// be too many or have the name of another.
func (t *Tally) unfold(declared Stream) {
	var fields []*FieldTally
	t.Objects = map[string]item.Holder{}
	remaining := item.MaxFields - len(t.fields)
	for _, field := range t.fields {
		if field.members == nil || field.holder() == 0 || len(field.members.fields) == 0 || len(field.members.fields) > remaining ||
			declared.Types[field.name] != "" ||
			slices.ContainsFunc(field.members.fields, func(member *FieldTally) bool { return t.byName[member.name] != nil }) {
			fields = append(fields, field)
			continue
		}
		t.Objects[field.name] = field.holder()
		remaining -= len(field.members.fields)
		if field.holder() == item.InField && field.kinds["object"] < field.present { // some records have something else there
			field.present -= field.kinds["object"]
			field.kinds["object"] = 0
			fields = append(fields, field)
		}
		for _, member := range field.members.fields {
			t.byName[member.name] = member
			fields = append(fields, member)
		}
	}
	t.fields = fields
}

// Stream describes the stream from its tally. What the manifest declares comes before what was found.
func (t *Tally) Stream(declared Stream) (model.Stream, error) {
	stream := model.Stream{Name: declared.Name, Fields: []model.Field{}}
	t.unfold(declared)
	var columns []*table.Column
	for _, field := range t.fields {
		isMixed := field.undated || field.kinds["array"]+field.kinds["object"] > 0
		field.column.Settle(field.present, isMixed || field.name == declared.ID() || idName().MatchString(field.name))
		columns = append(columns, &field.column)
	}
	table.AssumeDecimalMark(columns, t.Commas)
	table.AssumeDateOrder(columns)
	moments := map[string]string{} // times of a day and of a time beside it, by the fields of the days
	timed := table.AreTimed(columns)
	for _, field := range t.fields {
		field.timed = timed
	}
	for _, field := range t.fields {
		cell := t.cell(field)
		kind := cell.Kind
		if declaredKind, ok := declared.Types[field.name]; ok {
			kind = declaredKind
		} else if field.name == declared.TimeField && !slices.Contains(timeTypes, kind) {
			kind = "timestamp"
		}
		described := Capable(model.Field{Name: field.name, Type: kind, Nullable: field.present < t.Records ||
			cell.StrayField != "" || field.column.HasZero() && cell.Counts()})
		if kind == "text" && !field.wide { // names of people, shops and songs
			described.Aggregations = []string{"count_distinct", "group_by"}
		} else if kind == "array" && !field.mixed { // labels and people: each counts
			described.Exact, described.Aggregations = true, []string{"count_distinct", "group_by"}
		}
		stream.Fields = append(stream.Fields, described)
		if cell.Kind == kind && cell.UnitField != "" && t.byName[cell.UnitField] == nil {
			unit := model.Field{Name: cell.UnitField, Type: "string", Nullable: true}
			if cell.Lasts() {
				unit.Type, unit.Nullable = "number", field.present < t.Records
			}
			stream.Fields = append(stream.Fields, Capable(unit))
		}
		if cell.Kind == kind && cell.StrayField != "" {
			stream.Fields = append(stream.Fields, Capable(model.Field{Name: t.free(cell.StrayField), Type: "text", Nullable: true}))
		}
		if cell.Kind == kind && cell.MomentField != "" {
			stream.Fields = append(stream.Fields, Capable(model.Field{Name: cell.MomentField, Type: cell.MomentKind, Nullable: described.Nullable}))
			moments[field.name] = cell.MomentField
		}
	}
	if err := declared.check(stream.Fields, t.Records > 0); err != nil {
		return model.Stream{}, err
	}
	if idField := declared.ID(); HasField(stream.Fields, idField) {
		stream.PrimaryKey = []string{idField}
	}
	if t.Days > 0 && declared.TimeField == "" && assignRole(slices.Clone(stream.Fields), "event-time", "", timeTypes...) == nil &&
		!HasField(stream.Fields, "date") {
		stream.Fields = append(stream.Fields, Capable(model.Field{Name: "date", Type: "date", Nullable: t.Days < t.Records}))
	}
	stream.Fields = t.chooseTime(stream.Fields, declared.TimeField)
	if moment := moments[EventTime(stream.Fields)]; moment != "" && declared.TimeField == "" {
		for index := range stream.Fields {
			switch one := &stream.Fields[index]; {
			case one.Name == moment:
				one.Role = "event-time"
			case one.Role == "event-time":
				one.Role = ""
			}
		}
	}
	if eventTime, ok := stream.Field(EventTime(stream.Fields)); ok {
		stream.ConsentTimeField = eventTime.Name
		// Records without the time would all sort to one end; the time of emission is there for each.
		if !eventTime.Nullable {
			stream.CursorField = eventTime.Name
		}
	}
	stream.CursorField = cmp.Or(declared.CursorField, stream.CursorField)
	stream.ConsentTimeField = cmp.Or(declared.ConsentTimeField, stream.ConsentTimeField)
	stream.Views = declared.Views
	if assignRole(stream.Fields, "primary-title", declared.TitleField, "string", "text") == nil {
		if talk := assignRole(stream.Fields, "conversation", "", "text"); talk != nil {
			talk.Role = "primary-title"
		}
	}
	assignRole(stream.Fields, "secondary", "", "string", "text")
	assignRole(stream.Fields, "actor", "", "string", "text")
	return stream, nil
}

// leastSingles is in how many records a list has one object, if it is not to be by chance that it never has several.
const leastSingles = 5

// countSingle counts what a list holds that is a list of one object.
func (t *FieldTally) countSingle(list item.Field) {
	if t.several {
		return
	}
	object, ok := item.Only(list.Value)
	if t.several = !ok || t.kinds["object"] > 0; t.several {
		if t.kinds["object"] == 0 {
			t.members = nil
		}
		return
	}
	if object[0] == '{' {
		t.singles++
		t.countMembers(item.Field{Name: list.Name, Value: object})
	}
}

// holder says how the field holds objects.
func (t *FieldTally) holder() item.Holder {
	switch {
	case t.singles == 0, t.kinds["object"] > 0:
		return item.InField
	case !t.several && t.singles >= leastSingles:
		return item.InList
	}
	return 0
}
