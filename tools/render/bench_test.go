package render

import (
	"fmt"
	"strings"
	"testing"
)

// searchBody is a search answer of 25 hits, as a resource server sends it: about 38 KB.
func searchBody() []byte {
	text := strings.Repeat("the <mark>invoice</mark> was discussed with the team — café 🚀. ", 8)
	var hits []string
	for i := range 25 {
		hits = append(hits, fmt.Sprintf(`{"connector_id":"gmail","emitted_at":"2026-01-01T00:00:00.000Z","matched_fields":["body_text"],"object":"search_result","record_key":"w-m%04d","record_url":"/v1/streams/message_bodies/records/w-m%04d","stream":"message_bodies","connection_id":"cin_gmail_work","display_name":"Work Gmail","snippet":{"field":"body_text","text":%q},"evidence_excerpts":[{"field_path":"body_text","object":"evidence_excerpt","preview_text":%q,"provenance":"lexical_match","read":{"field":"body_text","record_id":"w-m%04d","stream":"message_bodies","connection_id":"cin_gmail_work"},"truncated":true}],"score":{"kind":"bm25","value":-3.19}}`, i, i, text, text, i))
	}
	return []byte(`{"object":"list","has_more":true,"next_cursor":"eyJvZmYiOjMsInNuYXAiOiJzbmFwXzNjMjQyZWU1ZDQ5ZWE4NzMifQ","data":[` + strings.Join(hits, ",") + `],"meta":{"count":1500,"recall":{"complete":true}}}`)
}

// BenchmarkRender: what shaping costs, beside the floor of looking at each byte once.
func BenchmarkRender(b *testing.B) {
	search := searchBody()
	records := []byte(`{"object":"list","has_more":true,"next_cursor":"eyJ","data":[` + strings.TrimSuffix(strings.Repeat(`{"object":"record","id":"w-m0001","stream":"messages","emitted_at":"2026-01-01T00:00:00Z","connection_id":"cin_gmail_work","display_name":"Work Gmail","data":{"id":"w-m0001","subject":"Invoice for the apollo release — café 🚀","from":"anna@example.com","sent_at":"2026-01-01T00:00:00Z","size_bytes":1234,"is_seen":true,"snippet":"`+strings.Repeat("the invoice was discussed. ", 16)+`"}},`, 25), ",") + `],"meta":{"warnings":[]}}`)
	for _, row := range []struct {
		name   string
		body   []byte
		render func([]byte) (Result, error)
	}{
		{"search", search, func(body []byte) (Result, error) { return Search(body, SearchQuery{Q: "invoice", RecordBase: base}) }},
		{"records", records, func(body []byte) (Result, error) { return Records(body, RecordsQuery{Stream: "messages", Limit: 25}) }},
		{"floor", search, func(body []byte) (Result, error) {
			n := 0
			for _, c := range body {
				n += int(c)
			}
			return Result{Text: fmt.Sprint(n)}, nil
		}},
	} {
		b.Run(row.name, func(b *testing.B) {
			b.SetBytes(int64(len(row.body)))
			b.ReportAllocs()
			for b.Loop() {
				result, err := row.render(row.body)
				if err != nil {
					b.Fatal(err)
				}
				result.Clean(row.body)
			}
		})
	}
}
