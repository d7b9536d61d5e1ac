package correct

import (
	"fmt"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

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
		return day(at), first, last, ok && (name == "" || !at.IsZero())
	}
	dated, filter := args, args.Object("filter")
	for _, name := range []string{"since", "until"} {
		bound, _, _, ok := read(name, args.Get(name))
		if !ok || !t.Takes(name) {
			continue
		}
		dated, found = dated.With(name, bound), true
	}
	if s, _ := written.Text(args.Get("since")); found && written.Reversed(dated.Get("since"), dated.Get("until")) {
		if first, _, ok := written.Relative(s, now); ok { // of the year before
			dated = dated.With("since", day(first.AddDate(-1, 0, 0)))
		}
	}
	for _, m := range filter {
		_, first, last, ok := read("", m.Value)
		if s, _ := written.Text(m.Value); ok && (!written.IsMonth(s) || written.IsTimeName(m.Name)) { // else "May" may be a person
			var bounds rs.Object
			if !first.IsZero() {
				bounds = append(bounds, rs.Member{Name: "gte", Value: day(first)})
			}
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

// SinceSays says that since has no end, of one that names a time which has one by its distance from today; "" for any other call.
func SinceSays(args rs.Object, now time.Time) string {
	s, _ := written.Text(args.Get("since"))
	first, last, ok := written.Relative(s, now)
	if !ok || first.IsZero() || last.IsZero() || args.Has("until") || !last.Before(now.AddDate(0, 0, -1)) {
		return ""
	}
	return fmt.Sprintf("since %s is read as from %s on; for that time alone send until %q too.", quote.Exact(s), first.Format(time.DateOnly), last.Format(time.DateOnly))
}

// boundWords are words that bound a time, alone or before a colon in a query, with the bounds of a search that they mean.
var boundWords = map[string][]string{
	"since": {"since"}, "after": {"since"}, "newer": {"since"}, "newer_than": {"since"}, "gte": {"since"}, "gt": {"since"},
	"until": {"until"}, "before": {"until"}, "older": {"until"}, "older_than": {"until"}, "lte": {"until"}, "lt": {"until"},
	"on": both, "date": both, "day": both, "when": both, "in": both, "week": both, "month": both, "quarter": both, "year": both,
}

var both = []string{"since", "until"} // of one time

// rangeOperators are the operators of a filter for the bounds of a search.
var rangeOperators = map[string]string{"since": "gte", "until": "lte"}

// boundsOf are the bounds of a search that an argument means, none if it is not known which; false if it bounds no time.
func boundsOf(m rs.Member) (bounds rs.Object, ok bool) {
	name := written.Snake(m.Name)
	means := boundWords[name]
	if _, isText := written.Text(m.Value); isText && spans[name] {
		if found := rs.AsObject(written.Range(m.Value)); found.Has("lte") { // two days
			return rs.Object{{Name: "since", Value: found.Get("gte")}, {Name: "until", Value: found.Get("lte")}}, true
		}
		means = both
	} else if spans[name] {
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
	for _, bound := range both {
		if slices.Contains(aliases[bound], name) {
			means = []string{bound}
		}
	}
	for _, bound := range means {
		value := m.Value
		text, _ := rs.AsText(m.Value)
		if day := (searchOperator{name: name, value: text}).day(bound); day != "" {
			value = rs.EncodeJSON(day)
		} else if exact := written.Value(m.Value); written.IsTime(exact) { // one without a zone is one of UTC
			value = exact
		} else if first, last, relative := written.Relative(text, time.Now().UTC()); relative {
			if bound == "until" && (!last.IsZero() || len(means) > 1) {
				first = last
			}
			if first.IsZero() { // it has no such bound
				continue
			}
			value = rs.EncodeJSON(first.Format(time.DateOnly))
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
