package correct

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// elsewhere finds another way to what a condition looks for, on a field that is there and that no filter reads: a search, where the
// field is searched, and else the records without the condition.
func (c *correction) elsewhere(t Tool, field, value string) bool {
	f := c.stream.field(field)
	_, isText := written.Text(value)
	if f == nil || slices.Contains(c.stream.suited(filters), field) {
		return false
	}
	searched := f.Lexical && isText
	if t.Name == "aggregate" && !searched {
		return false
	}
	c.say(rs.UnknownField, "filter", "field %s of %s cannot be filtered by. Those that can: %s.",
		quote.Text(field), c.stream.Name, quote.Names(c.stream.suited(filters), 12))
	if c.hint = "The call below reads without that condition; look at " + quote.Line(field) + " in its records."; searched {
		c.sought = &rs.Member{Name: field, Value: value}
		c.hint = "Search reads that field: the call below finds the words."
	}
	return true
}

// textRange finds what is meant by a range on a field that has none, such as a name: of dates one of the time of the records; of words the
// one that it has, and else a list of the field's values to choose from. instead are the conditions that are meant, or none. It is false where
// nothing is known to be meant.
func (c *correction) textRange(t Tool, field string, bounds rs.Object) (instead rs.Object, ok bool) {
	f := c.stream.field(field)
	if f == nil || slices.Contains(c.stream.suited(hasRanges), field) || len(bounds) == 0 {
		return nil, false
	}
	value, dates := bounds[0].Value, 0
	for _, bound := range bounds {
		s, isText := written.Text(bound.Value)
		switch {
		case written.IsDate(bound.Value):
			dates++
		case !isText || s == "" || plainNumber.MatchString(s):
			return nil, false
		case bound.Value != value || utf8.RuneCountInString(s) == 1:
			value = ""
		}
	}
	time := c.stream.Time()
	groups := slices.Contains(f.Aggregates, "group_by") && !c.args.Has("group_by") && !c.args.Has("group_by_time")
	switch {
	case dates == len(bounds) && time != "" && !c.args.Object("filter").Has(time):
		instead = rs.Object{{Name: time, Value: bounds.JSON()}}
		c.hint = quote.Line(time) + " says when a record is."
	case dates > 0:
		return nil, false
	case value != "" && f.Exact:
		instead = rs.Object{{Name: field, Value: value}}
		c.hint = "A text has no range: the call below finds exactly this value."
	case value != "" && f.Lexical:
		c.sought = &rs.Member{Name: field, Value: value}
		c.hint = "A text has no range: the call below finds the words."
	case groups:
		c.grouped = &rs.Member{Name: field, Value: bounds.JSON()}
		c.hint = "A text has no range: the call below lists the values of " + quote.Line(field) + " to choose from."
	case t.Name == "query_records":
		c.hint = "A text has no range: the call below reads without that condition; look at " + quote.Line(field) + " in its records."
	default:
		return nil, false
	}
	c.say(rs.UnknownField, "filter", "field %s of %s cannot be filtered by a range. Those that can: %s.",
		quote.Text(field), c.stream.Name, quote.Names(c.stream.suited(hasRanges), maxShown))
	return instead, true
}

// flag is the field of the stream that says what a flag of messages by another name does, such as is_seen for unread, with the value that is
// meant; "" for none.
func (c *correction) flag(name, value string) (field, meant string) {
	known, ok := flagFields["is:"+strings.TrimPrefix(written.Snake(name), "is_")]
	if !ok {
		known, ok = flagFields["has:"+strings.TrimPrefix(written.Snake(name), "has_")]
	}
	if !ok || c.stream.field(name) != nil || value != "true" && value != "false" {
		return "", ""
	}
	at := slices.IndexFunc(known.fields, func(f string) bool { return c.stream.field(f) != nil })
	if at < 0 {
		return "", ""
	}
	return known.fields[at], strconv.FormatBool(value == known.value)
}

// inRelated looks for a field that the stream does not have in what is related to it, such as the body of a message.
func (c *correction) inRelated(param, name string) bool {
	if !c.stream.misses(name) {
		return false
	}
	var found []string
	for _, r := range c.stream.Related {
		for _, field := range []string{name, name + "_text"} {
			if r.field(field) != nil {
				found = append(found, r.Name, field)
				break
			}
		}
	}
	at := slices.IndexFunc(c.stream.Relations, func(r rs.Relation) bool { return len(found) == 2 && r.Target == found[0] })
	if at < 0 {
		return false
	}
	relation := c.stream.Relations[at].Name
	c.say(rs.UnknownField, param, "%s has no field %s; the related %s has it as %s.",
		c.stream.Name, quote.Text(name), quote.Names([]string{relation}, 1), quote.Names(found[1:], 1))
	c.related, c.hint = append(c.related, relation), "The call below reads the record with what is related to it."
	return true
}

// unfolded is a filter with the operators that stand in the names of its fields as conditions, and what is meant by those that no filter
// says. It is false where that is not known.
func (c *correction) unfolded(filter rs.Object) (plain rs.Object, ok bool) {
	plain, names, ok := unfolded(filter, c.stream.suited(nil))
	if len(names) == 0 {
		return filter, true
	}
	c.say(rs.UnknownField, "filter", "%s has no field %s; an operator is written inside its field.", c.stream.Name, quote.Names(names, maxShown))
	guess, excluded, sought := "", (*rs.Member)(nil), (*rs.Member)(nil)
	if ok {
		guess, excluded, sought = guessedFilter(plain.JSON())
	}
	if guess == "" {
		c.open, c.partly = true, true
		return nil, false
	}
	if values := alternatives(plain.JSON()); len(values) > 0 {
		c.hint = oneOf(len(values))
	}
	if excluded != nil {
		field := excluded.Name
		excluded.Name = c.name("filter", field, aggregates("group_by"), "group")
		switch c.grouped = excluded; {
		case c.open:
		case excluded.Value == "null":
			c.hint = absentHint(field)
		case c.args.Has("group_by") || c.args.Has("group_by_time"):
			c.hint = "No filter excludes a value: leave that condition out, or group by " + quote.Line(field) + "."
		default:
			c.hint = "No filter excludes a value: the call below groups by it, and the other groups are what is asked for."
		}
	}
	if sought != nil {
		c.sought, c.hint = sought, "Search reads words: the call below finds the records that have them."
		if f := c.stream.field(sought.Name); f != nil && !f.Lexical {
			c.open = true
		}
	}
	return swapped(rs.AsObject(guess)), true
}
