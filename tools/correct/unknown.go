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
	known, all := fields.ReadHaving(streams[0], s, args), s
	if known.Misses(args) {
		if related := schema("", connection); related != nil {
			known.ReadRelated(related, connection)
		}
	}
	found := t.Unknown(known, args, refused)
	isGuessed := func(time string) bool {
		return found != nil && strings.Contains(found.Send, time) && !strings.Contains(args.JSON(), time)
	}
	if times := known.Times(); len(times) > 1 && slices.ContainsFunc(times, isGuessed) {
		found.Hint = strings.TrimSpace(fields.TimesOf(all, streams[0]) + " " + CallForEach(len(times)) + " " + found.Hint)
	}
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
	return args.With("field", rs.EncodeJSON(to))
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
	if s.Parent == nil || len(s.Times()) > 0 {
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
		if before, field, ok := strings.Cut(to, "."); ok && fields.Calls(before, s.Parent.Name) {
			to = field
		}
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
	call := rs.Object{rs.NewMember("stream", s.Parent.Name)}.WithAll(members(args, "connection_id", "limit", "time_zone"))
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
	return &rs.Error{
		Code: map[string]rs.Code{"filter": "unknown_field", "sort": "invalid_sort"}[param], Param: param,
		Message: s.Name + " has no field " + lacks + ": their " + quote.Line(s.Parent.Name) + " have " + quote.Line(has) + ".",
		Hint: "The call below reads those with their " + quote.Line(s.Parent.Relation) + "." +
			quote.When(left != nil, " It leaves out "+quote.Names(left, maxShown)+"."),
		Send: Call{"query_records", call.With("expand", rs.EncodeJSON([]string{s.Parent.Relation}))}.String(),
	}
}
