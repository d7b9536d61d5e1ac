package correct

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
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
			c.report("unknown_field", name, "aggregate takes one %s.", name)
			if c.hint = callForEach(len(several)); name == "group_by" {
				several[0], c.hint = oneGroup(metric, several)
			}
			c.args = c.args.With(name, rs.EncodeJSON(several[0]))
		}
	}
	field, ok := written.Text(c.args.Get("field"))
	title, _, titled := strings.Cut(field, " (") // of a column with its unit
	titled = titled && strings.HasSuffix(field, ")") && len(c.stream.Near(title, nil)) > 0 || c.stream.Spelled(field) != ""
	if ok && strings.ContainsAny(field, "*+/()<>=") && !titled {
		c.report("unknown_field", "field", "aggregate computes on one field of %s; %s is an expression.", c.stream.Name, quote.Text(field))
		c.open, c.partly = true, true
	} else if ok && metric != "count" {
		c.replace("field", c.name("field", field, fields.Aggregates(metric), "take "+metric))
	}
	for _, name := range []string{"group_by", "group_by_time"} {
		if field, ok := written.Text(c.args.Get(name)); ok && !c.timeGroup(name, field, metric) {
			c.replace(name, c.name(name, field, fields.Aggregates(name), "group"))
		}
	}
}

// timeGroup mends a group that is written as one of time and is none, or the other way round; false where that is not so.
func (c *correction) timeGroup(name, field, metric string) bool {
	f, at := c.stream.Field(field), c.stream.Time()
	granularity := cmp.Or(wordForms["granularity"][written.Snake(field)], written.Snake(field))
	part := partOfTime().FindStringSubmatch(field)
	times := c.stream.Near("date", fields.Aggregates("group_by_time"))
	named := append(c.stream.Near(field, fields.Aggregates("group_by_time")), "")[0]
	byTime := func(field, granularity string) {
		c.args = renamed(c.args, name, "group_by_time", rs.EncodeJSON(field)).With("granularity", rs.EncodeJSON(granularity))
	}
	switch {
	case recurring(field) != "" && f == nil && len(times) > 0:
		c.report("unknown_field", name, "%s has no field %s.", c.stream.Name, quote.Text(field))
		byTime(times[0], likelyForms["granularity"][written.Snake(field)])
		c.hint = recurring(field)
	case granularities[granularity] && f == nil && len(times) > 0:
		c.report("unknown_field", name, "%s is a granularity; group_by_time names the field.", quote.Text(field))
		byTime(times[0], granularity)
	case name == "group_by" && f != nil && fields.Aggregates("group_by_time")(*f) && !fields.Aggregates(name)(*f):
		c.report("unknown_field", name, "%s is a time: group_by_time groups by it.", quote.Text(field))
		byTime(field, "month")
	case name == "group_by_time" && at != "" && f != nil && fields.Aggregates("group_by")(*f) && !fields.Aggregates(name)(*f): // by a granularity beside it
		c.report("unknown_field", name, "%s is no time.", quote.Text(field))
		if c.args = c.args.With(name, rs.EncodeJSON(at)); metric == "count" || !written.IsUnitName(field) {
			c.args = renamed(c.args, name, "group_by", rs.EncodeJSON(field)).Without("granularity", "time_zone")
			c.hint = "aggregate groups by a field or by time: for both, send a call for each value of " + quote.Line(field) + " in filter."
		}
	case part != nil && c.stream.Field(part[2]) != nil:
		c.report("unknown_field", name, "A group of time is a field and its granularity.")
		byTime(part[2], strings.ToLower(part[1]))
	case name == "group_by" && f == nil && named != "" && len(c.stream.Near(field, fields.Aggregates(name))) == 0:
		c.report("unknown_field", name, "%s has no field %s; %s is a time: group_by_time groups by it.", c.stream.Name, quote.Text(field), quote.Line(named))
		byTime(named, map[bool]string{true: "day", false: "month"}[granularity == "date"])
	default:
		return false
	}
	return true
}

// WithField is an aggregate with a field as an argument that its metric or its granularity needs, and what there is to choose from; ""
// where there is none.
func (t Tool) WithField(s fields.Stream, args rs.Object, argument string) (send, hint string) {
	use, likely := args.Text("metric"), "amount"
	if argument == "group_by_time" {
		use, likely = argument, cmp.Or(s.Time(), "date")
	}
	can := fields.Aggregates(use)
	fields := s.Suited(can)
	if len(s.Fields) == 0 || len(fields) == len(s.Fields) || len(fields) == 0 {
		return "", ""
	}
	if at := slices.IndexFunc(fields, func(name string) bool { return money().MatchString(name) }); at >= 0 && argument == "field" {
		likely = fields[at]
	}
	field := append(s.Near(likely, can), fields[0])[0]
	hint = "Of " + s.Name + " these take " + use + ": " + quote.Names(fields, maxShown) + "."
	return Call{t.Name, args.With(argument, rs.EncodeJSON(field))}.String(), hint
}

var money = written.Expression(`(?:^|_)(?:amount|price|total|cost)(?:_|$)`)

