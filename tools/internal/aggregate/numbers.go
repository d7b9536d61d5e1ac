package aggregate

import (
	"cmp"
	"context"
	"math/big"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
)

// reversed reports whether the groups are shown in reverse order: the latest first, or those with the fewest records first. That needs all
// groups; if some are unknown, the answer says that it is unordered.
func (r *Aggregation) reversed(all bool) bool {
	reversed := r.Args.GroupBy != "" && r.Args.Order == "asc" || r.Args.GroupByTime != "" && r.Args.Order == "desc"
	if reversed && !all {
		r.add("unordered", true)
	}
	return reversed && all
}

// reverse puts groups in reverse order; those without a time stay last.
func (r *Aggregation) reverse(groups []Group) {
	if r.Args.GroupByTime == "" {
		slices.SortStableFunc(groups, func(a, b Group) int { return cmp.Compare(a.Count, b.Count) })
		r.add("order", r.Args.Order)
		return
	}
	slices.Reverse(groups[:dated(groups)])
}

// dated returns the number of groups that have a time. The group of records without a time is the last.
func dated(groups []Group) int {
	if n := len(groups); n > 0 && groups[n-1].Key == "null" {
		return n - 1
	}
	return len(groups)
}

// order puts the rows with the highest value first, or those with the lowest. If there are several units, which cannot be compared, the
// first row of each unit comes before the second row of each.
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
			if previous, ranked := best[p.key]; !ranked || rank < previous {
				best[p.key] = rank
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(best[a.key], best[b.key]) })
}

// lowestFirst reports whether the lowest value comes first: as requested, else for a minimum, and for sums or averages that are all
// negative. Bank statements have money spent as negative numbers, so the lowest is the largest amount. An order that the metric does not
// imply is added to the answer.
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
		order := "desc"
		if lowest {
			order = "asc"
		}
		r.add("order", order)
	}
	return lowest
}

// compareValues puts the highest or the lowest value first, and null last.
func compareValues(a, b string, lowest bool) int {
	if a == "null" || b == "null" {
		return cmp.Compare(strings.Count(a, "null"), strings.Count(b, "null"))
	}
	order := strings.Compare(b, a)
	if x, ok := rational(a); ok {
		if y, ok := rational(b); ok {
			order = y.Cmp(x)
		}
	}
	if lowest {
		return -order
	}
	return order
}

// sumOfOthers returns the row of the records that no filter selects, such as those without the group field: the sum of all records less the
// sums of all other rows. It returns nil if that is unknown, or takes more reads than are left.
func (r *Aggregation) sumOfOthers(ctx context.Context, lists []unitList, rows, unnamed []row, left int) []row {
	if r.Args.Metric != "sum" || r.differ.Load() || len(unnamed) != 1 || len(unnamed[0].cells) > left {
		return nil
	}
	for i := range unnamed[0].cells {
		c := &unnamed[0].cells[i]
		list := lists[slices.IndexFunc(lists, func(l unitList) bool { return l.unit == c.unit })]
		body, err := r.do(ctx, r.scope, Args{Metric: "sum", Field: r.Args.Field, Filter: list.filter})
		rest, ok := rational(body.Get("value"))
		if err != nil || !ok {
			return nil
		}
		for _, row := range rows {
			for _, other := range row.cells {
				if value, ok := rational(other.value); ok && other.unit == c.unit {
					rest.Sub(rest, value)
				}
			}
		}
		if c.value, c.count = decimal(rest), c.records; r.isZeroSum(c.value) { // perhaps none of them has a value
			return nil
		}
	}
	return unnamed
}

// number answers a metric without groups or, as units must not be mixed, with a group for each unit if there are several. The number is
// read first, so that a call that is refused reads nothing else.
func (r *Aggregation) number(ctx context.Context) (rs.Object, error) {
	q := r.Args
	body, err := r.do(ctx, r.scope, q)
	if err != nil || q.Metric == "count" {
		return body, err
	}
	if field, units, err := r.units(ctx); err == nil && len(units.groups) > 1 {
		r.Args.GroupBy, r.Args.Limit = field, maxGroups
		return r.compose(ctx, units.body, []unitList{{units, "", q.Filter}})
	}
	value := body.Get("value")
	if r.Args.Metric == "avg" {
		_, count, err := r.withValue(ctx, body)
		r.add("composed", true)
		return body.Without("links").WithAll(rs.Object{
			{Name: "metric", Value: `"avg"`}, {Name: "value", Value: quotient(value, count)},
			{Name: "sum", Value: cmp.Or(value, "null")}, rs.NewMember("count", count),
		}), err
	}
	if records, counted := body.Number("filtered_record_count"); (records > 0 || !counted) && r.isZeroSum(value) && r.hasNone(ctx, q.Filter) {
		body = body.With("value", "null")
	}
	return body, nil
}

// withValue returns how many of the records that an answer counted have a value of the field, for an average. least is the least value,
// which selects the records with a value in each group; it is "" for any other metric, and if all records have a value.
func (r *Aggregation) withValue(ctx context.Context, body rs.Object) (least string, count int, err error) {
	all, counted := body.Number("filtered_record_count")
	if r.Args.Metric != "avg" || r.Args.Filter.Has(r.Args.Field) {
		return "", all, nil
	}
	answer, err := r.do(ctx, r.scope, Args{Metric: "min", Field: r.Args.Field, Filter: r.Args.Filter})
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

// countFrom returns how many records within a filter have a value of at least least.
func (r *Aggregation) countFrom(ctx context.Context, f filter.Filter, least string) (int, error) {
	from := filter.Condition{Field: r.Args.Field, Operator: "gte", Value: filter.ValueOf(least)}
	q := Args{Metric: "count", Filter: append(slices.Clone(f), from)}
	body, err := r.do(ctx, r.scope, q)
	count, _ := body.Number("value")
	return count, err
}

// quotient returns a sum divided by a count, with at most six decimals; null if sum is not a number or count is 0.
func quotient(sum string, count int) string {
	number, ok := rational(sum)
	if !ok || count == 0 {
		return "null"
	}
	return decimal(number.Quo(number, big.NewRat(int64(count), 1)))
}

// rational reads a number; false if it has more digits than a float64 written out has, or a larger exponent: arithmetic with it would take
// minutes.
func rational(text string) (*big.Rat, bool) {
	const most = 400
	mantissa, exponent, _ := strings.Cut(strings.ToLower(text), "e")
	if power, err := strconv.Atoi(cmp.Or(exponent, "0")); err != nil || max(power, -power, len(mantissa)) > most {
		return nil, false
	}
	return new(big.Rat).SetString(text)
}

// decimal formats a number with at most six decimals.
func decimal(number *big.Rat) string {
	text := strings.TrimRight(strings.TrimRight(number.FloatString(6), "0"), ".")
	if text == "-0" {
		return "0"
	}
	return text
}
