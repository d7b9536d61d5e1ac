package schema

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

type fieldTally struct {
	table.Column
	members *Tally // the members of its objects, by dotted names; nil: none yet, or the objects are maps
	isMap   bool
	singles int    // lists of one object, whose members are counted too
	several bool   // a list has several elements, or one that is no object
	record  int    // the last record that was counted
	bit     uint64 // of the field in dated; 0: none
}

// MaxMembers is the most fields that an object can become. One with more is rather a map.
const MaxMembers = 64

// maxName is the longest dotted name, in bytes: an object with deeper members stays an object.
const maxName = 250

func (t *fieldTally) countMembers(object item.Field) {
	if t.isMap {
		return
	}
	if t.members == nil {
		t.members = NewTally()
	}
	t.members.Add(item.Unfold(object))
	if last := len(t.members.fields); last > MaxMembers || t.members.ambiguous || last > 0 && len(t.members.fields[last-1].Name) > maxName {
		t.members, t.isMap = nil, true
	}
}

// A Tally counts the fields of a stream's records, in the order in which they were first seen.
type Tally struct {
	Records   int
	Days      int // records with a day in the name of their file
	fields    []*fieldTally
	byName    map[string]*fieldTally
	refused   map[string]bool        // fields that are not described
	Unfolds   bool                   // objects become fields
	AreCells  bool                   // values are cells of a table
	Commas    bool                   // numbers may have decimal commas
	Objects   map[string]item.Holder // the objects that become fields; set by Stream
	Cells     map[string]table.Cell  // how to convert the values of fields; set by Stream
	Times     []string               // the fields of which the first present becomes WhenField; set by Stream
	ambiguous bool                   // a record has the same field twice
	dated     dated
}

// NewTally returns a tally without records.
func NewTally() *Tally {
	return &Tally{byName: map[string]*fieldTally{}, refused: map[string]bool{}, dated: dated{seen: map[uint64]bool{}}}
}

