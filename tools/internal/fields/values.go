package fields

import (
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// IsID takes the fields that have ids.
func IsID(f rs.SchemaField) bool { return isID().MatchString(written.Snake(f.Name)) }

var isID = written.Expression(`^(?:id|ids|uuid|guid)_|(?:^|_)(?:id|ids|uuid|guid)$`)

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
	return len(near) > 0 && !slices.ContainsFunc(near, func(name string) bool { return !IsID(*s.Field(name)) })
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
		return IsAddress
	case all(values, isName):
		return func(f rs.SchemaField) bool { return !IsID(f) && !IsTime(f) }
	}
	return nil
}

func all(values []string, is func(string) bool) bool {
	return !slices.ContainsFunc(values, func(value string) bool { return !is(value) })
}
