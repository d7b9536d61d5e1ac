package schema

import (
	_ "embed" // roleWords
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// roleWords has a paragraph for each role, with the usual names of its fields, the likeliest first. A conversation is the title of its
// messages, if conversations have names.
//
//go:embed roles.txt
var roleWords string

var roleNames = func() map[string][]string {
	names := map[string][]string{}
	for paragraph := range strings.SplitSeq(roleWords, "\n\n") {
		role, some, _ := strings.Cut(paragraph, ": ")
		names[role] = strings.Fields(some)
	}
	return names
}()

var timeTypes = []string{"timestamp", "date", model.LocalTime}

// assignRole gives a role to the declared field, or else to the first of the likely names that has one of the types and no role yet. It
// returns the field, or nil.
func assignRole(fields []model.Field, role, declared string, kinds ...string) *model.Field {
	names := roleNames[role]
	if declared != "" {
		names = []string{declared}
	}
	for _, name := range names {
		for index := range fields {
			field := &fields[index]
			isLikely := model.PlainName(field.Name) == name && slices.Contains(kinds, field.Type)
			if field.Role == "" && (field.Name == declared || declared == "" && isLikely) {
				field.Role = role
				return field
			}
		}
	}
	return nil
}

// timesOf returns the fields that may say when a record happened, the likeliest first, as a booking comes before what follows from it. If
// there are several, only those with the name of a date count.
func timesOf(fields []model.Field) (times []*model.Field) {
	for index := range fields {
		if one := &fields[index]; slices.Contains(timeTypes, one.Type) && !ofPerson().MatchString(one.Name) {
			times = append(times, one)
		}
	}
	if len(times) > 1 {
		times = slices.DeleteFunc(times, func(one *model.Field) bool { return !isLikelyTime(one) && !dateWords().MatchString(one.Name) })
	}
	slices.SortStableFunc(times, func(a, b *model.Field) int { return timeRank(a) - timeRank(b) })
	return times
}

// timeRank returns the place of a field among the likely event times, of which "~" precedes a word of a name. "-" stands for all others:
// those after it only say when a record was noted.
func timeRank(field *model.Field) int {
	likely, known := roleNames["event-time"], []string{model.PlainName(field.Name)}
	for word := range strings.FieldsSeq(item.Words(field.Name)) {
		if !ahead().MatchString(field.Name) {
			known = append(known, "~"+word)
		}
	}
	if at := slices.IndexFunc(likely, func(one string) bool { return slices.Contains(known, one) }); at >= 0 {
		return at
	}
	return slices.Index(likely, "-")
}

// isDone reports the time at which a person did something, such as to read a book.
func isDone(field *model.Field) bool {
	return isLikelyTime(field) && roleNames["event-time"][timeRank(field)][0] == '~'
}

func isLikelyTime(field *model.Field) bool {
	return timeRank(field) < slices.Index(roleNames["event-time"], "-")
}

// ofPerson matches the names of days that are facts about a person, and do not say when a record happened.
var ofPerson = item.Expression(`(?i)birth|geburt|naissance|nacimiento|nascimento|nascita|^b_?day|^dob$|anniversary|jahrestag|生年月日|生日`)

// dateWords matches the names of dates, in the languages of the banks and shops that write them.
var dateWords = item.Expression(`(?i)date|time|datum|buchung|valuta|fecha|data|dato|start|begin|from|^von$|(?:^|_)(?:day|tag|jour|` +
	`giorno|when)(?:_|$)`)

// EventTime returns the name of the field that says when a record happened; "" if there is none.
func EventTime(fields []model.Field) string {
	field, _ := model.Find(fields, func(field model.Field) bool { return field.Role == "event-time" })
	return field.Name
}

// Capable sets the capabilities of a field, which follow from its type and name.
func Capable(field model.Field) model.Field {
	switch field.Type {
	case "timestamp", "date", model.LocalTime:
		field.Exact, field.Range, field.Aggregations = true, true, []string{"min", "max", "group_by_time"}
	case "integer", "number":
		field.Exact, field.Range, field.Aggregations = true, true, []string{"sum", "min", "max", "count_distinct", "group_by"}
		if idName().MatchString(field.Name) || table.IsIdentifierName(field.Name) {
			field.Aggregations = field.Aggregations[1:]
		}
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

// linkName matches the names of fields whose ids only link records. It does not match order numbers and the like, for which people search.
var linkName = item.Expression(`^(?:id|sha256)$|(?:^|_)(?:thread|message|conversation|channel|chat|room|session|user|author|sender|recipient|` +
	`client|device|parent|series|note|target|list|reply_to)_?id$`)

// idName matches the names of fields with ids of any kind.
var idName = item.Expression(`(?:^|[._-])(?i:id)$|\p{Ll}I[dD]$`)

// isKey reports whether a field of this name has ids that only link records, so a word search need not cover it.
func isKey(name string) bool {
	return linkName().MatchString(strings.ToLower(name[strings.LastIndexByte(name, '.')+1:]))
}

// HasField reports whether one of the fields has this name.
func HasField(fields []model.Field, name string) bool {
	return slices.ContainsFunc(fields, func(field model.Field) bool { return field.Name == name })
}

// AsKey makes the field that a relation uses as a foreign key a string, as record ids are: an integer would never equal one.
func AsKey(stream *model.Stream, name string) error {
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
		*field = Capable(model.Field{Name: name, Type: "string", Nullable: field.Nullable, Role: field.Role})
		field.Lexical = false
		return nil
	}
	return fmt.Errorf("field %q of stream %q is of type %s: a foreign key is a string or a number", name, stream.Name, field.Type)
}

// WhenField is the field with the first time that a record has, if some records lack the event time that others have.
const WhenField = "when"

// ahead matches the names of dates that are still to come when a record happens, such as due dates.
var ahead = item.Expression(`(?i)(?:^|[_.])due|expir|deadline|until|fällig|vencim|échéance|scadenza`)

const maxDated = 64

// A dated tracks which of the fields with names of times each record has.
type dated struct {
	fields []string
	seen   map[uint64]bool // sets of fields that records have, one bit per field
}

// bitOf returns a new bit for a field, or 0 if it does not have the name of a time or all bits are used.
func (d *dated) bitOf(name string) uint64 {
	if !table.MayBeDate(name) && !dateWords().MatchString(name) || len(d.fields) == maxDated {
		return 0
	}
	d.fields = append(d.fields, name)
	return 1 << (len(d.fields) - 1)
}

// has reports whether any record has one of the fields some but not the field missing, and whether any has none of these fields.
func (d *dated) has(some []string, missing string) (instead, none bool) {
	for set := range d.seen {
		hasSome, hasOther := false, false
		for index, name := range d.fields {
			present := set&(1<<index) != 0
			hasSome = hasSome || present && slices.Contains(some, name)
			hasOther = hasOther || present && name == missing
		}
		instead, none = instead || hasSome && !hasOther, none || !hasSome && !hasOther
	}
	return instead, none
}
