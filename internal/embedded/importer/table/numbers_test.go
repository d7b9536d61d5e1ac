package table

import "testing"

// A row without a word for totals is not searched for dates, which takes a hundred times as long as reading the row.
func TestRowsWithoutATotalAreNotSearchedForDates(t *testing.T) {
	row := []string{"harbour lantern 7 window", "2026-03-01", "12.50"}
	if allocations := testing.AllocsPerRun(10, func() { totalKind(row) }); allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
	for _, row := range [][]string{{"2026-03-01", " Total: ", "12.50"}, {"", "Summe"}} {
		if totalKind(row) == 0 {
			t.Errorf("%q is not a total", row)
		}
	}
	if totalKind([]string{"harbour", "total"}) > 0 {
		t.Error("a row with a text before the word is still a total")
	}
}
