package schema

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// WhenField is the field with the first time that a record has, if some records lack the event time that others have.
const WhenField = "when"

// ahead matches the names of dates that are still to come when a record happens, such as due dates.
var ahead = item.Expression(`(?i)(?:^|[_.])due|expir|deadline|until|fällig|vencim|échéance|scadenza`)

// maxDated is the most fields that dated tracks.
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

func (d *dated) note(set uint64) {
	if d.seen == nil {
		d.seen = map[uint64]bool{}
	}
	d.seen[set] = true
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

// Notes describes the fields whose values differ from those in the file: amounts that are negative because another column says that they
// are debits, and texts of which most are numbers, or that may be dates or numbers. Texts are so by inference, not by the manifest.
func (t *Tally) Notes(declared Stream) (notes []string) {
	for _, field := range t.fields {
		if side := t.Cells[field.Name].Side; side != "" {
			notes = append(notes, fmt.Sprintf("%q has no minus in the file: it is made negative where %q is a debit", field.Name, side))
		}
		if declared.Types[field.Name] != "" {
			continue
		}
		if two := cmp.Or(field.TwoDates(), field.TwoNumbers()); two != "" {
			notes = append(notes, fmt.Sprintf("%q stays a text: %s, and nothing else in the file says which", field.Name, two))
		} else if others := field.NotNumbers(); others > 0 {
			notes = append(notes, fmt.Sprintf("%q stays a text: not a number in %d of %d records", field.Name, others, field.Present))
		}
	}
	return notes
}
