package tools

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
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

// An aggregator is the core of aggregate.
type aggregator struct{ schemas *schemaCache }

// An aggregation is one call under way.
type aggregation struct {
	aggregator
	reads  *Reads
	scope  rs.Scope
	args   aggregateArgs
	known  streamFields // of the stream; set by fields
	asked  bool         // whether known was read
	extra  rs.Object    // what the answer gets beside what the resource server said
	differ atomic.Bool  // a read of a group found more or fewer records than the group was said to have
}

// forward makes the read that the arguments stand for, and those that make its number mean what it says.
func (a aggregator) forward(ctx context.Context, call Call) (Reply, error) {
	r := &aggregation{aggregator: a, reads: CountReads(call.RS), scope: call.Scope, args: call.Args.(aggregateArgs)}
	if err := mayRead(ctx, call.Scope); err != nil {
		return Reply{Call: call}, err
	}
	if r.args.filter.hasDate() {
		var readAs []string
		if r.args.filter, readAs = r.args.filter.wholeDays(r.fields(ctx).dateKind, r.args.zone); len(readAs) > 0 {
			r.add("read_as", readAs)
		}
	}
	var answer Answer
	response, body, err := r.answer(ctx)
	if err == nil && (body.Includes("value") || body.Has("groups")) {
		r.addConnections(ctx, body)
		if isOfNothing(body) {
			call.RS = r.reads
			answer.Empty = explainEmpty(ctx, call, r.args.filter)
			r.extra = append(r.extra, absence(ctx, call, response.Reads, call.Scope.Stream)...)
		}
		if r.differ.Load() {
			r.add("changed", true)
		}
		if len(r.extra) > 0 {
			r.add("reads", r.reads.Count())
			response = response.WithBody(body.WithAll(r.extra).JSON())
		}
	}
	answer.Response = response
	return Reply{Call: call, Answer: answer}, err
}

// isOfNothing reports whether an aggregation says that there were no records.
func isOfNothing(body rs.Object) bool {
	if n, ok := body.Number("filtered_record_count"); ok {
		return n == 0
	}
	n, ok := body.Number("value")
	return ok && n == 0 && body.Text("metric") == "count"
}

func (r *aggregation) add(name string, value any) {
	r.extra = append(r.extra, rs.Member{Name: name, Value: rs.EncodeJSON(value)})
}

// fields is what the schema says of the stream's fields and connections. It is read once.
func (r *aggregation) fields(ctx context.Context) streamFields {
	if !r.asked {
		r.known, r.asked = r.schemas.fieldsOf(ctx, r.reads, r.scope), true
	}
	return r.known
}

// do makes one read.
func (r *aggregation) do(ctx context.Context, scope rs.Scope, q aggregateArgs) (*rs.Response, rs.Object, error) {
	response, err := r.reads.Do(ctx, q.Request(scope))
	if err != nil {
		return nil, nil, err
	}
	body := rs.AsObject(response.Distinct())
	if inner := body.Object("data"); inner != nil && !body.Has("metric") {
		body = inner
	}
	return response, body, nil
}

// answer is the answer to the aggregation itself.
func (r *aggregation) answer(ctx context.Context) (*rs.Response, rs.Object, error) {
	q := r.args
	if q.metric == "avg" || q.grouped() && q.metric != "count" {
		return r.compose(ctx)
	}
	if q.grouped() {
		list, err := r.list(ctx, q)
		if list.pages > 1 {
			r.extra = append(r.extra, list.members()...)
			r.add("composed", true)
		}
		if list.next != "" {
			r.add("next_from", list.next)
		}
		return list.response, list.body, err
	}
	response, body, err := r.do(ctx, r.scope, q)
	if err != nil || q.metric == "count" || q.metric == "count_distinct" {
		return response, body, err
	}
	field, units, err := r.units(ctx)
	if err == nil && len(units.groups) > 1 {
		return r.composeOver(ctx, field, units)
	}
	return response, body, nil
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
		q.filter = slices.DeleteFunc(slices.Clone(q.filter), func(c condition) bool {
			return c.field == q.groupByTime && strings.HasPrefix(c.operator, "g")
		})
		q.filter = append(q.filter, condition{q.groupByTime, "gte", list.next})
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
	var last timeGroup
	for _, g := range groups {
		key, _ := g.text()
		span, ok := readTimeGroup(key, r.args.granularity, r.args.zone)
		if r.args.groupByTime == "" || !ok || span.from.Before(last.from) {
			return ""
		}
		last = span
	}
	if last.until.IsZero() {
		return ""
	}
	_, until := r.bounds(ctx, last)
	return until
}

// bounds are those of a span as a filter has them: dates where the field has dates, and where the days are those of UTC.
func (r *aggregation) bounds(ctx context.Context, span timeGroup) (from, until string) {
	zone := r.args.zone
	if r.args.granularity != "hour" && (zone == time.UTC || r.fields(ctx).dateKind(r.args.groupByTime) == dates) {
		return span.from.In(zone).Format(time.DateOnly), span.until.In(zone).Format(time.DateOnly)
	}
	return instant(span.from), instant(span.until)
}

// units reads which currencies or units the numbers of the field are in. A single one is added to the answer. Where a field has them and
// the resource server does not say which, that is added.
func (r *aggregation) units(ctx context.Context) (field string, list groupList, err error) {
	q := r.args
	if field = r.fields(ctx).unitOf(q.field); field == "" || field == q.groupBy || q.metric == "count_distinct" {
		return "", list, nil
	}
	r.add("unit_field", field)
	for _, c := range q.filter {
		if c.field == field && c.operator == "" {
			r.add("unit", c.value)
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

// addConnections adds how many of the records each connection has, where the call names none and several have the stream.
func (r *aggregation) addConnections(ctx context.Context, body rs.Object) {
	if r.scope.ConnectionID != "" {
		return
	}
	if records, ok := body.Number("filtered_record_count"); ok && records == 0 {
		return
	}
	connections := r.fields(ctx).connections
	if len(connections) < 2 {
		return
	}
	q := r.args // so that a connection is not counted that the resource server leaves out
	if q.grouped() {
		q.metric, q.field, q.limit = "count", "", 1
	} else if q.metric == "avg" {
		q.metric = "sum"
	}
	rows := make([]string, len(connections))
	_ = inParallel(ctx, len(connections), func(ctx context.Context, i int) error {
		c := connections[i]
		row := rs.Object{{Name: "connection_id", Value: rs.EncodeJSON(c.ID)}}
		if c.DisplayName != "" {
			row = append(row, rs.Member{Name: "display_name", Value: rs.EncodeJSON(c.DisplayName)})
		}
		if i < maxConnectionReads {
			_, body, err := r.do(ctx, rs.Scope{Stream: r.scope.Stream, ConnectionID: c.ID}, q)
			if count, ok := body.Number("filtered_record_count"); err == nil && ok {
				row = append(row, rs.Member{Name: "count", Value: strconv.Itoa(count)})
			}
		}
		rows[i] = row.JSON()
		return nil
	})
	rows = slices.DeleteFunc(rows, func(row string) bool { return row == "" }) // the deadline came before them
	r.extra = append(r.extra, rs.Member{Name: "connections", Value: rs.JoinArray(rows)})
}
