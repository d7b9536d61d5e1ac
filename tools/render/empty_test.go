package render

import (
	"fmt"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"strings"
	"testing"
)

// A list of the values of a field says how many it leaves out.
func TestAListOfValuesSaysWhatItLeavesOut(t *testing.T) {
	values := func(n int) (all []KnownValue) {
		for i := range n {
			all = append(all, KnownValue{Key: fmt.Sprintf(`"name %d"`, i), Count: n - i})
		}
		return all
	}
	for _, row := range []struct {
		field            EmptyField
		text, structured string
	}{
		{EmptyField{Values: values(12)}, "name 11 (1).", `"count":1}]`},
		{EmptyField{Values: values(14)}, "and 2 others.", `"other_values":2`},
		{EmptyField{Values: values(100), Beyond: true}, "and at least 88 others.", `"other_values":"at least 88"`},
	} {
		row.field.Field = "name"
		lines, structured := answer.Conditions("query_records", []EmptyField{row.field})
		text := strings.Join(lines, "\n")
		if !strings.Contains(text, row.text) || !strings.Contains(structured, row.structured) || len(row.field.Values) == 12 && strings.Contains(structured, "other") {
			t.Errorf("want %q in\n%s\n%s", row.text, text, structured)
		}
	}
}
