package aggregate

import (
	"cmp"
	"math/big"
	"slices"
	"strings"
)

func countCells(rows []row) int {
	n := 0
	for _, row := range rows {
		n += len(row.cells)
	}
	return n
}

// same reports whether two numbers are equal, and of one unit.
func (c cell) same(other cell) bool { return c.value == other.value && c.unit == other.unit }

// order puts the rows with the highest value first; where there are several units, which cannot be compared, the highest of each before the
// second of each.
func (r *Aggregation) order(rows []row) {
	type place struct{ key, value string }
	units := map[string][]place{}
	for _, row := range rows {
		for _, c := range row.cells {
			units[c.unit] = append(units[c.unit], place{row.key, c.value})
		}
	}
	best := map[string]int{} // rank of a row among those of its units
	for _, places := range units {
		slices.SortStableFunc(places, func(a, b place) int { return r.compareValues(a.value, b.value) })
		for rank, p := range places {
			if held, ranked := best[p.key]; !ranked || rank < held {
				best[p.key] = rank
			}
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(best[a.key], best[b.key]) })
}

// compareValues puts the highest value first, of a minimum the lowest, and what has none last.
func (r *Aggregation) compareValues(a, b string) int {
	if a == "null" || b == "null" {
		return cmp.Compare(strings.Count(a, "null"), strings.Count(b, "null"))
	}
	order := strings.Compare(b, a)
	if x, ok := new(big.Rat).SetString(a); ok {
		if y, ok := new(big.Rat).SetString(b); ok {
			order = y.Cmp(x)
		}
	}
	if r.Args.Metric == "min" {
		return -order
	}
	return order
}
