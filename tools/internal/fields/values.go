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

// InSeconds is a condition on the seconds beside a field that says how long something took, where one on either compares with a text that
// says so; false for any other. A text that is the whole of a field is one that it may have.
func (s Stream) InSeconds(m rs.Member) (in rs.Member, ok bool) {
	name, compared, texts := m.Name, rs.AsObject(m.Value), 0
	if s.Field(name) == nil {
		name = append(s.Near(name, nil), "")[0]
	}
	own := s.secondsOf(name)
	if own == "" || compared == nil && own != m.Name && s.Field(m.Name) != nil {
		return rs.Member{}, false
	}
	seconds := func(raw string) string {
		if rs.Kind(raw) == "number" {
			return raw
		}
		texts++
		return written.Seconds(name, raw)
	}
	if in.Name = own; compared == nil {
		in.Value = seconds(m.Value)
	}
	for _, bound := range compared {
		if bound.Value = seconds(bound.Value); bound.Value == "" {
			return rs.Member{}, false
		}
		in.Value = rs.AsObject(in.Value).With(bound.Name, bound.Value).JSON()
	}
	return in, in.Value != "" && texts > 0
}

// secondsOf is the field that has a field's durations in seconds, or is it; "" for none.
func (s Stream) secondsOf(name string) string {
	if own := strings.TrimSuffix(name, "_seconds") + "_seconds"; s.IsNumber(own) {
		return own
	}
	return ""
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
		if other == s.secondsOf(name) {
			same = slices.Insert(same, 0, other)
		} else if all+own > 0 || !alike && !isNumber {
			same = append(same, other)
		}
	}
	return same
}

// yearless is a day of any year, such as "05-01" and "1.5.".
var yearless = written.Expression(`^"(?:(?:--)?0?([0-9]{1,2})-0?([0-9]{1,2})|0?([0-9]{1,2})\.\s?0?([0-9]{1,2})\.?)"$`)

// Yearless are the conditions on the month and the day beside a date that a day of any year means; nil for any other condition.
func (s Stream) Yearless(m rs.Member) rs.Object {
	day := yearless().FindStringSubmatch(m.Value)
	month, ofMonth := m.Name+"_month", m.Name+"_day"
	if day == nil || s.Field(month) == nil || s.Field(ofMonth) == nil {
		return nil
	}
	return rs.Object{{Name: month, Value: day[1] + day[4]}, {Name: ofMonth, Value: day[2] + day[3]}}
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
