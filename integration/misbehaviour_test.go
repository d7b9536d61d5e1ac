package integration

import (
	"compress/gzip"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// behaviours are what a resource server should not do, with the stream or word that selects each and the expected code.
var behaviours = []struct {
	name, code string
	answer     func(http.ResponseWriter, *http.Request)
}{
	{"hangs-up", "server_unreachable", func(w http.ResponseWriter, _ *http.Request) {
		if connection, _, err := w.(http.Hijacker).Hijack(); err == nil {
			_ = connection.Close()
		}
	}},
	{"breaks-off", "response_truncated", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, `{"object":"list","data":[`)
	}},
	{"breaks-off-in-a-chunk", "response_truncated", func(w http.ResponseWriter, _ *http.Request) {
		connection, buffer, err := w.(http.Hijacker).Hijack()
		if err != nil {
			return
		}
		_, _ = buffer.WriteString("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n40\r\n{\"object\"")
		_ = buffer.Flush()
		_ = connection.Close()
	}},
	{"is-a-page", "invalid_response", body(200, "text/html", "<html><body>It works!</body></html>")},
	{"is-empty", "invalid_response", body(200, "application/json", "")},
	{"is-an-array", "invalid_response", body(200, "application/json", `[1,2,3]`)},
	{"is-a-text", "invalid_response", body(200, "application/json", `"hello"`)},
	{"is-null", "invalid_response", body(200, "application/json", `null`)},
	{"is-deep", "invalid_response", body(200, "application/json", strings.Repeat("[", 100_000)+strings.Repeat("]", 100_000))},
	{"is-enormous", "response_too_large", func(w http.ResponseWriter, _ *http.Request) { endless(w) }},
	{"is-a-bomb", "response_too_large", func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		endless(gzip.NewWriter(w))
	}},
	{"redirects", "redirect_refused", nil}, // its target is known when the server runs
	{"fails", "upstream_error", body(500, "text/html", "<h1>Internal Server Error</h1>")},
	{"fails-silently", "upstream_error", body(500, "", "")},
	{"fails-with-a-framework", "upstream_error", body(502, "application/json", `{"statusCode":502,"error":"Bad Gateway","message":"upstream"}`)},
	{"says-why", "grant_revoked", body(403, "application/json", `{"error":{"code":"grant_revoked","message":"The grant was revoked.","type":"permission_error"}}`)},
}

func body(status int, kind, text string) func(http.ResponseWriter, *http.Request) {
	return func(w http.ResponseWriter, _ *http.Request) {
		if kind != "" {
			w.Header().Set("Content-Type", kind)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, text)
	}
}

// endless writes a list without an end, until its reader stops or 64 MiB are written.
func endless(w io.Writer) {
	_, _ = io.WriteString(w, `{"object":"list","data":["`)
	piece := strings.Repeat("x", 1<<16)
	for range 1024 {
		if _, err := io.WriteString(w, piece); err != nil {
			return
		}
	}
	_, _ = io.WriteString(w, `"]}`)
}

// newMisbehaving starts a resource server that answers for the whole schema, so that callers are accepted, and otherwise misbehaves as
// the stream or word of the request says.
func newMisbehaving(t *testing.T) *httptest.Server {
	t.Helper()
	var strayed atomic.Int64
	elsewhere := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { strayed.Add(1) }))
	released := make(chan struct{})
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked := r.URL.Query().Get("stream") + r.URL.Query().Get("q")
		if rest, ok := strings.CutPrefix(r.URL.Path, "/v1/streams/"); ok {
			asked, _, _ = strings.Cut(rest, "/")
		}
		switch asked {
		case "":
			body(200, "application/json", `{"object":"schema","bearer":{"token_kind":"client","grant_id":"g"},"connectors":[]}`)(w, r)
			return
		case "redirects":
			http.Redirect(w, r, elsewhere.URL+r.URL.Path, http.StatusTemporaryRedirect)
			return
		case "is-slow":
			select {
			case <-r.Context().Done():
			case <-released:
			}
			return
		}
		for _, b := range behaviours {
			if b.name == asked {
				b.answer(w, r)
			}
		}
	}))
	t.Cleanup(func() {
		close(released)
		server.Close()
		elsewhere.Close()
		if strayed.Load() != 0 {
			t.Error("a redirect was followed, and the token with it")
		}
	})
	return server
}

