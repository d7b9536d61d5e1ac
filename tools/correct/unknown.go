package correct

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// aggregate checks the fields of an aggregate: whether it can compute on them and group by them.
func (c *correction) aggregate(args rs.Object) rs.Object {
	metric, _ := written.Text(args.Get("metric"))
	for _, name := range []string{"field", "group_by", "group_by_time"} {
		if several := written.Names(args.Text(name)); len(several) > 1 && c.stream.Field(several[0]) != nil {
			c.report("unknown_field", name, "aggregate takes one %s.", name)
			hint := callForEach(len(several))
			if name == "group_by" {
				several[0], hint = oneGroup(metric, several)
			}
			c.send(answer{hint: hint})
			args = args.With(name, rs.EncodeJSON(several[0]))
		}
	}
	field, ok := written.Text(args.Get("field"))
	title, _, titled := strings.Cut(field, " (") // the title of a column, with its unit
	titled = titled && strings.HasSuffix(field, ")") && len(c.stream.Near(title, nil)) > 0 || c.stream.Spelled(field) != ""
	switch {
	case !ok:
	case strings.ContainsAny(field, "*+/()<>=") && !titled:
		c.report("unknown_field", "field", "aggregate computes on one field of %s; %s is an expression.", c.stream.Name, quote.Text(field))
		c.send(answer{kind: sendSchema})
	case metric == "count":
		c.report("invalid_request", "field", "count takes no field: it counts records, and count_distinct the values of a field.")
		args = args.Without("field")
	default:
		args = named(args, "field", c.name("field", field, fields.Aggregates(metric), "take "+metric))
	}
	for _, name := range []string{"group_by", "group_by_time"} {
		field, ok := written.Text(args.Get(name))
		if !ok {
			continue
		}
		if grouped, ok := c.timeGroup(args, name, field, metric); ok {
			args = grouped
		} else {
			args = named(args, name, c.name(name, field, fields.Aggregates(name), "group"))
		}
	}
	return args
}

// sources are names of the connection of a record, which no group is by.
var sources = written.Set("connection connection_id connection_name connector connector_key display_name source account account_id")

// timeGroup mends a group by time that is sent as a group by a field, or the reverse; false if it is neither.
func (c *correction) timeGroup(args rs.Object, name, field, metric string) (rs.Object, bool) {
	if f := c.stream.Field(field); f != nil {
		return c.fieldGroup(args, name, *f, metric)
	}
	granularity := cmp.Or(foreign.WordForms["granularity"][written.Snake(field)], written.Snake(field))
	part := foreign.PartOfTime().FindStringSubmatch(field)
	byTime := fields.Aggregates("group_by_time")
	times, near := c.stream.Near("date", byTime), c.stream.Near(field, byTime)
	switch {
	case sources[written.Snake(field)]:
		c.report("unknown_field", name, "%s is no field: a number over several connections names each with its own.", quote.Text(field))
		return args.Without(name), true
	case recurring(field) != "" && len(times) > 0:
		c.lacks(name, field, ".")
		c.send(answer{hint: recurring(field)})
		return byPeriod(args, name, times[0], foreign.LikelyForms["granularity"][written.Snake(field)]), true
	case foreign.Granularities[granularity] && len(times) > 0:
		c.report("unknown_field", name, "%s is a granularity; group_by_time names the field.", quote.Text(field))
		return byPeriod(args, name, times[0], granularity), true
	case part != nil && c.stream.Field(part[2]) != nil:
		c.report("unknown_field", name, "A group of time is a field and its granularity.")
		return byPeriod(args, name, part[2], strings.ToLower(part[1])), true
	case name == "group_by" && len(near) > 0 && len(c.stream.Near(field, fields.Aggregates(name))) == 0:
		c.lacks(name, field, "; %s is a time: group_by_time groups by it.", quote.Line(near[0]))
		return byPeriod(args, name, near[0], map[bool]string{true: "day", false: "month"}[granularity == "date"]), true
	}
	return args, false
}

