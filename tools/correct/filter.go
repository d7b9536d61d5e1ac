package correct

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// OfOneStream says that a filter needs one stream, and which of s have its fields, with the call of the first; s may be nil.
func (t Tool) OfOneStream(args rs.Object, s *rs.Schema) (hint string, send Call) {
	hint = "A filter needs the one stream whose fields it names."
	asked, _ := Touches(args)
	having := slices.DeleteFunc(fields.Having(s, args.Object("filter")), func(stream string) bool {
		return len(asked) > 0 && !slices.Contains(asked, stream)
	})
	if len(having) == 0 {
		return hint, Call{}
	}
	if len(having) > 1 {
		hint += " These have them: " + strings.Join(having, ", ") + ". " + callForEach(len(having))
	}
	return hint, t.inStream(args, having[0])
}

// inStream returns the call with the stream that its filter needs, and without a query that has no words.
func (t Tool) inStream(args rs.Object, stream string) Call {
	if q, name := queryOf(args); name != "" && strings.TrimSpace(q) == "" {
		args = args.Without(name)
	}
	switch {
	case !t.Takes("streams"):
		return Call{t.Name, args.With("stream", rs.EncodeJSON(stream))}
	case looks(args):
		return Call{t.Name, args.With("streams", rs.EncodeJSON([]string{stream}))}
	} // for nothing: the records that it filters are meant
	return Call{"query_records", args.Without("mode", "streams").With("stream", rs.EncodeJSON(stream))}
}

// Restarted is the call from the first page on, or from a time that was sent as changes_since, with a hint. time is the field of it.
func (t Tool) Restarted(args rs.Object, time func() string) (call Call, hint string) {
	raw := args.Get("changes_since")
	since := written.Day("since", raw)
	if written.IsTime(raw) {
		since, _ = written.Text(raw)
	}
	switch {
	case since == "" && args.Has("changes_since") && !args.Has("cursor"):
		return Call{t.Name, args.With("changes_since", `"beginning"`)}, ""
	case since == "":
		return Call{t.Name, args.Without("cursor")}, ""
	}
	hint = "changes_since is no date but next_changes_since of an answer. The call below reads what is of that time."
	field := time()
	if filter, ok := foreign.Compared(args.Object("filter"), field, "gte", rs.EncodeJSON(since)); ok && field != "" {
		return Call{t.Name, args.Without("changes_since", "cursor").With("filter", filter.JSON())}, hint
	}
	return instead("search", args, rs.Object{{Name: "since", Value: rs.EncodeJSON(since)}}, "filter", "limit", "time_zone"), hint
}

// searchFor is the search for a text that a filter cannot look for. The other conditions of the filter stay.
func searchFor(args rs.Object, sought rs.Member) (Call, bool) {
	s, ok := rs.AsText(sought.Value)
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "%*^$."))
	if !ok || s == "" {
		return Call{}, false
	}
	if q, _ := queryOf(args); q != "" {
		s = q + " " + s
	}
	return instead("search", args, rs.Object{{Name: "q", Value: rs.EncodeJSON(s)}}, "filter", "since", "until"), true
}

// readsSQL reports whether an argument that a tool of records does not take is a statement of SQL.
func (t Tool) readsSQL(args rs.Object) bool {
	return t.Takes("filter") && t.Takes("stream") && slices.ContainsFunc(args, func(m rs.Member) bool {
		s, _ := written.Text(m.Value)
		return (m.Name == "filter" || !t.Takes(m.Name)) && foreign.SQLText().MatchString(s)
	})
}

// computing is the aggregate that is meant by a list of records with a metric or a group; false for any other call.
func (t Tool) computing(args rs.Object) (Call, bool) {
	names := func(param string) bool {
		return slices.ContainsFunc(args, func(m rs.Member) bool {
			name := written.Snake(m.Name)
			return !t.Takes(m.Name) && rs.Kind(m.Value) != "object" && (name == param || slices.Contains(aliases[param], name))
		})
	}
	if value, ok := written.Text(args.Get("distinct")); ok && !names("group_by") && value != "" {
		args = renamed(args, "distinct", "group_by", rs.EncodeJSON(value))
	}
	if t.Name != "query_records" || !args.Has("stream") || !names("metric") && !names("group_by") && !names("group_by_time") {
		return Call{}, false
	}
	if !names("metric") {
		args = args.With("metric", `"count"`)
	}
	return Call{"aggregate", args}, true
}

// Sought is the search for the text that the filter of a call looks for within a field; false for any other filter.
func (t Tool) Sought(args rs.Object) (Call, bool) {
	p, ok := plan(args)
	if !ok || p.Sought == nil || !args.Has("stream") {
		return Call{}, false
	}
	return searchFor(filtered(args, p.Filter), *p.Sought)
}

func isGrouped(args rs.Object) bool { return args.Has("group_by") || args.Has("group_by_time") }

