package transport_test

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// accounts is what a Go host knows of its own tokens: it is the authority over them and the directory of packages, in
// process.
type accounts struct {
	clients  map[string]string          // token → grant
	packages map[string][]fanout.Member // token → the grants that it stands for
}

// Introspect says what a token is.
func (a accounts) Introspect(_ context.Context, token rs.Token) (auth.TokenInfo, error) {
	if grant, ok := a.clients[token.Reveal()]; ok {
		return auth.TokenInfo{Principal: auth.Principal{Token: token, Kind: auth.KindClient, GrantID: grant}}, nil
	}
	if _, ok := a.packages[token.Reveal()]; ok {
		return auth.TokenInfo{Principal: auth.Principal{Token: token, Kind: auth.KindPackage, GrantID: "home"}}, nil
	}
	return auth.TokenInfo{Inactive: &rs.Error{Code: rs.TokenInactive, Message: "We do not know this token."}}, nil
}

// Members says what a package token stands for.
func (a accounts) Members(_ context.Context, token rs.Token) (fanout.Membership, error) {
	members, ok := a.packages[token.Reveal()]
	if !ok {
		return fanout.Membership{}, &rs.Error{Code: "package_revoked", Message: "This package was revoked."}
	}
	return fanout.Membership{PackageID: "home", Members: members}, nil
}

// members is the authority over the tokens in the host's packages: they are read with, and nobody enters with them.
type members struct{ accounts }

// Introspect says that a token in a package is a client grant's.
func (m members) Introspect(_ context.Context, token rs.Token) (auth.TokenInfo, error) {
	for _, members := range m.packages {
		for _, c := range members {
			if c.Token == token {
				return auth.TokenInfo{Principal: auth.Principal{Token: token, Kind: auth.KindClient, GrantID: c.GrantID}}, nil
			}
		}
	}
	return auth.TokenInfo{Inactive: &rs.Error{Code: rs.TokenInactive, Message: "We do not know this token."}}, nil
}

// An authenticator asks on every request: in process that costs nothing, and a revocation is felt at once. A host whose
// authority is far away takes auth.NewTokenCache instead.
type authenticator struct{ authority auth.Authority }

// Authenticate says who bears a token.
func (a authenticator) Authenticate(ctx context.Context, token rs.Token) (auth.Principal, error) {
	verdict, err := a.authority.Introspect(ctx, token)
	switch {
	case err != nil:
		return auth.Principal{}, err
	case verdict.Inactive != nil:
		return auth.Principal{}, verdict.Inactive
	}
	return verdict.Principal, nil
}

// newHost is a Go program's own server, with the adapter at /mcp.
func newHost(resourceServer, origin string, known accounts) (http.Handler, error) {
	log := zerolog.New(os.Stderr).Level(zerolog.WarnLevel)
	client, err := rsclient.New(rsclient.Options{Base: resourceServer})
	if err != nil {
		return nil, err
	}
	adapter := transport.Handler(transport.HandlerOptions{
		Server: transport.NewPipeline(transport.PipelineOptions{Client: client, Name: "home", Version: "1.0", Logger: log}),
		Authenticator: authenticator{fanout.NewPackageAuthority(fanout.PackageAuthorityOptions{
			Authority: known, Members: members{known}, Directory: known, For: client.ForToken,
		})},
		Public:   web.Public{Origin: origin},
		Metadata: transport.Metadata{ResourceName: "Home", ResourceServer: resourceServer, AuthorizationServers: []string{origin}, Packages: true},
		Logger:   log,
	})
	mux := http.NewServeMux()
	mux.Handle(web.EndpointPath, adapter)
	mux.Handle(web.MetadataPath, adapter)
	mux.Handle(web.MetadataPath+web.EndpointPath, adapter)
	mux.Handle(web.IconPath, adapter)
	mux.HandleFunc("GET /{$}", func(w http.ResponseWriter, _ *http.Request) { fmt.Fprintln(w, "Welcome home.") })
	return mux, nil
}

// dial connects the SDK's own client to a handler under a token.
func dial(t *testing.T, url, path, token, era string) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: url + path, HTTPClient: &http.Client{Transport: bearing{token}}, MaxRetries: -1,
	}, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

