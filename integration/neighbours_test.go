package integration

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
)

// newTenantsRS starts a resource server that accepts every token, each with a different grant. It answers reads with the token "bad" with
// misbehave.
func newTenantsRS(t *testing.T, misbehave http.HandlerFunc) *httptest.Server {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
		switch {
		case r.URL.Path == "/v1/schema":
			body(200, "application/json", fmt.Sprintf(`{"object":"schema","bearer":{"token_kind":"client","grant_id":"grant-%s"},"connectors":[]}`, token))(w, r)
		case token == "bad":
			misbehave(w, r)
		default:
			body(200, "application/json", `{"object":"list","data":[],"has_more":false}`)(w, r)
		}
	}))
	t.Cleanup(func() {
		server.CloseClientConnections()
		server.Close()
	})
	return server
}

// Failing reads of one grant open only the breaker of that grant. Calls of other grants between the failures are all served.
func TestFailuresOfOneGrantDoNotStopOthers(t *testing.T) {
	for name, misbehave := range map[string]http.HandlerFunc{
		"500":     body(500, "application/json", `{"error":{"code":"broken","message":"No."}}`),
		"silence": func(_ http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"silence after the headers": func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(200)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		},
		"a closed connection": func(w http.ResponseWriter, _ *http.Request) {
			if connection, _, err := http.NewResponseController(w).Hijack(); err == nil {
				_ = connection.Close()
			}
		},
		"an answer that breaks off": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "1000")
			_, _ = io.WriteString(w, `{"object":"list","data":[`)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var requests atomic.Int64
			server := newTenantsRS(t, func(w http.ResponseWriter, r *http.Request) {
				requests.Add(1)
				misbehave(w, r)
			})
			url, _ := serve(t, "--rs-url", server.URL, "--read-timeout", "2500ms", "--retries", "0", "--token-rate", "0")
			for tenant := range 10 { // all are known before the failures
				if status, _, text := post(t, url, fmt.Sprint("tenant-", tenant), readOf("notes")); status != 200 {
					t.Fatalf("%d %s", status, text)
				}
			}
			var calls sync.WaitGroup
			for range 32 {
				calls.Go(func() { post(t, url, "bad", readOf("notes")) })
			}
			calls.Wait()
			before := requests.Load()
			if _, _, text := post(t, url, "bad", readOf("notes")); !strings.Contains(text, "server_unavailable") || !strings.Contains(text, "for this grant") || requests.Load() != before {
				t.Errorf("after %d failures the grant is answered %s", before, text)
			}
			refused := 0
			for call := range 50 {
				if _, _, text := post(t, url, fmt.Sprint("tenant-", call%10), readOf("notes")); !strings.Contains(text, `"isError":false`) && strings.Contains(text, `"isError":true`) {
					refused++
				}
			}
			if refused > 0 {
				t.Errorf("%d of 50 calls of healthy tenants were refused", refused)
			}
		})
	}
}
