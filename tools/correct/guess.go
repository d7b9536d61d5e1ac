package correct

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/identifier"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Guess returns the call that is probably meant by arguments that the tool refused, from what is known without a read. refused is the
// error. It reports false where there is none; the caller checks that the tool takes what is returned.
func (t Tool) Guess(args rs.Object, refused *rs.Error) (Call, bool) {
	if t.readsSQL(args) {
		return t.LookUp(args), true
	}
	args = t.conditional(args)
	if call, ok := t.computing(args); ok {
		return call, true
	}
	if call, ok := t.worded(args); ok {
		return call, t.Name == "query_records"
	}
	args = t.oneAggregation(args)
	if t.Name == "aggregate" && slices.ContainsFunc(args, func(m rs.Member) bool { return aggregations[written.Snake(m.Name)] }) {
		return Call{}, false // a count of all would be taken for what it asks for
	}
	if list := args.Array("id"); len(list) > 1 && args.Has("stream") && t.Takes("id") {
		args = t.Canonical(args.With("id", list[0]))
	}
	guess := slices.Clone(args)
	for _, m := range args {
		if t.boundsTime(m) {
			return t.period(args), true
		}
		if !t.Takes(m.Name) {
			guess = t.placed(guess, m)
		}
	}
	if call, ok := spread(guess); ok && t.Name == "aggregate" {
		return call, true
	}
	if streams, _ := Touches(guess); len(streams) > 0 && (refused.Param == "stream" || refused.Param == "streams") {
		if guess = withoutPaths(guess); guess == nil {
			return t.LookUp(nil), true
		}
	}
	switch {
	case refused.Code == "invalid_expand" && refused.Param == "expand":
		guess = guess.Without("expand", "expand_limit")
	case refused.Code == "invalid_expand":
		guess = guess.Without("expand_limit")
	case refused.Param == "expand":
		return t.LookUp(args), true // so are the relations
	}
	p, ok := plan(guess)
	if !ok { // without a condition it would be another question
		return Call{}, false
	}
	guess = filtered(guess, p.Filter)
	if p.Sought != nil || p.Excluded != nil {
		return t.soughtOrGrouped(guess, p)
	}
	for _, m := range guess {
		if p := t.parameter(m.Name); p == nil {
			continue
		} else if guess = guess.With(m.Name, t.guessed(p, m.Value)); !guess.Has(m.Name) {
			guess = guess.Without(m.Name)
		}
	}
	if t.Takes("metric") && args.Has("metric") && !guess.Has("metric") {
		return Call{}, false
	}
	if mended, ok := t.timed(args, refused.Param); ok { // without one the error says the form
		return Call{t.Name, mended}, mended != nil
	}
	return t.completed(args, guess, refused)
}

// withoutPaths are arguments whose streams have the names that files and folders of those paths are read under; nil where one has none.
func withoutPaths(args rs.Object) rs.Object {
	streams, connection := Touches(args)
	named, of := map[string]string{}, make([]string, len(streams))
	for i, stream := range streams {
		if named[stream] = stream; rs.UnsafeName(stream) != "" {
			of[i], named[stream] = identifier.StreamOfPath(stream)
		}
		if named[stream] == "" {
			return nil
		}
	}
	if slices.Max(of) == slices.Min(of) { // else a search of one would leave out the others
		connection = cmp.Or(of[0], connection)
	}
	return replaceNames(args, named, connection)
}

// soughtOrGrouped is the call for a condition that no filter has: a search for a text within a field, or groups for a value to exclude.
func (t Tool) soughtOrGrouped(guess rs.Object, p foreign.Plan) (Call, bool) {
	switch {
	case !guess.Has("stream"):
		return Call{}, false
	case p.Excluded != nil && written.IsNumber(p.Excluded.Value): // what is on either side of it has ranges
		filter, ok := foreign.Compared(p.Filter, p.Excluded.Name, "gt", p.Excluded.Value)
		return Call{t.Name, guess.With("filter", filter.JSON())}, ok
	case p.Excluded != nil:
		return t.groupedBy(guess, *p.Excluded)
	case t.Name != "aggregate":
		return searchFor(guess, *p.Sought)
	}
	if guess.Text("group_by") != p.Sought.Name && isGrouped(guess) { // its values are to be chosen from first
		guess = guess.Without("group_by_time", "granularity", "time_zone", "field").With("metric", `"count"`)
	}
	call, ok := t.groupedBy(guess.Without("group_by"), *p.Sought)
	call.Arguments = call.Arguments.With("limit", "100") // any of them may have it
	return call, ok
}

