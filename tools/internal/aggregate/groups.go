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
func (r *Aggregation) Answer(ctx context.Context) (rs.Object, error) {
	q := r.Args
	switch {
	case !q.Grouped():
		return r.number(ctx)
	case q.Metric == "count":
		return r.countGroups(ctx)
	}
	field, units, err := r.units(ctx)
	several := len(units.groups) > 1 && err == nil // else the answer says that the unit is not known
	if len(units.groups) > maxUnits {
		return nil, rs.Invalid("field", fmt.Sprintf("The records have %d or more values of %s.", len(units.groups), quote.Exact(field)),
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
	q.Limit = 0 // the limit applies to the answer
	err = read.Parallel(ctx, len(lists), func(ctx context.Context, i int) (err error) {
		q := q
		q.Filter = lists[i].filter
		lists[i].groupList, err = r.list(ctx, q)
		return err
	})
	if err != nil {
		return nil, err
	}
	if !several {
		units = lists[0].groupList
	}
	return r.compose(ctx, units.body, lists)
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
			if last := len(to.cells) - 1; last >= 0 && to.cells[last].unit == list.unit {
				continue // a list has each group once
			}
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

// compose reads the numbers of groups, of which there is a list for each unit, and returns base, the answer that counted all records, with
// them. Groups of values are ordered by their numbers: of as many as the bound of reads allows, those with the most records, all numbers
// are read, of which the answer has the first. Groups of time or of units, which have no such order, are read as they are shown.
func (r *Aggregation) compose(ctx context.Context, base rs.Object, lists []unitList) (rs.Object, error) {
	least, _, err := r.withValue(ctx, base)
	if err != nil {
		return nil, err
	}
	limit, left := r.Args.mostShown(), maxGroupReads
	if least != "" {
		left /= 2 // each number takes two reads
		r.add("of_values", true)
	}
	rows, unnamed := r.rows(ctx, lists)
	more := slices.ContainsFunc(lists, func(l unitList) bool { return l.other > 0 }) // there are more groups than are known
	byUnit := r.Args.GroupBy != "" && r.Args.GroupBy == r.Fields(ctx).UnitOf(r.Args.Field)
	ordered, reversed := r.Args.GroupBy != "" && !byUnit, r.Args.GroupByTime != "" && r.reversed(!more)
	if reversed {
		slices.Reverse(rows)
	}
	most := min(limit, len(rows))
	if ordered {
		most = len(rows)
	}
	known, left, err := r.measureFirst(ctx, rows[:most], least, left)
	if err != nil {
		return nil, err
	}
	if known == len(rows) && !more && !byUnit {
		rows = append(rows, r.sumOfOthers(ctx, lists, rows, unnamed, left)...)
		known = len(rows)
	}
	shown := min(limit, known)
	if ordered {
		r.order(rows[:known])
		r.add("ordered_by", r.Args.Metric)
		if known < len(rows) || more {
			r.add("compared", known)
		}
	} else if r.Args.Order != "" && byUnit {
		r.add("unordered", true)
	}
	groups := make([]Group, len(rows))
	for i, row := range rows {
		groups[i] = Group{row.key, row.records}
	}
	list := groupList{without: -1}
	if len(lists) == 1 {
		list = lists[0].groupList
	}
	r.addRest(ctx, list, groups, shown, reversed)
	return r.composed(base, rows, shown, limit, more), nil
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
	r.add("composed", true)
	if r.Args.GroupByTime != "" {
		base = base.With("time_zone", rs.EncodeJSON(r.Args.Zone.String()))
	}
	orNull := func(s string) any {
		if s == "" {
			return nil
		}
		return s
	}
	answer := base.Without("links", "value", "group_count").WithAll(rs.Object{
		rs.NewMember("metric", r.Args.Metric), rs.NewMember("field", r.Args.Field), rs.NewMember("group_by", orNull(r.Args.GroupBy)),
		rs.NewMember("group_by_time", orNull(r.Args.GroupByTime)), rs.NewMember("granularity", orNull(r.Args.Granularity)),
		{Name: "groups", Value: rs.JoinArray(items)}, rs.NewMember("limit", limit), rs.NewMember("other_count", max(other, 0)),
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
	body, err := r.do(ctx, r.scope, Args{Metric: r.Args.Metric, Field: r.Args.Field, Filter: c.filter})
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
