package integration

import (
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

// A person at the terminal learns why a resource server cannot be reached; a model learns only that it cannot.
func TestTheTerminalSaysWhyAServerCannotBeReached(t *testing.T) {
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	refusing := "http://" + closed.Addr().String()
	_ = closed.Close()
	untrusted := httptest.NewTLSServer(http.NotFoundHandler())
	defer untrusted.Close()
	plain := httptest.NewServer(http.NotFoundHandler())
	defer plain.Close()
	for name, row := range map[string]struct {
		provider, variable, cause string
	}{
		"nothing listens there":           {refusing, "", "connection refused"},
		"the name is unknown":             {"https://nowhere.invalid", "", "nowhere.invalid"},
		"its certificate is not trusted":  {untrusted.URL, "", "x509: "},
		"it speaks plain HTTP":            {strings.Replace(plain.URL, "http", "https", 1), "", "server gave HTTP response to HTTPS client"},
		"a proxy is malformed":            {"https://nowhere.invalid", "HTTPS_PROXY=http://ann:proxy-password@[", "proxyconnect tcp"},
		"a proxy does not listen":         {"https://nowhere.invalid", "HTTPS_PROXY=http://ann:proxy-password@" + closed.Addr().String(), "proxyconnect tcp"},
		"the provider in the environment": {"", "PDPP_PROVIDER_URL=" + refusing, "connection refused"},
	} {
		t.Run(name, func(t *testing.T) {
			for _, command := range [][]string{{"call", "schema"}, {"stdio"}, {"verify", `{"id":"cin_a/messages:m1","field":"body","text":"hello"}`}} {
				provider, flags := row.provider, []string{}
				if provider != "" {
					flags = append(flags, "--provider-url", provider)
				} else {
					provider = refusing
				}
				cache := cacheFile(t, provider, map[string]any{"access_token": "a-token"})
				ended := finish(t, []string{row.variable}, "", append(append(command, "--cache-root", cache), flags...)...)
				if ended.code != 69 || !strings.Contains(ended.last(), row.cause) || ended.stdout != "" ||
					strings.Contains(ended.stderr, "a-token") || strings.Contains(ended.stderr, "proxy-password") {
					t.Errorf("%s: %+v; want %s", command[0], ended, row.cause)
				}
			}
		})
	}
}

// The cause of a failed read is on stderr also in the middle of a session, and not in the answer.
func TestTheTerminalSaysWhyAReadFailed(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/schema" {
			_, _ = fmt.Fprint(w, `{"object":"schema","bearer":{"token_kind":"client","grant_id":"g"},"connectors":[]}`)
			return
		}
		if connection, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_ = connection.Close()
		}
	}))
	defer server.Close()
	cache := cacheFile(t, server.URL, map[string]any{"access_token": "a-token"})
	const hello = `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"a","version":"1"}}}`
	const search = `{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"search","arguments":{"q":"dentist"}}}`
	for command, input := range map[string]string{"call search q=dentist": "", "stdio": hello + "\n" + search + "\n"} {
		ended := finish(t, nil, input, append(strings.Fields(command), "--provider-url", server.URL, "--cache-root", cache)...)
		if !strings.Contains(ended.stdout, "server_unreachable") || strings.Contains(ended.stdout, "EOF") || !strings.Contains(ended.stderr, `"cause":"EOF"`) ||
			strings.Contains(ended.stderr, "dentist") || strings.Contains(ended.stderr, "a-token") {
			t.Errorf("%s: %+v", command, ended)
		}
	}
}