// Add counts the values of a record. It returns the names of fields beyond item.MaxFields, and of those with long names, each once.
func (t *Tally) Add(fields []item.Field) []string {
	var extra []string
	times := uint64(0) // bits of the times that the record has
	t.Records++
	for _, one := range fields {
		field, known := t.byName[one.Name]
		if !known {
			if len(t.fields) == item.MaxFields || !item.IsName(one.Name) {
				if !t.refused[one.Name] {
					t.refused[one.Name] = true
					extra = append(extra, one.Name)
				}
				continue
			}
			field = &fieldTally{Column: table.NewColumn(one.Name, table.MayBeDate(one.Name) || ahead().MatchString(one.Name))}
			if t.Unfolds {
				field.bit = t.dated.bitOf(one.Name)
			}
			t.byName[one.Name] = field
			t.fields = append(t.fields, field)
		}
		before, count := field.Present, field.Count
		if t.AreCells {
			count = field.CountCell
		}
		if count(one.Value); field.Present > before {
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
	t.dated.seen[times] = true
	return extra
}

// unfold replaces objects by the fields that they become. An object stays if the manifest declares its type, if it is a map, or if its
// members would be too many or have the name of another field.
func (t *Tally) unfold(declared Stream) {
	var fields []*fieldTally
	t.Objects = map[string]item.Holder{}
	remaining := item.MaxFields - len(t.fields)
	for _, field := range t.fields {
		if field.members == nil || field.holder() == 0 || len(field.members.fields) == 0 || len(field.members.fields) > remaining ||
			declared.Types[field.Name] != "" ||
			slices.ContainsFunc(field.members.fields, func(member *fieldTally) bool { return t.byName[member.Name] != nil }) {
			fields = append(fields, field)
			continue
		}
		t.Objects[field.Name] = field.holder()
		remaining -= len(field.members.fields)
		if field.holder() == item.InField && field.Kinds["object"] < field.Present { // other records have something else
			field.Present -= field.Kinds["object"]
			field.Kinds["object"] = 0
			fields = append(fields, field)
		}
		for _, member := range field.members.fields {
			t.byName[member.Name] = member
			fields = append(fields, member)
		}
	}
	t.fields = fields
}

// Stream describes the stream. The manifest takes precedence over what was found.
func (t *Tally) Stream(declared Stream) (model.Stream, error) {
	t.unfold(declared)
	var columns []*table.Column
	for _, field := range t.fields {
		field.Settle(field.Name == declared.ID() || idName().MatchString(field.Name) || field.IsIdentifier())
		columns = append(columns, &field.Column)
	}
	table.Agree(columns, t.Commas)
	fields, moments := t.describe(declared)
	stream := model.Stream{Name: declared.Name, Fields: fields, Views: declared.Views}
	if err := declared.check(stream.Fields, t.Records > 0); err != nil {
		return model.Stream{}, err
	}
	if idField := declared.ID(); HasField(stream.Fields, idField) {
		stream.PrimaryKey = []string{idField}
	}
	if t.Days > 0 && declared.TimeField == "" && !slices.ContainsFunc(timesOf(stream.Fields), isLikelyTime) && !HasField(stream.Fields, "date") {
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
		// Records without the time would all sort to one end. Each has a time of emission, the default cursor.
		if !eventTime.Nullable {
			stream.CursorField = eventTime.Name
		}
	}
	stream.CursorField = cmp.Or(declared.CursorField, stream.CursorField)
	stream.ConsentTimeField = cmp.Or(declared.ConsentTimeField, stream.ConsentTimeField)
	title := assignRole(stream.Fields, "primary-title", declared.TitleField, "string", "text")
	assignRole(stream.Fields, "secondary", "", "string", "text")
	actor := assignRole(stream.Fields, "actor", "", "string", "text")
	if actor != nil && title != nil && title.Name != declared.TitleField && model.PlainName(title.Name) == "displayname" { // that of the actor
		title.Role, title = "", assignRole(stream.Fields, "conversation", "channel", "string", "text")
	}
	if title == nil {
		title = assignRole(stream.Fields, "conversation", "", "text")
	}
	if title != nil {
		title.Role = "primary-title"
	}
	return stream, nil
}

// describe describes the fields, once their columns are settled. moments maps the name of a field of days to that of the field that
// combines them with the times of another column.
func (t *Tally) describe(declared Stream) (fields []model.Field, moments map[string]string) {
	fields, moments, t.Cells = []model.Field{}, map[string]string{}, map[string]table.Cell{}
	for _, field := range t.fields {
		cell := field.Cell()
		kind := cell.Kind
		if declaredKind, ok := declared.Types[field.Name]; ok {
			kind = declaredKind
		} else if field.Name == declared.TimeField && !slices.Contains(timeTypes, kind) {
			kind = "timestamp"
		}
		described := Capable(model.Field{Name: field.Name, Type: kind, Nullable: field.Present < t.Records || cell.Nullable()})
		if kind == "text" && !field.Wide { // such as names of people, shops and songs
			described.Aggregations = []string{"count_distinct", "group_by"}
		} else if kind == "array" && !field.Mixed { // such as labels and people, each of which counts
			described.Exact, described.Aggregations = true, []string{"count_distinct", "group_by"}
		}
		fields = append(fields, described)
		if cell.Kind != kind { // the manifest declares another type
			cell.Beside = nil
			if kind != "timestamp" || !slices.Contains(timeTypes, cell.Kind) {
				cell = table.Cell{Kind: kind}
			}
		}
		for index := range cell.Beside {
			one := &cell.Beside[index]
			for t.byName[one.Name] != nil {
				one.Name += "_2"
			}
			fields = append(fields, Capable(model.Field{Name: one.Name, Type: one.Kind, Nullable: one.Nullable || described.Nullable}))
			if one.Clock != "" {
				moments[field.Name] = one.Name
			}
		}
		t.Cells[field.Name] = cell
	}
	return fields, moments
}

// leastSingles is the fewest records with a list of one object for which it is not by chance that no list has several.
const leastSingles = 5

// countSingle counts the members of the object in a list of one object.
func (t *fieldTally) countSingle(list item.Field) {
	if t.several {
		return
	}
	object, ok := item.Only(list.Value)
	if t.several = !ok || t.Kinds["object"] > 0; t.several {
		if t.Kinds["object"] == 0 {
			t.members = nil
		}
		return
	}
	if object[0] == '{' {
		t.singles++
		t.countMembers(item.Field{Name: list.Name, Value: object})
	}
}

// holder returns how the field has objects that become fields; 0: it has none.
func (t *fieldTally) holder() item.Holder {
	switch {
	case t.singles == 0, t.Kinds["object"] > 0:
		return item.InField
	case !t.several && t.singles >= leastSingles:
		return item.InList
	}
	return 0
}

// chooseTime gives the event time its role. If that is empty in some records, another time that all records have gets the role, or else a
// new field with the first time of each record: a record without a time is in no range of time.
func (t *Tally) chooseTime(fields []model.Field, declared string) []model.Field {
	if declared != "" {
		assignRole(fields, "event-time", declared)
		return fields
	}
	times := timesOf(fields)
	if len(times) == 0 {
		return fields
	}
	chosen, others := times[0], slices.DeleteFunc(times[1:], func(one *model.Field) bool { return ahead().MatchString(one.Name) })
	chosen.Role = "event-time"
	if !chosen.Nullable || HasField(fields, WhenField) {
		return fields
	}
	names, types := []string{chosen.Name}, map[string]bool{chosen.Type: true}
	of := t.byName[chosen.Name]
	mostHave := of != nil && 2*of.Present > t.Records
	for _, one := range others {
		if !one.Nullable && (!isDone(chosen) || !mostHave) {
			chosen.Role, one.Role = "", "event-time"
			return fields
		}
		names, types[one.Type] = append(names, one.Name), true
	}
	instead, none := t.dated.has(names[1:], chosen.Name)
	if !instead {
		return fields
	}
	for _, name := range names {
		if of := t.byName[name]; of != nil {
			none = none || of.HasStrays()
		}
	}
	when := model.Field{Name: WhenField, Type: chosen.Type, Nullable: none, Role: "event-time"}
	for _, wider := range []string{model.LocalTime, "timestamp"} { // than a date
		if types[wider] {
			when.Type = wider
		}
	}
	t.Times, chosen.Role = names, ""
	return append(fields, Capable(when))
}

// Notes describes the fields whose values differ from those in the file: amounts that are negative because another column says that they
// are debits, and texts of which most are numbers, or that may be dates or numbers. Texts are so by inference, not by the manifest.
func (t *Tally) Notes(declared Stream) (notes []string) {
	for _, field := range t.fields {
		if side := t.Cells[field.Name].Side; side != "" {
			notes = append(notes, fmt.Sprintf("%q has no minus in the file: it is made negative where %q is a debit", field.Name, side))
		}
		if caveat := field.Caveat(); caveat != "" && declared.Types[field.Name] == "" {
			notes = append(notes, fmt.Sprintf("%q %s", field.Name, caveat))
		}
	}
	return notes
}
