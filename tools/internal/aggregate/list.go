package aggregate

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
)

// Bounds of the groups that are read.
const (
	defaultGroups = 10          // groups of a field's values that are shown if no limit is sent
	maxGroups     = rs.MaxLimit // groups of one read
	maxGroupPages = 20          // pages of time groups that are read one after the other
	maxTimeGroups = 400         // time groups that are listed if no limit is sent
)

// A Group is one group of a count.
type Group struct {
	Key   string // JSON
	Count int
}

// Text returns the key as a filter takes it; false if no filter can name it.
func (g Group) Text() (string, bool) {
	text, ok := rs.AsText(g.Key)
	return text, ok && text != ""
}

// Texts returns the keys of groups that a filter can name.
func Texts(groups []Group) (texts []string) {
	for _, g := range groups {
		if text, ok := g.Text(); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// A groupList is a count by groups, from one read or, for time groups, from several.
type groupList struct {
	body    rs.Object // the answer to the first read
	groups  []Group
	other   int // records in groups beyond the limit
	pages   int
	next    filter.Value // where the time groups begin that follow, as a value of the field; zero if none follow
	without int          // records without a time; -1 if unknown
	open    bool         // the last read has as many groups as one may have, and does not say whether there are more
}

// list reads the groups of a count, as many as one read has. Of time groups it reads further pages, up to the limit.
func (r *Aggregation) list(ctx context.Context, q Args) (list groupList, err error) {
	most := cmp.Or(q.Limit, maxTimeGroups)
	q.Metric, q.Field, q.Limit = "count", "", maxGroups
	for {
		body, err := r.do(ctx, r.scope, q)
		if err != nil {
			return list, err
		}
		if list.pages++; list.pages == 1 {
			list.body = body
		}
		groups, before := Groups(body), list.next
		list.groups, list.next = append(list.groups, groups...), filter.Value{}
		if list.other, _ = body.Number("other_count"); list.other > 0 {
			list.next = r.after(ctx, list.groups)
		}
		list.open = len(groups) >= maxGroups && !body.Has("other_count") && !body.Has("filtered_record_count")
		if list.next.IsZero() || list.next == before || len(groups) == 0 || len(list.groups) >= most || list.pages == maxGroupPages {
			return list.withUndated(), nil
		}
		q.Filter = q.Filter.WithoutFunc(func(c filter.Condition) bool { return c.Field == q.GroupByTime && rs.IsLowerBound(c.Operator) })
		q.Filter = append(q.Filter, filter.Condition{Field: q.GroupByTime, Operator: "gte", Value: list.next})
	}
}

// withUndated returns the list with the number of records without a time. One read has these in its last group; several reads do not have
// them.
func (l groupList) withUndated() groupList {
	total, counted := l.body.Number("filtered_record_count")
	if !counted || l.pages == 1 && l.other > 0 {
		l.without = -1
		return l
	}
	l.without = total - l.other - recordsOf(l.groups[:dated(l.groups)])
	if l.pages > 1 && l.without > 0 && l.next.IsZero() {
		l.groups = append(l.groups, Group{"null", l.without})
	} else if l.pages > 1 {
		l.other += max(l.without, 0)
	}
	return l
}

// Groups returns the groups of a count.
func Groups(body rs.Object) []Group {
	var groups []Group
	for _, raw := range body.Array("groups") {
		o := rs.AsObject(raw)
		count, _ := o.Number("count")
		groups = append(groups, Group{cmp.Or(o.Get("key"), "null"), count})
	}
	return groups
}

// after returns where the time groups begin that follow groups; the zero Value if groups are not in the order of time, so that nothing
// follows.
func (r *Aggregation) after(ctx context.Context, groups []Group) filter.Value {
	var last filter.TimeGroup
	for _, g := range groups {
		key, _ := g.Text()
		span, ok := filter.ReadTimeGroup(key, r.Args.Granularity, r.Args.Zone)
		if r.Args.GroupByTime == "" || !ok || span.From.Before(last.From) {
			return filter.Value{}
		}
		last = span
	}
	if last.Until.IsZero() {
		return filter.Value{}
	}
	_, until := r.bounds(ctx, last)
	if slices.Contains(r.Args.Filter, filter.Condition{Field: r.Args.GroupByTime, Operator: "gte", Value: until}) {
		return filter.Value{} // the server ignores its filter: the next read would be the same
	}
	return until
}

// bounds returns the bounds of a span as a filter takes them: dates if the field has dates, or if the days are those of UTC.
func (r *Aggregation) bounds(ctx context.Context, span filter.TimeGroup) (from, until filter.Value) {
	zone, kind := r.Args.Zone, filter.Instants
	if zone != time.UTC {
		kind = r.Fields(ctx).DateKind(r.Args.GroupByTime)
	}
	isLocal := kind == filter.LocalTimes
	switch hours := r.Args.Granularity == "hour"; {
	case hours && isLocal:
		return filter.LocalTime(span.From.In(zone)), filter.LocalTime(span.Until.In(zone))
	case !hours && (isLocal || kind == filter.Dates):
		return filter.Date(span.From.In(zone)), filter.Date(span.Until.In(zone))
	case !hours:
		return filter.FirstInstant(span.From.In(zone), zone), filter.FirstInstant(span.Until.In(zone), zone)
	}
	return filter.InstantIn(span.From, zone), filter.InstantIn(span.Until, zone)
}

// countGroups answers a count by groups. It reads as many groups as one read has, so that it knows how many groups are beyond the limit, and
// how many records have no time.
func (r *Aggregation) countGroups(ctx context.Context) (rs.Object, error) {
	q := r.Args
	if q.Order == "desc" {
		q.Limit = 0
	}
	list, err := r.list(ctx, q)
	if err != nil {
		return nil, err
	}
	if list.pages > 1 {
		r.add("composed", true)
	}
	groups, all := list.groups, list.next.IsZero() && list.other == 0 && !list.open
	reversed := r.reversed(all)
	if reversed {
		r.reverse(groups)
	}
	shown := min(r.Args.mostShown(), len(groups))
	if list.pages == 1 && len(groups) > maxGroups { // the server has no limit
		shown = len(groups)
	}
	if shown < len(groups) && all {
		known := len(groups)
		if q.GroupByTime != "" {
			known = dated(groups)
		}
		r.add("group_count", known)
	}
	if list.open {
		r.add("more_groups", "unknown")
	}
	r.addRest(ctx, list, groups, shown, reversed)
	if shown == len(groups) && !reversed && list.pages == 1 {
		return list.body, nil
	}
	return list.body.WithAll(listed(groups[:shown], cmp.Or(r.Args.Limit, shown), list.other+recordsOf(groups[shown:]))), nil
}

// addRest adds to an answer that shows only the first groups where the time groups continue, and how many of the other records have no
// time, if that is known.
func (r *Aggregation) addRest(ctx context.Context, list groupList, groups []Group, shown int, reversed bool) {
	if r.Args.GroupByTime == "" {
		return
	}
	switch cut := shown > 0 && dated(groups) > shown; {
	case cut && reversed:
		r.extra = append(r.extra, rs.Member{Name: "next_before", Value: groups[shown-1].Key})
	case cut:
		list.next = r.after(ctx, groups[:shown])
		fallthrough
	case !list.next.IsZero():
		r.add("next_from", list.next.String())
	}
	if dated(groups[:shown]) == shown && (list.without > 0 || list.without == 0 && list.other+recordsOf(groups[shown:]) > 0) {
		r.add("without_count", list.without)
	}
}

func recordsOf(groups []Group) (records int) {
	for _, g := range groups {
		records += g.Count
	}
	return records
}

// listed returns groups in the shape of the answer to one read.
func listed(groups []Group, limit, other int) rs.Object {
	items := make([]string, len(groups))
	for i, g := range groups {
		items[i] = rs.Object{{Name: "key", Value: g.Key}, rs.NewMember("count", g.Count)}.JSON()
	}
	return rs.Object{
		{Name: "groups", Value: rs.JoinArray(items)}, rs.NewMember("limit", limit), rs.NewMember("other_count", other),
	}
}
