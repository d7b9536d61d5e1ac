package correct

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// OfOneStream returns a hint that a filter needs one stream, naming those of s with its fields, and the call for the first. s may be nil.
func (t Tool) OfOneStream(args rs.Object, s *rs.Schema) (hint string, send Call) {
	hint = "A filter needs the one stream whose fields it names."
	streams, _ := Touches(args)
	having := slices.DeleteFunc(fields.Having(s, args.Object("filter")), func(stream string) bool {
		return len(streams) > 0 && !slices.Contains(streams, stream)
	})
	if len(having) == 0 {
		return hint, Call{}
	}
	if len(having) > 1 {
		hint += " These have them: " + strings.Join(having, ", ") + ". " + CallForEach(len(having))
	}
	return hint, t.inStream(args, having[0])
}

// inStream returns the call with the stream that its filter needs, and without the words of the query that say the same.
func (t Tool) inStream(args rs.Object, stream string) Call {
	q, name := foreign.QueryOf(args)
	if q = foreign.Beyond(q, stream, args.Object("filter")); q != "" {
		args = args.With(name, rs.EncodeJSON(q))
	} else {
		args = args.Without(name)
	}
	switch {
	case !t.Takes("streams"):
		return Call{t.Name, args.With("stream", rs.EncodeJSON(stream))}
	case hasQueryOrBound(args):
		return Call{t.Name, args.With("streams", rs.EncodeJSON([]string{stream}))}
	} // without words or a period, the filtered records are meant
	return Call{"query_records", args.Without("mode", "streams").With("stream", rs.EncodeJSON(stream))}
}

// Restarted returns the call for the first page, or, if changes_since is a time, for the records since then. time returns the time field.
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
	return instead("search", args, rs.Object{rs.NewMember("since", since)}, "filter", "limit", "time_zone"), hint
}

// searchFor returns the search for a text that a filter cannot look for. The other conditions of the filter stay.
func searchFor(args rs.Object, sought rs.Member) (Call, bool) {
	s, ok := rs.AsText(sought.Value)
	s = strings.TrimSpace(strings.Trim(strings.TrimSpace(s), "%*^$."))
	if !ok || s == "" {
		return Call{}, false
	}
	if q, _ := foreign.QueryOf(args); q != "" {
		s = q + " " + s
	}
	return instead("search", args, rs.Object{rs.NewMember("q", s)}, "filter", "since", "until"), true
}

var lucene = written.Expression(`^[a-z]\w*:\S`) // a condition

// ofSQL returns the arguments that an SQL statement of one stream, or the conditions of one, means for query_records.
func (t Tool) ofSQL(args rs.Object) rs.Object {
	for _, m := range args {
		s, _ := written.Text(m.Value)
		if t.Name == "query_records" && (m.Name == "filter" || !t.Takes(m.Name) && foreign.IsStatement(s)) {
			args = foreign.OfStatement(args, m.Name, s)
		}
	}
	return args
}

// readsSQL reports whether the filter or an unknown argument of a tool with a stream and a filter is an SQL statement.
func (t Tool) readsSQL(args rs.Object) bool {
	return t.Takes("filter") && t.Takes("stream") && slices.ContainsFunc(args, func(m rs.Member) bool {
		s, _ := written.Text(m.Value)
		return (m.Name == "filter" || !t.Takes(m.Name)) && foreign.IsStatement(s)
	})
}

// computing returns the aggregate that is meant by a query_records call with a metric or a group; false for any other call.
func (t Tool) computing(args rs.Object) (Call, bool) {
	names := func(param string) bool {
		return slices.ContainsFunc(args, func(m rs.Member) bool {
			name := written.Snake(m.Name)
			return !t.Takes(m.Name) && rs.Kind(m.Value) != "object" && (name == param || slices.Contains(foreign.Aliases[param], name))
		})
	}
	if value, ok := written.Text(args.Get("distinct")); ok && !names("group_by") && value != "" {
		args = args.Renamed("distinct", "group_by", rs.EncodeJSON(value))
	}
	isMetric := func(m rs.Member) bool { // {"sum":"total"}
		return !t.Takes(m.Name) && foreign.Metrics[m.Name] && written.IsWord(m.Value)
	}
	computes := names("metric") || slices.ContainsFunc(args, isMetric)
	if t.Name != "query_records" || !args.Has("stream") || !computes && !names("group_by") && !names("group_by_time") {
		return Call{}, false
	}
	if !computes {
		args = args.With("metric", `"count"`)
	}
	return Call{"aggregate", args}, true
}

// Sought returns the search for the text that a filter looks for within a field; false for any other filter.
func (t Tool) Sought(args rs.Object) (Call, bool) {
	p, ok := plan(args)
	if !ok || p.Sought == nil || !args.Has("stream") {
		return Call{}, false
	}
	return searchFor(filtered(args, p.Filter), *p.Sought)
}

