package render_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// Structured output of many records says once what each has in the same words, and leaves out what a record says twice. What the records do
// not have in common stays with each, and few records are as they were received.
func TestManyRecordsRepeatNothing(t *testing.T) {
	const same = `{"object":"record","display_name":"Orders"}`
	for name, row := range map[string]struct {
		n                int
		label, data      string
		fields           []string
		each, has, lacks string
	}{
		"the same source": {8, "Orders", `"at":"2026-01-01T10:00:00Z"`, nil, same,
			`{"id":"o0","stream":"orders","connection_id":"cin_a","data":{"at":"2026-01-01T10:00:00Z"}}`, ""},
		"the time of the record is another": {8, "Orders", `"at":"2026-01-02T10:00:00Z"`, nil, same, `"emitted_at":"2026-01-01T10:00:00.000Z"`, ""},
		"an id that is asked for":           {8, "Orders", `"total":1`, []string{"id", "total"}, same, `"data":{"id":"o0","total":1}`, ""},
		"several sources":                   {8, "Shop %d", `"total":1`, nil, `{"object":"record"}`, `"display_name":"Shop 3"`, ""},
		"few records":                       {7, "Orders", `"total":1`, nil, "", `"display_name":"Orders","data":{"id":"o0","total":1}}`, "in_each"},
	} {
		var records []string
		for i := range row.n {
			label := row.label
			if strings.Contains(label, "%d") {
				label = fmt.Sprintf(label, i)
			}
			records = append(records, fmt.Sprintf(`{"object":"record","id":"o%[1]d","stream":"orders","emitted_at":"2026-01-01T10:00:00.000Z","connection_id":"cin_a",`+
				`"display_name":%[2]q,"data":{"id":"o%[1]d",%[3]s}}`, i, label, row.data))
		}
		body := `{"object":"list","data":` + rs.JoinArray(records) + `,"has_more":false}`
		r, err := render.Records(&rs.Response{Body: body}, render.RecordsQuery{Stream: "orders", Fields: row.fields})
		if err != nil {
			t.Fatal(err)
		}
		structured := string(r.Structured)
		if each := rs.AsObject(structured).Get("in_each"); each != row.each || !strings.Contains(structured, row.has) ||
			row.lacks != "" && strings.Contains(structured, row.lacks) {
			t.Errorf("%s: %s\n%s", name, each, structured)
		}
	}
}
