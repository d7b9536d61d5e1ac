package schema

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// WhenField has the first time that a record says, where some records lack the event time that others have.
const WhenField = "when"

// ahead is in the names of dates that something has before it, which say nothing of when it was.
var ahead = item.Expression(`(?i)(?:^|[_.])due|expir|deadline|until|fällig|vencim|échéance|scadenza`)

// maxDated is how many fields are looked at for it.
const maxDated = 64

// dated notes which of the fields that are called as times each record has.
type dated struct {
	fields []string
	seen   map[uint64]bool // sets of them, a bit for each
}

// bitOf is a bit for a field: 0 if it is not called as times are.
func (d *dated) bitOf(name string) uint64 {
	if !table.MayBeDate(name) && !dateWords().MatchString(name) || len(d.fields) == maxDated {
		return 0
	}
	d.fields = append(d.fields, name)
	return 1 << (len(d.fields) - 1)
}

func (d *dated) note(set uint64) {
	if d.seen == nil {
		d.seen = map[uint64]bool{}
	}
	d.seen[set] = true
}

// has tells of the records whether one has some of the fields, but not another, and whether one has none of them.
func (d *dated) has(some []string, not string) (instead, none bool) {
	for set := range d.seen {
		any, other := false, false
		for index, name := range d.fields {
			here := set&(1<<index) != 0
			any = any || here && slices.Contains(some, name)
			other = other || here && name == not
		}
		instead, none = instead || any && !other, none || !any && !other
	}
	return instead, none
}

// chooseTime gives its role to the event time. If it is empty in some records, another time that all have is it instead; or else a further
// field that has the first time of each, since a record without a time is in no span of time.
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
	for _, one := range others {
		if !one.Nullable {
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
			none = none || of.Strays > 0
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

// TwoReadings says of each field whose dates or numbers have two readings what they are. Such fields are texts, unless the manifest says
// otherwise.
func (t *Tally) TwoReadings(declared Stream) (said []string) {
	for _, field := range t.fields {
		if two := cmp.Or(field.TwoDates(), field.TwoNumbers()); two != "" && declared.Types[field.Name] == "" {
			said = append(said, fmt.Sprintf("%q stays a text: %s, and nothing else in the file says which", field.Name, two))
		}
	}
	return said
}
