package integration

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// D18: a member name of 1 MiB, which no call can send, does not make an answer larger than hosts accept on either channel, and what is
// left out is counted. A member that occurs twice is shown once, with the last value.
func TestVeryLongMemberNames(t *testing.T) {
	t.Parallel()
	name := strings.Repeat("n", 1<<20)
	record := `{"object":"record","id":"a","stream":"notes","data":{"` + name + `":"hidden","subject":"FIRST","subject":"third","body":"text"},"expanded":{"` + name + `":{"data":[]}}}`
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text := `{"object":"schema","bearer":{"token_kind":"client","grant_id":"g"},"` + name + `":1,"connectors":[{"connector_key":"notes","` + name + `":1,
			"streams":[{"name":"notes","field_capabilities":{"subject":"t=text,lex","` + name + `":"t=text"}}]}]}`
		switch {
		case strings.HasSuffix(r.URL.Path, "/aggregate"):
			text = `{"metric":"count","` + name + `":1,"groups":[{"key":"third","` + name + `":1,"count":9,"count":2}]}`
		case strings.HasSuffix(r.URL.Path, "/records"), r.URL.Path == "/v1/search":
			text = `{"object":"list","` + name + `":1,"data":[` + record + `],"has_more":false}`
		case strings.HasSuffix(r.URL.Path, "/field-window"):
			text = `{"field":{"path":"body","` + name + `":1},"window":{"` + name + `":1,"text":"third"}}`
		case strings.Contains(r.URL.Path, "/records/"):
			text = record
		}
		body(200, "application/json", text)(w, r)
	}))
	t.Cleanup(server.Close)
	url, _ := serve(t, "--rs-url", server.URL)
	s := overHTTP(t, url, "a-token")
	for _, call := range []struct {
		example
		says string // what is left out, in structured output
	}{
		{example{"schema", args(`{}`)}, "notes"}, {example{"schema", args(`{"stream":"notes"}`)}, "subject"}, {example{"schema", args(`{"stream":"notes","detail":"full"}`)}, "subject"},
		{example{"query_records", args(`{"stream":"notes"}`)}, `"unreadable":"the name has more than 256 bytes"`},
		{example{"search", args(`{"q":"x"}`)}, "third"},
		{example{"fetch", args(`{"id":"notes:a"}`)}, "cannot be named"},
		{example{"aggregate", args(`{"stream":"notes","metric":"count","group_by":"subject"}`)}, `"count":2`},
		{example{"read_record_field", args(`{"id":"notes:a","field":"body"}`)}, "third"},
	} {
		t.Run(call.tool+" "+compact(call.arguments), func(t *testing.T) {
			result := session{s.ClientSession, t}.call(call.tool, call.arguments)
			document, err := json.Marshal(result.StructuredContent)
			if err != nil || result.IsError {
				t.Fatalf("%v %.300s", err, textOf(result))
			}
			text := textOf(result)
			if len(document) > 45_000 || len(text) > 24<<10 {
				t.Fatalf("%d bytes of structured output, %d of text", len(document), len(text))
			}
			if !strings.Contains(string(document), call.says) {
				t.Errorf("want %q: %.600s", call.says, document)
			}
			if both := string(document) + text; strings.Contains(both, "FIRST") {
				t.Errorf("an earlier value is shown: %.600s", both)
			}
		})
	}
}
