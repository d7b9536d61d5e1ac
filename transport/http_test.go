package transport_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// rawCall posts one tool call without an SDK client in between.
func (f fixture) rawCall(ctx context.Context, version string) {
	body := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	if version != "2026-07-28" {
		body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo","arguments":{}}}`
	}
	r, _ := http.NewRequestWithContext(ctx, http.MethodPost, f.URL+"/mcp", strings.NewReader(body))
	for name, value := range map[string]string{
		"Authorization": "Bearer good", "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": version, "Mcp-Method": "tools/call", "Mcp-Name": "echo",
	} {
		r.Header.Set(name, value)
	}
	if response, err := http.DefaultTransport.RoundTrip(r); err == nil {
		_ = response.Body.Close()
	}
}

const listTools = `{"jsonrpc":"2.0","id":7,"method":"tools/list"}`

func TestTransportErrorsAreJSON(t *testing.T) {
	for _, test := range []struct {
		name    string
		method  string
		path    string
		body    string
		headers map[string]string
		status  int
		code    string // of an HTTP chain-shaped body
		rpc     int64  // of a JSON-RPC body
		id      string // of a JSON-RPC body
	}{
		{name: "an unknown path", path: "/nope", status: 404, code: "not_found"},
		{name: "the endpoint with a slash is another path", path: "/mcp/", status: 404, code: "not_found"},
		{name: "a path that a mux would clean", path: "//mcp", status: 404, code: "not_found"},
		{name: "GET at the endpoint", method: "GET", path: "/mcp", headers: map[string]string{"Authorization": "Bearer good"}, status: 405, code: "method_not_allowed"},
		{name: "DELETE at the endpoint", method: "DELETE", path: "/mcp", headers: map[string]string{"Authorization": "Bearer good"}, status: 405, code: "method_not_allowed"},
		{name: "OPTIONS at the endpoint", method: "OPTIONS", path: "/mcp", headers: map[string]string{"Authorization": "Bearer good"}, status: 405, code: "method_not_allowed"},
		{name: "S3-6a GET without a bearer is challenged first", method: "GET", path: "/mcp", status: 401, code: "not_authenticated"},
		{name: "S3-6b an owner", headers: map[string]string{"Authorization": "Bearer owner"}, body: listTools, status: 403, code: "owner_token_refused"},
		{name: "POST at the metadata", path: "/.well-known/oauth-protected-resource", status: 405, code: "method_not_allowed"},
		{name: "a form", body: "a=b", headers: map[string]string{"Content-Type": "application/x-www-form-urlencoded"}, status: 415, code: "unsupported_media_type"},
		{name: "no content type", body: listTools, headers: map[string]string{"Content-Type": "-"}, status: 415, code: "unsupported_media_type"},
		{name: "a type that only begins like JSON", body: listTools, headers: map[string]string{"Content-Type": "application/json-seq"}, status: 415, code: "unsupported_media_type"},
		{name: "another character set", body: listTools, headers: map[string]string{"Content-Type": "application/json; charset=utf-16"}, status: 415, code: "unsupported_media_type"},
		{name: "a compressed body", body: listTools, headers: map[string]string{"Content-Encoding": "gzip"}, status: 415, code: "unsupported_media_type"},
		{name: "an answer nobody can give", body: listTools, headers: map[string]string{"Accept": "text/html"}, status: 406, code: "not_acceptable"},
		{name: "an event stream alone", body: listTools, headers: map[string]string{"Accept": "text/event-stream"}, status: 406, code: "not_acceptable"},
		{name: "a body of more than 128 KiB", body: `"` + strings.Repeat("a", 128<<10) + `"`, status: 413, code: "request_too_large"},
		{name: "a foreign browser", body: listTools, headers: map[string]string{"Origin": "https://evil.example"}, status: 403, code: "origin_refused"},
		{name: "no body", status: 400, rpc: -32700, id: "null"},
		{name: "malformed JSON", body: `{"jsonrpc":`, status: 400, rpc: -32700, id: "null"},
		{name: "two messages", body: listTools + listTools, status: 400, rpc: -32700, id: "null"},
		{name: "a batch", body: "[" + listTools + "]", status: 400, rpc: -32600, id: "null"},
		{name: "a batch in the era that had them", body: "[" + listTools + "]", headers: map[string]string{"Mcp-Protocol-Version": "2025-03-26"}, status: 400, rpc: -32600, id: "null"},
		{name: "an empty batch", body: "[]", status: 400, rpc: -32600, id: "null"},
		{name: "a string", body: `"hello"`, status: 400, rpc: -32600, id: "null"},
		{name: "null", body: `null`, status: 400, rpc: -32600, id: "null"},
		{name: "no version tag", body: `{"id":7,"method":"tools/list"}`, status: 400, rpc: -32600, id: "null"},
		{name: "an id that is an object", body: `{"jsonrpc":"2.0","id":{},"method":"tools/list"}`, status: 400, rpc: -32600, id: "null"},
		{name: "a method that is a number", body: `{"jsonrpc":"2.0","id":7,"method":1}`, status: 400, rpc: -32600, id: "null"},
		{name: "an unknown method", body: `{"jsonrpc":"2.0","id":"x","method":"nope"}`, status: 400, rpc: -32601, id: `"x"`},
		{name: "a call without an id", body: `{"jsonrpc":"2.0","method":"tools/list"}`, status: 400, rpc: -32600, id: "null"},
		{name: "an unsupported protocol version", body: listTools, headers: map[string]string{"Mcp-Protocol-Version": "1999-01-01"}, status: 400, rpc: -32600, id: "7"},
		{name: "a resumed stream", body: listTools, headers: map[string]string{"Last-Event-ID": "1"}, status: 400, rpc: -32600, id: "7"},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := newFixture(t, echo)
			var got answer
			if test.path != "" {
				method := test.method
				if method == "" {
					method = http.MethodPost
				}
				got = f.send(t, method, test.path, test.body, test.headers)
			} else {
				got = f.post(t, test.body, test.headers)
			}
			if got.status != test.status || got.header.Get("Content-Type") != "application/json" || got.header.Get("Cache-Control") != "no-store" {
				t.Fatalf("%d %v %s", got.status, got.header, got.body)
			}
			if allow := got.header.Get("Allow"); (test.status == 405) != (allow != "") ||
				test.path == "/mcp" && test.status == 405 && allow != "POST" {
				t.Errorf("Allow %q", allow)
			}
			var body struct {
				Version string          `json:"jsonrpc"`
				ID      json.RawMessage `json:"id"`
				Error   struct {
					Code    json.RawMessage
					Message string
				}
			}
			if err := json.Unmarshal([]byte(got.body), &body); err != nil || body.Error.Message == "" {
				t.Fatalf("body %q: %v", got.body, err)
			}
			if test.code != "" && string(body.Error.Code) != `"`+test.code+`"` {
				t.Errorf("body %s, want code %s", got.body, test.code)
			}
			if want, _ := json.Marshal(test.rpc); test.rpc != 0 &&
				(string(body.Error.Code) != string(want) || string(body.ID) != test.id || body.Version != "2.0") {
				t.Errorf("body %s, want code %d and id %s", got.body, test.rpc, test.id)
			}
			if f.calls.Load() != 0 {
				t.Error("the pipeline heard of it")
			}
		})
	}
}

