package aggregate

import (
	"cmp"
	"context"
	"math/big"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
)

func countCells(rows []row) int {
	n := 0
	for _, row := range rows {
		n += len(row.cells)
	}
	return n
}

// turned reports whether the groups of a count are to come the other way round: the latest or those with fewest records first. That needs
// all of them; where some are not known, it is said that they are not in that order.
func (r *Aggregation) turned(all bool) bool {
	usual := "desc"
	if r.Args.GroupByTime != "" {
		usual = "asc"
	}
	turned := cmp.Or(r.Args.Order, usual) != usual
	if turned && !all {
		r.add("unordered", true)
	}
	return turned && all
}

// turn puts groups the other way round; those without a time stay last.
func (r *Aggregation) turn(groups []Group) {
	if r.Args.GroupByTime == "" {
		slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(a.Count, b.Count) })
		r.add("order", r.Args.Order)
		return
	}
	slices.Reverse(groups[:dated(groups)])
}

// dated is the number of groups that have a time. The group of records without a time is the last.
func dated(groups []Group) int {
	if n := len(groups); n > 0 && groups[n-1].Key == "null" {
		return n - 1
	}
	return len(groups)
}

// order puts the rows with the highest value first, or with the lowest; where there are several units, which cannot be compared, the
// first of each before the second of each.
func (r *Aggregation) order(rows []row) {
	type place struct{ key, value string }
	units := map[string][]place{}
	for _, row := range rows {
		for _, c := range row.cells {
			units[c.unit] = append(units[c.unit], place{row.key, c.value})
		}
	}
	lowest := r.lowestFirst(rows)
	best := map[string]int{} // rank of a row among those of its units
	for _, places := range units {
		slices.SortStableFunc(places, func(a, b place) int { return compareValues(a.value, b.value, lowest) })
		for rank, p := range places {
			if held, ranked := best[p.key]; !ranked || rank < held {
				best[p.key] = rank
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(best[a.key], best[b.key]) })
}

// lowestFirst reports whether the lowest value comes first: as was asked for; else of a minimum, and of sums or averages that are all below
// zero, as money that was spent is in the files of banks: the lowest is the most. What the metric does not say is added to the answer.
func (r *Aggregation) lowestFirst(rows []row) bool {
	least := r.Args.Metric == "min"
	lowest := least
	switch {
	case r.Args.Order != "":
		lowest = r.Args.Order == "asc"
	case r.Args.Metric == "sum" || r.Args.Metric == "avg":
		lowest = !slices.ContainsFunc(rows, func(row row) bool {
			return slices.ContainsFunc(row.cells, func(c cell) bool { return c.value != "null" && !strings.HasPrefix(c.value, "-") })
		})
		if lowest {
			r.add("all_negative", true)
		}
	}
	if lowest != least {
		r.add("order", map[bool]string{true: "asc", false: "desc"}[lowest])
	}
	return lowest
}

// compareValues puts the highest or the lowest value first, and what has none last.
func compareValues(a, b string, lowest bool) int {
	if a == "null" || b == "null" {
		return cmp.Compare(strings.Count(a, "null"), strings.Count(b, "null"))
	}
	order := strings.Compare(b, a)
	if x, ok := new(big.Rat).SetString(a); ok {
		if y, ok := new(big.Rat).SetString(b); ok {
			order = y.Cmp(x)
		}
	}
	if lowest {
		return -order
	}
	return order
}

// sumOfOthers is the row of the records that no filter names, such as those without the field of the groups, beside the rows of all others:
// what these leave of the sum of all. It is nothing where that is not known, or takes more reads than are left.
func (r *Aggregation) sumOfOthers(ctx context.Context, lists []unitList, rows, unnamed []row, left int) []row {
	if r.Args.Metric != "sum" || r.differ.Load() || len(unnamed) != 1 || len(unnamed[0].cells) > left {
		return nil
	}
	for i := range unnamed[0].cells {
		c := &unnamed[0].cells[i]
		list := lists[slices.IndexFunc(lists, func(l unitList) bool { return l.unit == c.unit })]
		_, body, err := r.do(ctx, r.scope, Args{Metric: "sum", Field: r.Args.Field, Filter: list.filter})
		rest, ok := new(big.Rat).SetString(body.Get("value"))
		if err != nil || !ok {
			return nil
		}
		for _, row := range rows {
			for _, other := range row.cells {
				if value, ok := new(big.Rat).SetString(other.value); ok && other.unit == c.unit {
					rest.Sub(rest, value)
				}
			}
		}
		if c.value, c.count = decimal(rest), c.records; r.isZeroSum(c.value) { // or none of them has a value
			return nil
		}
	}
	return unnamed
}

// average answers an average without groups.
func (r *Aggregation) average(ctx context.Context) (*rs.Response, rs.Object, error) {
	q := r.Args
	q.Metric = "sum"
	response, body, err := r.do(ctx, r.scope, q)
	if err != nil {
		return nil, nil, err
	}
	_, count, err := r.withValue(ctx, body)
	if err != nil {
		return nil, nil, err
	}
	r.add("composed", true)
	return response, body.Without("links").WithAll(rs.Object{
		{Name: "metric", Value: `"avg"`}, {Name: "value", Value: quotient(body.Get("value"), count)},
		{Name: "sum", Value: cmp.Or(body.Get("value"), "null")}, rs.NewMember("count", count),
	}), nil
}

// withValue is how many of the records that an answer counted have a value of the field, where an average needs that, and the least value,
// by which those of a group are told; that is "" for any other metric, and where all records have a value.
func (r *Aggregation) withValue(ctx context.Context, body rs.Object) (least string, count int, err error) {
	all, counted := body.Number("filtered_record_count")
	if r.Args.Metric != "avg" || r.Args.Filter.Has(r.Args.Field) {
		return "", all, nil
	}
	_, answer, err := r.do(ctx, r.scope, Args{Metric: "min", Field: r.Args.Field, Filter: r.Args.Filter})
	least, ok := rs.AsText(answer.Get("value"))
	if err != nil || !ok {
		return "", all, err
	}
	count, err = r.countFrom(ctx, r.Args.Filter, least)
	if counted && all == count {
		least = ""
	}
	return least, count, err
}

// countFrom is how many records have at least a value.
func (r *Aggregation) countFrom(ctx context.Context, f filter.Filter, least string) (int, error) {
	q := Args{Metric: "count", Filter: append(slices.Clone(f), filter.Condition{Field: r.Args.Field, Operator: "gte", Value: least})}
	_, body, err := r.do(ctx, r.scope, q)
	count, _ := body.Number("value")
	return count, err
}

// quotient is a sum by a count with at most six decimals; null where there is none.
func quotient(sum string, count int) string {
	number, ok := new(big.Rat).SetString(sum)
	if !ok || count == 0 {
		return "null"
	}
	return decimal(number.Quo(number, big.NewRat(int64(count), 1)))
}

// decimal is a number with at most six decimals.
func decimal(number *big.Rat) string {
	text := strings.TrimRight(strings.TrimRight(number.FloatString(6), "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}