// fieldGroup mends a group_by that names a time, or a group_by_time that names another field; false if it is neither.
func (c *correction) fieldGroup(args rs.Object, name string, f rs.SchemaField, metric string) (rs.Object, bool) {
	groups, groupsTime := fields.Aggregates("group_by")(f), fields.Aggregates("group_by_time")(f)
	at := c.stream.Time()
	switch {
	case name == "group_by" && groupsTime && !groups:
		c.report("unknown_field", name, "%s is a time: group_by_time groups by it.", quote.Text(f.Name))
		return byPeriod(args, name, f.Name, "month"), true
	case name == "group_by_time" && groups && !groupsTime && at != "": // a granularity may have moved it there
		c.report("unknown_field", name, "%s is no time.", quote.Text(f.Name))
		if metric != "count" && written.IsUnitName(f.Name) {
			return args.With(name, rs.EncodeJSON(at)), true
		}
		c.send(answer{hint: "aggregate groups by a field or by time: for both, send a call for each value of " + quote.Line(f.Name) +
			" in filter."})
		return args.Renamed(name, "group_by", rs.EncodeJSON(f.Name)).Without("granularity", "time_zone"), true
	}
	return args, false
}

func byPeriod(args rs.Object, name, field, granularity string) rs.Object {
	return args.Renamed(name, "group_by_time", rs.EncodeJSON(field)).With("granularity", rs.EncodeJSON(granularity))
}

// WithField returns an aggregate with a likely field for an argument that needs one, and a hint listing the fields; "" if none is known.
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

// Unsearched returns the call, or a hint alone, for a filter on a part of a text that search does not read or that has few values.
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
	case f.Lexical && !lists && t.Takes("metric"):
		call, ok = searchFor(args, *p.Sought)
		return call, "No call counts by a part of " + quote.Line(f.Name) + ": search finds the records with the words.", ok
	case f.Lexical && !lists, lists && t.Takes("metric"), !t.Takes("stream"):
		return Call{}, "", false
	case lists:
		call, ok = t.groupedBy(args, *p.Sought, true)
		return call, listsValues(f.Name), ok
	case t.Takes("metric"):
		args = listed(args, f.Name).Arguments
	}
	return Call{"query_records", showing(args, f.Name)}, "Neither a filter nor search finds a text in " + f.Name + ": look at it in the records of the call below.", true
}

