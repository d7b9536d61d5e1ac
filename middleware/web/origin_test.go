package web_test

import (
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// browser sends what a page would send, and says what it would be let to see.
func browser(method string, headers map[string][]string, origins ...string) (*httptest.ResponseRecorder, bool) {
	entered := false
	public := web.ChainOptions{Public: web.Public{Origin: "https://mcp.example"}, Origins: origins, Logger: zerolog.Nop()}.PublicChain()
	r := httptest.NewRequest(method, "/mcp", nil)
	r.Host = "mcp.example"
	for name, values := range headers {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	public.ThenFunc(func(http.ResponseWriter, *http.Request) { entered = true }).ServeHTTP(w, r)
	return w, entered
}

func TestOriginAndCORS(t *testing.T) {
	const app = "https://app.example"
	preflight := func(origin string) map[string][]string {
		return map[string][]string{"Origin": {origin}, "Access-Control-Request-Method": {"POST"}}
	}
	for _, test := range []struct {
		name    string
		method  string
		headers map[string][]string
		origins []string
		status  int
		allowed string // Access-Control-Allow-Origin
		entered bool
	}{
		{name: "a program sends no Origin", method: "POST", status: 200, entered: true},
		{name: "any origin is refused by default", method: "POST", headers: map[string][]string{"Origin": {app}}, status: 403},
		{name: "the null origin is refused", method: "POST", headers: map[string][]string{"Origin": {"null"}}, origins: []string{app}, status: 403},
		{name: "an empty Origin is refused", method: "POST", headers: map[string][]string{"Origin": {""}}, origins: []string{app}, status: 403},
		{name: "the server's own origin is served", method: "POST", headers: map[string][]string{"Origin": {"https://mcp.example"}}, status: 200, entered: true},
		{name: "the server's own host under another scheme is refused", method: "POST", headers: map[string][]string{"Origin": {"http://mcp.example"}}, status: 403},
		{name: "a listed origin is served and may read", method: "POST", headers: map[string][]string{"Origin": {app}}, origins: []string{app}, status: 200, allowed: app, entered: true},
		{name: "an origin that begins like a listed one is refused", method: "POST", headers: map[string][]string{"Origin": {app + ".evil.example"}}, origins: []string{app}, status: 403},
		{name: "two origins, one listed, are refused", method: "POST", headers: map[string][]string{"Origin": {app, "https://evil.example"}}, origins: []string{app}, status: 403},
		{name: "a listed origin's preflight is answered at the HTTP chain", method: "OPTIONS", headers: preflight(app), origins: []string{app}, status: 204, allowed: app},
		{name: "a foreign origin's preflight is refused", method: "OPTIONS", headers: preflight("https://evil.example"), origins: []string{app}, status: 403},
		{name: "a preflight without any list is refused", method: "OPTIONS", headers: preflight(app), status: 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, entered := browser(test.method, test.headers, test.origins...)
			if w.Code != test.status || entered != test.entered || w.Header().Get("Access-Control-Allow-Origin") != test.allowed {
				t.Errorf("status %d, entered %v, headers %v", w.Code, entered, w.Header())
			}
			if test.status == 403 && refusalCode(t, w.Body.Bytes()) != "origin_refused" {
				t.Errorf("body %s", w.Body)
			}
			maxAge := map[bool]string{true: "600"}[test.status == 204] // of an answered preflight alone
			if got := w.Header().Get("Access-Control-Max-Age"); got != maxAge {
				t.Errorf("Access-Control-Max-Age %q, want %q", got, maxAge)
			}
			if w.Header().Get("Access-Control-Allow-Credentials") != "" {
				t.Error("credentials are allowed")
			}
		})
	}
}
