package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/schema"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

func TestInvalidResponse(t *testing.T) {
	ref := rs.Ref{ConnectionID: "c", Stream: "s", RecordID: "r"}
	renderers := map[string]func([]byte) (Result, error){
		"schema": func(b []byte) (Result, error) { return Schema(&rs.Response{Body: string(b)}, SchemaQuery{}) },
		"query_records": func(b []byte) (Result, error) {
			return Records(&rs.Response{Body: string(b)}, RecordsQuery{Stream: "s"})
		},
		"aggregate": func(b []byte) (Result, error) {
			return Aggregate(&rs.Response{Body: string(b)}, AggregateQuery{Stream: "s"})
		},
		"search": func(b []byte) (Result, error) {
			return Search(&rs.Response{Body: string(b)}, SearchQuery{})
		},
		"fetch": func(b []byte) (Result, error) {
			return Document(&rs.Response{Body: string(b)}, DocumentQuery{Ref: ref})
		},
		"read_record_field": func(b []byte) (Result, error) { return Window(&rs.Response{Body: string(b)}, WindowQuery{Ref: ref}) },
		"list_streams":      func(b []byte) (Result, error) { return Streams(&rs.Response{Body: string(b)}, StreamsQuery{}) },
	}
	for tool, renderBody := range renderers {
		for _, body := range []string{"", "  ", "<html>secret</html>", `"secret"`, `["secret"]`, "null", "17", `{"secret":`, "{}"} {
			_, err := renderBody([]byte(body))
			var typed *rs.Error
			if !errors.As(err, &typed) || typed.Code != "invalid_response" {
				t.Errorf("%s of %q: %v, want invalid_response", tool, body, err)
				continue
			}
			if strings.Contains(typed.Message+typed.Hint, "secret") || !strings.Contains(typed.Message, tool) {
				t.Errorf("%s of %q says %q", tool, body, typed.Message)
			}
		}
	}
}