// callsOf returns a call of each tool that meets the behaviour.
func callsOf(name string) []example {
	return []example{
		{"schema", args(`{"stream":"` + name + `"}`)},
		{"query_records", args(`{"stream":"` + name + `"}`)},
		{"aggregate", args(`{"stream":"` + name + `","metric":"count"}`)},
		{"search", args(`{"q":"` + name + `"}`)},
		{"fetch", args(`{"id":"` + name + `:1"}`)},
		{"read_record_field", args(`{"id":"` + name + `:1","field":"body"}`)},
	}
}

// TestAMisbehavingResourceServerIsNamedAsSuch covers S3-R3: for every tool, each fault becomes an error that names it; nothing hangs or
// panics, and the next call is served.
func TestAMisbehavingResourceServerIsNamedAsSuch(t *testing.T) {
	server := newMisbehaving(t)
	url, process := serve(t, "--rs-url", server.URL, "--read-timeout", "20s", "--no-breaker")
	s := overHTTP(t, url, "a-token")
	for _, b := range behaviours {
		t.Run(b.name, func(t *testing.T) {
			t.Parallel()
			s := session{s.ClientSession, t}
			for _, call := range callsOf(b.name) {
				got := s.refusal(call.tool, call.arguments)
				if got.Code != b.code || got.Message == "" {
					t.Errorf("%s: got %+v, want the code %s", call.tool, got, b.code)
				}
			}
			s.text("schema", args(`{}`))
		})
	}
	t.Cleanup(func() {
		if log := process.stderr.String(); strings.Contains(log, `"panic`) || strings.Contains(log, "goroutine ") || strings.Contains(log, "a-token") {
			t.Errorf("the log has a panic or a token:\n%s", log)
		}
	})
}

// TestASlowResourceServerIsNotWaitedFor covers S3-R3.
func TestASlowResourceServerIsNotWaitedFor(t *testing.T) {
	server := newMisbehaving(t)
	url, _ := serve(t, "--rs-url", server.URL, "--read-timeout", "300ms")
	s := overHTTP(t, url, "a-token")
	for _, call := range callsOf("is-slow") {
		if got := s.refusal(call.tool, call.arguments); got.Code != "deadline_exceeded" {
			t.Errorf("%s: got %+v", call.tool, got)
		}
	}
	s.text("schema", args(`{}`))
}

