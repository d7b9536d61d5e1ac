package correct

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Unfiltered returns the call that reads without what a resource server refuses a token at all: records of a period by a search, which
// looks through them, instead of a number the fields that it was to be filtered by, and anything else without the arguments.
func (t Tool) Unfiltered(args rs.Object, refused *rs.Error) Call {
	filter := args.Object("filter")
	if t.Name == "aggregate" && len(filter) > 0 { // a number over all records would be taken for the one that was asked for
		fields := make([]string, len(filter))
		for i, m := range filter {
			fields[i] = m.Name
		}
		return instead("query_records", args, rs.Object{{Name: "fields", Value: listed(fields)}, {Name: "limit", Value: "100"}})
	}
	if t.Name != "query_records" || refused.Param != "filter" || len(filter) != 1 {
		return Call{t.Name, args.Without("filter", "expand", "expand_limit")}
	}
	search := rs.Object{{Name: "streams", Value: list(args.Get("stream"))}}
	for _, r := range rs.AsObject(filter[0].Value) {
		value, _ := written.Text(r.Value)
		day, err := time.Parse(time.DateOnly, value)
		switch name := map[string]string{"gte": "since", "lte": "until", "lt": "until"}[r.Name]; {
		case name == "" || err != nil:
			return Call{t.Name, args.Without("filter")}
		case r.Name == "lt":
			search = append(search, rs.Member{Name: name, Value: rs.EncodeJSON(day.AddDate(0, 0, -1).Format(time.DateOnly))})
		default:
			search = append(search, rs.Member{Name: name, Value: r.Value})
		}
	}
	if len(search) == 1 {
		return Call{t.Name, args.Without("filter")}
	}
	return Call{"search", search.WithAll(onlyConnection(args))}
}

// Rewritten returns the call that a resource server probably takes instead of one that it refused, where no name needs to be known
// for that: with dates and booleans in their usual form, without a view that it refuses, with a filter's condition on what is an
// argument as that argument.
func (t Tool) Rewritten(args rs.Object, refused *rs.Error) (Call, bool) {
	if call, ok := t.misplaced(args); ok {
		return call, true
	}
	if refused.Code != "invalid_request" {
		return Call{}, false
	}
	if refused.Param == "view" || args.Has("view") && strings.Contains(refused.Message, "view") {
		return Call{t.Name, args.Without("view")}, true
	}
	if count, _ := written.Text(args.Get("count")); count == "estimated" && strings.Contains(refused.Message, "count") {
		return Call{t.Name, args.With("count", `"exact"`)}, true
	}
	filter, found := args.Object("filter"), false
	for _, m := range filter {
		if value := inForm(m, refused.Message); value != "" {
			filter, found = filter.With(m.Name, value), true
		}
	}
	if !found {
		return Call{}, false
	}
	return Call{t.Name, args.With("filter", filter.JSON())}, true
}

// inForm is a condition in the form that a filter takes, where a resource server refused it with a message; "" for one that stays as it is.
func inForm(m rs.Member, message string) string {
	compact := func(raw string) string {
		if written.IsTimeName(m.Name) {
			return written.CompactDay(raw)
		}
		return ""
	}
	if bounds := rs.AsObject(m.Value); bounds != nil {
		mended := bounds
		for _, r := range bounds {
			operator, value := written.Bound(r.Name, r.Value)
			if value = cmp.Or(compact(r.Value), value); value == "" {
				continue
			}
			if operator != r.Name {
				mended = mended.Without(r.Name)
			}
			mended = mended.With(operator, value)
		}
		if slices.Equal(mended, bounds) {
			return ""
		}
		return mended.JSON()
	}
	p, ok := foreign.Read(rs.Object{m}.JSON(), "")
	numbers := written.Numbers(m.Value)
	flag := map[string]string{"0": "false", "1": "true"}[m.Value]
	switch {
	case ok && p.Calls == 1 && p.Filter.Object(m.Name) != nil: // "> 5"
		return p.Filter.Get(m.Name)
	case numbers != nil && strings.Contains(message, "number"):
		return rs.Object{{Name: "gte", Value: numbers[0]}, {Name: "lte", Value: numbers[1]}}.JSON()
	case flag != "" && strings.Contains(message, "boolean"):
		return flag
	}
	return cmp.Or(compact(m.Value), written.Range(m.Value), written.Value(m.Value))
}

// CurrencyLeftOut says that a filter compares with an amount that has a currency; "" where it does not.
func CurrencyLeftOut(args rs.Object) string {
	if slices.ContainsFunc(valuesOf(args.Object("filter")), func(raw string) bool { _, ok := written.WithoutCurrency(raw); return ok }) {
		return "An amount is a number: the call below leaves out its currency, which is a field of its own if the records have several."
	}
	return ""
}

// valuesOf are the values that a filter compares with.
func valuesOf(filter rs.Object) (values []string) {
	for _, m := range filter {
		values = append(values, m.Value)
		for _, bound := range rs.AsObject(m.Value) {
			values = append(values, bound.Value)
		}
	}
	return values
}

// Restarted returns the call from the first page on.
func (t Tool) Restarted(args rs.Object) Call {
	if args.Has("changes_since") && !args.Has("cursor") {
		return Call{t.Name, args.With("changes_since", `"beginning"`)}
	}
	return Call{t.Name, args.Without("cursor")}
}

