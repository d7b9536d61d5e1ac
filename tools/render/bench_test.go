package render

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// searchBody returns a search answer: about 38 KB for 25 hits.
func searchBody(hits, repeats int) string {
	text := strings.Repeat("the <mark>invoice</mark> was discussed with the team — café 🚀. ", repeats)
	list := make([]string, hits)
	for i := range list {
		list[i] = fmt.Sprintf(`{"connector_id":"gmail","emitted_at":"2026-01-01T00:00:00.000Z","matched_fields":["body_text"],"object":"search_result","record_key":"w-m%04d","record_url":"/v1/streams/message_bodies/records/w-m%04d","stream":"message_bodies","connection_id":"cin_gmail_work","display_name":"Work Gmail","snippet":{"field":"body_text","text":%q},"evidence_excerpts":[{"field_path":"body_text","object":"evidence_excerpt","preview_text":%q,"provenance":"lexical_match","read":{"field":"body_text","record_id":"w-m%04d","stream":"message_bodies","connection_id":"cin_gmail_work"},"truncated":true}],"score":{"kind":"bm25","value":-3.19}}`, i, i, text, text, i)
	}
	return `{"object":"list","has_more":true,"next_cursor":"eyJvZmYiOjMsInNuYXAiOiJzbmFwXzNjMjQyZWU1ZDQ5ZWE4NzMifQ","data":[` + strings.Join(list, ",") + `],"meta":{"count":1500,"recall":{"complete":true}}}`
}

// recordsBody returns a page of records: 0.8 KB each with 16 repeats of a sentence.
func recordsBody(records, repeats int) string {
	list := make([]string, records)
	for i := range list {
		list[i] = fmt.Sprintf(`{"object":"record","id":"w-m%04d","stream":"messages","emitted_at":"2026-01-01T00:00:00Z","connection_id":"cin_gmail_work","display_name":"Work Gmail","data":{"id":"w-m%04d","subject":"Invoice for the apollo release — café 🚀","from":"anna@example.com","sent_at":"2026-01-01T00:00:00Z","size_bytes":1234,"is_seen":true,"snippet":"%s"}}`, i, i, strings.Repeat("the invoice was discussed. ", repeats))
	}
	return `{"object":"list","has_more":true,"next_cursor":"eyJ","data":[` + strings.Join(list, ",") + `],"meta":{"warnings":[]}}`
}

// schemaBody returns a compact schema: about 2.5 KB for 8 streams.
func schemaBody(streams int) string {
	list := make([]string, streams)
	for i := range list {
		list[i] = fmt.Sprintf(`{"name":"stream_%d","cursor_field":"sent_at","field_capabilities":{"id":"t=string,eq","subject":"t=string,eq,lex,sem","sent_at":"t=timestamp,role=event-time,r=gte|gt|lte|lt,a=max|min|group_by_time","from":"t=string,eq,a=group_by","size":"t=integer,r=gte|gt|lte|lt,a=max|min|sum"}}`, i)
	}
	return `{"object":"schema","detail":"compact","connectors":[{"connector_key":"gmail","granted_connections":[{"connection_id":"cin_gmail_work","display_name":"Work Gmail"}],"streams":[` + strings.Join(list, ",") + `]}]}`
}

// A rendering is an answer and the renderer for it.
type rendering struct {
	name   string
	body   string
	render func(*rs.Response) (Result, error)
}

func renderings() []rendering {
	search := func(response *rs.Response) (Result, error) {
		return Search(response, SearchQuery{Q: "invoice", RecordBase: base})
	}
	records := func(response *rs.Response) (Result, error) {
		return Records(response, RecordsQuery{Stream: "messages", Limit: 25})
	}
	schema := func(response *rs.Response) (Result, error) { return Schema(response, SchemaQuery{}) }
	return []rendering{
		{"search", searchBody(25, 8), search},
		{"search-large", searchBody(100, 30), search},
		{"records", recordsBody(25, 16), records},
		{"records-large", recordsBody(25, 200), records},
		{"schema", schemaBody(8), schema},
		{"schema-large", schemaBody(120), schema},
	}
}

// BenchmarkRender measures rendering and cleaning, and as a lower bound a scan of each byte.
func BenchmarkRender(b *testing.B) {
	for _, row := range renderings() {
		b.Run(row.name, func(b *testing.B) { row.benchmark(b) })
	}
	b.Run("floor", func(b *testing.B) {
		body, sum := searchBody(25, 8), 0
		b.SetBytes(int64(len(body)))
		for b.Loop() {
			for i := range len(body) {
				sum += int(body[i])
			}
		}
		if sum == 0 {
			b.Error("the bytes were not scanned")
		}
	})
}

func (r rendering) benchmark(b *testing.B) {
	response := answered(r.body)
	b.SetBytes(int64(len(r.body)))
	b.ReportAllocs()
	for b.Loop() {
		result, err := r.render(response)
		if err != nil {
			b.Fatal(err)
		}
		result.Clean(response)
	}
}

// TestAllocations fails if a call allocates many times more than it does now.
func TestAllocations(t *testing.T) {
	if raceDetector {
		t.Skip("the race detector allocates")
	}
	most := map[string]struct {
		count float64
		bytes uint64
	}{
		"search":        {410, 160_000},
		"records":       {480, 140_000},
		"records-large": {1800, 700_000},
		"schema":        {80, 15_000},
	}
	for _, row := range renderings() {
		limit, limited := most[row.name]
		if !limited {
			continue
		}
		const runs = 20
		response := answered(row.body)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		count := testing.AllocsPerRun(runs, func() {
			result, err := row.render(response)
			if err != nil {
				t.Fatal(err)
			}
			result.Clean(response)
		})
		runtime.ReadMemStats(&after)
		if count > limit.count {
			t.Errorf("%s makes %.0f allocations, at most %.0f are allowed", row.name, count, limit.count)
		}
		if bytes := (after.TotalAlloc - before.TotalAlloc) / (runs + 1); bytes > limit.bytes {
			t.Errorf("%s allocates %d bytes, at most %d are allowed", row.name, bytes, limit.bytes)
		}
		delete(most, row.name)
	}
	if len(most) > 0 {
		t.Errorf("not measured: %v", most)
	}
}
