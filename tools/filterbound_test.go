package tools_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// S3-10e: a filter has at most 50 conditions, over all of its fields.
func TestAFilterHasAtMost50Conditions(t *testing.T) {
	scalars := func(n int) string {
		var fields []string
		for i := range n {
			fields = append(fields, fmt.Sprintf(`"f%d":1`, i))
		}
		return strings.Join(fields, ",")
	}
	ranges := func(n int) string {
		var fields []string
		for i := range n {
			fields = append(fields, fmt.Sprintf(`"r%d":{"gte":1,"lt":2}`, i))
		}
		return strings.Join(fields, ",")
	}
	required := map[string]string{"query_records": `{"stream":"s",`, "aggregate": `{"stream":"s","metric":"count",`, "search": `{"q":"x",`}
	for name, row := range map[string]struct {
		filter  string
		refused bool
	}{
		"50 fields":                  {scalars(50), false},
		"51 fields":                  {scalars(51), true},
		"25 ranges":                  {ranges(25), false},
		"26 ranges":                  {ranges(26), true},
		"25 ranges and one field":    {ranges(25) + `,"f":1`, true},
		"24 ranges and two fields":   {ranges(24) + "," + scalars(2), false},
		"49 fields and one range":    {scalars(49) + "," + ranges(1), true},
		"one range before 49 fields": {ranges(1) + "," + scalars(49), true},
	} {
		for _, tool := range []*tools.Tool{tools.QueryRecords(), tools.Aggregate(), tools.Search("https://rs.example")} {
			t.Run(name+", "+tool.Name, func(t *testing.T) {
				_, err := tool.Parse(json.RawMessage(required[tool.Name] + `"filter":{` + row.filter + `}}`))
				if (err != nil) != row.refused || row.refused && (rs.AsError(err).Code != "invalid_filter" || !strings.Contains(rs.AsError(err).Message, "50")) {
					t.Errorf("%v", err)
				}
			})
		}
	}
}

// A call that is refused decodes none of the values of its list's arguments: they would need many times the memory of their text.
func TestValuesOfARefusedCallAreNotDecoded(t *testing.T) {
	const count, ceiling = 100_000, 5000 // values, allocations
	many := func(value string) string { return "[" + strings.Repeat(value+",", count) + value + "]" }
	for name, row := range map[string]struct {
		tool      *tools.Tool
		arguments string
	}{
		"a filter that is an array":              {tools.QueryRecords(), `{"stream":"s","filter":` + many(`{"field":"a"}`) + `}`},
		"a filter that compares with an array":   {tools.QueryRecords(), `{"stream":"s","filter":{"a":` + many("{}") + `}}`},
		"a filter of a call without its stream":  {tools.QueryRecords(), `{"filter":` + many("{}") + `}`},
		"a filter of a call with another fault":  {tools.QueryRecords(), `{"stream":"s","limit":0,"filter":` + many("{}") + `}`},
		"an argument of another tool":            {tools.QueryRecords(), `{"stream":"s","streams":` + many(`"s"`) + `}`},
		"streams of a search that are not names": {tools.Search("https://rs.example"), `{"q":"x","streams":` + many("{}") + `}`},
		"a filter of a search":                   {tools.Search("https://rs.example"), `{"q":"x","filter":` + many("{}") + `}`},
		"a time of a search that is an array":    {tools.Search("https://rs.example"), `{"q":"x","since":` + many("{}") + `}`},
	} {
		raw := json.RawMessage(row.arguments)
		allocations := testing.AllocsPerRun(1, func() {
			if _, err := row.tool.Parse(raw); err == nil {
				t.Errorf("%s is accepted", name)
			}
		})
		if allocations > ceiling {
			t.Errorf("%s: %.0f allocations for %d values, want at most %d", name, allocations, count, ceiling)
		}
	}
}
