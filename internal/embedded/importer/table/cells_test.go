package table

import (
	"encoding/json"
	"testing"
)

// A file may change between the reading that finds the types of its columns and the one that converts their cells: every cell is still
// valid JSON.
func TestACellOfAnotherTypeIsStillJSON(t *testing.T) {
	for _, form := range []numberForms{0, pointNumbers, commaNumbers} {
		for _, text := range []string{"abc", ",", "'", "1,2,3", "1.234,5", "12"} {
			if got := (Cell{Kind: "number", numbers: form}).Append(nil, text); !json.Valid(got) {
				t.Errorf("form %d, cell %q: got %s, which is not JSON", form, text, got)
			}
		}
	}
}
