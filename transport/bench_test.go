package transport_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// canned is a resource server without a network: it answers by path, at once.
type canned map[string][]byte

func (c canned) RoundTrip(r *http.Request) (*http.Response, error) {
	body := c[r.URL.Path]
	return &http.Response{
		StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}}, ContentLength: int64(len(body)),
		Body: io.NopCloser(bytes.NewReader(body)), Request: r, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
	}, nil
}

const recordsPath, searchPath, schemaPath, streamsPath = "/v1/streams/messages/records", "/v1/search", "/v1/schema", "/v1/streams"

// cannedAnswers are 25 records of 0.8 KB, 25 hits in 38 KB, and the schema of 7 streams in 2.5 KB with their counts.
func cannedAnswers() canned {
	var records, hits []string
	text := strings.Repeat("the <mark>invoice</mark> was discussed with the team — café 🚀. ", 8)
	for i := range 25 {
		records = append(records, fmt.Sprintf(`{"object":"record","id":"m-%04[1]d","stream":"messages","emitted_at":"2026-01-01T00:00:00Z","connection_id":"cin_mail","display_name":"Mail",`+
			`"data":{"id":"m-%04[1]d","subject":"Invoice %[1]d","from_email":"ada@example.com","is_seen":true,"labels":["INBOX"],"size_bytes":5763,"snippet":%[2]q}}`, i, text))
		hits = append(hits, fmt.Sprintf(`{"object":"search_result","stream":"bodies","record_key":"m-%04[1]d","record_url":"/v1/streams/bodies/records/m-%04[1]d","connection_id":"cin_mail","display_name":"Mail",`+
			`"emitted_at":"2026-01-01T00:00:00Z","matched_fields":["body_text"],"snippet":{"field":"body_text","text":%[2]q},"evidence_excerpts":[{"object":"evidence_excerpt","field_path":"body_text","preview_text":%[2]q,`+
			`"provenance":"lexical_match","truncated":true,"read":{"field":"body_text","record_id":"m-%04[1]d","stream":"bodies","connection_id":"cin_mail"}}],"score":{"kind":"bm25","value":-3.19}}`, i, text))
	}
	list := func(items []string) []byte {
		return []byte(`{"object":"list","has_more":true,"next_cursor":"eyJvZmYiOjI1fQ","data":[` + strings.Join(items, ",") + `],"meta":{"warnings":[]}}`)
	}
	var schema, counts []string
	for i := range 7 {
		schema = append(schema, fmt.Sprintf(`{"name":"stream_%d","primary_key":[],"field_capabilities":{"id":"t=string,eq","subject":"t=string,lex,sem","received_at":"t=string,role=event-time,r=gte|gt|lte|lt",`+
			`"labels":"t=array","size_bytes":"t=integer,eq,a=sum|min|max","is_seen":"t=boolean,eq","snippet":"t=string,lex"},"expand_capabilities":[]}`, i))
		counts = append(counts, fmt.Sprintf(`{"object":"stream","name":"stream_%d","record_count":%d,"last_updated":"2026-01-01T00:00:00Z"}`, i, 100*i))
	}
	document := `{"object":"schema","detail":"compact","bearer":{"scope":"grant","token_kind":"client","grant_id":"grt_1"},"connector_count":1,"stream_count":7,"connectors":[{"object":"connector",` +
		`"connector_key":"mail","granted_connections":[{"connection_id":"cin_mail","display_name":"Mail"}],"stream_count":7,"streams":[` + strings.Join(schema, ",") + `]}]}`
	return canned{recordsPath: list(records), searchPath: list(hits), schemaPath: []byte(document), streamsPath: []byte(`{"object":"list","has_more":false,"data":[` + strings.Join(counts, ",") + `]}`)}
}

// benchHandler is the hosted adapter, whole, over the canned resource server.
func benchHandler(b *testing.B, answers canned) http.Handler {
	b.Helper()
	client, err := rsclient.New(rsclient.Options{Base: "https://rs.example", Transport: answers})
	if err != nil {
		b.Fatal(err)
	}
	limits := web.DefaultLimits()
	limits.TokenRate = 0
	return transport.Handler(transport.HandlerOptions{
		Server:        transport.NewPipeline(transport.PipelineOptions{Client: client, Version: "1", Logger: zerolog.Nop()}),
		Authenticator: &authority{}, Public: web.Public{Origin: "https://mcp.example"}, Limiter: web.NewLimiter(limits, nil),
		Metadata: transport.Metadata{ResourceName: "Personal data", ResourceServer: "https://rs.example/"},
		Logger:   zerolog.Nop(),
	})
}

