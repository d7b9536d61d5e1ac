package correct

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// sinceUntil are the bounds of a search.
var sinceUntil = []string{"since", "until"}

// acceptedTime converts a refused time or time zone to the form that the tool takes; nil if that is unknown, false for any other argument.
func (t Tool) acceptedTime(args rs.Object, param string) (mended rs.Object, ok bool) {
	raw := args.Get(param)
	last, short := written.LastOfMonth(raw)
	zone, _ := rs.AsText(raw)
	switch {
	case param == "until" && written.Reversed(args.Get("since"), raw):
		return args.With("since", raw).With("until", args.Get("since")), true
	case param == "time_zone" && written.Zone(zone) != "":
		return args.With(param, rs.EncodeJSON(written.Zone(zone))), true
	case param == "time_zone" && raw != "" && strings.TrimSpace(zone) == "":
		return args.Without(param), true
	case short:
		return args.With(param, rs.EncodeJSON(last)), true
	case !slices.Contains(sinceUntil, param):
		return nil, param == "time_zone"
	}
	mended = args
	for _, name := range sinceUntil { // a time without a zone is in UTC
		local, _ := written.Text(args.Get(name))
		if _, is := written.LocalTime(local, time.UTC); is && args.Has("time_zone") {
			continue // it is in that zone
		}
		value, _ := written.Text(cmp.Or(written.Reordered(args.Get(name)), written.Value(args.Get(name))))
		if value != "" {
			mended = mended.With(name, rs.EncodeJSON(value))
		}
	}
	if mended.JSON() == args.JSON() {
		return nil, true
	}
	return mended, true
}

// boundsTime reports whether an argument that the tool does not take limits a period: by its name, or as a month with its year.
func (t Tool) boundsTime(m rs.Member) bool {
	name := written.Snake(foreign.Lasting(m).Name)
	month, _ := written.Text(m.Value)
	_, _, dated := written.Days(month, time.Time{})
	bound := foreign.Bounds[name] || foreign.BoundWords[name] != "" && t.Takes("since") || name == "month" && dated
	return bound && !t.Takes(m.Name) && !t.Takes("id") && m.Value != "null" && !foreign.NamesSomeone(m)
}

// period returns the search for the period that arguments limit, or the call that looks up the fields if it is not understood.
func (t Tool) period(args rs.Object) Call {
	var search rs.Object
	for _, m := range args {
		bounds, ok := foreign.SearchBounds(m, t.now)
		switch name := written.Snake(m.Name); {
		case bounds != nil:
			search = append(search, bounds...)
		case name == "stream":
			search = append(search, rs.Member{Name: "streams", Value: list(m.Value)})
		case ok || !slices.Contains([]string{"q", "query", "streams", "connection_id", "limit", "time_zone"}, name):
			return t.LookUp(args)
		default:
			search = append(search, rs.Member{Name: name, Value: m.Value})
		}
	}
	return Call{"search", search}
}

// dayOf returns the day, as JSON, of a bound that is relative to now, such as "yesterday"; "" for any other bound.
func dayOf(bound, raw string, now time.Time) string {
	s, _ := written.Text(raw)
	day, last, _ := written.Days(s, now)
	if slices.Contains([]string{"until", "gt", "lte"}, bound) && !last.IsZero() {
		day = last // after the period, or until its end
	}
	if day.IsZero() || written.IsTime(raw) {
		return ""
	}
	return foreign.DayJSON(day)
}

// Relative returns the call with dates in place of times that are relative to now; false if it has none.
func (t Tool) Relative(args rs.Object) (Call, bool) {
	dated, filter, now := args, args.Object("filter"), t.now
	for _, name := range sinceUntil {
		if day := dayOf(name, args.Get(name), now); day != "" && t.Takes(name) {
			dated = dated.With(name, day)
		}
	}
	found := dated.JSON() != args.JSON()
	if t.Takes("since") {
		dated = dated.WithAll(wholeTime(args, now))
	}
	if s, _ := written.Text(args.Get("since")); found && written.Reversed(dated.Get("since"), dated.Get("until")) {
		if first, _, ok := written.Days(s, now); ok { // since is in the year before
			dated = dated.With("since", foreign.DayJSON(first.AddDate(-1, 0, 0)))
		}
	}
	for _, m := range filter {
		bound := foreign.BoundOf(m.Name) // if any, the value is one end of a period
		if day := dayOf(bound, m.Value, now); bound != "" && day != "" {
			filter, found = filter.With(m.Name, day), true
		} else if condition := relativeCondition(m, now); bound == "" && condition != nil && condition.JSON() != m.Value {
			filter, found = filter.With(m.Name, condition.JSON()), true
		}
	}
	if len(filter) > 0 {
		dated = dated.With("filter", filter.JSON())
	}
	return Call{t.Name, dated}, found
}

