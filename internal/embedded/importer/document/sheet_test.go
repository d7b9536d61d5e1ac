package document

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// Each of many merged cells stands for those below it, even where they lie across each other, and none is looked at in each row.
func TestManyMergedCells(t *testing.T) {
	for _, last := range []int{3, 50_001} { // of each, if it is not the row below
		const many = 25_000
		var rows, merged strings.Builder
		for row := 2; row < 2+2*many; row += 2 {
			fmt.Fprintf(&rows, `<row r="%d"><c r="A%d" t="str"><v>a%d</v></c><c r="B%d"><v>1</v></c></row><row r="%d"><c r="B%d"><v>1</v></c></row>`, row, row, row, row, row+1, row+1)
			fmt.Fprintf(&merged, `<mergeCell ref="A%d:A%d"/>`, row, max(row+1, last))
		}
		began := time.Now()
		all := mergedIn(strings.NewReader(merged.String()))
		text, err := io.ReadAll(&Rows{book: &Workbook{}, decoder: item.NewXML(strings.NewReader(rows.String()), item.MaxLine), most: maxSheet, merged: all})
		if end := "\"a50000\",\"1\"\n\"a50000\",\"1\"\n"; err != nil || !strings.HasSuffix(string(text), end) || time.Since(began) > 5*time.Second {
			t.Errorf("%d: %q, %v, %v", last, text[max(len(text)-len(end), 0):], err, time.Since(began))
		}
	}
}
