package correct

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Guess returns the call that is probably meant by arguments that the tool refused, from what is known without a read. refused is the
// error. It reports false where there is none; the caller checks that the tool takes what is returned.
func (t Tool) Guess(args rs.Object, refused *rs.Error) (Call, bool) {
	if call, ok := t.worded(args); ok {
		return call, t.Name == "query_records"
	}
	args = t.oneAggregation(args)
	guess := slices.Clone(args)
	for _, m := range args {
		if !t.Takes(m.Name) && bounds[snake(m.Name)] && m.Value != "null" {
			return t.period(args), true
		}
		if !t.Takes(m.Name) {
			guess = t.placed(guess, m)
		}
	}
	if s, _ := text(guess.Get("stream")); refused.Code == rs.InvalidID && refused.Param == "stream" {
		connection, stream, ok := strings.Cut(s, "/")
		if !ok || rs.UnsafeName(connection) != "" || rs.UnsafeName(stream) != "" {
			return t.LookUp(nil), true
		}
		guess = guess.With("stream", rs.EncodeJSON(stream)).With("connection_id", rs.EncodeJSON(connection))
	}
	if refused.Code == rs.InvalidExpand {
		if refused.Param == "expand" {
			guess = guess.Without("expand")
		}
		guess = guess.Without("expand_limit")
	} else if chosen := expanded(guess); refused.Param == "expand" && chosen.JSON() == guess.JSON() {
		return t.LookUp(args), true // so are the relations
	} else {
		guess = chosen
	}
	guess = t.withoutTail(guess)
	if raw := guess.Get("filter"); raw != "" {
		filter, excluded, sought := guessedFilter(raw)
		if guess = guess.Without("filter"); filter != "" && filter != "{}" {
			guess = guess.With("filter", swapped(rs.AsObject(filter)).JSON())
		}
		switch {
		case filter == "" && !isEmpty(raw): // without a condition it would be another question
			return Call{}, false
		case sought != nil && t.Name != "aggregate" && guess.Has("stream"):
			return searchFor(guess, *sought)
		case excluded != nil && guess.Has("stream"):
			return t.groupedBy(guess, *excluded)
		case sought != nil || excluded != nil:
			return Call{}, false
		}
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
	if since, until := args.Get("since"), args.Get("until"); refused.Param == "until" && Reversed(since, until) {
		return Call{t.Name, args.With("since", until).With("until", since)}, true
	}
	if zone, _ := text(args.Get("time_zone")); refused.Param == "time_zone" && ianaZone(zone) != "" {
		return Call{t.Name, args.With("time_zone", rs.EncodeJSON(ianaZone(zone)))}, true
	}
	if refused.Param == "since" || refused.Param == "time_zone" || refused.Param == "until" {
		return Call{}, false // the error says the form
	}
	if call, ok := t.complete(guess, refused); ok {
		if misplaced, ok := t.misplaced(call.Arguments); ok && t.Name == "search" {
			call = misplaced
		}
		return call, true
	}
	if refused.Code == rs.InvalidID && refused.Param == "id" {
		return Call{}, false
	}
	return t.LookUp(guess), true
}

// placed finds a place for an argument that the tool does not take, or leaves it out.
func (t Tool) placed(guess rs.Object, m rs.Member) rs.Object {
	rest, plain := guess.Without(m.Name), snake(m.Name)
	for _, p := range t.Parameters {
		if !rest.Has(p.Name) && (plain == "connector_instance_id" && p.Name == "connection_id" || plain == "name" && p.Name == "stream" ||
			distance(plain, p.Name) == 1 || len(p.Name) > 5 && distance(plain, p.Name) == 2) {
			return renamed(guess, m.Name, p.Name, t.value(&p, m.Value))
		}
	}
	for _, p := range t.Parameters {
		if slices.Contains(aliases[p.Name], plain) {
			return rest // the argument itself is given
		}
	}
	if found := bracketed.FindStringSubmatch(m.Name); found != nil && found[2] != "" && t.Takes("filter") {
		if operator, ok := operatorOf(found[2]); ok {
			return rest.With("filter", with(rest.Object("filter"), found[1], operator, m.Value).JSON())
		}
		if strings.HasPrefix(m.Name, "filter[") {
			return rest.With("filter", with(rest.Object("filter"), found[2], "", m.Value).JSON())
		}
	}
	scalar := rs.Kind(m.Value) == "string" || rs.Kind(m.Value) == "number" || rs.Kind(m.Value) == "boolean"
	if t.Takes("filter") && t.Takes("stream") && scalar && !beside[plain] {
		if filter := rest.Object("filter"); filter != nil || !rest.Has("filter") {
			if name := bracketed.FindStringSubmatch(m.Name); name != nil && !filter.Includes(name[1]) {
				return rest.With("filter", filter.With(name[1], m.Value).JSON())
			}
		}
	}
	return rest
}

// guessed is the value that is probably meant; "" leaves the argument out.
func (t Tool) guessed(p *Parameter, raw string) string {
	switch {
	case p.Type == "integer":
		n, ok := rs.AsText(raw)
		if !ok || !wholeNumber.MatchString(n) {
			return ""
		}
		number, _ := rs.Object{{Name: "n", Value: strings.TrimPrefix(n, "+")}}.Number("n")
		switch {
		case strings.HasPrefix(n, "-"), number < p.Least:
			return ""
		case number > p.Most:
			return rs.EncodeJSON(p.Most)
		}
	case p.Words != nil:
		if several, ok := rs.AsArray(list(raw)); ok && len(several) > 0 {
			raw = t.string(p, several[0])
		}
		word, _ := rs.AsText(raw)
		if likely := likelyForms[p.Name][snake(word)]; likely != "" {
			return rs.EncodeJSON(likely)
		}
		if !slices.Contains(p.Words, word) {
			if near := nearest(word, p.Words, 1); len(near) > 0 {
				return rs.EncodeJSON(near[0])
			}
			return ""
		}
	case p.Type == "array":
		raw = chosen(raw)
		if list, ok := rs.AsArray(raw); !ok || len(list) == 0 {
			return ""
		}
	case p.Type == "string":
		if list, ok := rs.AsArray(raw); ok && len(list) > 0 {
			raw = list[0]
		}
		s, ok := text(raw)
		if !ok || strings.TrimSpace(s) == "" {
			return ""
		}
		return raw
	case p.Name == "expand_limit":
		if o := rs.AsObject(raw); len(o) == 0 {
			return ""
		}
	}
	return raw
}

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
		if cursor, _ := text(guess.Get("cursor")); refused.Param == "cursor" || cursor == "next_cursor" {
			guess = guess.Without("cursor")
		}
		if !guess.Has("stream") {
			return Call{}, false
		}
	case "search":
		if refused.Param == "cursor" {
			guess = guess.Without("cursor")
		}
		if q, _ := text(guess.Get("q")); q != "" {
			guess = guess.Without("query")
		}
		if !guess.Has("q") && !guess.Has("query") && !guess.Has("since") && !guess.Has("until") { // a period alone is a timeline
			return Call{}, false
		}
	case "aggregate":
		if !guess.Has("metric") {
			if guess.Has("field") { // a number of it, but not which
				return Call{}, false
			}
			guess = guess.With("metric", `"count"`)
		}
		metric, _ := text(guess.Get("metric"))
		switch {
		case !guess.Has("stream"), metric != "count" && !guess.Has("field"), guess.Has("granularity") && !guess.Has("group_by_time"):
			return Call{}, false
		case guess.Has("group_by") && guess.Has("group_by_time"):
			guess = guess.Without("group_by_time", "granularity", "time_zone")
		case guess.Has("group_by_time") && !guess.Has("granularity"):
			if field, _ := text(guess.Get("group_by_time")); granularities[field] {
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

// record mends the arguments of a tool that reads one record.
func (t Tool) record(guess rs.Object, refused *rs.Error) (rs.Object, bool) {
	id, _ := text(guess.Get("id"))
	if id == "" && t.Takes("id") {
		return nil, false
	}
	if refused.Meant != (rs.Ref{}) {
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

// refOf reads an id whose parts are joined by '/' alone.
func refOf(id string) (rs.Ref, bool) {
	parts := strings.Split(strings.Trim(unquoted(id), "/"), "/")
	var ref rs.Ref
	switch len(parts) {
	case 2:
		ref = rs.Ref{Stream: parts[0], RecordID: parts[1]}
	case 3:
		ref = rs.Ref{ConnectionID: parts[0], Stream: parts[1], RecordID: parts[2]}
	default:
		return rs.Ref{}, false
	}
	parsed, err := rs.ParseRef(ref.String())
	named := ref.Stream != "" && !strings.ContainsAny(ref.Stream[:1], "0123456789") // 2026/0240 is one id and names no stream
	return ref, named && err == nil && parsed == ref
}

// LookUp is the call that says what is missing: which streams there are, or what the fields of one are.
func (t Tool) LookUp(args rs.Object) Call {
	if t.Name == "fetch" || t.Name == "read_record_field" {
		if id, _ := text(args.Get("id")); t.Name == "read_record_field" && id != "" {
			if _, err := rs.ParseRef(id); err == nil {
				return Call{"fetch", rs.Object{{Name: "id", Value: rs.EncodeJSON(id)}}}
			}
		}
		return Call{"schema", rs.Object{}}
	}
	look := rs.Object{}
	if s, ok := text(args.Get("stream")); ok && rs.UnsafeName(s) == "" {
		look = rs.Object{{Name: "stream", Value: rs.EncodeJSON(s)}}
	}
	return Call{"schema", look.WithAll(onlyConnection(args))}
}

// onlyConnection is the connection_id of arguments, if there is one.
func onlyConnection(args rs.Object) rs.Object {
	if s, ok := text(args.Get("connection_id")); ok && rs.UnsafeName(s) == "" {
		return rs.Object{{Name: "connection_id", Value: rs.EncodeJSON(s)}}
	}
	return nil
}

// misplaced returns the call whose filter's conditions on what is an argument of the tool are that argument; false for none.
func (t Tool) misplaced(args rs.Object) (Call, bool) {
	mended, filter := args, args.Object("filter")
	for _, m := range filter {
		name := m.Name
		if name == "stream" && t.Takes("streams") {
			name = "streams"
		}
		p := t.parameter(name)
		if p == nil || name == "q" || name == "limit" || mended.Has(name) || rs.Kind(m.Value) == "object" {
			continue
		}
		mended, filter = mended.With(name, t.value(p, m.Value)), filter.Without(m.Name)
	}
	if len(mended) == len(args) {
		return Call{}, false
	}
	if mended = mended.Without("filter"); len(filter) > 0 {
		mended = mended.With("filter", filter.JSON())
	}
	return Call{t.Name, mended}, true
}