// Mistaken explains which fields of a call its stream lacks, and which connections have them; nil for none. schema may return nil.
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
	if s == nil || !t.Takes("stream") { // a record has one connection
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

// Unknown explains which field or relation of a call its stream lacks, with the call that is probably meant; nil if it has all.
func (t Tool) Unknown(s fields.Stream, args rs.Object, refused *rs.Error) *rs.Error {
	if len(s.Fields) == 0 {
		return nil
	}
	c := &correction{tool: t, stream: s}
	if refused.Code == "field_not_granted" {
		c.inGrant = " in this grant"
	}
	mended := c.fields(args)
	if related, ok := c.ofRelated(mended); ok {
		return &rs.Error{Code: c.code, Param: c.param, Message: strings.Join(c.wrong, " "), Hint: c.instead.hint, Send: related.String()}
	}
	if e := byParent(s, args); e != nil && t.Name == "query_records" {
		return e
	}
	if mended.Object("filter") != nil && t.Takes("filter") {
		mended = c.filter(mended)
	}
	if t.Takes("sort") {
		mended = c.sort(mended)
	}
	if t.Name == "aggregate" {
		mended = c.aggregate(mended)
	} else if t.Takes("field") {
		mended = c.field(mended)
	}
	if mended = c.relations(mended); len(c.wrong) == 0 {
		return nil
	}
	e := &rs.Error{Code: c.code, Param: c.param, Message: strings.Join(c.wrong[:min(len(c.wrong), 3)], " "), Hint: c.instead.hint}
	expanded := c.instead.kind == sendExpanded
	if e.Code == "unknown_field" && refused.Status != 0 && !expanded {
		e.Code = refused.Code
	}
	switch {
	case c.instead.kind != sendValues:
	case refused.Status == 0 || len(c.wrong) > 1: // the records would leave the other mistake as it is
		c.instead.kind = sendNothing
	default:
		e.Hint = "No call groups by it: the one below shows its values record by record."
	}
	send, ok := c.call(mended, args)
	if !ok {
		return e
	}
	if e.Send = send.String(); send.Tool != t.Name && send.Tool != "schema" && !expanded {
		e.Hint = strings.TrimSpace(e.Hint + " " + send.LeavesOut(args))
	}
	return e
}

// field checks the field of a record to read.
func (c *correction) field(args rs.Object) rs.Object {
	field, ok := written.Text(args.Get("field"))
	if !ok {
		return args
	}
	if relation := c.inRelated("field", field); relation != "" {
		return listing(args, "expand", relation)
	}
	to := c.name("field", field, nil, "")
	f, body := c.stream.Field(to), fields.Bodies[written.Snake(field)]
	if to != field && f != nil && (f.Type == "boolean" || body && !slices.Contains(c.stream.Near("body", nil), to)) {
		c.send(answer{kind: sendNothing}) // the stream has no such text
		return args
	}
	return named(args, "field", to)
}

// call returns the call to send instead; false if no call helps. args are as sent.
func (c *correction) call(mended, args rs.Object) (Call, bool) {
	if !c.tool.Takes("sort") && c.instead.kind == sendExpanded {
		return Call{"fetch", members(mended, "id", "connection_id", "fields", "expand", "expand_limit")}, true
	}
	switch c.instead.kind {
	case sendNothing:
		return Call{}, false
	case sendSchema:
		return Call{"schema", rs.Object{rs.NewMember("stream", c.stream.Name)}.WithAll(onlyConnection(args))}, true
	case sendValues:
		return valuesOf(c.stream, args, c.instead.of.Name), true
	case sendGroups:
		return c.tool.groupedBy(mended, c.instead.of, false)
	case sendSearch:
		return searchFor(mended, c.instead.of)
	case sendTexts:
		call, ok := searchFor(mended, c.instead.of)
		isText := func(f rs.SchemaField) bool { return fields.Bodies[f.Name] && f.Lexical }
		for _, r := range c.stream.Related {
			if slices.ContainsFunc(r.Fields, isText) && !call.Arguments.Has("filter") { // a filter is of one stream
				call.Arguments = listing(call.Arguments, "streams", r.Name)
			}
		}
		return call, ok
	}
	return Call{c.tool.Name, mended}, true
}

// valuesOf returns the call that lists the values of a field that nothing groups by, and of the field that was to be computed on.
func valuesOf(s fields.Stream, args rs.Object, field string) Call {
	call := listed(args, distinct([]string{field, args.Text("field")})...)
	if s.Connection != "" {
		call.Arguments = call.Arguments.With("connection_id", rs.EncodeJSON(s.Connection))
	}
	return call
}

// byParent explains that the records have no time, with the call that reads them with their parent records; nil if no time is meant.
func byParent(s fields.Stream, args rs.Object) *rs.Error {
	if s.Parent == nil || s.Time() != "" {
		return nil
	}
	at := s.Parent.Time()
	isTime := func(name string) bool { return s.Field(name) == nil && written.IsTimeName(name) && at != "" }
	var param string
	var filter rs.Object
	var left []string
	lacks, has := "that says when its records are", at
	for _, m := range args.Object("filter") {
		to := m.Name
		if isTime(to) {
			to = at
		} else if f := s.Parent.Field(to); f == nil || !f.Exact || s.Field(to) != nil {
			left = append(left, to)
			continue
		} else {
			lacks, has = quote.Text(to), to
		}
		filter, param = append(filter, rs.Member{Name: to, Value: m.Value}), "filter"
	}
	call := rs.Object{{Name: "stream", Value: rs.EncodeJSON(s.Parent.Name)}}.WithAll(members(args, "connection_id", "limit", "time_zone"))
	if has := s.Parent.Field("has_" + s.Parent.Relation); has != nil && has.Exact && has.Type == "boolean" {
		filter = append(filter, rs.Member{Name: has.Name, Value: "true"})
	}
	if len(filter) > 0 {
		call = call.With("filter", filter.JSON())
	}
	switch sort := args.Text("sort"); {
	case isTime(strings.TrimPrefix(sort, "-")):
		param = "sort"
		call = call.With("sort", rs.EncodeJSON(strings.TrimSuffix(sort, strings.TrimPrefix(sort, "-"))+at))
	case sort != "":
		left = append(left, "sort")
	}
	if param == "" {
		return nil
	}
	e := &rs.Error{
		Code: map[string]rs.Code{"filter": "unknown_field", "sort": "invalid_sort"}[param], Param: param,
		Message: s.Name + " has no field " + lacks + ": their " + quote.Line(s.Parent.Name) + " have " + quote.Line(has) + ".",
		Hint:    "The call below reads those with their " + quote.Line(s.Parent.Relation) + ".",
		Send:    Call{"query_records", call.With("expand", rs.EncodeJSON([]string{s.Parent.Relation}))}.String(),
	}
	if len(left) > 0 {
		e.Hint += " It leaves out " + quote.Names(left, maxShown) + "."
	}
	return e
}
