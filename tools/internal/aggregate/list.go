package aggregate

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
)

// Bounds of the groups that are read.
const (
	defaultGroups = 10  // of a field's values
	maxGroups     = 100 // of one read
	maxGroupPages = 20  // lists of groups of time that are read one after the other
	maxTimeGroups = 400 // that are listed where no limit is sent
)

// A group is one group of a count.
type group struct {
	key   string // JSON
	count int
}

// text is the key as a filter takes it; false for one that no filter can name.
func (g group) text() (string, bool) {
	text, ok := rs.AsText(g.key)
	return text, ok && text != ""
}

// A groupList is a count by groups, of one read or, for groups of time, of several.
type groupList struct {
	response *rs.Response // to the first read
	body     rs.Object
	groups   []group
	other    int // records in groups beyond the limit
	pages    int
	next     string // where the groups of time begin that follow, as the field has its values; "" where none do
}

// list reads the groups of a count. Groups of time go on where a page of them ends, unless the call has a limit.
func (r *Aggregation) list(ctx context.Context, q Args) (list groupList, err error) {
	q.Metric, q.Field = "count", ""
	limit := q.Limit
	if q.GroupByTime != "" && limit == 0 {
		limit, q.Limit = maxTimeGroups, maxGroups
	}
	for {
		response, body, err := r.do(ctx, r.scope, q)
		if err != nil {
			return list, err
		}
		if list.pages++; list.pages == 1 {
			list.response, list.body = response, body
		}
		groups, before := readGroups(body), list.next
		list.groups, list.next = append(list.groups, groups...), ""
		if list.other, _ = body.Number("other_count"); list.other > 0 {
			list.next = r.after(ctx, list.groups)
		}
		if list.next == "" || list.next == before || len(groups) == 0 || len(list.groups) >= limit || list.pages == maxGroupPages {
			return list, nil
		}
		q.Filter = q.Filter.WithoutFunc(func(c filter.Condition) bool { return c.Field == q.GroupByTime && strings.HasPrefix(c.Operator, "g") })
		q.Filter = append(q.Filter, filter.Condition{Field: q.GroupByTime, Operator: "gte", Value: list.next})
	}
}

func readGroups(body rs.Object) []group {
	var groups []group
	for _, raw := range body.Array("groups") {
		o := rs.AsObject(raw)
		count, _ := o.Number("count")
		groups = append(groups, group{cmp.Or(o.Get("key"), "null"), count})
	}
	return groups
}

// after is where the groups begin that follow some groups of time; "" where these are not in the order of time, so that nothing follows.
func (r *Aggregation) after(ctx context.Context, groups []group) string {
	var last filter.TimeGroup
	for _, g := range groups {
		key, _ := g.text()
		span, ok := filter.ReadTimeGroup(key, r.Args.Granularity, r.Args.Zone)
		if r.Args.GroupByTime == "" || !ok || span.From.Before(last.From) {
			return ""
		}
		last = span
	}
	if last.Until.IsZero() {
		return ""
	}
	_, until := r.bounds(ctx, last)
	return until
}

// bounds are those of a span as a filter has them: dates where the field has dates, and where the days are those of UTC.
func (r *Aggregation) bounds(ctx context.Context, span filter.TimeGroup) (from, until string) {
	zone, kind := r.Args.Zone, filter.Instants
	if zone != time.UTC {
		kind = r.Fields(ctx).DateKind(r.Args.GroupByTime)
	}
	isLocal := kind == filter.LocalTimes
	switch hours := r.Args.Granularity == "hour"; {
	case hours && isLocal:
		return span.From.In(zone).Format(filter.LocalLayout), span.Until.In(zone).Format(filter.LocalLayout)
	case !hours && (zone == time.UTC || isLocal || kind == filter.Dates):
		return span.From.In(zone).Format(time.DateOnly), span.Until.In(zone).Format(time.DateOnly)
	}
	return filter.Instant(span.From), filter.Instant(span.Until)
}

// count answers a count by groups. Of the values of a field as many are read as one read has, so that of those beyond the limit it is known
// how many there are, and how many of them have as many records as the last one within it.
func (r *Aggregation) count(ctx context.Context) (*rs.Response, rs.Object, error) {
	q := r.Args
	if q.GroupBy != "" {
		q.Limit = maxGroups
	}
	list, err := r.list(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if list.pages > 1 {
		r.extra = append(r.extra, listed(list.groups, maxTimeGroups, list.other)...)
		r.add("composed", true)
	}
	if list.next != "" {
		r.add("next_from", list.next)
	}
	limit := cmp.Or(r.Args.Limit, defaultGroups)
	if q.GroupBy == "" || len(list.groups) <= limit || len(list.groups) > maxGroups { // or more than were asked for
		return list.response, list.body, nil
	}
	if list.other == 0 {
		r.add("group_count", len(list.groups))
	}
	tied := 0
	for _, g := range list.groups[limit:] {
		list.other += g.count
		if g.count == list.groups[limit-1].count {
			tied++
		}
	}
	if tied > 0 {
		r.add("tied_groups", tied)
	}
	body := list.body.WithAll(listed(list.groups[:limit], limit, list.other))
	return list.response.WithBody(body.JSON()), body, nil
}

// listed are groups in the shape of one read.
func listed(groups []group, limit, other int) rs.Object {
	items := make([]string, len(groups))
	for i, g := range groups {
		items[i] = rs.Object{{Name: "key", Value: g.key}, encoded("count", g.count)}.JSON()
	}
	return rs.Object{
		{Name: "groups", Value: rs.JoinArray(items)}, encoded("limit", limit), encoded("other_count", other),
	}
}
