package web_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/justinas/alice"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

func TestAccessLog(t *testing.T) {
	for _, test := range []struct {
		name, target string
		pipeline     http.HandlerFunc
		want         map[string]any
	}{
		{
			name: "one line says who asked for what, without the query", target: "/mcp?access_token=secret",
			pipeline: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "12345") },
			want:     map[string]any{"level": "info", "message": "request", "method": "POST", "path": "/mcp", "status": 200.0, "bytes": 5.0, "request_id": "r1"},
		},
		{
			name: "a status is noted once", target: "/mcp",
			pipeline: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404); _, _ = io.WriteString(w, "x") },
			want:     map[string]any{"level": "info", "message": "request", "method": "POST", "path": "/mcp", "status": 404.0, "bytes": 1.0, "request_id": "r1"},
		},
		{
			name: "a panic is a 500 in the log, too", target: "/mcp",
			pipeline: func(http.ResponseWriter, *http.Request) { panic("secret") },
			want:     map[string]any{"level": "info", "message": "request", "method": "POST", "path": "/mcp", "status": 500.0, "bytes": 90.0, "code": "internal_error", "request_id": "r1"},
		},
		{
			name: "a path that is not ours, which may hold a token, is not shown", target: "/mcp/secret",
			pipeline: func(http.ResponseWriter, *http.Request) {},
			want:     map[string]any{"level": "info", "message": "request", "method": "POST", "path": "other", "status": 0.0, "bytes": 0.0, "request_id": "r1"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			chain := alice.New(web.Record(web.Public{}), web.AccessLog(zerolog.New(&log)), web.RecoverHTTP(zerolog.Nop()))
			r := httptest.NewRequest(http.MethodPost, test.target, nil)
			r.Header.Set("Request-Id", "r1")
			r.Header.Set("Authorization", "Bearer secret")
			chain.Then(test.pipeline).ServeHTTP(httptest.NewRecorder(), r)
			var got map[string]any
			if err := json.Unmarshal(log.Bytes(), &got); err != nil {
				t.Fatalf("not one line of JSON: %q", &log)
			}
			if ms, ok := got["ms"].(float64); !ok || ms < 0 {
				t.Errorf("ms: %v", got["ms"])
			}
			delete(got, "ms")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
		})
	}
}