// relativeCondition returns a condition with dates in place of a time or of bounds that are relative to now; nil for any other value.
func relativeCondition(m rs.Member, now time.Time) rs.Object {
	condition := rs.AsObject(m.Value)
	s, _ := written.Text(m.Value)
	first, last, ok := written.Days(s, now)
	word, rest, _ := strings.Cut(strings.ToLower(s), " ")
	isBound := func(word string) bool { return foreign.BoundOf(word) != "" }
	day := dayOf("gte", rs.EncodeJSON(rest), now)
	if foreign.BoundOf(word) == "gte" && day != "" && !slices.ContainsFunc(strings.Fields(rest), isBound) { // "since March"
		return rs.Object{{Name: "gte", Value: day}}
	}
	mayBeOther := written.IsCalendarName(s) || quantity().MatchString(s) // "May" may be a person, and "1M" a size
	if ok && !written.IsTime(m.Value) && (!mayBeOther || written.IsTimeName(m.Name)) {
		if !first.IsZero() {
			condition = condition.With("gte", foreign.DayJSON(first))
		}
		if !last.IsZero() {
			condition = condition.With("lte", foreign.DayJSON(last))
		}
	}
	for _, r := range condition {
		if day := dayOf(r.Name, r.Value, now); day != "" {
			condition = condition.With(r.Name, day)
		}
	}
	return condition
}

var quantity = written.Expression(`^[0-9]+ ?[A-Za-z]$`)

// wholeTime returns both bounds of a search that has one, if that one names a whole period in the past, such as "last month". In until, a
// single day is not such a period.
func wholeTime(args rs.Object, now time.Time) rs.Object {
	for i, name := range sinceUntil {
		s, _ := written.Text(args.Get(name))
		first, last, _ := written.Days(s, now)
		named, _ := written.NamedPeriod(s, now)
		isDay := name == "since" && first.Equal(last)
		isWhole := (isDay || first.AddDate(0, 0, 6).Equal(last) || areMonths(first, last)) && last.Before(written.Today(now))
		if (isWhole || named.Spans) && first.Year() > 1 && !args.Has(sinceUntil[1-i]) && !written.IsTime(args.Get(name)) {
			return rs.Object{{Name: "since", Value: foreign.DayJSON(first)}, {Name: "until", Value: foreign.DayJSON(last)}}
		}
	}
	return nil
}

// areMonths reports whether a period is of whole months. Four months are the beginning, middle or end of a year: such a bound is a point in
// time.
func areMonths(first, last time.Time) bool {
	end := last.AddDate(0, 0, 1)
	return first.Day() == 1 && end.Day() == 1 && !first.AddDate(0, 4, 0).Equal(end)
}

// BothBounds is the hint for a call that got both bounds of a period that was sent as one bound.
const BothBounds = "The call below is of that time alone; leave out until for what is after it too, or since for what is before."

// InTimeField moves the bounds of a period that the tool does not take into conditions on the time field, which time returns, and makes it
// the field of groups by time. It does so for an aggregate, and for query_records with arguments that search lacks; it is false for other
// calls.
func (t Tool) InTimeField(args rs.Object, time func() string) (Call, bool) {
	p, ok := plan(args)
	isWhole := ok && p.Calls == 1 && p.Excluded == nil && p.Sought == nil // else its filter is mended first
	records := t.Name == "query_records" && isWhole && len(members(args, "filter", "fields", "sort", "order", "count", "expand")) > 0
	if !records && (t.Name != "aggregate" || !args.Has("metric")) || !args.Has("stream") {
		return Call{}, false
	}
	rest, filter := rs.Object{}, args.Object("filter")
	var periods []rs.Object
	for _, m := range args {
		if t.Takes(m.Name) {
			rest = append(rest, m)
			continue
		}
		bounds, _ := foreign.SearchBounds(m, t.now)
		if bounds == nil || slices.ContainsFunc(bounds, func(bound rs.Member) bool { return !written.IsTime(bound.Value) }) {
			return Call{}, false
		}
		periods = append(periods, bounds)
	}
	if periods == nil {
		return Call{}, false
	}
	field := time()
	for _, bounds := range periods {
		if field == "" || filter.Includes(field) && (len(bounds) > 1 || filter.Object(field) == nil) {
			return Call{}, false
		}
		for _, bound := range bounds {
			filter, _ = foreign.Compared(filter, field, foreign.BoundOperators[bound.Name], bound.Value)
		}
	}
	if rest = rest.With("filter", filter.JSON()); rest.Has("granularity") && !rest.Has("group_by_time") && !rest.Has("group_by") {
		rest = rest.With("group_by_time", rs.EncodeJSON(field))
	}
	return Call{t.Name, rest}, true
}
