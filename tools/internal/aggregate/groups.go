package aggregate

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
)

// Bounds of what is read for one answer.
const (
	maxGroupReads = 40 // filtered reads, one or two for each group
	maxUnits      = 12 // currencies or units; the groups of each are listed
)

// Answer makes the aggregation and returns its answer, to which the other methods add members.
func (r *Aggregation) Answer(ctx context.Context) (*rs.Response, rs.Object, error) {
	q := r.Args
	if q.Metric == "avg" || q.Grouped() && q.Metric != "count" {
		return r.compose(ctx)
	}
	if q.Grouped() {
		return r.count(ctx)
	}
	response, body, err := r.do(ctx, r.scope, q)
	if err != nil || q.Metric == "count" || q.Metric == "count_distinct" {
		return response, body, err
	}
	field, units, err := r.units(ctx)
	if err == nil && len(units.groups) > 1 {
		return r.composeOver(ctx, field, units)
	}
	records, counted := body.Number("filtered_record_count")
	if (records > 0 || !counted) && r.isZeroSum(body.Get("value")) && r.hasNone(ctx, q.Filter) {
		body = body.With("value", "null")
		response = response.WithBody(body.JSON())
	}
	return response, body, nil
}

// A unitList is the groups of the records that match a filter; if the field has several units, of those with one unit.
type unitList struct {
	groupList
	unit   string // JSON; "" if the field has no units
	filter filter.Filter
}

// A cell is one number: that of a group or, if the field has several units, of one unit in a group.
type cell struct {
	unit    string // JSON; "" if the field has no units
	records int
	filter  filter.Filter // nil if no filter selects the records
	value   string        // JSON; set by measure
	count   int           // records; for an average, those with a value; set by measure
}

// A row is one group with its cells and its number of records.
type row struct {
	key     string // JSON
	records int
	cells   []cell
}