// Unsearched is the call that is meant by a filter which looks for a text within a field whose values can be listed, or that no search
// reads, and what it does: the values, or else the records without that condition. For any other filter it has no call, and may say how a
// part of a word is found.
func (t Tool) Unsearched(s fields.Stream, args rs.Object) (call Call, hint string, ok bool) {
	p, ok := plan(args)
	if !ok || p.Sought == nil || s.Field(p.Sought.Name) == nil {
		return Call{}, "", false
	}
	f := s.Field(p.Sought.Name)
	args = filtered(args, p.Filter)
	switch lists := fields.Aggregates("group_by")(*f); {
	case lists && !t.Takes("stream"):
		return Call{}, "For a part of one, aggregate with group_by lists the values of " + quote.Line(f.Name) + ".", false
	case f.Lexical && !lists, lists && t.Takes("metric"), !t.Takes("stream"):
		return Call{}, "", false
	case lists:
		call, ok = t.groupedBy(args, *p.Sought)
		call.Arguments = call.Arguments.With("limit", "100")
		return call, listsValues(f.Name), ok
	case t.Takes("metric"):
		args = instead("query_records", args, rs.Object{rs.NewMember("fields", []string{f.Name}), rs.NewMember("limit", 100)}, "filter", "time_zone").Arguments
	}
	return Call{"query_records", showing(args, f.Name)}, "Neither a filter nor search finds a text in " + f.Name + ": look at it in the records of the call below.", true
}

func listsValues(field string) string {
	return "No filter looks within a text: the call below lists the values of " + quote.Line(field) + "; send yours with each of those that have it."
}

// Mistaken returns the error that says what is wrong with the fields of a call which a resource server refused, and which connections of
// its stream have them; nil for nothing. schema reads the schema of a stream and a connection, or of all where one is "", and returns nil
// where it cannot.
func (t Tool) Mistaken(args rs.Object, refused *rs.Error, schema func(stream, connection string) *rs.Schema) *rs.Error {
	streams, connection := Touches(args)
	if len(streams) != 1 {
		return nil
	}
	s := schema(streams[0], connection)
	if s == nil {
		return nil
	}
	known := fields.ReadHaving(streams[0], s, args)
	if known.Misses(args) {
		if all := schema("", connection); all != nil {
			known.ReadRelated(all, connection)
		}
	}
	found := t.Unknown(known, args, refused)
	if connection != "" && t.Takes("stream") {
		s = schema(streams[0], "")
	}
	if s == nil || !t.Takes("stream") { // a record is of one connection
		return found
	}
	says, instead := fields.AtHome(s, streams[0], connection, args)
	if says == "" {
		return found
	}
	if found == nil {
		found = &rs.Error{Code: refused.Code, Param: refused.Param, Hint: "Ask each connection for its own fields."}
	}
	found.Message = strings.TrimSpace(found.Message + " " + says)
	if instead != nil {
		found.Send = Call{t.Name, instead}.String()
	}
	return found
}

// Unknown returns the error that says which field or relation of a call its stream does not have, and the call that is probably
// meant; nil if it has all that are named. refused is what the resource server said.
func (t Tool) Unknown(s fields.Stream, args rs.Object, refused *rs.Error) *rs.Error {
	if len(s.Fields) == 0 {
		return nil
	}
	c := &correction{stream: s, args: args}
	if refused.Code == "field_not_granted" {
		c.here = " in this grant"
	}
	c.fields()
	if related, ok := c.ofRelated(t); ok {
		return &rs.Error{Code: c.code, Param: c.param, Message: strings.Join(c.wrong, " "), Hint: c.hint, Send: related.String()}
	}
	if e := byParent(s, args); e != nil && t.Name == "query_records" {
		return e
	}
	if t.Takes("filter") {
		c.filter(t)
	}
	if t.Takes("sort") {
		c.sort()
	}
	if t.Name == "aggregate" {
		c.aggregate()
	} else if field, ok := written.Text(c.args.Get("field")); ok && t.Takes("field") && !c.inRelated("field", field) {
		c.replace("field", c.name("field", field, nil, ""))
	}
	c.relations()
	if !t.Takes("sort") && len(c.related) > 0 {
		t.Name, c.args = "fetch", members(c.args, "id", "connection_id", "fields", "expand", "expand_limit")
	}
	for _, relation := range c.related {
		if expand := c.args.Array("expand"); !slices.Contains(expand, rs.EncodeJSON(relation)) {
			c.args = c.args.With("expand", rs.JoinArray(append(slices.Clone(expand), rs.EncodeJSON(relation))))
		}
	}
	if len(c.wrong) == 0 {
		return nil
	}
	ungrouped := c.ungrouped != "" && refused.Status != 0 && len(c.wrong) == 1 // else something else was wrong with the call
	if ungrouped {
		c.hint = "No call groups by it: the one below shows its values record by record."
	}
	e := &rs.Error{Code: c.code, Param: c.param, Message: strings.Join(c.wrong[:min(len(c.wrong), 3)], " "), Hint: c.hint}
	if e.Code == "unknown_field" && refused.Status != 0 && len(c.related) == 0 {
		e.Code = refused.Code
	}
	send, ok := Call{t.Name, c.args}, true
	switch {
	case ungrouped:
		shown := rs.EncodeJSON(distinct([]string{c.ungrouped, args.Text("field")}))
		send = instead("query_records", args, rs.Object{{Name: "fields", Value: shown}, {Name: "limit", Value: "100"}}, "filter", "time_zone")
		if s.Connection != "" {
			send.Arguments = send.Arguments.With("connection_id", rs.EncodeJSON(s.Connection))
		}
	case c.open && (c.sought != nil || c.grouped != nil || !c.partly):
		return e
	case c.open:
		send = Call{"schema", rs.Object{{Name: "stream", Value: rs.EncodeJSON(s.Name)}}.WithAll(onlyConnection(args))}
	case c.sought != nil:
		send, ok = searchFor(c.args, *c.sought)
	case c.grouped != nil:
		send, ok = t.groupedBy(c.args, *c.grouped)
	}
	if ok {
		e.Send = send.String()
	}
	return e
}