func isGrouped(args rs.Object) bool { return args.Has("group_by") || args.Has("group_by_time") }

// groupedBy returns the aggregate that groups by the field of a condition that no filter expresses; false for a call that has groups, or
// whose tool is not aggregate if the condition is on a missing value. all is set if a small group may be meant too.
func (t Tool) groupedBy(args rs.Object, of rs.Member, all bool) (Call, bool) {
	absent := foreign.IsAbsent(of)
	if t.Name != "aggregate" && absent || isGrouped(args) {
		return Call{}, false
	}
	call := instead("aggregate", args, rs.Object{{Name: "metric", Value: `"count"`}}, "metric", "field", "filter", "time_zone")
	if call.Arguments = call.Arguments.With("group_by", rs.EncodeJSON(of.Name)); all || absent {
		call.Arguments = call.Arguments.With("limit", "100")
	}
	return call, true
}

// listed returns the call that shows fields of the records, as many as one page has.
func listed(args rs.Object, names ...string) Call {
	return instead("query_records", args, rs.Object{rs.NewMember("fields", names), rs.NewMember("limit", rs.MaxLimit)}, "filter", "time_zone")
}

// conditional renames an argument for words to filter if its text is a condition, such as "status='paid' AND total>10".
func (t Tool) conditional(args rs.Object) rs.Object {
	for _, m := range args {
		s, _ := written.Text(m.Value)
		if t.Takes("filter") && t.Takes("stream") && !t.Takes(m.Name) && !args.Has("filter") &&
			slices.Contains(foreign.WordArguments, written.Snake(m.Name)) &&
			(strings.ContainsAny(s, "<>=") || lucene().MatchString(s)) && foreign.IsText(s) {
			return args.Renamed(m.Name, "filter", m.Value)
		}
	}
	return args
}

// misplaced moves arguments out of a filter. limit may be a field, so it is moved only if limits is set. It is false if none is.
func (t Tool) misplaced(args rs.Object, limits bool) (Call, bool) {
	mended, filter := args, args.Object("filter")
	for _, m := range filter {
		name := m.Name
		if t.Takes("streams") && !args.Has("streams") {
			name = t.withNames(rs.Object{m})[0].Name
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

// Rewritten returns the call that a resource server probably accepts in place of one that it refused, if that needs no schema.
func (t Tool) Rewritten(args rs.Object, refused *rs.Error) (Call, bool) {
	if call, ok := t.misplaced(args, strings.Contains(refused.Message, "limit")); ok {
		return call, true
	}
	computed := foreign.Computed(rs.Object{{Name: "metric", Value: soleItem(args.Get("fields"))}})
	if t.Name == "query_records" && strings.Contains(args.Get("fields"), "(") && foreign.Metrics[computed.Text("metric")] {
		return instead("aggregate", args, computed, "filter", "time_zone"), true
	}
	switch {
	case refused.Code != "invalid_request":
		return Call{}, false
	case refused.Param == "view" || args.Has("view") && strings.Contains(refused.Message, "view"):
		return Call{t.Name, args.Without("view")}, true
	case refused.Param != "filter" && args.Has("sort") && args.Has("order") && strings.Contains(refused.Message, "order"):
		return Call{t.Name, args.Without("order")}, true // sort includes the direction
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

// WithoutStream reports whether a call has a filter but does not name exactly one stream, as a filter needs.
func (t Tool) WithoutStream(args rs.Object) bool {
	if _, misplaced := t.misplaced(args, false); misplaced { // the filter names the stream
		return false
	}
	streams, _ := Touches(args)
	return args.Object("filter") != nil && len(streams) != 1 && (t.Takes("stream") || t.Takes("streams"))
}

// Unfiltered returns the call without its filter, for a token that may not filter. A filter on a period becomes a search. A filtered
// aggregate becomes a list of the records with the filter's fields.
func (t Tool) Unfiltered(args rs.Object, refused *rs.Error) Call {
	filter := args.Object("filter")
	if t.Name == "aggregate" && len(filter) > 0 { // a number over all records would be mistaken for the filtered one
		var names []string
		for _, m := range filter {
			names = append(names, m.Name)
		}
		return listed(args.Without("filter", "time_zone"), names...)
	}
	if t.Name == "query_records" && refused.Param == "filter" && len(filter) == 1 {
		period := foreign.SearchBoundsIn(filter[0].Value, t.now)
		if period != nil && !slices.ContainsFunc(period, func(m rs.Member) bool { return !written.IsTime(m.Value) }) {
			return instead("search", args, period)
		}
	}
	return Call{t.Name, args.Without("filter", "expand", "expand_limit")}
}
