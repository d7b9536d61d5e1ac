package embedded

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

func TestFaultsAreReportedToTheHostAlone(t *testing.T) {
	store, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	if err := store.Load(t.Context(), testCorpus(), "test", nil); err != nil {
		t.Fatal(err)
	}
	r := newRigOver(t, store, Options{})
	var fault error
	r.server.options.Fault = func(_ *http.Request, err error) { fault = err }
	if err := store.Close(); err != nil {
		t.Fatal(err)
	}
	got := r.get("tok-client", "/v1/streams")
	if got.status != 500 || got.code() != "internal_error" || fault == nil {
		t.Fatalf("status %d, fault %v: %s", got.status, fault, got.text)
	}
	if strings.Contains(got.text, fault.Error()) {
		t.Errorf("the client gets the cause: %s", got.text)
	}
}

func TestRoutes(t *testing.T) {
	r := newRig(t)
	for _, test := range []struct {
		name, method, target string
		status               int
	}{
		{"an unknown path", http.MethodGet, "/", 404},
		{"an unknown read", http.MethodGet, "/v1/nowhere", 404},
		{"an empty stream name", http.MethodGet, "/v1/streams/", 404},
		{"a write", http.MethodPost, "/v1/streams", 405},
		{"introspection by GET", http.MethodGet, "/introspect", 404},
		{"a malformed query", http.MethodGet, "/v1/streams?a=%zz", 400},
		{"a parameter given twice", http.MethodGet, "/v1/streams/messages/records?limit=1&limit=2", 400},
		{"a HEAD request is a read", http.MethodHead, "/v1/streams", 200},
	} {
		t.Run(test.name, func(t *testing.T) {
			request := httptest.NewRequest(test.method, testOrigin+"/", nil)
			path, query, _ := strings.Cut(test.target, "?")
			request.URL.Path, request.URL.RawQuery = path, query
			request.Header.Set("Authorization", "Bearer tok-client")
			if got := r.do(request); got.status != test.status || got.header.Get("Request-Id") == "" {
				t.Errorf("status %d, want %d: %s", got.status, test.status, got.text)
			} else if allow := got.header.Get("Allow"); (allow == "GET, HEAD") != (got.status == http.StatusMethodNotAllowed) {
				t.Errorf("status %d with Allow: %s", got.status, allow)
			}
		})
	}
}
