package table

import (
	"encoding/json"
	"testing"
)

// The shortcut for plain numbers decides as the forms of numbers and JSON do.
func TestPlainNumbersAreOfTheForms(t *testing.T) {
	var check func(text string)
	check = func(text string) {
		fraction, ok := plainNumber(text)
		if ok && !pointNumber().MatchString(text) || ok != json.Valid([]byte(text)) {
			t.Fatalf("%q: plain %v", text, ok)
		}
		if ok && fraction != 3 && commaNumber().MatchString(text) != (fraction == 0) {
			t.Fatalf("%q: with a decimal comma, and %d digits behind the point", text, fraction)
		}
		if len(text) < 7 {
			for _, next := range "-.,01" {
				check(text + string(next))
			}
		}
	}
	check("")
}

// A row without the word for a total is not asked for dates, which takes a hundred times as long as reading the row.
func TestRowsWithoutATotalAreNotAskedForDates(t *testing.T) {
	row := []string{"harbour lantern 7 window", "2026-03-01", "12.50"}
	if allocations := testing.AllocsPerRun(10, func() { isTotal(row) }); allocations > 0 {
		t.Errorf("%v allocations", allocations)
	}
	for _, row := range [][]string{{"2026-03-01", " Total: ", "12.50"}, {"", "Summe"}} {
		if !isTotal(row) {
			t.Errorf("%q is no total", row)
		}
	}
	if isTotal([]string{"harbour", "total"}) {
		t.Error("a text before the word leaves the row a total")
	}
}
