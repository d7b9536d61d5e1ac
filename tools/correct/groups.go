package correct

import (
	"cmp"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// partOfTime is a time in SQL that is cut to its hour, day, week and so on.
var partOfTime = written.Expression(`(?i)^(?:date_?trunc\(\s*['"]?)?(hour|day|week|month|quarter|year)(?:['"]?\s*,|\()\s*([\w.]+)\s*\)$`)

// aggregate compares the fields of an aggregate with those that it can compute on and group by.
func (c *correction) aggregate() {
	metric, _ := written.Text(c.args.Get("metric"))
	for _, name := range []string{"field", "group_by", "group_by_time"} {
		if several := written.Names(c.args.Text(name)); len(several) > 1 && c.stream.Field(several[0]) != nil {
			c.say(rs.UnknownField, name, "aggregate takes one %s.", name)
			c.args = c.args.With(name, rs.EncodeJSON(several[0]))
			c.hint = CallForEach(len(several))
		}
	}
	if field, ok := written.Text(c.args.Get("field")); ok && strings.ContainsAny(field, "*+/()<>=") && c.stream.Field(field) == nil {
		c.say(rs.UnknownField, "field", "aggregate computes on one field of %s; %s is an expression.", c.stream.Name, quote.Text(field))
		c.open, c.partly = true, true
	} else if ok && metric != "count" {
		if to := c.name("field", field, fields.Aggregates(metric), "take "+metric); to != "" {
			c.args = c.args.With("field", rs.EncodeJSON(to))
		}
	}
	for _, name := range []string{"group_by", "group_by_time"} {
		if field, ok := written.Text(c.args.Get(name)); ok && !c.timeGroup(name, field, metric) {
			if to := c.name(name, field, fields.Aggregates(name), "group"); to != "" {
				c.args = c.args.With(name, rs.EncodeJSON(to))
			}
		}
	}
}

// timeGroup mends a group that is written as one of time and is none, or the other way round; false where that is not so.
func (c *correction) timeGroup(name, field, metric string) bool {
	f, at := c.stream.Field(field), c.stream.Time()
	granularity := cmp.Or(wordForms["granularity"][written.Snake(field)], written.Snake(field))
	part := partOfTime().FindStringSubmatch(field)
	times := c.stream.Near("date", fields.Aggregates("group_by_time"))
	byTime := func(field, granularity string) {
		c.args = renamed(c.args, name, "group_by_time", rs.EncodeJSON(field)).With("granularity", rs.EncodeJSON(granularity))
	}
	switch {
	case recurring(field) != "" && f == nil && len(times) > 0:
		c.say(rs.UnknownField, name, "%s has no field %s.", c.stream.Name, quote.Text(field))
		byTime(times[0], likelyForms["granularity"][written.Snake(field)])
		c.hint = recurring(field)
	case granularities[granularity] && f == nil && len(times) > 0:
		c.say(rs.UnknownField, name, "%s is a granularity; group_by_time names the field.", quote.Text(field))
		byTime(times[0], granularity)
	case name == "group_by" && f != nil && fields.Aggregates("group_by_time")(*f) && !fields.Aggregates(name)(*f):
		c.say(rs.UnknownField, name, "%s is a time: group_by_time groups by it.", quote.Text(field))
		byTime(field, "month")
	case name == "group_by_time" && at != "" && f != nil && fields.Aggregates("group_by")(*f) && !fields.Aggregates(name)(*f): // by a granularity beside it
		c.say(rs.UnknownField, name, "%s is no time.", quote.Text(field))
		if c.args = c.args.With(name, rs.EncodeJSON(at)); metric == "count" || !isUnit(field) {
			c.args = renamed(c.args, name, "group_by", rs.EncodeJSON(field)).Without("granularity", "time_zone")
			c.hint = "aggregate groups by a field or by time: for both, send a call for each value of " + quote.Line(field) + " in filter."
		}
	case part != nil && c.stream.Field(part[2]) != nil:
		c.say(rs.UnknownField, name, "A group of time is a field and its granularity.")
		byTime(part[2], strings.ToLower(part[1]))
	default:
		return false
	}
	return true
}

// WithField is an aggregate with a field that its metric can be computed on, and what there is to choose from; "" where there is none.
func (t Tool) WithField(s fields.Stream, args rs.Object) (send, hint string) {
	metric := args.Text("metric")
	can := fields.Aggregates(metric)
	fields := s.Suited(can)
	if len(s.Fields) == 0 || len(fields) == len(s.Fields) || len(fields) == 0 {
		return "", ""
	}
	field := append(s.Near("amount", can), fields[0])[0]
	hint = "Of " + s.Name + " these take " + metric + ": " + quote.Names(fields, maxShown) + "."
	return Call{t.Name, args.With("field", rs.EncodeJSON(field))}.String(), hint
}

// Unsearched is the call that is meant by a filter which looks for a text within a field that no search reads, and what it does: its
// values, or else the records without that condition. It is false for any other filter.
func (t Tool) Unsearched(s fields.Stream, args rs.Object) (call Call, hint string, ok bool) {
	p, ok := plan(args)
	if !ok || p.Sought == nil || t.Takes("metric") || !t.Takes("stream") {
		return Call{}, "", false
	}
	f := s.Field(p.Sought.Name)
	args = filtered(args, p.Filter)
	switch {
	case f == nil || f.Lexical:
		return Call{}, "", false
	case fields.Aggregates("group_by")(*f):
		call, ok = t.groupedBy(args, *p.Sought)
		call.Arguments = call.Arguments.With("limit", "100")
		return call, "Search does not read " + f.Name + ": the call below lists its values; send one for each that has the text.", ok
	}
	return Call{t.Name, args}, "Neither a filter nor search finds a text in " + f.Name + ": look at it in the records of the call below.", true
}

// Listed says how a part of a word is found in a field whose values can be listed, for which a filter looks within its texts; "" for any
// other.
func (t Tool) Listed(s fields.Stream, args rs.Object) string {
	p, ok := plan(args)
	if !ok || p.Sought == nil || t.Takes("metric") {
		return ""
	}
	if f := s.Field(p.Sought.Name); f == nil || !fields.Aggregates("group_by")(*f) {
		return ""
	}
	return "For a part of one, aggregate with group_by lists the values of " + quote.Line(p.Sought.Name) + "."
}
