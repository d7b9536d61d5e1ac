package table

import (
	"bufio"
	"strings"
	"testing"
)

// Totals are recognized in tables without an id column.
func TestTotalsAreRecognizedWithoutAnID(t *testing.T) {
	for text, want := range map[string]int{"ID,Contents\n5,a\n5,b\n": 2, "Name,Age\nTotal,5\n": 1, "Name,Age\na,5\nb,6\nTotal,11\n": 2} {
		rows := 0
		for one, err := range NewReader(bufio.NewReader(strings.NewReader(text)), Options{IDField: new(string)}) {
			if err != nil {
				t.Error(err)
			}
			if _, isAround := one.Value("place"); !isAround {
				rows++
			}
		}
		if rows != want {
			t.Errorf("%q: %d rows, want %d", text, rows, want)
		}
	}
}
