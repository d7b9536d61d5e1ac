package correct

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/identifier"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Guess returns the call that refused arguments probably mean, without a read; false if every call would answer another question. Its
// caller checks that the tool takes the call. Each step needs what the steps before have made of the arguments:
//
//	another    returns the call of another tool, from names that placed would drop
//	placed     gives each argument a name that the tool takes, or makes it a condition
//	valued     gives each argument a value that its name takes
//	completed  adds what is missing, and drops what contradicts the rest
func (t Tool) Guess(args rs.Object, refused *rs.Error) (Call, bool) {
	if raw := args.Get("since"); t.Takes("since") && !args.Has("until") && (rs.AsObject(raw) != nil || len(args.Array("since")) == 2) {
		args = args.Renamed("since", "date_range", raw)
	}
	args, ok := t.oneAggregation(t.conditional(t.ofSQL(foreign.Joined(args))))
	if !ok {
		return Call{}, false // a count of all would be mistaken for the answer
	}
	if call, ok := t.another(args); ok {
		return call, call.Tool != ""
	}
	if list := args.Array("id"); len(list) > 1 && args.Has("stream") && t.Takes("id") {
		args = t.Canonical(args.With("id", list[0]))
	}
	guess, ok := t.valued(t.placed(args), args.Get("expand"), refused)
	if !ok {
		return t.LookUp(args), true
	}
	p, ok := plan(guess)
	lacks := func(name string) bool { return t.Takes(name) && args.Has(name) && !guess.Has(name) }
	switch guess = filtered(guess, p.Filter); {
	case !ok, lacks("metric"), lacks("granularity"): // without a condition, or with another value, the question would be another
		return Call{}, false
	case p.Sought != nil || p.Excluded != nil:
		return t.soughtOrGrouped(guess, p)
	}
	if mended, ok := t.acceptedTime(args, refused.Param); ok { // if mended is nil, the error explains the form
		return Call{t.Name, mended}, mended != nil
	}
	return t.completed(args, guess, refused)
}

// another returns the call of another tool that arguments mean, without a tool if there is none; false if this tool is meant.
func (t Tool) another(args rs.Object) (Call, bool) {
	if t.readsSQL(args) {
		return t.LookUp(args), true
	}
	if call, ok := t.computing(args); ok {
		return call, true
	}
	if t.Takes("id") && !args.Has("id") && args.Has("stream") && args.Has("filter") {
		return Call{"query_records", args}, true
	}
	if _, err := rs.ParseRef(args.Text("id")); err == nil && !t.Takes("id") && !args.Has("q") {
		return Call{"fetch", members(args, "id")}, true
	}
	if call, ok := t.worded(args); ok {
		return call, true
	}
	if slices.ContainsFunc(args, t.boundsTime) {
		return t.period(args), true
	}
	return t.spread(args)
}

// valued gives arguments the values that are probably meant, and leaves out those for which no value is likely. It is false for streams
// and relations that only the schema knows. expand is as sent.
func (t Tool) valued(args rs.Object, expand string, refused *rs.Error) (rs.Object, bool) {
	likely, ok := args, true
	if refused.Param == "stream" || refused.Param == "streams" {
		likely, ok = withoutPaths(args)
	}
	switch {
	case refused.Code == "invalid_expand":
		likely = likely.Without(refused.Param, "expand_limit")
	case refused.Param == "expand":
		names := foreign.Chosen(expand)
		if expand == "true" {
			names = `["*"]`
		}
		list, _ := rs.AsArray(names)
		ok = ok && len(list) > 0 && rs.Kind(list[0]) == "string" // else the schema shows the relations
		likely = likely.With("expand", names)
	}
	likely = slices.Clone(likely)
	for i, m := range likely {
		if p := t.parameter(m.Name); p != nil {
			likely[i].Value = t.guessed(p, m.Value)
		}
	}
	return slices.DeleteFunc(likely, func(m rs.Member) bool { return m.Value == "" || m.Value == "null" }), ok
}

