package integration

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// However long the names in requests and in answers of a resource server are, a line of the log has at most 1,500 bytes and an error at
// most 8,000, so that no caller can fill a disk or a model's context (D18).
func TestLongNamesFillNeitherLogsNorErrors(t *testing.T) {
	const long = 900_000
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/schema" {
			body(200, "application/json", `{"object":"schema","bearer":{"token_kind":"client","grant_id":"g"},"connectors":[]}`)(w, r)
			return
		}
		w.Header().Set("Request-Id", strings.Repeat("i", 100_000))
		longText := strings.Repeat("e", long)
		body(400, "application/json", fmt.Sprintf(`{"error":{"code":%q,"message":%[1]q,"param":%[1]q,"request_id":%[1]q,"retry_with":%[1]q,"available_connections":[{"connection_id":%[1]q,"display_name":%[1]q}]}}`, longText))(w, r)
	}))
	t.Cleanup(server.Close)
	url, process := serve(t, "--rs-url", server.URL, "--log-level", "debug")
	name := strings.Repeat("n", long)
	for what, message := range map[string]string{
		"a tool":             `"method":"tools/call","params":{"name":"` + name + `","arguments":{}}`,
		"an argument's name": `"method":"tools/call","params":{"name":"search","arguments":{"q":"x","` + name + `":1}}`,
		"an argument":        `"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"` + name + `"}}`,
		"a mode":             `"method":"tools/call","params":{"name":"search","arguments":{"q":"x","mode":"` + name + `"}}`,
		"a filter's field":   `"method":"tools/call","params":{"name":"search","arguments":{"q":"x","filter":{"` + name + `":{}}}}`,
		"a method":           `"method":"` + name + `","params":{}`,
		"a resource":         `"method":"resources/read","params":{"uri":"pdpp://stream/` + name + `"}`,
		"another resource":   `"method":"resources/read","params":{"uri":"` + name + `"}`,
		"a prompt":           `"method":"prompts/get","params":{"name":"` + name + `"}`,
		"a version":          `"method":"initialize","params":{"protocolVersion":"` + name + `","capabilities":{},"clientInfo":{"name":"` + name + `","version":"1"}}`,
		"a log level":        `"method":"logging/setLevel","params":{"level":"` + name + `"}`,
		"an answer":          `"method":"tools/call","params":{"name":"search","arguments":{"q":"x"}}`,
	} {
		if _, _, text := post(t, url, "a-client-token", `{"jsonrpc":"2.0","id":1,`+message+`}`); len(text) > 8000 {
			t.Errorf("%s that is long makes an answer of %d bytes: %.300s … %s", what, len(text), text, text[len(text)-300:])
		}
	}
	request, err := http.NewRequestWithContext(t.Context(), strings.Repeat("M", 20_000), url, nil)
	if err != nil {
		t.Fatal(err)
	}
	do(t, request)
	if err := process.stop(); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(process.stderr.String()) {
		if len(line) > 1500 {
			t.Errorf("a line of the log has %d bytes: %.500s", len(line), line)
		}
	}
	if !strings.Contains(process.stderr.String(), `"method":"other"`) {
		t.Error("the request with the long method is not in the log")
	}
}