// Relative returns the call with dates in place of times that are named by their distance from now, as bounds of a search and in a filter;
// false where there is none.
func (t Tool) Relative(args rs.Object, now time.Time) (Call, bool) {
	found := false
	day := func(t time.Time) string { return rs.EncodeJSON(t.Format(time.DateOnly)) }
	read := func(name, raw string) (bound string, first, last time.Time, ok bool) {
		s, _ := written.Text(raw)
		first, last, ok = written.Relative(s, now)
		at := first
		if slices.Contains([]string{"until", "gt", "lte"}, name) && !last.IsZero() {
			at = last // after it, or until its end
		}
		return day(at), first, last, ok
	}
	dated, filter := args, args.Object("filter")
	for _, name := range []string{"since", "until"} {
		bound, first, last, ok := read(name, args.Get(name))
		if !ok || !t.Takes(name) {
			continue
		}
		dated, found = dated.With(name, bound), true
		over := last.Before(now.AddDate(0, 0, -1)) || last.After(now) && !first.Before(now.Truncate(24*time.Hour))
		if name == "since" && !last.IsZero() && !args.Has("until") && over {
			dated = dated.With("until", day(last))
		}
	}
	for _, m := range filter {
		_, first, last, ok := read("", m.Value)
		if s, _ := written.Text(m.Value); ok && (!written.IsMonth(s) || written.IsTimeName(m.Name)) { // else "May" may be a person
			bounds := rs.Object{{Name: "gte", Value: day(first)}}
			if !last.IsZero() {
				bounds = append(bounds, rs.Member{Name: "lte", Value: day(last)})
			}
			filter, found = filter.With(m.Name, bounds.JSON()), true
		}
		bounds := rs.AsObject(m.Value)
		for _, r := range bounds {
			if bound, _, _, ok := read(r.Name, r.Value); ok {
				bounds, found = bounds.With(r.Name, bound), true
				filter = filter.With(m.Name, bounds.JSON())
			}
		}
	}
	if len(filter) > 0 {
		dated = dated.With("filter", filter.JSON())
	}
	return Call{t.Name, dated}, found
}

// InPeriods are arguments whose filter compares a time with a month or a year as one with the bounds of that.
func InPeriods(args rs.Object) rs.Object {
	filter := args.Object("filter")
	for _, m := range filter {
		if bounds := written.Range(m.Value); bounds != "" && written.IsTimeName(m.Name) {
			filter = filter.With(m.Name, bounds)
		}
	}
	if len(filter) > 0 {
		args = args.With("filter", filter.JSON())
	}
	return args
}

// boundWords are words that bound a time, alone or before a colon in a query, with the bounds of a search that they mean.
var boundWords = map[string][]string{
	"since": {"since"}, "after": {"since"}, "newer": {"since"}, "newer_than": {"since"}, "gte": {"since"}, "gt": {"since"},
	"until": {"until"}, "before": {"until"}, "older": {"until"}, "older_than": {"until"}, "lte": {"until"}, "lt": {"until"},
	"on": {"since", "until"}, "date": {"since", "until"}, "day": {"since", "until"},
}

// rangeOperators are the operators of a filter for the bounds of a search.
var rangeOperators = map[string]string{"since": "gte", "until": "lte"}

// boundsOf are the bounds of a search that an argument means, none if it is not known which; false if it bounds no time.
func boundsOf(m rs.Member) (bounds rs.Object, ok bool) {
	name := written.Snake(m.Name)
	if spans[name] {
		inner := rs.AsObject(m.Value)
		if list, _ := rs.AsArray(m.Value); len(list) == 2 {
			inner = rs.Object{{Name: "since", Value: list[0]}, {Name: "until", Value: list[1]}}
		}
		for _, i := range inner {
			found, _ := boundsOf(i)
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
		text, _ := rs.AsText(m.Value)
		if day := (searchOperator{name: name, value: text}).day(bound); day != "" {
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
			filter, _ = foreign.Compared(filter, field, rangeOperators[bound.Name], bound.Value)
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
	if filter, ok := foreign.Compared(args.Object("filter"), field, "gte", rs.EncodeJSON(day)); ok && field != "" {
		return Call{t.Name, args.Without("changes_since", "cursor").With("filter", filter.JSON())}
	}
	return instead("search", args, rs.Object{{Name: "since", Value: rs.EncodeJSON(day)}}, "filter", "limit", "time_zone")
}

var otherDate = written.Expression(`^[0-9]{1,2}[./-][0-9]{1,2}[./-][0-9]{2,4}$|(?i)^(to|yester)day$|^(last|this|next) (week|month|year)$`)

// MistakesDate reports whether a filter has a date of which it is not certain which one is meant.
func MistakesDate(args rs.Object) bool {
	return slices.ContainsFunc(valuesOf(args.Object("filter")), func(raw string) bool {
		s, ok := written.Text(raw)
		return ok && otherDate().MatchString(s)
	})
}

// NoSuchDay says of a date in a call that there is no such day; "" where there is none of that kind.
func NoSuchDay(args rs.Object) string {
	for _, raw := range append(valuesOf(args.Object("filter")), args.Get("since"), args.Get("until")) {
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
