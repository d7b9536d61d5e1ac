package fields

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// isID reports whether a field has ids.
func isID(f rs.SchemaField) bool { return idName().MatchString(written.Snake(f.Name)) }

var idName = written.Expression(`^(?:id|ids|uuid|guid)_|(?:^|_)(?:id|ids|uuid|guid)$`)

// isName reports whether a value is the name of someone or something rather than an id: words, and neither a date nor a number.
func isName(raw string) bool {
	s, ok := written.Text(raw)
	return ok && s != "" && !written.NamesDays(s) && !written.IsDate(raw) && !strings.Contains(s, "@") &&
		(!strings.ContainsAny(s, "0123456789") || strings.Contains(strings.TrimSpace(s), " "))
}

// NamesID reports whether a condition compares a field that the stream lacks with a name, although all similar fields of the stream have
// ids.
func (s Stream) NamesID(m rs.Member) bool {
	if s.Field(m.Name) != nil || !isName(m.Value) {
		return false
	}
	near := s.Near(m.Name, Filters)
	return len(near) > 0 && !slices.ContainsFunc(near, func(name string) bool { return !isID(*s.Field(name)) })
}

// KindOf returns the kind of field that a condition is for, by its values: a number, a time or an address; for a name, any field but ids
// and times; nil if it may be any field.
func KindOf(condition string) Use {
	values := []string{condition}
	if bounds := rs.AsObject(condition); len(bounds) > 0 {
		values = nil
		for _, bound := range bounds {
			values = append(values, bound.Value)
		}
	}
	number := func(raw string) bool {
		s, _ := rs.AsText(raw)
		return written.IsNumber(s) && (!written.IsDate(raw) || len(s) < 10)
	}
	address := func(raw string) bool {
		s, _ := written.Text(raw)
		return strings.Contains(s, "@") && !strings.ContainsAny(s, " <>")
	}
	switch {
	case all(values, number):
		return isNumberField
	case all(values, written.IsDate):
		return IsTime
	case all(values, address):
		return isAddress
	case all(values, isName):
		return func(f rs.SchemaField) bool { return !isID(f) && !IsTime(f) }
	}
	return nil
}

func all(values []string, is func(string) bool) bool {
	return !slices.ContainsFunc(values, func(value string) bool { return !is(value) })
}

// Same returns the fields in near that may mean the same as a name: all words of one are in the other, or the two are near by role rather
// than by name and isNumber is not set. Avg_Pace and Avg_HR are not the same.
func (s Stream) Same(name string, near []string, isNumber bool) (same []string) {
	nameWords := written.WordsOf(name)
	for _, field := range near {
		fieldWords := written.WordsOf(field)
		_, inField := nameWords.In(fieldWords)
		_, inName := fieldWords.In(nameWords)
		_, isAlike := written.Alike(name, field)
		if inField+inName > 0 || !isAlike && !isNumber {
			same = append(same, field)
		}
	}
	return same
}

// MistakesFlag reports whether a condition with true or false is on a field that means something else: is_active is not is_archived.
func (s Stream) MistakesFlag(value, name, field string) bool {
	f, truth := s.Field(field), strings.ToLower(strings.Trim(value, `"`))
	if f == nil || f.Type != "boolean" {
		return f != nil && (truth == "true" || truth == "false") && (name != field || isNumberField(*f))
	}
	bare := func(name string) string {
		return strings.TrimPrefix(strings.TrimPrefix(written.Snake(name), "is_"), "has_")
	}
	_, alike := written.Alike(bare(name), bare(field))
	verb, _, _ := strings.Cut(written.Snake(name), "_") // include_archived leaves out nothing
	return name != field && (!alike || ShowVerbs[verb])
}

// ShowVerbs has the verbs of flags that show more of a record in other systems, such as include_items.
var ShowVerbs = written.Set("include includes including with show return get load embed expand")