// groupedBy groups by a field of which no filter excludes a value; false for a call that has groups.
func (t Tool) groupedBy(args rs.Object, excluded rs.Member) (Call, bool) {
	absent := excluded.Value == foreign.NoneOf || excluded.Value == foreign.AnyOf
	if t.Name != "aggregate" && absent || isGrouped(args) {
		return Call{}, false
	}
	call := instead("aggregate", args, rs.Object{{Name: "metric", Value: `"count"`}}, "metric", "field", "filter", "time_zone")
	if call.Arguments = call.Arguments.With("group_by", rs.EncodeJSON(excluded.Name)); absent { // those without a value may be few
		call.Arguments = call.Arguments.With("limit", "100")
	}
	return call, true
}

// conditional gives words that are conditions, such as "status='paid' AND total>10", the name of the filter.
func (t Tool) conditional(args rs.Object) rs.Object {
	for _, m := range args {
		s, _ := written.Text(m.Value)
		if t.Takes("filter") && t.Takes("stream") && !t.Takes(m.Name) && !args.Has("filter") && slices.Contains(wordArguments, written.Snake(m.Name)) &&
			(strings.ContainsAny(s, "<>=") || foreign.Lucene().MatchString(s)) && foreign.IsText(s) {
			return renamed(args, m.Name, "filter", m.Value)
		}
	}
	return args
}

// filteredBy is a call with one more part of its filter, in whatever form they are.
func (t Tool) filteredBy(args rs.Object, part string) rs.Object {
	if foreign.IsEmpty(args.Get("filter")) {
		return args.With("filter", part)
	}
	return args.With("filter", rs.JoinArray([]string{args.Get("filter"), part}))
}

// misplaced takes arguments out of a filter; limit, which may be a field, only where limits is set. It is false without any.
func (t Tool) misplaced(args rs.Object, limits bool) (Call, bool) {
	mended, filter := args, args.Object("filter")
	for _, m := range filter {
		name := m.Name
		if name == "stream" && t.Takes("streams") {
			name = "streams"
		}
		p := t.parameter(name)
		if p == nil || !p.allows(m.Value) || name == "q" || name == "limit" && !limits || mended.Has(name) || rs.Kind(m.Value) == "object" {
			continue
		}
		mended, filter = mended.With(name, t.value(p, m.Value)), filter.Without(m.Name)
	}
	if len(mended) == len(args) {
		return Call{}, false
	}
	return Call{t.Name, filtered(mended, filter)}, true
}

// Rewritten is the call that a resource server probably takes in place of one that it refused, if no name needs to be known for that.
func (t Tool) Rewritten(args rs.Object, refused *rs.Error) (Call, bool) {
	if call, ok := t.misplaced(args, strings.Contains(refused.Message, "limit")); ok {
		return call, true
	}
	switch {
	case refused.Code != "invalid_request":
		return Call{}, false
	case refused.Param == "view" || args.Has("view") && strings.Contains(refused.Message, "view"):
		return Call{t.Name, args.Without("view")}, true
	case refused.Param != "filter" && args.Has("sort") && args.Has("order") && strings.Contains(refused.Message, "order"):
		return Call{t.Name, args.Without("order")}, true // a sort has its own direction
	case args.Text("count") == "estimated" && strings.Contains(refused.Message, "count"):
		return Call{t.Name, args.With("count", `"exact"`)}, true
	}
	filter, found := slices.Clone(args.Object("filter")), false
	for i, m := range filter {
		if value := foreign.InForm(m, refused.Message); value != "" {
			filter[i].Value, found = value, true
		}
	}
	if !found {
		return Call{}, false
	}
	return Call{t.Name, args.With("filter", filter.JSON())}, true
}

// WithoutStream reports whether a call has a filter and not the one stream that it needs for it.
func (t Tool) WithoutStream(args rs.Object) bool {
	if _, misplaced := t.misplaced(args, false); misplaced { // the filter names the stream
		return false
	}
	streams, _ := Touches(args)
	return args.Object("filter") != nil && len(streams) != 1 && (t.Takes("stream") || t.Takes("streams"))
}

// Unfiltered is the call without a filter, which a token is refused: a search of its period, or its fields in place of a number.
func (t Tool) Unfiltered(args rs.Object, refused *rs.Error) Call {
	filter := args.Object("filter")
	if t.Name == "aggregate" && len(filter) > 0 { // a number over all records would be taken for the one that was asked for
		var names []string
		for _, m := range filter {
			names = append(names, m.Name)
		}
		return instead("query_records", args, rs.Object{rs.NewMember("fields", names), rs.NewMember("limit", 100)})
	}
	if t.Name == "query_records" && refused.Param == "filter" && len(filter) == 1 {
		period := foreign.SearchBoundsIn(filter[0].Value)
		if period != nil && !slices.ContainsFunc(period, func(m rs.Member) bool { return !written.IsTime(m.Value) }) {
			return instead("search", args, period)
		}
	}
	return Call{t.Name, args.Without("filter", "expand", "expand_limit")}
}
