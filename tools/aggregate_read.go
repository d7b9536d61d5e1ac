package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
)

// Resource servers group counts alone, list ten groups unless asked for more, and add up what has the same name in several connections and
// in several currencies. An aggregation may therefore take several reads; the answer keeps the resource server's shape and says so.

// Bounds of what is read for one aggregation.
const (
	maxGroupReads      = 40  // filtered reads, one or two a group
	maxTimeGroups      = 400 // that are listed where no limit is sent
	defaultGroups      = 10  // of a field's values
	maxConnectionReads = 20
	maxGroupPages      = 20 // lists of groups that are read one after the other
	maxUnits           = 12 // currencies or units, of each of which the groups are listed
)

// An aggregation is one call under way.
type aggregation struct {
	schemas *known.Schemas
	reads   *rs.Reads
	scope   rs.Scope
	args    aggregateArgs
	known   known.Stream // of the stream; set by fields
	asked   bool         // whether known was read
	extra   rs.Object    // what the answer gets beside what the resource server said
	differ  atomic.Bool  // a read of a group found more or fewer records than the group was said to have
}

func (r *aggregation) add(name string, value any) {
	r.extra = append(r.extra, rs.Member{Name: name, Value: rs.EncodeJSON(value)})
}

// fields is what the schema says of the stream's fields and connections. It is read once.
func (r *aggregation) fields(ctx context.Context) known.Stream {
	if !r.asked {
		r.known, r.asked = r.schemas.Of(ctx, r.reads, r.scope), true
	}
	return r.known
}

// do makes one read.
func (r *aggregation) do(ctx context.Context, scope rs.Scope, q aggregateArgs) (*rs.Response, rs.Object, error) {
	response, err := r.reads.Do(ctx, q.Request(scope))
	if err != nil {
		return nil, nil, err
	}
	return response, aggregated(response), nil
}

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
func (r *aggregation) list(ctx context.Context, q aggregateArgs) (list groupList, err error) {
	q.metric, q.field = "count", ""
	limit := q.limit
	if q.groupByTime != "" && limit == 0 {
		limit, q.limit = maxTimeGroups, maxLimit
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
		list.groups = append(list.groups, groups...)
		if list.other, _ = body.Number("other_count"); list.other > 0 {
			list.next = r.after(ctx, list.groups)
		} else {
			list.next = ""
		}
		if list.next == "" || list.next == before || len(groups) == 0 || len(list.groups) >= limit || list.pages == maxGroupPages {
			return list, nil
		}
		q.filter = slices.DeleteFunc(slices.Clone(q.filter), func(c filter.Condition) bool {
			return c.Field == q.groupByTime && strings.HasPrefix(c.Operator, "g")
		})
		q.filter = append(q.filter, filter.Condition{Field: q.groupByTime, Operator: "gte", Value: list.next})
	}
}

func readGroups(body rs.Object) []group {
	var groups []group
	for _, raw := range body.Array("groups") {
		o := rs.AsObject(raw)
		g := group{key: o.Get("key")}
		if g.key == "" {
			g.key = "null"
		}
		g.count, _ = o.Number("count")
		groups = append(groups, g)
	}
	return groups
}

// members are the groups of several reads in the shape of one.
func (l groupList) members() rs.Object {
	items := make([]string, len(l.groups))
	for i, g := range l.groups {
		items[i] = rs.Object{{Name: "key", Value: g.key}, {Name: "count", Value: strconv.Itoa(g.count)}}.JSON()
	}
	return rs.Object{
		{Name: "groups", Value: rs.JoinArray(items)}, {Name: "limit", Value: strconv.Itoa(maxTimeGroups)},
		{Name: "other_count", Value: strconv.Itoa(l.other)},
	}
}

