package transport_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// The laws, for any body and the headers that say what it is: the answer is JSON or empty, its status is none of a fault
// of ours, and it shows no token.
func FuzzEndpoint(f *testing.F) {
	const canary = "good-canary-31"
	for _, body := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{"a":1}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`,
		`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"},"name":"echo"}}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"pdpp://thing/1"}}`, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`,
		`{"jsonrpc":"2.0","id":1,"result":{}}`, `[]`, ``, `{"jsonrpc":"2.0","id":1,"method":"server/discover"}`, `{"jsonrpc":"2.0","id":1,"method":"completion/complete","params":[]}`,
	} {
		f.Add(body, "application/json", "application/json, text/event-stream", "")
		f.Add(body, "application/json", "*/*", "2026-07-28")
	}
	f.Add(`{}`, "application/json;charset=", ";q=0", "1999-01-01")
	handler := transport.Handler(transport.HandlerOptions{
		Server: testServer(echo, io.Discard), Authenticator: &authority{}, Public: web.Public{Origin: "https://mcp.example"}, Logger: zerolog.Nop(),
	})
	f.Fuzz(func(t *testing.T, body, contentType, accept, version string) {
		r := httptest.NewRequest(http.MethodPost, "/mcp", strings.NewReader(body))
		r.Host = "mcp.example"
		r.Header = http.Header{"Authorization": {"Bearer " + canary}, "Content-Type": {contentType}, "Accept": {accept}}
		if version != "" {
			r.Header.Set("Mcp-Protocol-Version", version)
		}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if w.Code < 200 || w.Code > 499 {
			t.Errorf("%q: status %d: %s", body, w.Code, w.Body)
		}
		if text := w.Body.Bytes(); len(text) > 0 && !json.Valid(text) {
			t.Errorf("%q is answered %q", body, text)
		}
		if strings.Contains(w.Body.String(), canary) && !strings.Contains(body, canary) {
			t.Errorf("%q is answered with the token", body)
		}
	})
}
