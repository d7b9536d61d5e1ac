package aggregate

import (
	"cmp"
	"context"
	"slices"
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

// A Group is one group of a count.
type Group struct {
	Key   string // JSON
	Count int
}

// Text is the key as a filter takes it; false for one that no filter can name.
func (g Group) Text() (string, bool) {
	text, ok := rs.AsText(g.Key)
	return text, ok && text != ""
}

// Texts are the keys of groups that a filter can name.
func Texts(groups []Group) (texts []string) {
	for _, g := range groups {
		if text, ok := g.Text(); ok {
			texts = append(texts, text)
		}
	}
	return texts
}

// A groupList is a count by groups, of one read or, for groups of time, of several.
type groupList struct {
	response *rs.Response // to the first read
	body     rs.Object
	groups   []Group
	other    int // records in groups beyond the limit
	pages    int
	next     string // where the groups of time begin that follow, as the field has its values; "" where none do
	without  int    // records without a time; -1 where that is not known
}

// list reads the groups of a count. Groups of time go on where a page of them ends, unless the call has a limit.
func (r *Aggregation) list(ctx context.Context, q Args) (list groupList, err error) {
	q.Metric, q.Field = "count", ""
	limit := cmp.Or(r.Args.Limit, q.Limit)
	if q.GroupByTime != "" && q.Limit == 0 {
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
		groups, before := Groups(body), list.next
		list.groups, list.next = append(list.groups, groups...), ""
		if list.other, _ = body.Number("other_count"); list.other > 0 {
			list.next = r.after(ctx, list.groups)
		}
		if list.next == "" || list.next == before || len(groups) == 0 || len(list.groups) >= limit || list.pages == maxGroupPages {
			return list.withUndated(), nil
		}
		q.Filter = q.Filter.WithoutFunc(func(c filter.Condition) bool { return c.Field == q.GroupByTime && strings.HasPrefix(c.Operator, "g") })
		q.Filter = append(q.Filter, filter.Condition{Field: q.GroupByTime, Operator: "gte", Value: list.next})
	}
}

// withUndated is a list with how many of the records have no time. They are the last group of one read, and in none of several.
func (l groupList) withUndated() groupList {
	total, counted := l.body.Number("filtered_record_count")
	if !counted || l.pages == 1 && l.other > 0 {
		l.without = -1
		return l
	}
	l.without = total - l.other
	for _, g := range l.groups[:dated(l.groups)] {
		l.without -= g.Count
	}
	if l.pages > 1 && l.without > 0 && l.next == "" {
		l.groups = append(l.groups, Group{"null", l.without})
	} else if l.pages > 1 {
		l.other += max(l.without, 0)
	}
	return l
}

// Groups are those of a count.
func Groups(body rs.Object) []Group {
	var groups []Group
	for _, raw := range body.Array("groups") {
		o := rs.AsObject(raw)
		count, _ := o.Number("count")
		groups = append(groups, Group{cmp.Or(o.Get("key"), "null"), count})
	}
	return groups
}

// after is where the groups begin that follow some groups of time; "" where these are not in the order of time, so that nothing follows.
func (r *Aggregation) after(ctx context.Context, groups []Group) string {
	var last filter.TimeGroup
	for _, g := range groups {
		key, _ := g.Text()
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
	if slices.Contains(r.Args.Filter, filter.Condition{Field: r.Args.GroupByTime, Operator: "gte", Value: until}) {
		return "" // a server that counts what its filter leaves out would be asked the same again
	}
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
	case !hours && (isLocal || kind == filter.Dates):
		return span.From.In(zone).Format(time.DateOnly), span.Until.In(zone).Format(time.DateOnly)
	case !hours:
		return filter.FirstInstant(span.From.In(zone), zone), filter.FirstInstant(span.Until.In(zone), zone)
	}
	return filter.Written(span.From, zone), filter.Written(span.Until, zone)
}

// count answers a count by groups. As many are read as one read has, so that of those beyond the limit it is known how many there are, and
// how many have no time.
func (r *Aggregation) count(ctx context.Context) (*rs.Response, rs.Object, error) {
	q, limit := r.Args, r.Args.Limit
	if q.GroupBy != "" {
		limit = cmp.Or(limit, defaultGroups)
	}
	if q.Limit = maxGroups; q.GroupByTime != "" && (limit == 0 || q.Order == "desc") {
		q.Limit = 0
	}
	list, err := r.list(ctx, q)
	if err != nil {
		return nil, nil, err
	}
	if list.pages > 1 {
		r.add("composed", true)
	}
	groups, all := list.groups, list.next == "" && list.other == 0
	turned := r.turned(all)
	if turned {
		r.turn(groups)
	}
	limit = list.shown(limit)
	cut, times := limit < len(groups), 0
	if q.GroupByTime != "" {
		times = dated(groups)
	}
	r.addNext(ctx, groups, limit, turned, list.next)
	if cut && all {
		r.add("group_count", cmp.Or(times, len(groups)))
	}
	for _, g := range groups[limit:] {
		list.other += g.Count
	}
	if times > 0 {
		r.addWithout(list, groups[:limit])
	}
	if !cut && !turned && list.pages == 1 {
		return list.response, list.body, nil
	}
	body := list.body.WithAll(listed(groups[:limit], cmp.Or(r.Args.Limit, limit), list.other))
	return list.response.WithBody(body.JSON()), body, nil
}

// shown is how many groups are shown of which so many were asked for; 0 for all. A server that sends more than one read has sends all.
func (l groupList) shown(limit int) int {
	if limit == 0 || l.pages == 1 && len(l.groups) > maxGroups {
		return len(l.groups)
	}
	return min(limit, len(l.groups))
}

// addNext adds to an answer that shows only its first groups where groups of time go on. next is where those go on that were not read.
func (r *Aggregation) addNext(ctx context.Context, groups []Group, shown int, turned bool, next string) {
	if cut := r.Args.GroupByTime != "" && shown > 0 && dated(groups) > shown; cut && turned {
		r.extra = append(r.extra, rs.Member{Name: "next_before", Value: groups[shown-1].Key})
	} else if cut {
		next = r.after(ctx, groups[:shown])
	}
	if next != "" && !turned {
		r.add("next_from", next)
	}
}

// addWithout adds to the answer how many of the records outside the groups that it shows have no time, where that is known.
func (r *Aggregation) addWithout(list groupList, shown []Group) {
	if dated(shown) < len(shown) {
		return
	}
	if list.without > 0 || list.without == 0 && list.other > 0 {
		r.add("without_count", list.without)
	}
}

// listed are groups in the shape of one read.
func listed(groups []Group, limit, other int) rs.Object {
	items := make([]string, len(groups))
	for i, g := range groups {
		items[i] = rs.Object{{Name: "key", Value: g.Key}, rs.NewMember("count", g.Count)}.JSON()
	}
	return rs.Object{
		{Name: "groups", Value: rs.JoinArray(items)}, rs.NewMember("limit", limit), rs.NewMember("other_count", other),
	}
}
