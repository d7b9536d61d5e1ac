package correct

import (
	"cmp"
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// boundWords are words that bound a time, alone or before a colon in a query, with the bounds of a search that they mean.
var boundWords = map[string][]string{
	"since": {"since"}, "after": {"since"}, "newer": {"since"}, "newer_than": {"since"}, "older_than": {"until"}, "until": {"until"}, "before": {"until"}, "older": {"until"},
	"on": {"since", "until"}, "date": {"since", "until"}, "day": {"since", "until"},
}

// spans are words for both bounds of a time.
var spans = set("date_range", "time_range", "period", "range", "dates", "between", "daterange", "timerange", "date_filter", "time_period")

// boundsOf are the bounds of a search that an argument means, none if it is not known which; false if it bounds no time.
func boundsOf(m rs.Member) (bounds rs.Object, ok bool) {
	name := written.Snake(m.Name)
	if spans[name] {
		inner := rs.AsObject(m.Value)
		if list, _ := rs.AsArray(m.Value); len(list) == 2 {
			inner = rs.Object{{Name: "since", Value: list[0]}, {Name: "until", Value: list[1]}}
		}
		for _, i := range inner {
			found, _ := boundsOf(rs.Member{Name: cmp.Or(map[string]string{"gte": "since", "gt": "since", "lte": "until", "lt": "before"}[i.Name], i.Name), Value: i.Value})
			if len(found) != 1 || bounds.Has(found[0].Name) {
				return nil, true
			}
			bounds = append(bounds, found...)
		}
		return bounds, true
	}
	means := boundWords[name]
	for _, bound := range []string{"since", "until"} {
		if slices.Contains(aliases[bound], name) {
			means = []string{bound}
		}
	}
	for _, bound := range means {
		value := m.Value
		if day := written.Day(bound, m.Value); day != "" {
			value = rs.EncodeJSON(day)
		} else if time := written.Value(m.Value); written.IsTime(time) { // one without a zone is one of UTC
			value = time
		} else if len(means) > 1 && !written.IsTime(value) {
			return nil, true
		}
		bounds = append(bounds, rs.Member{Name: bound, Value: value})
	}
	return bounds, means != nil
}

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
		if t.Takes(m.Name) {
			rest = append(rest, m)
			continue
		}
		bounds, _ := boundsOf(m)
		if bounds == nil || filter.Includes(field) && (len(bounds) > 1 || filter.Object(field) == nil) {
			return Call{}, false
		}
		for _, bound := range bounds {
			if !written.IsTime(bound.Value) {
				return Call{}, false
			}
			filter, _ = compared(filter, field, map[string]string{"since": "gte", "until": "lte"}[bound.Name], bound.Value)
		}
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
	if day := written.Day("since", raw); day != "" {
		return day, true
	}
	day, _ := written.Text(raw)
	return day, written.IsTime(raw)
}

// SinceDay returns the call that reads the records from a day on by a field of the stream, or by a search where none is known.
func (t Tool) SinceDay(args rs.Object, day, field string) Call {
	if filter, ok := compared(args.Object("filter"), field, "gte", rs.EncodeJSON(day)); ok && field != "" {
		return Call{t.Name, args.Without("changes_since", "cursor").With("filter", filter.JSON())}
	}
	search := rs.Object{{Name: "since", Value: rs.EncodeJSON(day)}, {Name: "streams", Value: list(args.Get("stream"))}}
	return Call{"search", search.WithAll(onlyConnection(args)).WithAll(members(args, "filter", "limit", "time_zone"))}
}

var otherDate = written.Expression(`^[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}$|(?i)^(to|yester)day$|^(last|this|next) (week|month|year)$`)

// MistakesDate reports whether a filter has a date of which it is not certain which one is meant.
func MistakesDate(args rs.Object) bool {
	return slices.ContainsFunc(args.Object("filter"), func(m rs.Member) bool {
		values := []string{m.Value}
		for _, r := range rs.AsObject(m.Value) {
			values = append(values, r.Value)
		}
		return slices.ContainsFunc(values, func(raw string) bool {
			s, ok := written.Text(raw)
			return ok && otherDate().MatchString(s)
		})
	})
}

// NoSuchDay says of a date in a call that there is no such day; "" where there is none of that kind.
func NoSuchDay(args rs.Object) string {
	values := []string{args.Get("since"), args.Get("until")}
	for _, m := range args.Object("filter") {
		values = append(values, m.Value)
		for _, bound := range rs.AsObject(m.Value) {
			values = append(values, bound.Value)
		}
	}
	for _, raw := range values {
		if last, ok := written.LastOfMonth(raw); ok {
			return "There is no day " + quote.JSON(raw) + ": that month ends with " + last + ", which the call below has."
		}
	}
	return ""
}

// period is the search for arguments of which some bound a time, if their values are days or times; else what the fields are is to be
// looked up.
func (t Tool) period(args rs.Object) Call {
	var search rs.Object
	for _, m := range args {
		bounds, ok := boundsOf(m)
		switch name := written.Snake(m.Name); {
		case bounds != nil:
			search = append(search, bounds...)
		case name == "stream":
			search = append(search, rs.Member{Name: "streams", Value: list(m.Value)})
		case ok || !slices.Contains([]string{"q", "query", "streams", "connection_id", "limit"}, name):
			return t.LookUp(args)
		default:
			search = append(search, rs.Member{Name: name, Value: m.Value})
		}
	}
	return Call{"search", search}
}