// withoutPaths replaces paths in the streams by the names under which such files and folders are read; false if one has none.
func withoutPaths(args rs.Object) (rs.Object, bool) {
	streams, connection := Touches(args)
	names, connections := map[string]string{}, make([]string, len(streams))
	for i, stream := range streams {
		if names[stream] = stream; rs.UnsafeName(stream) != "" {
			connections[i], names[stream] = identifier.StreamOfPath(stream)
		}
		if names[stream] == "" {
			return nil, false
		}
	}
	if len(streams) == 0 {
		return args, true
	}
	if same := slices.Compact(connections); len(same) == 1 { // else the search would leave out some streams
		connection = cmp.Or(same[0], connection)
	}
	return replaceNames(args, names, connection), true
}

// soughtOrGrouped returns the call for a condition that no filter expresses: a search for a text within a field, or groups for a value
// to exclude.
func (t Tool) soughtOrGrouped(guess rs.Object, p foreign.Plan) (Call, bool) {
	switch {
	case !guess.Has("stream"):
		return Call{}, false
	case p.Excluded != nil && written.IsNumber(p.Excluded.Value): // two ranges exclude it
		filter, ok := foreign.Compared(p.Filter, p.Excluded.Name, "gt", p.Excluded.Value)
		return Call{t.Name, guess.With("filter", filter.JSON())}, ok
	case p.Excluded != nil && t.Name == "query_records" && foreign.IsAbsent(*p.Excluded):
		return Call{t.Name, shownWith(guess, *p.Excluded)}, true
	case p.Excluded != nil:
		return t.groupedBy(guess, *p.Excluded, false)
	case t.Name != "aggregate":
		return searchFor(guess, *p.Sought)
	}
	if guess.Text("group_by") != p.Sought.Name && isGrouped(guess) { // first list its values to choose from
		guess = guess.Without("group_by_time", "granularity", "time_zone", "field").With("metric", `"count"`)
	}
	return t.groupedBy(guess.Without("group_by"), *p.Sought, true)
}

// shownWith adds the field of a condition on a missing value, or on any value, to those of a call for records. For a missing value it takes
// off the limit: the records without one may come later.
func shownWith(args rs.Object, condition rs.Member) rs.Object {
	field := rs.EncodeJSON(condition.Name)
	if names := args.Array("fields"); len(names) > 0 && !slices.Contains(names, field) {
		args = args.With("fields", "["+strings.Join(append(names, field), ",")+"]")
	}
	if args.Has("limit") && condition.Value == foreign.NoneOf {
		args = args.With("limit", rs.EncodeJSON(rs.MaxLimit))
	}
	return args
}

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
		return Call{"search", rs.Object{rs.NewMember("q", id)}}, true
	case refused.Code == "invalid_id" && refused.Param == "id":
		connection, stream := identifier.StreamAlone(id)
		return recordsOf(stream, connection), stream != ""
	}
	return t.LookUp(guess), true
}

// complete mends missing and conflicting arguments; false if it cannot.
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
		case hasQueryOrBound(guess): // a period alone is a timeline
		case guess.Has("filter") && len(streams) == 1:
			return t.inStream(guess, streams[0]), true
		default:
			return Call{}, false
		}
	case "aggregate":
		return t.completeAggregate(guess)
	default:
		record, ok := t.record(guess, refused)
		return Call{t.Name, record}, ok
	}
	return Call{t.Name, guess}, true
}