// called is a call's result as one text.
func called(t *testing.T, session *mcp.ClientSession, tool, arguments string) string {
	t.Helper()
	result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: json.RawMessage(arguments)})
	if err != nil {
		t.Fatal(err)
	}
	text, err := json.Marshal(result)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// A host with its own mux, its own authority and its own directory of packages, end to end.
func TestAGoHostMountsTheHandler(t *testing.T) {
	w := newRealm(t)
	client, first, second := w.issue(), w.issue(), w.issue()
	member := func(b *bearer) fanout.Member {
		return fanout.Member{
			Connection: rs.Connection{GrantID: b.grant, ConnectorKey: "mail", ID: b.connection(), DisplayName: b.stamp()},
			Streams:    []string{"messages"}, Token: rs.NewToken(b.token),
		}
	}
	known := accounts{
		clients:  map[string]string{client.token: client.grant},
		packages: map[string][]fanout.Member{"a-package": {member(first), member(second)}},
	}
	server := httptest.NewUnstartedServer(nil)
	t.Cleanup(server.Close)
	handler, err := newHost(w.URL, "http://"+server.Listener.Addr().String(), known)
	if err != nil {
		t.Fatal(err)
	}
	server.Config.Handler = handler
	server.Start()

	for _, era := range eras {
		t.Run("a client reads its grant, "+era, func(t *testing.T) {
			answer := called(t, dial(t, server.URL, web.EndpointPath, client.token, era), "search", `{"q":"call1z"}`)
			if !strings.Contains(answer, client.stamp()) || strings.Contains(answer, first.stamp()) {
				t.Error(answer)
			}
		})
		t.Run("S3-16a a package reads its members, "+era, func(t *testing.T) {
			answer := called(t, dial(t, server.URL, web.EndpointPath, "a-package", era), "search", `{"q":"call2z"}`)
			if !strings.Contains(answer, first.stamp()) || !strings.Contains(answer, second.stamp()) || strings.Contains(answer, client.stamp()) {
				t.Error(answer)
			}
		})
	}
	t.Run("S3-16d one connection of a package is read alone", func(t *testing.T) {
		answer := called(t, dial(t, server.URL, web.EndpointPath, "a-package", ""), "query_records", `{"stream":"messages","connection_id":"`+second.connection()+`"}`)
		if !strings.Contains(answer, second.stamp()) || strings.Contains(answer, first.stamp()) {
			t.Error(answer)
		}
	})
	t.Run("the resource server saw no token but theirs", func(t *testing.T) {
		for _, read := range w.reads() {
			if read.token != client.token && read.token != first.token && read.token != second.token {
				t.Errorf("%+v", read)
			}
		}
	})
	t.Run("the host's own pages and the adapter's stand beside each other", func(t *testing.T) {
		for path, want := range map[string]string{
			"/":                                     "Welcome home.",
			"/.well-known/oauth-protected-resource": `"endpoint":"` + server.URL + `/mcp"`,
			"/.well-known/oauth-protected-resource/mcp": `"resource":"` + server.URL + `/mcp"`,
			"/icon.svg": "<svg ",
		} {
			got := fixture{Server: server}.send(t, http.MethodGet, path, "", nil)
			if got.status != http.StatusOK || !strings.Contains(got.body, want) {
				t.Errorf("%s: %d %s", path, got.status, got.body)
			}
		}
	})
	t.Run("whom the host does not know is challenged", func(t *testing.T) {
		before := len(w.reads())
		got := fixture{Server: server}.post(t, listTools, map[string]string{"Authorization": "Bearer " + first.token})
		if got.status != http.StatusUnauthorized || !strings.Contains(got.header.Get("WWW-Authenticate"), "resource_metadata=") ||
			len(w.reads()) != before {
			t.Errorf("%d %v %s", got.status, got.header, got.body)
		}
	})
}

