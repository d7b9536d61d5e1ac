package transport_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
)

// dial connects the SDK's own client to a handler under a token.
func dial(t *testing.T, url, token, era string) *mcp.ClientSession {
	t.Helper()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: url + "/mcp", HTTPClient: &http.Client{Transport: bearing{token}}, MaxRetries: -1,
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

// The host of the example, end to end: in its own mux, with its own authenticator and its own directory.
func TestAGoHostMountsTheHandler(t *testing.T) {
	w := newRealm(t)
	client, first, second := w.issue(), w.issue(), w.issue()
	child := func(b *bearer) fanout.Member {
		return fanout.Member{
			Connection: rs.Connection{GrantID: b.grant, ConnectorKey: "mail", ID: b.connection(), DisplayName: b.stamp()},
			Streams:    []string{"messages"}, Token: rs.NewToken(b.token),
		}
	}
	known := accounts{
		clients:  map[string]string{client.token: client.grant},
		packages: map[string][]fanout.Member{"a-package": {child(first), child(second)}},
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
			answer := called(t, dial(t, server.URL, client.token, era), "search", `{"q":"call1z"}`)
			if !strings.Contains(answer, client.stamp()) || strings.Contains(answer, first.stamp()) {
				t.Error(answer)
			}
		})
		t.Run("S3-16a a package reads its children, "+era, func(t *testing.T) {
			answer := called(t, dial(t, server.URL, "a-package", era), "search", `{"q":"call2z"}`)
			if !strings.Contains(answer, first.stamp()) || !strings.Contains(answer, second.stamp()) || strings.Contains(answer, client.stamp()) {
				t.Error(answer)
			}
		})
	}
	t.Run("S3-16d one connection of a package is read alone", func(t *testing.T) {
		answer := called(t, dial(t, server.URL, "a-package", ""), "query_records", `{"stream":"messages","connection_id":"`+second.connection()+`"}`)
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
		if got.status != http.StatusUnauthorized || !strings.Contains(got.header.Get("WWW-Authenticate"), "resource_metadata=") || len(w.reads()) != before {
			t.Errorf("%d %v %s", got.status, got.header, got.body)
		}
	})
}