// A benchRequest is one that a client of an era sends.
type benchRequest struct {
	body   string
	header http.Header
}

func newBenchRequest(era, method, tool, params string) benchRequest {
	header := http.Header{
		"Authorization": {"Bearer good"}, "Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"},
		"Mcp-Protocol-Version": {era},
	}
	if era == eras[0] {
		header["Mcp-Method"] = []string{method}
		if tool != "" {
			header["Mcp-Name"] = []string{tool}
			params += ","
		}
		params += `"_meta":{"io.modelcontextprotocol/protocolVersion":"` + era + `","io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}`
	}
	return benchRequest{fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params), header}
}

// answer is what a handler says to it.
func (q benchRequest) answer(ctx context.Context, handler http.Handler) *httptest.ResponseRecorder {
	request := httptest.NewRequestWithContext(ctx, http.MethodPost, "https://mcp.example/mcp", strings.NewReader(q.body))
	request.Header = q.header.Clone()
	answer := httptest.NewRecorder()
	handler.ServeHTTP(answer, request)
	return answer
}

// run measures it. The answer is looked at once, before.
func (q benchRequest) run(b *testing.B, handler http.Handler, holds string) {
	if got := q.answer(b.Context(), handler); got.Code != http.StatusOK || !strings.Contains(got.Body.String(), holds) || strings.Contains(got.Body.String(), `"isError":true`) {
		b.Fatalf("%d %.500s", got.Code, got.Body)
	}
	b.ReportAllocs()
	for b.Loop() {
		if got := q.answer(b.Context(), handler); got.Code != http.StatusOK {
			b.Fatalf("%d %.500s", got.Code, got.Body)
		}
	}
}

// echoing is the floor: it takes the request, makes the read where there is one, and sends a body back that was made before.
func echoing(answers canned, path string, body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if path != "" {
			request, err := http.NewRequestWithContext(r.Context(), http.MethodGet, "https://rs.example"+path, nil)
			if err != nil {
				http.Error(w, err.Error(), http.StatusInternalServerError)
				return
			}
			response, err := answers.RoundTrip(request)
			if err != nil {
				http.Error(w, err.Error(), http.StatusBadGateway)
				return
			}
			_, _ = io.Copy(io.Discard, response.Body)
			_ = response.Body.Close()
		}
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(body)
	})
}

// BenchmarkToolsList lists the tools through the whole handler, in both eras. The floor sends the same bytes.
func BenchmarkToolsList(b *testing.B) {
	handler := benchHandler(b, nil)
	for _, era := range eras[:2] {
		request := newBenchRequest(era, "tools/list", "", "")
		b.Run(era, func(b *testing.B) { request.run(b, handler, "query_records") })
		body := request.answer(b.Context(), handler).Body.Bytes()
		b.Run(era+"/floor", func(b *testing.B) { request.run(b, echoing(nil, "", body), "query_records") })
	}
}

// BenchmarkCall calls a tool through the whole handler, in both eras: chain, library, pipeline and rendering, over a resource
// server in memory. The floor makes the same read and sends the same bytes.
func BenchmarkCall(b *testing.B) {
	answers := cannedAnswers()
	handler := benchHandler(b, answers)
	for _, call := range []struct{ name, tool, arguments, path, holds string }{
		{"schema", "schema", `{}`, schemaPath, "stream_0"},
		{"records", "query_records", `{"stream":"messages"}`, recordsPath, "m-0000"},
		{"search", "search", `{"q":"invoice"}`, searchPath, "m-0000"},
	} {
		for _, era := range eras[:2] {
			request := newBenchRequest(era, "tools/call", call.tool, fmt.Sprintf(`"name":%q,"arguments":%s`, call.tool, call.arguments))
			b.Run(call.name+"/"+era, func(b *testing.B) { request.run(b, handler, call.holds) })
			body := request.answer(b.Context(), handler).Body.Bytes()
			b.Run(call.name+"/"+era+"/floor", func(b *testing.B) { request.run(b, echoing(answers, call.path, body), call.holds) })
		}
	}
}
