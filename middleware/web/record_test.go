package web_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

func TestRequestID(t *testing.T) {
	for _, test := range []struct {
		name, header, value string
		kept                bool
	}{
		{"a sane id is kept", "Request-Id", "req_1.A-b", true},
		{"the other spelling is kept", "X-Request-Id", "abc", true},
		{"64 characters are kept", "Request-Id", strings.Repeat("a", 64), true},
		{"65 characters are replaced", "Request-Id", strings.Repeat("a", 65), false},
		{"a space is replaced", "Request-Id", "a b", false},
		{"a quote inside is replaced", "Request-Id", `a"b`, false},
		{"an escape sequence is replaced", "Request-Id", "a\x1b[1mb", false},
		{"the caller's own token is replaced", "Request-Id", "a-callers-token", false},
		{"a part of it is replaced", "Request-Id", "callers-", false},
		{"none is made up", "Request-Id", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var inside string
			handler := web.Record(
				web.Public{},
			)(
				http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { inside = middleware.RequestFrom(r.Context()).ID }),
			)
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header.Set("Authorization", "Bearer a-callers-token")
			r.Header.Set(test.header, test.value)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if answered := w.Header().Get("Request-Id"); answered != inside || inside == "" || (inside == test.value) != test.kept {
				t.Errorf("inside %q, answered %q", inside, answered)
			}
		})
	}
}
