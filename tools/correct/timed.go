package correct

import (
	"regexp"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// NeedsTime reports whether an aggregate bounds a time without the field of its stream that says when.
func (t Tool) NeedsTime(args rs.Object) bool {
	_, ok := t.Timed(args, "at")
	return ok && slices.ContainsFunc(args, func(m rs.Member) bool { return !t.Takes(m.Name) })
}

// Timed returns an aggregate whose bounds of a time are conditions on a field, and whose groups of time are of it.
func (t Tool) Timed(args rs.Object, field string) (Call, bool) {
	if t.Name != "aggregate" || !args.Has("stream") || !args.Has("metric") || field == "" {
		return Call{}, false
	}
	timed, rest, filter := args, rs.Object{}, args.Object("filter")
	for _, m := range args {
		operator, name := "", written.Snake(m.Name)
		switch {
		case t.Takes(m.Name):
			rest = append(rest, m)
			continue
		case name == "since" || name == "after" || slices.Contains(aliases["since"], name):
			operator, name = "gte", "since"
		case name == "until" || name == "before" || slices.Contains(aliases["until"], name):
			operator, name = "lte", "until"
		}
		value, _ := text(m.Value)
		if day := dayOf(name, m.Value); day != "" {
			value = day
		}
		if day := dayOf("until", m.Value); (name == "date" || name == "day" || name == "on") && !filter.Has(field) {
			first, last := dayOf("since", m.Value), day
			if isTime(m.Value) {
				first, last = value, value
			}
			if first == "" {
				return Call{}, false
			}
			filter = with(with(filter, field, "gte", rs.EncodeJSON(first)), field, "lte", rs.EncodeJSON(last))
			continue
		}
		if _, err := rs.ReadTime(value); err != nil || operator == "" || filter.Includes(field) && filter.Object(field) == nil {
			return Call{}, false
		}
		filter = with(filter, field, operator, rs.EncodeJSON(value))
	}
	if len(rest) < len(args) {
		timed = rest.With("filter", filter.JSON())
	}
	if timed.Has("granularity") && !timed.Has("group_by_time") && !timed.Has("group_by") {
		timed = timed.With("group_by_time", rs.EncodeJSON(field))
	}
	return Call{t.Name, timed}, timed.JSON() != args.JSON()
}

// ChangesSinceDay returns the day or time that a call was sent as changes_since, which is no date; false where it has none.
func ChangesSinceDay(args rs.Object) (string, bool) {
	raw := args.Get("changes_since")
	if day := dayOf("since", raw); day != "" {
		return day, true
	}
	day, _ := text(raw)
	return day, isTime(raw)
}

// SinceDay returns the call that reads the records from a day on by a field of the stream, or by a search where none is known.
func (t Tool) SinceDay(args rs.Object, day, field string) Call {
	if filter := args.Object("filter"); field != "" && !filter.Has(field) {
		return Call{t.Name, args.Without("changes_since", "cursor").With("filter", with(filter, field, "gte", rs.EncodeJSON(day)).JSON())}
	}
	search := rs.Object{{Name: "since", Value: rs.EncodeJSON(day)}, {Name: "streams", Value: list(args.Get("stream"))}}
	return Call{"search", search.WithAll(onlyConnection(args)).WithAll(members(args, "filter", "limit", "time_zone"))}
}

var otherDate = regexp.MustCompile(`^[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}$|(?i)^(to|yester)day$|^(last|this|next) (week|month|year)$`)

// MistakesDate reports whether a filter has a date of which it is not certain which one is meant.
func MistakesDate(args rs.Object) bool {
	return slices.ContainsFunc(args.Object("filter"), func(m rs.Member) bool {
		values := []string{m.Value}
		for _, r := range rs.AsObject(m.Value) {
			values = append(values, r.Value)
		}
		return slices.ContainsFunc(values, func(raw string) bool {
			s, ok := text(raw)
			return ok && otherDate.MatchString(s)
		})
	})
}

// Having lists the streams of a schema that have all fields of a filter.
func Having(s *rs.Schema, filter rs.Object) []string {
	var having []string
	for _, row := range s.Streams {
		if slices.Contains(having, row.Name) || len(filter) == 0 {
			continue
		}
		known := ReadStream(row.Name, s)
		if !slices.ContainsFunc(filter, func(m rs.Member) bool { return !slices.Contains(known.suited(filters), m.Name) }) {
			having = append(having, row.Name)
		}
	}
	return having
}

// InStream returns the call with the stream that its filter needs.
func (t Tool) InStream(args rs.Object, stream string) Call {
	if t.Takes("streams") {
		return Call{t.Name, args.With("streams", listed([]string{stream}))}
	}
	return Call{t.Name, args.With("stream", rs.EncodeJSON(stream))}
}

// WithoutStream reports whether a call has a filter and not the one stream that it needs for it.
func (t Tool) WithoutStream(args rs.Object) bool {
	if _, misplaced := t.misplaced(args); misplaced { // the filter names the stream
		return false
	}
	return args.Object("filter") != nil && !args.Has("stream") && !args.Has("streams") && (t.Takes("stream") || t.Takes("streams"))
}