// The host of the example, end to end: the adapter is below a path, and all that it says of itself names that path.
func TestAGoHostMountsTheHandlerBelowAPath(t *testing.T) {
	w := newRealm(t)
	first, second := w.issue(), w.issue()
	mux := http.NewServeMux()
	server := httptest.NewUnstartedServer(mux)
	t.Cleanup(server.Close)
	origin := "http://" + server.Listener.Addr().String()
	err := mountAdapter(mux, w.URL, origin, func(token rs.Token) []fanout.Member {
		if token.Reveal() != "a-token" {
			return nil
		}
		var members []fanout.Member
		for _, b := range []*bearer{first, second} {
			members = append(members, fanout.Member{
				Connection: rs.Connection{GrantID: b.grant, ConnectorKey: "mail", ID: b.connection(), DisplayName: b.stamp()},
				Streams:    []string{"messages"}, Token: rs.NewToken(b.token),
			})
		}
		return members
	})
	if err != nil {
		t.Fatal(err)
	}
	server.Start()
	for _, era := range eras {
		t.Run("a token reads what it stands for, "+era, func(t *testing.T) {
			session := dial(t, origin, "/pdpp/mcp", "a-token", era)
			answer := called(t, session, "search", `{"q":"call2z"}`)
			if !strings.Contains(answer, first.stamp()) || !strings.Contains(answer, second.stamp()) {
				t.Error(answer)
			}
			if icons := session.InitializeResult().ServerInfo.Icons; len(icons) != 1 || icons[0].Source != origin+"/pdpp/icon.svg" {
				t.Errorf("icons %+v", icons)
			}
		})
	}
	for path, want := range map[string]struct {
		status int
		text   string
	}{
		"/.well-known/oauth-protected-resource/pdpp/mcp": {200, `"resource":"` + origin + `/pdpp/mcp"`},
		"/pdpp/icon.svg": {200, "<svg "},
		"/mcp":           {404, ""},
		"/pdpp/other":    {404, "The MCP endpoint is /pdpp/mcp."},
		"/pdpp/mcp":      {401, `"resource_metadata":"` + origin + `/.well-known/oauth-protected-resource/pdpp/mcp"`},
	} {
		got := fixture{Server: server}.send(t, http.MethodGet, path, "", nil)
		if got.status != want.status || !strings.Contains(got.body, want.text) {
			t.Errorf("%s: %d %s", path, got.status, got.body)
		}
	}
}

// The page for Go hosts shows the example as it is compiled.
func TestTheEmbedPageShowsTheExample(t *testing.T) {
	page, err := os.ReadFile("../docs/embed.md")
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile("example_test.go")
	if err != nil {
		t.Fatal(err)
	}
	_, after, _ := strings.Cut(string(example), "// mountAdapter serves")
	function, _, ended := strings.Cut(after, "\n}\n")
	if !ended || !strings.Contains(string(page), "```go\n// mountAdapter serves"+function+"\n}\n```") {
		t.Error("docs/embed.md does not show mountAdapter of example_test.go")
	}
}

// A Go host adds a tool of its own before it mounts the handler: clients of every protocol version see it behind ours, and call it.
func TestAHostAddsATool(t *testing.T) {
	client, err := rsclient.New(rsclient.Options{Base: "https://rs.example"})
	if err != nil {
		t.Fatal(err)
	}
	server := pipeline(client)
	server.AddTool(&mcp.Tool{Name: "a_hosts_own", InputSchema: json.RawMessage(`{"type":"object"}`)},
		func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: []mcp.Content{&mcp.TextContent{Text: "ours"}}}, nil
		})
	f := fixture{Server: httptest.NewServer(transport.Handler(transport.HandlerOptions{
		Server: server, Authenticator: &authority{}, Public: web.Public{Origin: "https://mcp.example"}, Logger: zerolog.Nop(),
	}))}
	t.Cleanup(f.Close)
	for _, era := range eras {
		session := f.connect(t, era)
		listed, err := session.ListTools(t.Context(), nil)
		if err != nil {
			t.Fatalf("%s: %v", era, err)
		}
		var names []string
		for _, tool := range listed.Tools {
			names = append(names, tool.Name)
		}
		if last := len(names) - 1; last < 1 || names[0] != "schema" || slices.Index(names, "a_hosts_own") != last {
			t.Errorf("%s lists %v", era, names)
		}
		result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "a_hosts_own"})
		if err != nil || result.Content[0].(*mcp.TextContent).Text != "ours" {
			t.Errorf("%s: %+v, %v", era, result, err)
		}
	}
}
