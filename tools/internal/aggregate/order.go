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
	units := map[string][]*cell{}
	ranks := map[*cell]int{}
	for _, row := range rows {
		for i := range row.cells {
			units[row.cells[i].unit] = append(units[row.cells[i].unit], &row.cells[i])
		}
	}
	for _, cells := range units {
		slices.SortStableFunc(cells, func(a, b *cell) int { return r.compareValues(a.value, b.value) })
		for rank, c := range cells {
			ranks[c] = rank
		}
	}
	for i := range rows {
		rows[i].rank = len(rows)
		for k := range rows[i].cells {
			rows[i].rank = min(rows[i].rank, ranks[&rows[i].cells[k]])
		}
	}
	slices.SortStableFunc(rows, func(a, b row) int { return cmp.Compare(a.rank, b.rank) })
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