func TestEndpointIsContentWithLess(t *testing.T) {
	for name, headers := range map[string]map[string]string{
		"JSON with a charset":         {"Content-Type": "application/json; charset=utf-8"},
		"a client that takes any":     {"Accept": "*/*"},
		"a client that takes JSON":    {"Accept": "application/json;q=0.9"},
		"a client that does not say":  {"Accept": "-"},
		"no protocol version":         {},
		"the server's own web origin": {"Origin": "https://mcp.example"},
	} {
		t.Run(name, func(t *testing.T) {
			got := newFixture(t, echo).post(t, listTools, headers)
			if got.status != 200 || got.header.Get("Content-Type") != "application/json" || got.header.Get("Cache-Control") != "no-store" || !strings.Contains(got.body, `"id":7`) {
				t.Errorf("%d %v %s", got.status, got.header, got.body)
			}
		})
	}
	t.Run("a notification is accepted without a body", func(t *testing.T) {
		got := newFixture(t, echo).post(t, `{"jsonrpc":"2.0","method":"notifications/initialized"}`, nil)
		if got.status != 202 || got.body != "" {
			t.Errorf("%d %q", got.status, got.body)
		}
	})
}

func TestABodyThatDoesNotAnnounceItsLengthIsCut(t *testing.T) {
	f := newFixture(t, echo)
	body := io.MultiReader(strings.NewReader(listTools), strings.NewReader(strings.Repeat(" ", 1<<20)))
	request := httptest.NewRequest(http.MethodPost, "/mcp", body)
	request.Host = "mcp.example"
	request.Header.Set("Authorization", "Bearer good")
	request.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	f.Config.Handler.ServeHTTP(w, request)
	if w.Code != 413 || !strings.Contains(w.Body.String(), `"code":"request_too_large"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}

// subscriptions/listen alone is an event stream. Nothing here ever changes, so it ends at once.
func TestAListenerLearnsThatThereIsNothingToHear(t *testing.T) {
	body := `{"jsonrpc":"2.0","id":7,"method":"subscriptions/listen","params":{"notifications":{"toolsListChanged":true},"_meta":{` +
		`"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}}}`
	got := newFixture(t, echo).post(t, body, map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": "subscriptions/listen"})
	if got.status != 200 || got.header.Get("Content-Type") != "text/event-stream" || got.header.Get("Cache-Control") != "no-store" || !strings.Contains(got.body, `"id":7`) {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
}

func TestMetadata(t *testing.T) {
	const adapter = `"description":"MCP is an adapter over PDPP reads; the core query base is pdpp_core_query_base."` // S3-R9
	const root = `{"resource":"https://mcp.example","resource_name":"Personal data","authorization_servers":["https://as.example"],` +
		`"bearer_methods_supported":["header"],"pdpp_core_query_base":"https://rs.example/v1","pdpp_token_kinds_supported":["client"],` +
		`"pdpp_agent_discovery":{"mcp":{"endpoint":"https://mcp.example/mcp","transport":"streamable_http",` + adapter + `}}}` + "\n"
	const specific = `{"resource":"https://mcp.example/mcp","resource_name":"Personal data","authorization_servers":["https://as.example"],` +
		`"bearer_methods_supported":["header"],"pdpp_core_query_base":"https://rs.example/v1","pdpp_token_kinds_supported":["client"],` +
		`"pdpp_agent_discovery":{"mcp":{"endpoint":"https://mcp.example/mcp","transport":"streamable_http",` + adapter + `}}}` + "\n"
	f := newFixture(t, echo)
	for path, want := range map[string]string{
		"/.well-known/oauth-protected-resource":     root,     // S3-9a
		"/.well-known/oauth-protected-resource/mcp": specific, // S3-9b, S3-17c, S3-18b
	} {
		got := f.send(t, http.MethodGet, path, "", nil)
		if diff := cmp.Diff(want, got.body); diff != "" || got.status != 200 || got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %v (-want +got):\n%s", path, got.status, got.header, diff)
		}
		if head := f.send(t, http.MethodHead, path, "", nil); head.status != 200 || head.body != "" {
			t.Errorf("HEAD %s: %+v", path, head)
		}
	}
}

// The same resource is named everywhere: the challenge leads to the document whose resource is the endpoint.
func TestAChallengeLeadsToItsDocument(t *testing.T) {
	proxy := func(w http.ResponseWriter, path string) {
		handler := transport.Handler(transport.HandlerOptions{
			Server: testServer(echo, io.Discard), Authenticator: &authority{}, Logger: zerolog.Nop(),
			Public:   web.Public{Hosts: []string{"mcp.example"}, Proxies: []netip.Prefix{netip.MustParsePrefix("192.0.2.0/24")}},
			Metadata: transport.Metadata{Packages: true},
		})
		r := httptest.NewRequest(http.MethodGet, path, nil)
		r.Host, r.RemoteAddr = "10.0.0.1:8080", "192.0.2.7:1"
		r.Header.Set("X-Forwarded-Host", "mcp.example")
		r.Header.Set("X-Forwarded-Proto", "https")
		handler.ServeHTTP(w, r)
	}
	challenge := httptest.NewRecorder()
	proxy(challenge, "/mcp")
	const metadata = "https://mcp.example/.well-known/oauth-protected-resource/mcp"
	if challenge.Code != 401 || !strings.Contains(challenge.Header().Get("WWW-Authenticate"), `resource_metadata="`+metadata+`"`) {
		t.Fatalf("S3-18a: %d %v", challenge.Code, challenge.Header())
	}
	document := httptest.NewRecorder()
	proxy(document, strings.TrimPrefix(metadata, "https://mcp.example"))
	want := `{"resource":"https://mcp.example/mcp","bearer_methods_supported":["header"],"pdpp_token_kinds_supported":["client","mcp_package"],` +
		`"pdpp_agent_discovery":{"mcp":{"endpoint":"https://mcp.example/mcp","transport":"streamable_http",` +
		`"description":"MCP is an adapter over PDPP reads; the core query base is pdpp_core_query_base."}}}` + "\n"
	if diff := cmp.Diff(want, document.Body.String()); diff != "" {
		t.Errorf("S3-9c D10 (-want +got):\n%s", diff)
	}
	if got := document.Header().Get("Cache-Control"); got != "no-store" {
		t.Errorf("a document that depends on the request may be kept: %q", got)
	}
}

func TestIcon(t *testing.T) {
	got := newFixture(t, echo).send(t, http.MethodGet, "/icon.svg", "", nil)
	if got.status != 200 || got.header.Get("Content-Type") != "image/svg+xml" || !strings.HasPrefix(got.body, "<svg ") ||
		strings.Contains(got.body, "script") {
		t.Errorf("%d %v %s", got.status, got.header, got.body)
	}
}

// A 401 of the resource server in the midst of a call, all the way through the SDK (D7).
func TestADeadTokenTurnsTheResultIntoAChallenge(t *testing.T) {
	pipeline := func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		middleware.RequestFrom(ctx).NoteUnauthorized("context.active_false")
		return echo(ctx, call)
	}
	const call = `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"echo","arguments":{}}}`
	t.Run("the authority says that it is dead", func(t *testing.T) {
		f := newFixture(t, pipeline)
		f.authority.dead = &rs.Error{Code: "grant_revoked", Message: "Revoked."}
		got := f.post(t, call, nil)
		if got.status != 401 || !strings.Contains(got.body, `"code":"grant_revoked"`) || strings.Contains(got.body, "jsonrpc") ||
			!strings.Contains(got.header.Get("WWW-Authenticate"), "resource_metadata=") || got.header.Get("Cache-Control") != "no-store" {
			t.Errorf("%d %v %s", got.status, got.header, got.body)
		}
	})
	t.Run("the authority says that it lives", func(t *testing.T) {
		got := newFixture(t, pipeline).post(t, call, nil)
		if got.status != 200 || !strings.Contains(got.body, `"id":7`) || got.header.Get("WWW-Authenticate") != "" {
			t.Errorf("%d %v %s", got.status, got.header, got.body)
		}
	})
}

// A canary: a token that is used for everything appears in no log line, at debug level, and in no answer.
func TestATokenIsNowhere(t *testing.T) {
	const canary = "canary9a2b"
	var seen rs.Token
	f := newFixture(t, func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		seen = auth.PrincipalFrom(ctx).Token
		if call.URI != "" {
			panic(seen) // of what a fault drags along, the log shows the type
		}
		return tools.Reply{}, &rs.Error{Code: "upstream_error", Message: seen.String()}
	})
	var answers strings.Builder
	for _, token := range []string{"good-" + canary, "owner-" + canary, "unknown-" + canary, canary + "\""} {
		for _, body := range []string{
			listTools,
			`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"echo"}}`,
			`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"pdpp://thing/1"}}`,
			`{"jsonrpc":`,
		} {
			got := f.post(t, body, map[string]string{"Authorization": "Bearer " + token})
			_, _ = fmt.Fprintln(&answers, got.header, got.body)
		}
	}
	f.Close()
	if seen.Reveal() != "good-"+canary {
		t.Fatal("the pipeline never saw the principal")
	}
	if log := f.log.String(); strings.Contains(log, canary) || !strings.Contains(log, `"panic":"rs.Token"`) {
		t.Errorf("log %s", log)
	}
	if strings.Contains(answers.String(), canary) {
		t.Errorf("answers %s", &answers)
	}
}
