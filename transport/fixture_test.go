package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// authority lets tokens in that begin with "good". Revalidate says what dead says.
type authority struct{ dead error }

func (a *authority) Authenticate(_ context.Context, token rs.Token) (auth.Principal, error) {
	switch name, _, _ := strings.Cut(token.Reveal(), "-"); name {
	case "good":
		return auth.Principal{Token: token, Kind: auth.KindClient, GrantID: "grt_1"}, nil
	case "owner":
		return auth.Principal{Token: token, Kind: auth.KindOwner}, nil
	default:
		return auth.Principal{}, &rs.Error{Code: rs.TokenInactive, Message: "The access token is not active."}
	}
}

func (a *authority) Revalidate(ctx context.Context, token rs.Token, _ rs.Code) (auth.Principal, error) {
	if a.dead != nil {
		return auth.Principal{}, a.dead
	}
	return a.Authenticate(ctx, token)
}

// fixture is the hosted adapter with a pipeline of the test's own.
type fixture struct {
	*httptest.Server
	authority *authority
	calls     *atomic.Int64 // that reached the pipeline
	log       *bytes.Buffer
}

func testTools() []*tools.Tool {
	object := json.RawMessage(`{"type":"object"}`)
	return []*tools.Tool{
		{Name: "echo", Title: "Echo", Description: "Says it again.", Input: object, Output: object, Listed: true},
		{Name: "hidden", Title: "Hidden", Description: "For those who know it.", Input: object},
	}
}

func testResources() []tools.Resource {
	call := func(uri string) (tools.Call, error) {
		if strings.Contains(uri, "bad") {
			return tools.Call{}, &rs.Error{Code: "invalid_uri", Message: "Not one of ours.", Hint: "Use pdpp://thing/ID."}
		}
		return tools.Call{Tool: testTools()[0], URI: uri}, nil
	}
	return []tools.Resource{
		{URI: "pdpp://fixed", Name: "fixed", MIMEType: "application/json", Call: call},
		{URI: "pdpp://thing/{id}", Template: true, Name: "thing", Title: "A thing", MIMEType: "application/json", Call: call},
	}
}

// echo is a pipeline that answers everything.
func echo(_ context.Context, call tools.Call) (tools.Reply, error) {
	if call.URI != "" {
		return tools.Reply{Resource: &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: call.URI, Text: "{}"}}}}, nil
	}
	return tools.Reply{Result: &mcp.CallToolResult{
		Content:           []mcp.Content{&mcp.TextContent{Text: call.Tool.Name + " " + string(call.Raw)}},
		StructuredContent: json.RawMessage("{\n  \"ok\": true\n}"),
	}}, nil
}

func testServer(pipeline tools.Handler, log io.Writer) *transport.Server {
	return transport.NewServer(transport.ServerOptions{
		Self: mcp.Implementation{Name: "pdpp-mcp", Title: "PDPP", Version: "1.2.3"}, Instructions: "Read the schema first.",
		Tools: testTools(), Resources: testResources(), Handler: pipeline,
		Logger: zerolog.New(zerolog.SyncWriter(log)).Level(zerolog.DebugLevel),
	})
}

func newFixture(t *testing.T, pipeline tools.Handler) fixture {
	t.Helper()
	f := fixture{authority: &authority{}, calls: &atomic.Int64{}, log: &bytes.Buffer{}}
	log := zerolog.SyncWriter(f.log)
	counted := func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		f.calls.Add(1)
		return pipeline(ctx, call)
	}
	f.Server = httptest.NewServer(transport.Handler(transport.HandlerOptions{
		Server: testServer(counted, log), Authenticator: f.authority,
		Public: web.Public{Origin: "https://mcp.example"},
		Metadata: transport.Metadata{
			ResourceName: "Personal data", ResourceServer: "https://rs.example/", AuthorizationServers: []string{"https://as.example"},
		},
		Logger: zerolog.New(log).Level(zerolog.DebugLevel),
	}))
	t.Cleanup(f.Close)
	return f
}

// answer is one HTTP answer, read to its end.
type answer struct {
	status int
	header http.Header
	body   string
}

func (f fixture) send(t *testing.T, method, path, body string, headers map[string]string) answer {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, f.URL+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultTransport.RoundTrip(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return answer{response.StatusCode, response.Header, string(text)}
}

// post sends one message as a client would. A header set to "-" is left out.
func (f fixture) post(t *testing.T, body string, headers map[string]string) answer {
	t.Helper()
	all := map[string]string{
		"Authorization": "Bearer good",
		"Content-Type":  "application/json",
		"Accept":        "application/json, text/event-stream",
	}
	for name, value := range headers {
		all[name] = value
		if value == "-" {
			delete(all, name)
		}
	}
	return f.send(t, http.MethodPost, "/mcp", body, all)
}

// bearing adds a bearer to every request of a client.
type bearing struct{ token string }

func (b bearing) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+b.token)
	return http.DefaultTransport.RoundTrip(r)
}

// connect is the SDK's own client, speaking one protocol version.
func (f fixture) connect(t *testing.T, version string) *mcp.ClientSession {
	t.Helper()
	client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil)
	session, err := client.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: f.URL + "/mcp", HTTPClient: &http.Client{Transport: bearing{"good"}}, MaxRetries: -1,
	}, &mcp.ClientSessionOptions{ProtocolVersion: version})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// eras are the protocol versions that behave differently.
var eras = []string{"2026-07-28", "2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"}