// TestAFailingResourceServerIsNotCalledAgain covers S3-R3: calls of a grant whose reads failed are refused immediately, with when to
// retry, and do not reach the server. Calls of another grant are tried.
func TestAFailingResourceServerIsNotCalledAgain(t *testing.T) {
	var down atomic.Bool
	var requests atomic.Int64
	inner := newMisbehaving(t).Config.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		if down.Load() {
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	url, _ := serve(t, "--rs-url", server.URL)
	s := overHTTP(t, url, "a-token")
	s.text("schema", args(`{}`))
	down.Store(true)
	for range 20 {
		s.refusal("search", args(`{"q":"x"}`))
	}
	before := requests.Load()
	got := s.refusal("query_records", args(`{"stream":"notes"}`))
	if got.Code != "server_unavailable" || !strings.Contains(got.text, "failing for this grant since") || !strings.Contains(got.text, "retry_after_seconds=") {
		t.Errorf("got %+v", got)
	}
	if requests.Load() != before {
		t.Errorf("the server got %d requests", requests.Load()-before)
	}
	status, header, text := post(t, url, "another-token", listRequest)
	if wait, err := strconv.Atoi(header.Get("Retry-After")); status != http.StatusServiceUnavailable || !strings.Contains(text, `"authority_unreachable"`) || err != nil || wait < 1 || wait > 6 {
		t.Errorf("another caller gets %d, Retry-After %q: %s", status, header.Get("Retry-After"), text)
	}
}

// TestAResourceServerThatStopsAndReturns covers S3-R3: while it is down, known callers get a typed error and unknown ones 503;
// afterwards, reads succeed.
func TestAResourceServerThatStopsAndReturns(t *testing.T) {
	var down atomic.Bool
	inner := newMisbehaving(t).Config.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if down.Load() {
			panic(http.ErrAbortHandler) // the connection is closed without an answer
		}
		inner.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	url, _ := serve(t, "--rs-url", server.URL)
	s := overHTTP(t, url, "a-token")
	s.text("schema", args(`{}`))

	down.Store(true)
	if got := s.refusal("schema", args(`{}`)); got.Code != "server_unreachable" {
		t.Errorf("got %+v", got)
	}
	status, header, text := post(t, url, "another-token", listRequest)
	if status != http.StatusServiceUnavailable || !strings.Contains(text, `"authority_unreachable"`) || header.Get("Retry-After") == "" {
		t.Errorf("another caller gets %d %s", status, text)
	}

	down.Store(false)
	s.text("schema", args(`{}`))
	if status, _, text := post(t, url, "another-token", listRequest); status != http.StatusOK {
		t.Errorf("the stranger still gets %d %s", status, text)
	}
}

// TestATokenThatDiesMidwayIsChallenged covers D7: a 401 for a read becomes 401 with the challenge if the token is no longer active, and
// stays an error result if only this stream is not granted.
func TestATokenThatDiesMidwayIsChallenged(t *testing.T) {
	var dead atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case dead.Load():
			body(401, "application/json", `{"error":{"code":"context.active_false","message":"The token is not active.","type":"authentication_error"}}`)(w, r)
		case r.URL.Path == "/v1/schema":
			body(200, "application/json", `{"object":"schema","bearer":{"token_kind":"client","grant_id":"g"},"connectors":[]}`)(w, r)
		default:
			body(401, "application/json", `{"error":{"code":"context.stream_not_allowed","message":"The stream is not granted.","type":"authentication_error"}}`)(w, r)
		}
	}))
	t.Cleanup(server.Close)
	url, _ := serve(t, "--rs-url", server.URL)
	const call = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}}}`

	status, _, text := post(t, url, "a-token", call)
	if status != http.StatusOK || !strings.Contains(text, "context.stream_not_allowed") {
		t.Errorf("a stream that is not granted gives %d %s", status, text)
	}
	dead.Store(true)
	status, header, text := post(t, url, "a-token", call)
	if status != http.StatusUnauthorized || !strings.Contains(header.Get("WWW-Authenticate"), "resource_metadata=") || !strings.Contains(text, "context.active_false") {
		t.Errorf("an inactive token gives %d %q %s", status, header.Get("WWW-Authenticate"), text)
	}
}

// post sends one message and returns the answer unchanged.
func post(t *testing.T, url, token, message string) (int, http.Header, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Authorization", "Bearer "+token)
	return do(t, request)
}

// TestALogHasNeitherTokensNorRecords reads the log that serve writes while it is used.
func TestALogHasNeitherTokensNorRecords(t *testing.T) {
	url, process := serve(t, append([]string{"--rs-url", sample.RSURL, "--log-level", "debug"}, introspected(sample)...)...)
	s := overHTTP(t, url, sample.ClientToken)
	s.text("search", args(`{"q":"sextant"}`))
	s.text("fetch", args(`{"id":"cin_notes/notes:note-0097"}`))
	s.refusal("fetch", args(`{"id":"cin_notes/notes:none"}`))
	if err := process.stop(); err != nil { // after that the log is complete
		t.Fatal(err)
	}
	log := process.stderr.String()
	for _, secret := range []string{sample.ClientToken, sample.IntrospectionClientSecret, "sextant", "night guard"} {
		if strings.Contains(log, secret) {
			t.Errorf("the log contains %q:\n%s", secret, log)
		}
	}
	var tools []string
	for line := range strings.Lines(log) {
		var event struct {
			Tool    string `json:"tool"`
			Message string `json:"message"`
		}
		if err := json.Unmarshal([]byte(line), &event); err != nil {
			t.Errorf("a line of the log is not an event: %q", line)
		}
		if event.Message == "call" {
			tools = append(tools, event.Tool)
		}
	}
	if !slices.Equal(tools, []string{"search", "fetch", "fetch"}) {
		t.Errorf("the log has the calls %v", tools)
	}
}
