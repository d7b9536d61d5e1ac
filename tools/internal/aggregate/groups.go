package aggregate

import (
	"cmp"
	"context"
	"fmt"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
)

// Sums, extremes and averages of groups are composed: a count gives the groups, and one filtered read each gives its number.

// A cell is one number: of a group, of one unit where the field has several.
type cell struct {
	unit    string // JSON; "" where the field has no units
	records int
	filter  filter.Filter // nil where none names the records
	value   string        // JSON; set by measure
	count   int           // records, or of an average those with a value; set by measure
}

// A row is one group with its cells, and how many records it has.
type row struct {
	key     string // JSON
	records int
	cells   []cell
}

// compose answers a grouped metric other than count, and an average.
func (r *Aggregation) compose(ctx context.Context) (*rs.Response, rs.Object, error) {
	field, units, err := r.units(ctx)
	if err != nil {
		field = "" // the answer says that the unit is not known
	}
	if !r.Args.grouped() && len(units.groups) > 1 {
		return r.composeOver(ctx, field, units)
	}
	if !r.Args.grouped() {
		return r.average(ctx)
	}
	q := r.Args
	if q.Limit = 0; q.GroupByTime == "" { // the limit is that of the answer
		q.Limit = maxGroups
	}
	if len(units.groups) < 2 {
		list, err := r.list(ctx, q)
		if err != nil {
			return nil, nil, err
		}
		return r.answerOf(ctx, list, []groupList{list}, "", nil)
	}
	if len(units.groups) > maxUnits {
		return nil, nil, rs.Invalid("field", fmt.Sprintf("The records have %d or more values of %s.", len(units.groups), quote.Exact(field)),
			fmt.Sprintf("Filter by one value of %s, or group by it.", quote.Exact(field)))
	}
	lists := make([]groupList, len(units.groups))
	err = read.Parallel(ctx, len(lists), func(ctx context.Context, i int) (err error) {
		unit, ok := units.groups[i].text()
		if !ok {
			return nil // records without a unit are in no list, and counted as such
		}
		q := q
		q.Filter = q.Filter.Only(field, unit)
		lists[i], err = r.list(ctx, q)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	return r.answerOf(ctx, units, lists, field, units.groups)
}

// composeOver answers a metric by the units of its field, which it must not mix.
func (r *Aggregation) composeOver(ctx context.Context, field string, units groupList) (*rs.Response, rs.Object, error) {
	r.Args.GroupBy, r.Args.Limit = field, maxGroups
	return r.answerOf(ctx, units, []groupList{units}, "", nil)
}

// rows puts lists of groups, one for each unit, side by side.
func (r *Aggregation) rows(ctx context.Context, lists []groupList, unitField string, units []group) []row {
	var rows []row
	at := map[string]int{}
	for i, list := range lists {
		c := cell{filter: r.Args.Filter}
		if units != nil {
			c.unit = units[i].key
			if unit, ok := units[i].text(); ok {
				c.filter = c.filter.Only(unitField, unit)
			}
		}
		for _, g := range list.groups {
			one := c
			one.records, one.filter = g.count, r.groupFilter(ctx, c.filter, g)
			if _, ok := at[g.key]; !ok {
				at[g.key] = len(rows)
				rows = append(rows, row{key: g.key})
			}
			to := &rows[at[g.key]]
			to.cells, to.records = append(to.cells, one), to.records+g.count
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
	return rows
}

// groupFilter is the filter with which the records of a group are read; nil where none names them.
func (r *Aggregation) groupFilter(ctx context.Context, f filter.Filter, g group) filter.Filter {
	key, ok := g.text()
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
	return f.Narrowed(filter.Condition{Field: r.Args.GroupByTime, Operator: "gte", Value: from}).Narrowed(filter.Condition{Field: r.Args.GroupByTime, Operator: "lt", Value: until})
}

// answerOf reads the numbers of the first groups of some lists, one for each unit, as many as may be read, and writes the answer in the
// shape of a count by groups. base is the answer that counted all records.
func (r *Aggregation) answerOf(ctx context.Context, base groupList, lists []groupList, unitField string, units []group) (*rs.Response, rs.Object, error) {
	rows := r.rows(ctx, lists, unitField, units)
	least, err := r.leastValue(ctx, base.body)
	if err != nil {
		return nil, nil, err
	}
	limit, left := cmp.Or(r.Args.Limit, defaultGroups), maxGroupReads
	if r.Args.GroupByTime != "" {
		limit = cmp.Or(r.Args.Limit, maxTimeGroups)
	}
	if least != "" {
		left /= 2 // each number takes two reads
	}
	rows = slices.DeleteFunc(rows, func(r row) bool { return r.cells[0].filter == nil })
	shown := 0
	var cells []*cell
	for shown < min(limit, len(rows)) && (shown == 0 || len(rows[shown].cells) <= left) { // at least one, so that the next goes on
		for i := range rows[shown].cells {
			cells = append(cells, &rows[shown].cells[i])
		}
		left -= len(rows[shown].cells)
		shown++
	}
	err = read.Parallel(ctx, len(cells), func(ctx context.Context, i int) error { return r.measure(ctx, cells[i], least) })
	if err != nil {
		return nil, nil, err
	}
	answer := r.composed(base.body, rows, shown, limit)
	if slices.ContainsFunc(lists, func(l groupList) bool { return l.other > 0 }) { // there are more groups than are known
		answer = answer.Without("group_count")
	}
	return base.response, answer, nil
}

// composed is the answer that counted all records, with the groups that were read.
func (r *Aggregation) composed(base rs.Object, rows []row, shown, limit int) rs.Object {
	var items []string
	other, _ := base.Number("filtered_record_count")
	for i, row := range rows {
		if i >= shown {
			continue
		}
		other -= row.records
		for _, c := range row.cells {
			item := rs.Object{
				{Name: "key", Value: row.key}, {Name: "value", Value: c.value}, {Name: "count", Value: strconv.Itoa(c.count)},
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
	tied := 0
	for i := shown; i < len(rows) && shown > 0 && r.Args.GroupByTime == ""; i++ {
		if rows[i].records == rows[shown-1].records {
			tied++
		}
	}
	if tied > 0 {
		r.add("tied_groups", tied)
	}
	if r.Args.GroupByTime != "" {
		base = base.With("time_zone", rs.EncodeJSON(r.Args.Zone.String()))
		if shown < len(rows) {
			r.extra = append(r.extra, rs.Member{Name: "next_from", Value: rows[shown].key})
		}
	}
	return base.Without("links", "value").WithAll(rs.Object{
		{Name: "metric", Value: text(r.Args.Metric)}, {Name: "field", Value: text(r.Args.Field)},
		{Name: "group_by", Value: text(r.Args.GroupBy)}, {Name: "group_by_time", Value: text(r.Args.GroupByTime)},
		{Name: "granularity", Value: text(r.Args.Granularity)},
		{Name: "groups", Value: rs.JoinArray(items)}, {Name: "limit", Value: strconv.Itoa(limit)},
		{Name: "other_count", Value: strconv.Itoa(max(other, 0))}, {Name: "group_count", Value: strconv.Itoa(len(rows))},
	})
}

// leastValue is the least value of the field, where an average needs it to tell which records have one; "" for any other metric, and where
// all records have a value.
func (r *Aggregation) leastValue(ctx context.Context, body rs.Object) (string, error) {
	if r.Args.Metric != "avg" || slices.ContainsFunc(r.Args.Filter, func(c filter.Condition) bool { return c.Field == r.Args.Field }) {
		return "", nil
	}
	q := Args{Metric: "min", Field: r.Args.Field, Filter: r.Args.Filter}
	_, answer, err := r.do(ctx, r.scope, q)
	if err != nil {
		return "", err
	}
	least, ok := rs.AsText(answer.Get("value"))
	if !ok {
		return "", nil
	}
	count, err := r.countFrom(ctx, r.Args.Filter, least)
	if total, ok := body.Number("filtered_record_count"); ok && total == count {
		return "", err
	}
	return least, err
}

// countFrom is how many records have at least a value.
func (r *Aggregation) countFrom(ctx context.Context, f filter.Filter, least string) (int, error) {
	q := Args{Metric: "count", Filter: append(slices.Clone(f), filter.Condition{Field: r.Args.Field, Operator: "gte", Value: least})}
	_, body, err := r.do(ctx, r.scope, q)
	count, _ := body.Number("value")
	return count, err
}

// measure reads the number of a cell. least is the least value of the field where some records may have none.
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

// quotient is a sum by a count with at most six decimals; null where there is none.
func quotient(sum string, count int) string {
	number, ok := new(big.Rat).SetString(sum)
	if !ok || count == 0 {
		return "null"
	}
	text := number.Quo(number, big.NewRat(int64(count), 1)).FloatString(6)
	return strings.TrimRight(strings.TrimRight(text, "0"), ".")
}

// average answers an average without groups.
func (r *Aggregation) average(ctx context.Context) (*rs.Response, rs.Object, error) {
	q := r.Args
	q.Metric = "sum"
	response, body, err := r.do(ctx, r.scope, q)
	if err != nil {
		return nil, nil, err
	}
	least, err := r.leastValue(ctx, body)
	if err != nil {
		return nil, nil, err
	}
	count, _ := body.Number("filtered_record_count")
	if least != "" {
		if count, err = r.countFrom(ctx, q.Filter, least); err != nil {
			return nil, nil, err
		}
	}
	r.add("composed", true)
	return response, body.Without("links").WithAll(rs.Object{
		{Name: "metric", Value: `"avg"`}, {Name: "value", Value: quotient(body.Get("value"), count)},
		{Name: "sum", Value: cmp.Or(body.Get("value"), "null")}, {Name: "count", Value: strconv.Itoa(count)},
	}), nil
}