// completeAggregate leaves an aggregate the one group that it can have, and adds what its metric and its group need.
func (t Tool) completeAggregate(guess rs.Object) (Call, bool) {
	metric := cmp.Or(guess.Text("metric"), "count")
	counts, has := metric == "count", guess.Has
	switch {
	case !has("stream") || has("field") && !has("metric"), // which metric is meant is unknown
		!counts && !has("field"), has("granularity") && !has("group_by_time"):
		return Call{}, false
	case has("group_by") && has("group_by_time") && !counts && written.IsUnitName(guess.Text("group_by")):
		return t.completeAggregate(guess.Without("group_by")) // amounts have a column for each unit anyway
	case has("group_by") && has("group_by_time"):
		guess = guess.Without("group_by_time", "granularity", "time_zone")
	case has("group_by_time") && !has("granularity"):
		p := t.parameter("granularity")
		if p.allows(t.string(p, guess.Get("group_by_time"))) { // it is a granularity, not a field
			return t.LookUp(guess), true
		}
		guess = guess.With(p.Name, `"month"`)
	case !has("group_by_time"):
		guess = guess.Without("time_zone")
	}
	if counts && !strings.ContainsAny(guess.Text("field"), "[(*+/") {
		guess = guess.Without("field")
	}
	return Call{t.Name, guess.With("metric", rs.EncodeJSON(metric))}, true
}

// placed renames the arguments that the tool does not take, moves them into the filter, or drops them.
func (t Tool) placed(args rs.Object) rs.Object {
	placed := slices.Clone(args)
	for _, m := range args {
		if !t.Takes(m.Name) {
			placed = t.place(placed, m)
		}
	}
	return placed
}

// place does so with one argument that the tool does not take.
func (t Tool) place(args rs.Object, m rs.Member) rs.Object {
	rest, name, isObject := args.Without(m.Name), written.Snake(m.Name), rs.AsObject(m.Value) != nil
	verb, shown, _ := strings.Cut(name, "_")
	if truth := written.Truth(m.Value); fields.ShowVerbs[verb] && truth != "" {
		if truth == "true" && t.Takes("expand") {
			return listing(rest, "expand", shown)
		}
		return rest
	}
	isMeant := func(p parameter) bool { return !rest.Has(p.Name) && isMisspelt(name, p.Name) }
	_, bound := foreign.BoundIn(name)
	if at := slices.IndexFunc(t.parameters, isMeant); at >= 0 && (bound == "" || !written.IsDate(m.Value)) {
		p := &t.parameters[at]
		return args.Renamed(m.Name, p.Name, t.value(p, m.Value))
	}
	switch {
	case !t.Takes("filter"), !isObject && strings.HasPrefix(name, "exclud"): // the field is unknown
	case slices.Contains(foreign.Aliases["filter"], name) && (isObject || rs.Kind(m.Value) == "string"):
		return rest.With("filter", rs.JoinArray([]string{rest.Get("filter"), m.Value})) // both hold
	case t.namesField(name) && (foreign.HasOperator(m.Name) || t.Takes("stream") && compares(m.Value)):
		return filteredBy(rest, rs.Object{m}.JSON())
	}
	return rest
}

func isMisspelt(name, parameter string) bool {
	others := map[string]string{"connector_instance_id": "connection_id", "name": "stream"}
	distance := written.Distance(name, parameter)
	return others[name] == parameter || distance == 1 || distance == 2 && len(parameter) > 5
}

// namesField reports whether an argument that the tool does not take may be named after a field.
func (t Tool) namesField(plain string) bool {
	base, _, _ := strings.Cut(plain, "[")
	return !foreign.Sorts(plain) && !foreign.NotFields[base] &&
		!slices.ContainsFunc(t.parameters, func(p parameter) bool { return slices.Contains(foreign.Aliases[p.Name], plain) })
}

// compares reports whether a value may be that of a condition: a scalar, a list of scalars, or an object of operators.
func compares(value string) bool {
	_, isScalar := rs.AsText(value)
	list, _ := rs.AsArray(value)
	o := rs.AsObject(value)
	return isScalar || len(list) > 0 && rs.Kind(list[0]) != "object" ||
		len(o) > 0 && !slices.ContainsFunc(o, func(r rs.Member) bool { return !foreign.IsOperator(r.Name) })
}
