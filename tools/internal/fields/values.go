package fields

import (
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// isID takes the fields that have ids.
func isID(f rs.SchemaField) bool { return idName().MatchString(written.Snake(f.Name)) }

var idName = written.Expression(`^(?:id|ids|uuid|guid)_|(?:^|_)(?:id|ids|uuid|guid)$`)

// isName reports whether a value is the name of someone or something, as no id is: words, and neither a date nor a number.
func isName(raw string) bool {
	s, ok := written.Text(raw)
	_, _, isTime := written.Days(s, time.Now())
	return ok && s != "" && !isTime && !written.IsDate(raw) && !strings.Contains(s, "@") &&
		(!strings.ContainsAny(s, "0123456789") || strings.Contains(strings.TrimSpace(s), " "))
}

// NamesID reports whether a condition compares a field that the stream does not have with a name, where it has fields of ids alone that are
// near to it.
func (s Stream) NamesID(m rs.Member) bool {
	if s.Field(m.Name) != nil || !isName(m.Value) {
		return false
	}
	near := s.Near(m.Name, Filters)
	return len(near) > 0 && !slices.ContainsFunc(near, func(name string) bool { return !isID(*s.Field(name)) })
}

// KindOf is the kind of field that a condition is of: a number's, a time's, an address's, of a name not an id's, or nil where any may be
// meant.
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
		return isNumber
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

// Same are those of some fields, near to one that the stream has, which may be the same thing: all words of one name are in the other, or
// they are near for what they are and no number is made of them. Of Avg_Pace and Avg_HR neither is so.
func (s Stream) Same(name string, near []string, isNumber bool) (same []string) {
	of := written.WordsOf(name)
	for _, other := range near {
		words := written.WordsOf(other)
		_, all := of.In(words)
		_, own := words.In(of)
		_, alike := written.Alike(name, other)
		if all+own > 0 || !alike && !isNumber {
			same = append(same, other)
		}
	}
	return same
}

// MistakesFlag reports whether a condition that is true or false is on a field that says something else: is_active is not is_archived.
func (s Stream) MistakesFlag(value, name, field string) bool {
	f, truth := s.Field(field), strings.ToLower(strings.Trim(value, `"`))
	if f == nil || f.Type != "boolean" {
		return f != nil && (truth == "true" || truth == "false") && (name != field || isNumber(*f))
	}
	bare := func(name string) string {
		return strings.TrimPrefix(strings.TrimPrefix(written.Snake(name), "is_"), "has_")
	}
	_, alike := written.Alike(bare(name), bare(field))
	verb, _, _ := strings.Cut(written.Snake(name), "_") // include_archived leaves out nothing
	return name != field && (!alike || ShowVerbs[verb])
}

// ShowVerbs are verbs of flags by which others show more of a record, such as include_items.
var ShowVerbs = written.Set("include includes including with show return get load embed expand")