// completed is a guess with what is missing, or the call that finds that out.
func (t Tool) completed(args, guess rs.Object, refused *rs.Error) (Call, bool) {
	call, complete := t.complete(guess, refused)
	misplaced, is := t.misplaced(call.Arguments, false)
	switch id := guess.Text("id"); {
	case complete && is && t.Name == "search":
		return misplaced, true
	case complete:
		return call, true
	case t.titleIn(args) != "":
		return searchForTitle(t.titleIn(args), args), true
	case identifier.IsPage(id):
		return Call{"search", rs.Object{{Name: "q", Value: rs.EncodeJSON(id)}}}, true
	case refused.Code == "invalid_id" && refused.Param == "id":
		return Call{}, false
	}
	return t.LookUp(guess), true
}

// complete mends what is missing or is in the way of something else.
func (t Tool) complete(guess rs.Object, refused *rs.Error) (Call, bool) {
	if refused.Param == "cursor" || guess.Text("cursor") == "next_cursor" {
		guess = guess.Without("cursor")
	}
	switch t.Name {
	case "schema":
		if !guess.Has("stream") {
			guess = guess.Without("detail", "fields")
		}
	case "query_records":
		if guess.Has("changes_since") {
			guess = guess.Without("sort", "order", "count")
		}
		if !guess.Has("stream") {
			return Call{}, false
		}
	case "search":
		if guess.Text("q") != "" {
			guess = guess.Without("query")
		}
		switch streams, _ := Touches(guess); {
		case looks(guess): // a period alone is a timeline
		case guess.Has("filter") && len(streams) == 1:
			return t.inStream(guess, streams[0]), true
		default:
			return Call{}, false
		}
	case "aggregate":
		metric := cmp.Or(guess.Text("metric"), "count")
		switch {
		case guess.Has("field") && !guess.Has("metric"), // a number of it, but not which
			!guess.Has("stream"), metric != "count" && !guess.Has("field"), guess.Has("granularity") && !guess.Has("group_by_time"):
			return Call{}, false
		case guess.Has("group_by") && guess.Has("group_by_time") && metric != "count" && written.IsUnitName(guess.Text("group_by")):
			return t.complete(guess.Without("group_by"), refused) // an amount has a column for each of its units
		case guess.Has("group_by") && guess.Has("group_by_time"):
			guess = guess.Without("group_by_time", "granularity", "time_zone")
		case guess.Has("group_by_time") && !guess.Has("granularity"):
			p := t.parameter("granularity")
			if p.allows(t.string(p, guess.Get("group_by_time"))) { // which field is meant is not known
				return t.LookUp(guess), true
			}
			guess = guess.With(p.Name, `"month"`)
		case guess.Has("time_zone") && !guess.Has("group_by_time"):
			guess = guess.Without("time_zone")
		}
		guess = guess.With("metric", rs.EncodeJSON(metric))
	default:
		record, ok := t.record(guess, refused)
		return Call{t.Name, record}, ok
	}
	return Call{t.Name, guess}, true
}

// placed finds a place for an argument that the tool does not take, or leaves it out.
func (t Tool) placed(guess rs.Object, m rs.Member) rs.Object {
	rest, plain := guess.Without(m.Name), written.Snake(m.Name)
	for _, p := range t.parameters {
		if !rest.Has(p.Name) && (plain == "connector_instance_id" && p.Name == "connection_id" || plain == "name" && p.Name == "stream" ||
			written.Distance(plain, p.Name) == 1 || len(p.Name) > 5 && written.Distance(plain, p.Name) == 2) {
			return renamed(guess, m.Name, p.Name, t.value(&p, m.Value))
		}
	}
	given := slices.ContainsFunc(t.parameters, func(p parameter) bool { return slices.Contains(aliases[p.Name], plain) })
	o := rs.AsObject(m.Value)
	list, _ := rs.AsArray(m.Value)
	kind := rs.Kind(m.Value)
	compares := kind == "string" || kind == "number" || kind == "boolean" || len(list) > 0 && rs.Kind(list[0]) != "object" ||
		len(o) > 0 && !slices.ContainsFunc(o, func(r rs.Member) bool { return !foreign.IsOperator(r.Name) })
	base, _, _ := strings.Cut(plain, "[")
	if o == nil && strings.HasPrefix(plain, "exclud") { // of which field is not said
		return rest
	}
	if t.Takes("filter") && slices.Contains(aliases["filter"], plain) && (o != nil || kind == "string") {
		return rest.With("filter", rs.JoinArray([]string{rest.Get("filter"), m.Value})) // both hold
	}
	if t.Takes("filter") && !given && !sorts(plain) && !notFields[base] && (foreign.HasOperator(m.Name) || compares && t.Takes("stream")) {
		return t.filteredBy(rest, rs.Object{m})
	}
	return rest
}
