package rs_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// BenchmarkReadResponse validates an answer of 25 hits in 38 KB and finds its items.
func BenchmarkReadResponse(b *testing.B) {
	var hits []string
	text := strings.Repeat("the <mark>invoice</mark> was discussed with the team — café 🚀. ", 9)
	for i := range 25 {
		hits = append(hits, fmt.Sprintf(`{"stream":"bodies","record_key":"m-%04d","matched_fields":["body_text"],"snippet":{"field":"body_text","text":%[2]q},`+
			`"evidence_excerpts":[{"field_path":"body_text","preview_text":%[2]q,"read":{"record_id":"m-%04[1]d","stream":"bodies"}}],"score":{"kind":"bm25","value":-3.19}}`, i, text))
	}
	body := `{"object":"list","has_more":true,"data":[` + strings.Join(hits, ",") + `]}`
	b.SetBytes(int64(len(body)))
	b.ReportAllocs()
	for b.Loop() {
		response, err := rs.ReadResponse(body)
		if err != nil {
			b.Fatal(err)
		}
		if list, ok := response.List(); !ok || list.Count != len(hits) {
			b.Fatal(list.Count)
		}
	}
}