func TestVerbatim(t *testing.T) {
	// What the server wrote reaches the host unchanged: number formats, key order, escapes.
	const body = `{"object":"list","z":1.0,"a":12345678901234567890,"data":[{"id":"1","data":{"html":"<b>&\u2028","n":1e3}}],"b":-0}`
	r, err := Records(answered(body), RecordsQuery{Stream: "s"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(`{"data":`+body+`}`, r.Structured); diff != "" {
		t.Error(diff)
	}
}

func TestDocument(t *testing.T) {
	ref := rs.Ref{ConnectionID: "cin_a", Stream: "messages", RecordID: "m1"}
	document := func(t *testing.T, body string, fields ...string) (Result, map[string]any) {
		t.Helper()
		r, err := Document(answered(body), DocumentQuery{Ref: ref, Fields: fields, RecordBase: base})
		if err != nil {
			t.Fatal(err)
		}
		assertResult(t, "fetch", r)
		var doc map[string]any
		if err := json.Unmarshal([]byte(r.Structured), &doc); err != nil {
			t.Fatal(err)
		}
		return r, doc
	}
	t.Run("S0-7a exactly five members, mirrored byte for byte", func(t *testing.T) {
		_, doc := document(t, `{"id":"m1","data":{"a":"b"},"request_id":"q","provider_url":"p"}`)
		var keys []string
		for key := range doc {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		if diff := cmp.Diff([]string{"id", "metadata", "text", "title", "url"}, keys); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("S0-7b unrequested fields appear nowhere", func(t *testing.T) {
		r, _ := document(t, `{"id":"m1","connection_id":"cin_a","stream":"messages","data":{"subject":"secret subject","sent_at":"2020-12-31T00:00:00Z","url":"https://secret.example","blob_ref":{"blob_id":"secret"},"body":"shown"}}`, "body")
		if all := r.Text + fmt.Sprint(r.Meta); strings.Contains(all, "secret") || strings.Contains(all, "2020-12-31") || !strings.Contains(all, "shown") {
			t.Error(all)
		}
	})
	t.Run("D20 the citation is the record's own address when it is safe", func(t *testing.T) {
		own := base + "/v1/streams/messages/records/m1?connection_id=cin_a"
		for address, want := range map[string]string{
			"https://example.com/a?b=c":                        "https://example.com/a?b=c",
			"http://example.com":                               "http://example.com",
			"javascript:alert(1)":                              own,
			"https://user:pw@example.com":                      own,
			"ftp://example.com":                                own,
			"https://example.com/" + strings.Repeat("x", 2048): own,
			"https:///nohost":                                  own,
			"":                                                 own,
		} {
			_, doc := document(t, `{"id":"m1","data":{"url":`+clean.Quote(address)+`}}`)
			if doc["url"] != want {
				t.Errorf("%.60q: url %q, want %q", address, doc["url"], want)
			}
			if source := doc["metadata"].(map[string]any)["source_url"]; (want == own && address != "") != (source != nil) {
				t.Errorf("%.60q: source_url %v", address, source)
			}
		}
	})
	t.Run("S1-R2 every truncation has the call that reads on", func(t *testing.T) {
		_, doc := document(t, `{"id":"m1","data":{"short":"s","one":"`+strings.Repeat("é🚀 ", 9000)+`","two":"`+strings.Repeat("line\\n", 9000)+`"}}`)
		metadata := doc["metadata"].(map[string]any)
		cuts := metadata["incomplete"].([]any)
		if metadata["complete"] != false || len(cuts) != 2 {
			t.Fatalf("metadata %v", metadata)
		}
		for _, c := range cuts {
			c := c.(map[string]any)
			read := c["read"].(map[string]any)
			args := read["arguments"].(map[string]any)
			if read["tool"] != "read_record_field" || args["id"] != "cin_a/messages:m1" || args["offset_chars"] != c["shown_chars"] || c["shown_chars"].(float64) < 1000 {
				t.Errorf("cut %v", c)
			}
		}
	})
	t.Run("D18 a record of any shape stays bounded", func(t *testing.T) {
		var members []string
		for i := range 2000 {
			members = append(members, fmt.Sprintf(`"field_%d":%q`, i, strings.Repeat("v", i)))
		}
		document(t, `{"id":"m1","data":{`+strings.Join(members, ",")+`}}`)
		document(t, `{"id":"m1","data":{"list":[`+strings.Repeat(`"x",`, 50000)+`"x"]}}`)
		document(t, `{"id":"m1","data":{"a":"b"},"expanded":{"r":{"data":[`+strings.Repeat(`{"id":"x","stream":"s","data":{"t":"`+strings.Repeat("y", 900)+`"}},`, 99)+`{}]}}}`)
		document(t, `{"id":"m1","data":{"c":"`+strings.Repeat(`\u0001\"`, 20000)+`"}}`)
	})
}

func TestSchema(t *testing.T) {
	t.Run("S0-5a every stream name is in text, and the whole result stays bounded", func(t *testing.T) {
		var streams []string
		for i := range 300 {
			streams = append(streams, fmt.Sprintf(`{"name":"stream_%d","field_capabilities":{%s"z":"declared"},"expand_capabilities":[]}`, i, strings.Repeat(`"some_field":"t=string,role=event-time,eq,r=gte|gt|lte|lt,lex,sem",`, 20)))
		}
		r, err := Schema(answered(`{"object":"schema","connectors":[{"connector_key":"big","granted_connections":[{"connection_id":"c"}],"streams":[`+strings.Join(streams, ",")+`]}]}`), SchemaQuery{})
		if err != nil {
			t.Fatal(err)
		}
		assertResult(t, "schema", r)
		if len(r.Text)+len(r.Structured) > write.StructuredTarget {
			t.Errorf("%d bytes", len(r.Text)+len(r.Structured))
		}
		for i := range 300 {
			want := fmt.Sprintf("stream_%d", i)
			if !strings.Contains(r.Text, want+",") && !strings.Contains(r.Text, want+"\n") || !strings.Contains(r.Structured, `"`+want+`"`) {
				t.Fatalf("%s is missing", want)
			}
		}
	})
	t.Run("S3-7a a compact document that fits is verbatim", func(t *testing.T) {
		const document = `{"object":"schema","detail":"compact","connectors":[{"connector_key":"k","streams":[{"name":"s","field_capabilities":{"b":"declared","a":"t=string,eq"}}]}],"n":1.50}`
		r, err := Schema(answered(document), SchemaQuery{Stream: "s"})
		if err != nil {
			t.Fatal(err)
		}
		if want := `{"data":` + document + `,"legend":` + clean.Quote(schema.FlagLegend) + `}`; r.Structured != want {
			t.Error(cmp.Diff(want, r.Structured))
		}
	})
	t.Run("S0-5d both forms of a capability are read the same", func(t *testing.T) {
		fieldOf := func(capabilities string) rs.SchemaField {
			return answered(`{"streams":[{"field_capabilities":{"f":` + capabilities + `}}]}`).Schema().Streams[0].Fields()[0]
		}
		compact := fieldOf(`"t=string,role=event-time,eq,r=gte|lt,lex,sem,a=max|min"`)
		full := fieldOf(`{"type":"string","role":"event-time","granted":true,"exact_filter":{"declared":true,"usable":true},"range_filter":{"declared":true,"operators":["gte","lt"]},
			"lexical_search":{"declared":true,"usable":true},"semantic_search":{"usable":true},"aggregation":{"max":{"usable":true},"min":{"declared":true,"usable":true},"sum":{"declared":true,"usable":false}}}`)
		compact.Capabilities, full.Capabilities = "", ""
		if diff := cmp.Diff(compact, full); diff != "" {
			t.Error(diff)
		}
		for _, denied := range []string{`"t=string,eq,g=false"`, `{"granted":false,"exact_filter":{"usable":true}}`} {
			if fieldOf(denied).Granted {
				t.Errorf("%s is shown", denied)
			}
		}
	})
}

func TestError(t *testing.T) {
	t.Run("S0-8a a large list is capped, with the total", func(t *testing.T) {
		e := &rs.Error{Code: "ambiguous_connection", Message: strings.Repeat("long ", 900), RetryWith: "connection_id", ConnectionTotal: 40, RequestID: "req"}
		for i := range 40 {
			e.Connections = append(e.Connections, rs.Connection{GrantID: "g", ConnectorKey: "k", ID: fmt.Sprintf("cin_%d", i), DisplayName: strings.Repeat("name ", 40)})
		}
		r := Error(e)
		assertResult(t, "error", r)
		if !strings.Contains(r.Text, "retry_with=connection_id") || !strings.Contains(r.Text, "more connections") || !strings.Contains(r.Text, "request_id=req") {
			t.Error(r.Text)
		}
		var s struct {
			Error struct {
				Available []rs.Connection `json:"available_connections"`
				Total     int             `json:"total_connections"`
				Truncated bool
				RetryWith string `json:"retry_with"`
			}
		}
		if err := json.Unmarshal([]byte(r.Structured), &s); err != nil || len(s.Error.Available) != rs.MaxConnectionOptions || s.Error.Total != 40 || !s.Error.Truncated || s.Error.RetryWith != "connection_id" {
			t.Errorf("%v %+v", err, s)
		}
	})
	t.Run("S3-R3 the server's code and message are kept", func(t *testing.T) {
		r := Error(&rs.Error{Code: "grant_revoked", Message: "Grant has been revoked", Status: 403, Envelope: json.RawMessage(`{"code": "grant_revoked", "x":1}`)})
		if !strings.HasPrefix(r.Text, "grant_revoked: Grant has been revoked\n") || !strings.Contains(r.Structured, `"rs":{"code":"grant_revoked","x":1}`) {
			t.Errorf("%s\n%s", r.Text, r.Structured)
		}
	})
	t.Run("the adapter's error comes first, with the proposed call, and then the server's with its status", func(t *testing.T) {
		r := Error(&rs.Error{
			Code: "unknown_stream", Message: "no stream", Send: `schema {"stream":"mails"}`, Status: 401,
			Envelope: json.RawMessage(`{"code":"context.stream_not_allowed","message":"Token introspection failed closed"}`),
		})
		const want = `{"error":{"code":"unknown_stream","message":"no stream","send":{"tool":"schema","arguments":{"stream":"mails"}},` +
			`"rs":{"code":"context.stream_not_allowed","message":"Token introspection failed closed","status":401}}}`
		if diff := cmp.Diff(want, r.Structured); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("S3-3a D14 an unusable connection is not a choice, and the answer says why", func(t *testing.T) {
		e := &rs.Error{Code: "ambiguous_connection", Message: "m", RetryWith: "connection_id", Connections: []rs.Connection{{ID: "cin_a"}}}
		for i := range 9 {
			e.Unavailable = append(e.Unavailable, rs.UnavailableConnection{Connection: rs.Connection{ID: fmt.Sprintf("cin_bad%d", i)}, Code: "grant_revoked", Message: "Grant has been revoked."})
		}
		r := Error(e)
		assertResult(t, "error", r)
		if !strings.Contains(r.Text, "\nunavailable: connection_id=cin_bad0 (grant_revoked: \"Grant has been revoked.\")\n") || !strings.Contains(r.Text, "6 more are unavailable") {
			t.Error(r.Text)
		}
		if !strings.Contains(r.Structured, `"available_connections":[{"connection_id":"cin_a"}]`) || !strings.Contains(r.Structured, `"unavailable_connections":[{"connection_id":"cin_bad0","code":"grant_revoked"`) {
			t.Errorf("%s", r.Structured)
		}
	})
	t.Run("the cause is never shown", func(t *testing.T) {
		r := Error(&rs.Error{Code: "internal_error", Message: "m", Cause: errors.New("secret")})
		if strings.Contains(r.Text+r.Structured, "secret") {
			t.Error(r.Text)
		}
	})
}

func TestHandles(t *testing.T) {
	q := WindowQuery{Ref: rs.Ref{ConnectionID: "cin_a", Stream: "s", RecordID: "r"}, Field: "body", Q: "x y", Before: new(3)}
	var w WindowHandle
	if err := rs.DecodeHandle(strings.TrimPrefix(q.URI(), WindowURIPrefix), &w); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(WindowHandle{1, "field_window", "cin_a/s:r", WindowQuery{Field: "body", Q: "x y", Before: new(3)}}, w); diff != "" {
		t.Error(diff)
	}
	for q, want := range map[BlobQuery]string{
		{"blob_1", "cin_a"}: "pdpp://blob/cin_a/blob_1", {"a b/c", ""}: "pdpp://blob/-/a%20b%2Fc",
	} {
		if got := q.URI(); got != want {
			t.Errorf("%s, want %s", got, want)
		}
	}
}