// compose answers a grouped metric other than count, or an average: a count lists the groups, and one filtered read each gives the number.
func (r *Aggregation) compose(ctx context.Context) (*rs.Response, rs.Object, error) {
	field, units, err := r.units(ctx)
	several := len(units.groups) > 1 && err == nil // else the answer says that the unit is not known
	q := r.Args
	switch {
	case !q.Grouped() && several:
		return r.composeOver(ctx, field, units)
	case !q.Grouped():
		return r.average(ctx)
	case len(units.groups) > maxUnits:
		return nil, nil, rs.Invalid("field", fmt.Sprintf("The records have %d or more values of %s.", len(units.groups), quote.Exact(field)),
			fmt.Sprintf("Filter by one value of %s, or group by it.", quote.Exact(field)))
	}
	lists := []unitList{{filter: q.Filter}}
	if several {
		lists = nil
		for _, g := range units.groups {
			if unit, ok := g.Text(); ok { // records without a unit are in no list
				lists = append(lists, unitList{unit: g.Key, filter: q.Filter.Only(field, unit)})
			}
		}
	}
	if q.Limit = 0; q.GroupByTime == "" { // the limit applies to the answer
		q.Limit = maxGroups
	}
	err = read.Parallel(ctx, len(lists), func(ctx context.Context, i int) (err error) {
		q := q
		q.Filter = lists[i].filter
		lists[i].groupList, err = r.list(ctx, q)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if !several {
		units = lists[0].groupList
	}
	return r.answerOf(ctx, units, lists)
}

// composeOver answers a metric with one group for each unit of its field, as units must not be mixed.
func (r *Aggregation) composeOver(ctx context.Context, field string, units groupList) (*rs.Response, rs.Object, error) {
	r.Args.GroupBy, r.Args.Limit = field, maxGroups
	return r.answerOf(ctx, units, []unitList{{units, "", r.Args.Filter}})
}

// rows merges lists of groups, one list for each unit, into rows. unnamed are the rows whose records no filter selects.
func (r *Aggregation) rows(ctx context.Context, lists []unitList) (rows, unnamed []row) {
	at := map[string]int{}
	for _, list := range lists {
		for _, g := range list.groups {
			if _, ok := at[g.Key]; !ok {
				at[g.Key] = len(rows)
				rows = append(rows, row{key: g.Key})
			}
			to := &rows[at[g.Key]]
			to.cells = append(to.cells, cell{unit: list.unit, records: g.Count, filter: r.groupFilter(ctx, list.filter, g)})
			to.records += g.Count
		}
	}
	if len(lists) > 1 {
		slices.SortStableFunc(rows, func(a, b row) int {
			if r.Args.GroupByTime != "" {
				return strings.Compare(a.key, b.key)
			}
			return cmp.Compare(b.records, a.records)
		})
	}
	isNamed := func(r row) bool { return r.cells[0].filter != nil }
	unnamed = slices.DeleteFunc(slices.Clone(rows), isNamed)
	return slices.DeleteFunc(rows, func(r row) bool { return !isNamed(r) }), unnamed
}

// groupFilter returns the filter that selects the records of a group; nil if there is none.
func (r *Aggregation) groupFilter(ctx context.Context, f filter.Filter, g Group) filter.Filter {
	key, ok := g.Text()
	if !ok {
		return nil
	}
	if r.Args.GroupByTime == "" {
		return f.Only(r.Args.GroupBy, key)
	}
	span, ok := filter.ReadTimeGroup(key, r.Args.Granularity, r.Args.Zone)
	if !ok {
		return nil
	}
	from, until := r.bounds(ctx, span)
	field := r.Args.GroupByTime
	return f.Narrowed(filter.Condition{Field: field, Operator: "gte", Value: from}).Narrowed(filter.Condition{Field: field, Operator: "lt", Value: until})
}

// answerOf reads the numbers of the first groups, as many as the bound of reads allows, and returns the answer in the shape of a count by
// groups. There is a list of groups for each unit. base is the answer that counted all records.
func (r *Aggregation) answerOf(ctx context.Context, base groupList, lists []unitList) (*rs.Response, rs.Object, error) {
	least, _, err := r.withValue(ctx, base.body)
	if err != nil {
		return nil, nil, err
	}
	limit, left := r.Args.mostShown(), maxGroupReads
	if least != "" {
		left /= 2 // each number takes two reads
		r.add("of_values", true)
	}
	rows, unnamed := r.rows(ctx, lists)
	more := slices.ContainsFunc(lists, func(l unitList) bool { return l.other > 0 }) // there are more groups than are known
	byUnit := r.Args.GroupBy != "" && r.Args.GroupBy == r.Fields(ctx).UnitOf(r.Args.Field)
	ordered := r.Args.GroupBy != "" && !byUnit && !more && countCells(rows) <= left
	reversed := r.Args.GroupByTime != "" && r.reversed(!more)
	if reversed {
		slices.Reverse(rows)
	}
	first := rows[:min(limit, len(rows))]
	if ordered { // read all, so that the groups shown are those with the highest values, not with the most records
		first = rows
	}
	shown, left, err := r.measureFirst(ctx, first, least, left)
	if err != nil {
		return nil, nil, err
	}
	if shown == len(rows) && !more && !byUnit {
		rows = append(rows, r.sumOfOthers(ctx, lists, rows, unnamed, left)...)
		shown = min(limit, len(rows))
	}
	switch {
	case ordered:
		r.order(rows)
		r.add("ordered_by", r.Args.Metric)
	case r.Args.Order != "" && r.Args.GroupBy != "":
		r.add("unordered", true)
	}
	groups := make([]Group, len(rows))
	for i, row := range rows {
		groups[i] = Group{row.key, row.records}
	}
	next := ""
	if r.Args.GroupByTime != "" && len(lists) == 1 {
		next = lists[0].next
		r.addWithout(lists[0].groupList, groups[:shown])
	}
	r.addNext(ctx, groups, shown, reversed, next)
	return base.response, r.composed(base.body, rows, shown, limit, more), nil
}

// measureFirst reads the numbers of the first rows: as many rows as most reads allow, but at least one, so that the next page makes
// progress. It returns how many rows these are, and how many reads are left.
func (r *Aggregation) measureFirst(ctx context.Context, rows []row, least string, most int) (read, left int, err error) {
	var cells []*cell
	for read < len(rows) && (read == 0 || len(cells)+len(rows[read].cells) <= most) {
		for i := range rows[read].cells {
			cells = append(cells, &rows[read].cells[i])
		}
		read++
	}
	left = most - len(cells)
	return read, left, r.measureAll(ctx, cells, least, left)
}

// composed returns the answer that counted all records, with the groups whose numbers were read.
func (r *Aggregation) composed(base rs.Object, rows []row, shown, limit int, more bool) rs.Object {
	var items []string
	other, _ := base.Number("filtered_record_count")
	for _, row := range rows[:shown] {
		other -= row.records
		for _, c := range row.cells {
			item := rs.Object{
				{Name: "key", Value: row.key}, {Name: "value", Value: c.value}, rs.NewMember("count", c.count),
			}
			if c.unit != "" {
				item = append(item, rs.Member{Name: "unit", Value: c.unit})
			}
			items = append(items, item.JSON())
		}
	}
	text := func(s string) string {
		if s == "" {
			return "null"
		}
		return rs.EncodeJSON(s)
	}
	r.add("composed", true)
	if r.Args.GroupByTime != "" {
		base = base.With("time_zone", rs.EncodeJSON(r.Args.Zone.String()))
	}
	answer := base.Without("links", "value", "group_count").WithAll(rs.Object{
		{Name: "metric", Value: text(r.Args.Metric)}, {Name: "field", Value: text(r.Args.Field)},
		{Name: "group_by", Value: text(r.Args.GroupBy)}, {Name: "group_by_time", Value: text(r.Args.GroupByTime)},
		{Name: "granularity", Value: text(r.Args.Granularity)},
		{Name: "groups", Value: rs.JoinArray(items)}, rs.NewMember("limit", limit),
		rs.NewMember("other_count", max(other, 0)),
	})
	if !more {
		answer = append(answer, rs.NewMember("group_count", len(rows)))
	}
	return answer
}

// measureAll reads the numbers of cells. For sums of zero it also reads whether any record has a value, if enough reads are left.
func (r *Aggregation) measureAll(ctx context.Context, cells []*cell, least string, left int) error {
	err := read.Parallel(ctx, len(cells), func(ctx context.Context, i int) error { return r.measure(ctx, cells[i], least) })
	zeros := slices.DeleteFunc(cells, func(c *cell) bool { return !r.isZeroSum(c.value) })
	if err != nil || len(zeros) > left {
		return err
	}
	read.All(ctx, len(zeros), func(ctx context.Context, i int) {
		if r.hasNone(ctx, zeros[i].filter) {
			zeros[i].value = "null"
		}
	})
	return nil
}

// measure reads the number of a cell. least is the least value of the field; "" if all records have a value or it does not matter.
func (r *Aggregation) measure(ctx context.Context, c *cell, least string) error {
	q := Args{Metric: r.Args.Metric, Field: r.Args.Field, Filter: c.filter}
	if q.Metric == "avg" {
		q.Metric = "sum"
	}
	_, body, err := r.do(ctx, r.scope, q)
	if err != nil {
		return err
	}
	if records, ok := body.Number("filtered_record_count"); ok && records != c.records {
		r.differ.Store(true)
	}
	c.value, c.count = cmp.Or(body.Get("value"), "null"), c.records
	if r.Args.Metric != "avg" {
		return nil
	}
	if least != "" {
		c.count, err = r.countFrom(ctx, c.filter, least)
	}
	c.value = quotient(c.value, c.count)
	return err
}
