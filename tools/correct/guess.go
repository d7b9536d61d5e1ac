package correct

import (
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Guess returns the call that is probably meant by arguments that the tool refused, from what is known without a read. refused is the
// error. It reports false where there is none; the caller checks that the tool takes what is returned.
func (t Tool) Guess(args rs.Object, refused *rs.Error) (Call, bool) {
	if tool, apart, ok := t.statement(args); ok && tool != t.Name {
		return Call{tool, apart}, true
	} else if ok {
		args, _ = t.Canonical(apart)
	}
	args = t.conditional(args)
	if call, ok := t.worded(args); ok {
		return call, t.Name == "query_records"
	}
	args = t.oneAggregation(args)
	left := func(m rs.Member) bool { return aggregations[written.Snake(m.Name)] }
	if t.Name == "aggregate" && slices.ContainsFunc(args, left) {
		return Call{}, false // a count of all would be taken for what it asks for
	}
	if list := args.Array("id"); len(list) > 1 && args.Has("stream") && t.Takes("id") {
		args, _ = t.Canonical(args.With("id", list[0]))
	}
	guess := slices.Clone(args)
	for _, m := range args {
		bound := bounds[written.Snake(m.Name)] || t.Takes("since") && boundWords[written.Snake(m.Name)] != nil
		if !t.Takes(m.Name) && bound && m.Value != "null" && !namesSomeone(m) {
			return t.period(args), true
		}
		if !t.Takes(m.Name) {
			guess = t.placed(guess, m)
		}
	}
	if t.Takes("metric") && ordered(args) {
		guess = guess.With("limit", "100") // the first of another order may be among the last of these
	}
	if call, ok := spread(guess); ok && t.Name == "aggregate" {
		return call, true
	}
	if refused.Code == rs.InvalidID && refused.Param == "stream" {
		connection, stream, ok := strings.Cut(guess.Text("stream"), "/")
		if !ok || rs.UnsafeName(connection) != "" || rs.UnsafeName(stream) != "" {
			return t.LookUp(nil), true
		}
		guess = guess.With("stream", rs.EncodeJSON(stream)).With("connection_id", rs.EncodeJSON(connection))
	}
	switch chosen := expanded(guess); {
	case refused.Code == rs.InvalidExpand && refused.Param == "expand":
		guess = guess.Without("expand", "expand_limit")
	case refused.Code == rs.InvalidExpand:
		guess = guess.Without("expand_limit")
	case refused.Param == "expand" && chosen.JSON() == guess.JSON():
		return t.LookUp(args), true // so are the relations
	default:
		guess = chosen
	}
	p, ok := plan(guess)
	if !ok { // without a condition it would be another question
		return Call{}, false
	}
	guess = filtered(guess, p.Filter)
	switch {
	case p.Sought == nil && p.Excluded == nil:
	case !guess.Has("stream"):
		return Call{}, false
	case p.Excluded != nil:
		return t.groupedBy(guess, *p.Excluded)
	case t.Name == "aggregate":
		call, ok := t.groupedBy(guess, *p.Sought)
		call.Arguments = call.Arguments.With("limit", "100") // any of them may have it
		return call, ok
	default:
		return searchFor(guess, *p.Sought)
	}
	for _, m := range slices.Clone(guess) {
		if p := t.parameter(m.Name); p != nil {
			if value := t.guessed(p, m.Value); value == "" && m.Name == "metric" {
				return Call{}, false
			} else if value == "" {
				guess = guess.Without(m.Name)
			} else {
				guess = guess.With(m.Name, value)
			}
		}
	}
	if mended, ok := t.timed(args, refused.Param); ok { // without one the error says the form
		return Call{t.Name, mended}, mended != nil
	}
	if call, ok := t.complete(guess, refused); ok {
		if misplaced, ok := t.misplaced(call.Arguments); ok && t.Name == "search" {
			call = misplaced
		}
		return call, true
	}
	if id := guess.Text("id"); isPage(id) {
		return Call{"search", rs.Object{{Name: "q", Value: rs.EncodeJSON(id)}}}, true
	} else if refused.Code == rs.InvalidID && refused.Param == "id" {
		return Call{}, false
	}
	return t.LookUp(guess), true
}

// timed are arguments with the one that was refused in the form that the tool takes, where it says a time; none where the error says the
// form. It is false for any other argument.
func (t Tool) timed(args rs.Object, param string) (mended rs.Object, ok bool) {
	raw := args.Get(param)
	bound := param == "since" || param == "until"
	last, short := written.LastOfMonth(raw)
	zone, _ := written.Text(raw)
	switch {
	case param == "until" && written.Reversed(args.Get("since"), raw):
		return args.With("since", raw).With("until", args.Get("since")), true
	case param == "time_zone" && written.Zone(zone) != "":
		return args.With(param, rs.EncodeJSON(written.Zone(zone))), true
	case short:
		return args.With(param, rs.EncodeJSON(last)), true
	case !bound:
		return nil, param == "time_zone"
	}
	mended = args
	for _, name := range both { // one without a zone is one of UTC
		value, _ := written.Text(written.Value(args.Get(name)))
		if !args.Has("time_zone") && value != "" && !written.IsTime(rs.EncodeJSON(value)) {
			value += "Z"
		}
		if value != "" {
			mended = mended.With(name, rs.EncodeJSON(value))
		}
	}
	if mended.JSON() == args.JSON() {
		return nil, true
	}
	return mended, true
}

// namesSomeone reports whether an argument such as from is a person or an address, and bounds no time.
func namesSomeone(m rs.Member) bool {
	name := written.Snake(m.Name)
	text, isText := written.Text(m.Value)
	_, _, isTime := written.Relative(text, time.Now().UTC())
	return (name == "from" || name == "to") && isText && !isTime && (written.IsWord(m.Value) || strings.Contains(m.Value, "@"))
}

// ordered reports whether arguments of an aggregate ask for another order of its groups than the one that they have: those with most
// records first.
func ordered(args rs.Object) bool {
	return (args.Has("group_by") || args.Has("group_by_time")) && slices.ContainsFunc(args, func(m rs.Member) bool {
		return sorts(written.Snake(m.Name)) && (args.Text("metric") != "count" || strings.Contains(strings.ToLower(m.Value), "asc"))
	})
}

// spread is the list of the values of a field, in their order, for a number that is no metric but can be worked out from them, such as the
// median; false for any other metric.
func spread(args rs.Object) (Call, bool) {
	metric, _ := written.Text(args.Get("metric"))
	if !ofValues().MatchString(written.Snake(metric)) || args.Text("field") == "" || !args.Has("stream") {
		return Call{}, false
	}
	call := instead("query_records", args, nil, "filter", "time_zone")
	call.Arguments = call.Arguments.With("fields", list(args.Get("field"))).With("sort", args.Get("field")).With("limit", "100")
	return call, true
}

var ofValues = written.Expression(`^(?:approx_)?(?:median|percentiles?|quantile|quartile|p\d\d|` +
	`std|stdev|stddev|standard_deviation|variance|var)(?:_|$)`)

// complete mends what is missing or is in the way of something else.
func (t Tool) complete(guess rs.Object, refused *rs.Error) (Call, bool) {
	switch t.Name {
	case "schema":
		if !guess.Has("stream") {
			guess = guess.Without("detail", "fields")
		}
	case "query_records":
		if guess.Has("view") && guess.Has("fields") {
			guess = guess.Without("view")
		}
		if guess.Has("changes_since") {
			guess = guess.Without("sort", "order", "count")
		}
		if cursor, _ := written.Text(guess.Get("cursor")); refused.Param == "cursor" || cursor == "next_cursor" {
			guess = guess.Without("cursor")
		}
		if !guess.Has("stream") {
			return Call{}, false
		}
	case "search":
		if refused.Param == "cursor" {
			guess = guess.Without("cursor")
		}
		if q, _ := written.Text(guess.Get("q")); q != "" {
			guess = guess.Without("query")
		}
		if streams, _ := Touches(guess); !looks(guess) && guess.Has("filter") && len(streams) == 1 {
			return t.InStream(guess, streams[0]), true
		} else if !looks(guess) { // a period alone is a timeline
			return Call{}, false
		}
	case "aggregate":
		if !guess.Has("metric") {
			if guess.Has("field") { // a number of it, but not which
				return Call{}, false
			}
			guess = guess.With("metric", `"count"`)
		}
		metric, _ := written.Text(guess.Get("metric"))
		switch {
		case !guess.Has("stream"), metric != "count" && !guess.Has("field"), guess.Has("granularity") && !guess.Has("group_by_time"):
			return Call{}, false
		case guess.Has("group_by") && guess.Has("group_by_time") && metric != "count" && isUnit(guess.Text("group_by")):
			guess = guess.Without("group_by") // an amount has a column for each of its units
			return t.complete(guess, refused)
		case guess.Has("group_by") && guess.Has("group_by_time"):
			guess = guess.Without("group_by_time", "granularity", "time_zone")
		case guess.Has("group_by_time") && !guess.Has("granularity"):
			if field, _ := written.Text(guess.Get("group_by_time")); granularities[field] {
				return Call{}, false
			}
			guess = guess.With("granularity", `"month"`)
		case guess.Has("time_zone") && !guess.Has("group_by_time"):
			guess = guess.Without("time_zone")
		}
	default:
		var ok bool
		if guess, ok = t.record(guess, refused); !ok {
			return Call{}, false
		}
	}
	return Call{t.Name, guess}, true
}

// isUnit reports whether a field says what unit a number beside it is in.
func isUnit(field string) bool {
	return field == "currency" || field == "unit" || strings.HasSuffix(field, "_currency") || strings.HasSuffix(field, "_unit")
}

// record mends the arguments of a tool that reads one record.
func (t Tool) record(guess rs.Object, refused *rs.Error) (rs.Object, bool) {
	id, _ := written.Text(guess.Get("id"))
	if id == "" && t.Takes("id") || isPage(id) {
		return nil, false
	}
	if several := idsIn(id); several != nil {
		guess = guess.With("id", rs.EncodeJSON(several[0]))
	} else if refused.Meant != (rs.Ref{}) {
		guess = guess.With("id", rs.EncodeJSON(refused.Meant.URI()))
	} else if refused.Code == rs.InvalidID && refused.Param == "id" {
		ref, ok := refOf(id)
		if !ok {
			return nil, false
		}
		guess = guess.With("id", rs.EncodeJSON(ref.String()))
	}
	if refused.Code == rs.ConflictingConnectionID {
		guess = guess.Without("connection_id")
	}
	if t.Name == "read_record_field" {
		if !guess.Has("field") {
			return nil, false
		}
		if guess.Has("q") {
			guess = guess.Without("offset_chars", "limit_chars")
		} else {
			guess = guess.Without("before_chars", "after_chars")
		}
	}
	return guess, true
}

// LookUp is the call that says what is missing: which streams there are, or what the fields of one are.
func (t Tool) LookUp(args rs.Object) Call {
	if id := args.Get("id"); t.Name == "read_record_field" {
		if _, err := rs.ParseRef(args.Text("id")); err == nil {
			return Call{"fetch", rs.Object{{Name: "id", Value: id}}}
		}
	}
	look := rs.Object{}
	if t.Takes("id") {
		return Call{"schema", look}
	}
	if s := args.Text("stream"); s != "" && rs.UnsafeName(s) == "" {
		look = rs.Object{{Name: "stream", Value: rs.EncodeJSON(s)}}
	}
	return Call{"schema", look.WithAll(onlyConnection(args))}
}

// onlyConnection is the connection_id of arguments, if there is one.
func onlyConnection(args rs.Object) rs.Object {
	if s, ok := written.Text(args.Get("connection_id")); ok && rs.UnsafeName(s) == "" {
		return rs.Object{{Name: "connection_id", Value: rs.EncodeJSON(s)}}
	}
	return nil
}