// after is where the groups begin that follow some groups of time; "" where these are not in the order of time, so that nothing follows.
func (r *aggregation) after(ctx context.Context, groups []group) string {
	var last filter.TimeGroup
	for _, g := range groups {
		key, _ := g.text()
		span, ok := filter.ReadTimeGroup(key, r.args.granularity, r.args.zone)
		if r.args.groupByTime == "" || !ok || span.From.Before(last.From) {
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
func (r *aggregation) bounds(ctx context.Context, span filter.TimeGroup) (from, until string) {
	zone := r.args.zone
	if r.args.granularity != "hour" && (zone == time.UTC || r.fields(ctx).DateKind(r.args.groupByTime) == filter.Dates) {
		return span.From.In(zone).Format(time.DateOnly), span.Until.In(zone).Format(time.DateOnly)
	}
	return filter.Instant(span.From), filter.Instant(span.Until)
}

// units reads which currencies or units the numbers of the field are in. A single one is added to the answer. Where a field has them and
// the resource server does not say which, that is added.
func (r *aggregation) units(ctx context.Context) (field string, list groupList, err error) {
	q := r.args
	if field = r.fields(ctx).UnitOf(q.field); field == "" || field == q.groupBy || q.metric == "count_distinct" {
		if field == "" {
			r.parentUnits(ctx)
		}
		return "", list, nil
	}
	r.add("unit_field", field)
	for _, c := range q.filter {
		if c.Field == field && c.Operator == "" {
			r.add("unit", c.Value)
			return field, list, nil
		}
	}
	q.groupBy, q.groupByTime, q.granularity, q.limit = field, "", "", maxLimit
	list, err = r.list(ctx, q)
	switch {
	case err != nil:
		r.add("unit_unknown", true)
	case len(list.groups) == 1:
		if unit, ok := list.groups[0].text(); ok {
			r.add("unit", unit)
		}
	}
	return field, list, err
}

func metrics() []string { return []string{"count", "sum", "min", "max", "avg", "count_distinct"} }

func granularities() []string { return []string{"hour", "day", "week", "month", "quarter", "year"} }

type aggregateArgs struct {
	stream, connectionID, metric, field string
	groupBy, groupByTime, granularity   string
	zone                                *time.Location // of dates and of time groups; nil is UTC
	limit                               int
	filter                              filter.Filter
}

func decodeAggregate(raw json.RawMessage) (Args, error) {
	a := readArguments(raw, "stream", "metric", "connection_id", "field", "group_by", "group_by_time", "granularity", "time_zone", "limit", "filter")
	a.required("stream", `{"stream":"messages","metric":"count"}; schema lists the streams`)
	a.required("metric", `{"metric":"count"}`)
	args := aggregateArgs{
		stream:       a.name("stream"),
		connectionID: a.name("connection_id"),
		metric:       a.choice("metric", metrics()...),
		field:        a.field("field"),
		groupBy:      a.field("group_by"),
		groupByTime:  a.field("group_by_time"),
		granularity:  a.choice("granularity", granularities()...),
		zone:         a.timeZone(),
		filter:       a.filter(),
	}
	args.limit, _ = a.number("limit", 1, maxLimit)
	if args.metric != "count" && !a.has("field") {
		a.failf("field", "Send the field to compute on; schema(stream) lists which fields each metric takes.", "metric %s needs field.", args.metric)
	}
	a.excludes("group_by", "group_by_time")
	a.requires("group_by_time", "granularity")
	a.requires("granularity", "group_by_time")
	if a.err != nil {
		return nil, a.err
	}
	return args, nil
}

func (q aggregateArgs) grouped() bool { return q.groupBy != "" || q.groupByTime != "" }

// Scope returns what the read touches.
func (q aggregateArgs) Scope() (rs.Scope, error) {
	return rs.Scope{Stream: q.stream, ConnectionID: q.connectionID}, nil
}

// Request returns GET /v1/streams/{stream}/aggregate.
func (q aggregateArgs) Request(scope rs.Scope) rs.Request {
	r := read.Request(scope.ConnectionID, "streams", scope.Stream, "aggregate")
	query := r.Query
	read.SetText(query, "metric", q.metric)
	read.SetText(query, "field", q.field)
	read.SetText(query, "group_by", q.groupBy)
	read.SetText(query, "group_by_time", q.groupByTime)
	read.SetText(query, "granularity", q.granularity)
	if q.groupByTime != "" && q.zone != time.UTC {
		read.SetText(query, "time_zone", q.zone.String())
	}
	read.SetNumber(query, "limit", q.limit)
	q.filter.Write(query)
	return r
}
