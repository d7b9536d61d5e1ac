package web_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"

	"github.com/justinas/alice"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// reach sends one request through the Host guard and returns the status and the URL that would be published.
func reach(public web.Public, local, peer, host string, headers http.Header) (int, string) {
	published := ""
	handler := web.Guard(public, nil)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		published = public.URL(r, "/mcp")
	}))
	r := httptest.NewRequest(http.MethodGet, "/mcp", nil)
	r.Host, r.RemoteAddr = host, peer
	for name, values := range headers {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	if local != "" { // otherwise the local address is unknown
		address, _ := net.ResolveTCPAddr("tcp", local)
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, net.Addr(address)))
	}
	w := httptest.NewRecorder()
	handler.ServeHTTP(w, r)
	return w.Code, published
}

func TestHostAndPublicURL(t *testing.T) {
	const loopback, outside = "127.0.0.1:8080", "192.0.2.1:8080"
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	listed := web.Public{Hosts: []string{"mcp.example", "alt.example:8443"}, Proxies: proxies}
	configured := web.Public{Origin: "https://mcp.example", Proxies: proxies}
	for _, test := range []struct {
		name    string
		public  web.Public
		local   string
		peer    string
		host    string
		headers http.Header
		status  int
		url     string
	}{
		{name: "localhost over loopback", local: loopback, host: "localhost:8080", status: 200, url: "http://localhost:8080/mcp"},
		{name: "127.0.0.1 over loopback", local: loopback, host: "127.0.0.1:8080", status: 200, url: "http://127.0.0.1:8080/mcp"},
		{name: "[::1] over loopback", local: "[::1]:8080", host: "[::1]:8080", status: 200, url: "http://[::1]:8080/mcp"},
		{name: "[::1] without a port", local: "[::1]:80", host: "[::1]", status: 200, url: "http://[::1]/mcp"},
		{
			name: "a listed IPv6 address without a port", public: web.Public{Hosts: []string{"2001:db8::1"}}, local: outside, host: "[2001:DB8::1]",
			status: 200, url: "http://[2001:db8::1]/mcp",
		},
		{name: "a bracket that is not closed", local: "[::1]:80", host: "[::1", status: 421},
		{name: "localhost, and the local address is not known", host: "localhost:8080", status: 421},
		{name: "a zone is no part of a host", local: "[::1]:8080", host: `[::1%"x]:8080`, status: 421},
		{name: "a rebound name over loopback", local: loopback, host: "evil.example:8080", status: 421},
		{name: "a name that begins like loopback", local: loopback, host: "127.0.0.1.evil.example", status: 421},
		{name: "localhost from outside", local: outside, host: "localhost:8080", status: 421},
		{name: "no host", local: loopback, host: "", status: 421},
		{name: "nothing is allowed by default off loopback", local: outside, host: "192.0.2.1:8080", status: 421},
		{name: "a listed name with any port", public: listed, local: outside, host: "MCP.example:9000", status: 200, url: "http://mcp.example:9000/mcp"},
		{name: "a listed name is one in capitals too", public: web.Public{Hosts: []string{"MCP.Example"}}, local: outside, host: "mcp.example", status: 200, url: "http://mcp.example/mcp"},
		{name: "a listed name and port", public: listed, local: outside, host: "alt.example:8443", status: 200, url: "http://alt.example:8443/mcp"},
		{name: "a listed name with another port", public: listed, local: outside, host: "alt.example:1", status: 421},
		{name: "userinfo is no part of a host", public: listed, local: outside, host: "x@mcp.example", status: 421},
		{name: "markup is no part of a host", public: listed, local: outside, host: `mcp.example">`, status: 421},
		{name: "the configured origin is published whatever the host says", public: configured, local: loopback, host: "localhost", status: 200, url: "https://mcp.example/mcp"},
		{name: "the configured origin's host is allowed", public: configured, local: outside, host: "mcp.example", status: 200, url: "https://mcp.example/mcp"},
		{name: "so is it with a port", public: configured, local: outside, host: "mcp.example:9000", status: 200, url: "https://mcp.example/mcp"},
		{name: "what is no name is none although it is listed", public: web.Public{Hosts: []string{"a!b"}}, local: outside, host: "a!b", status: 421},
		{
			name: "S3-9c a trusted proxy's origin is published", public: listed, local: outside, peer: "10.1.2.3:5", host: "10.0.0.9:8080",
			headers: http.Header{"X-Forwarded-Host": {"mcp.example"}, "X-Forwarded-Proto": {"https"}}, status: 200, url: "https://mcp.example/mcp",
		},
		{
			name: "a trusted proxy that keeps the host says the scheme", public: listed, local: outside, peer: "10.1.2.3:5", host: "mcp.example",
			headers: http.Header{"X-Forwarded-Proto": {"https"}}, status: 200, url: "https://mcp.example/mcp",
		},
		{
			name: "a trusted proxy that speaks IPv4 in IPv6", public: listed, local: outside, peer: "[::ffff:10.1.2.3]:5", host: "mcp.example",
			headers: http.Header{"X-Forwarded-Proto": {"https"}}, status: 200, url: "https://mcp.example/mcp",
		},
		{
			name: "a stranger forwards nothing", public: listed, local: outside, peer: "203.0.113.5:5", host: "mcp.example",
			headers: http.Header{"X-Forwarded-Host": {"alt.example:8443"}, "X-Forwarded-Proto": {"https"}}, status: 200, url: "http://mcp.example/mcp",
		},
		{
			name: "a peer without an address forwards nothing", public: listed, local: outside, peer: "@", host: "mcp.example",
			headers: http.Header{"X-Forwarded-Host": {"alt.example:8443"}, "X-Forwarded-Proto": {"https"}},
			status:  200, url: "http://mcp.example/mcp",
		},
		{
			name: "a stranger can not forward a way in", public: listed, local: outside, peer: "203.0.113.5:5", host: "evil.example",
			headers: http.Header{"X-Forwarded-Host": {"mcp.example"}}, status: 421,
		},
		{
			name: "a proxy can not forward a host that is not ours", public: listed, local: outside, peer: "10.1.2.3:5", host: "mcp.example",
			headers: http.Header{"X-Forwarded-Host": {"evil.example"}}, status: 200, url: "http://mcp.example/mcp",
		},
		{
			name: "two forwarded hosts are nobody's statement", public: listed, local: outside, peer: "10.1.2.3:5", host: "mcp.example",
			headers: http.Header{"X-Forwarded-Host": {"alt.example:8443, mcp.example"}}, status: 200, url: "http://mcp.example/mcp",
		},
		{
			name: "a forwarded scheme is http or https", public: listed, local: outside, peer: "10.1.2.3:5", host: "mcp.example",
			headers: http.Header{"X-Forwarded-Proto": {"javascript"}}, status: 200, url: "http://mcp.example/mcp",
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			peer := test.peer
			if peer == "" {
				peer = "127.0.0.1:5"
			}
			status, url := reach(test.public, test.local, peer, test.host, test.headers)
			if status != test.status || url != test.url {
				t.Errorf("status %d, published %q; want %d, %q", status, url, test.status, test.url)
			}
		})
	}
}

// A server that serves TLS itself publishes https.
func TestTheSchemeOfTLSIsPublished(t *testing.T) {
	r := httptest.NewRequest(http.MethodGet, "https://mcp.example/mcp", nil)
	if url := (web.Public{}).URL(r, web.EndpointPath); url != "https://mcp.example/mcp" {
		t.Error(url)
	}
}

// A refusal names the host or the origin that was sent, without a password, and the setting that would allow it.
func TestARefusedNameIsSaid(t *testing.T) {
	for name, row := range map[string]struct{ host, origin, says, setting string }{
		"a host":                 {"evil.example:8080", "", `\"evil.example:8080\"`, "--allowed-hosts"},
		"no host":                {"", "", `\"\"`, "--allowed-hosts"},
		"a host with a password": {"ann:secret@evil.example", "", `\"evil.example\"`, "--allowed-hosts"},
		"an origin":              {"mcp.example", "https://evil.example", `\"https://evil.example\"`, "--allowed-origins"},
	} {
		r := httptest.NewRequest(http.MethodPost, "/mcp", nil)
		if r.Host = row.host; row.origin != "" {
			r.Header.Set("Origin", row.origin)
		}
		w := httptest.NewRecorder()
		web.ChainOptions{Public: web.Public{Origin: "https://mcp.example"}, Logger: zerolog.Nop()}.PublicChain().ThenFunc(http.NotFound).ServeHTTP(w, r)
		if body := w.Body.String(); !strings.Contains(body, row.says) || !strings.Contains(body, row.setting) || strings.Contains(body, "secret") {
			t.Errorf("%s: %s", name, body)
		}
	}
}

// browser sends a request as a web page would, and returns the answer and whether the request reached the handler.
func browser(method string, headers map[string][]string, origins ...string) (*httptest.ResponseRecorder, bool) {
	entered := false
	public := web.ChainOptions{Public: web.Public{Origin: "https://mcp.example"}, Origins: origins, Logger: zerolog.Nop()}.PublicChain()
	r := httptest.NewRequest(method, "/mcp", nil)
	r.Host = "mcp.example"
	for name, values := range headers {
		r.Header[name] = values
	}
	w := httptest.NewRecorder()
	public.ThenFunc(func(http.ResponseWriter, *http.Request) { entered = true }).ServeHTTP(w, r)
	return w, entered
}

func TestOriginAndCORS(t *testing.T) {
	const app = "https://app.example"
	preflight := func(origin string) map[string][]string {
		return map[string][]string{"Origin": {origin}, "Access-Control-Request-Method": {"POST"}}
	}
	for _, test := range []struct {
		name    string
		method  string
		headers map[string][]string
		origins []string
		status  int
		allowed string // Access-Control-Allow-Origin
		entered bool
	}{
		{name: "a program sends no Origin", method: "POST", status: 200, entered: true},
		{name: "any origin is refused by default", method: "POST", headers: map[string][]string{"Origin": {app}}, status: 403},
		{name: "the null origin is refused", method: "POST", headers: map[string][]string{"Origin": {"null"}}, origins: []string{app}, status: 403},
		{name: "an empty Origin is refused", method: "POST", headers: map[string][]string{"Origin": {""}}, origins: []string{app}, status: 403},
		{name: "the server's own origin is served", method: "POST", headers: map[string][]string{"Origin": {"https://mcp.example"}}, status: 200, entered: true},
		{name: "the server's own host under another scheme is refused", method: "POST", headers: map[string][]string{"Origin": {"http://mcp.example"}}, status: 403},
		{name: "a listed origin is served and may read", method: "POST", headers: map[string][]string{"Origin": {app}}, origins: []string{app}, status: 200, allowed: app, entered: true},
		{name: "an origin that begins like a listed one is refused", method: "POST", headers: map[string][]string{"Origin": {app + ".evil.example"}}, origins: []string{app}, status: 403},
		{name: "two origins, one listed, are refused", method: "POST", headers: map[string][]string{"Origin": {app, "https://evil.example"}}, origins: []string{app}, status: 403},
		{name: "a listed origin's preflight is answered at the HTTP chain", method: "OPTIONS", headers: preflight(app), origins: []string{app}, status: 204, allowed: app},
		{name: "options that are asked for by no preflight are not", method: "OPTIONS", headers: map[string][]string{"Origin": {app}}, origins: []string{app}, status: 200, allowed: app, entered: true},
		{name: "nor is a call that looks like one", method: "POST", headers: preflight(app), origins: []string{app}, status: 200, allowed: app, entered: true},
		{name: "a foreign origin's preflight is refused", method: "OPTIONS", headers: preflight("https://evil.example"), origins: []string{app}, status: 403},
		{name: "a preflight without any list is refused", method: "OPTIONS", headers: preflight(app), status: 403},
	} {
		t.Run(test.name, func(t *testing.T) {
			w, entered := browser(test.method, test.headers, test.origins...)
			if w.Code != test.status || entered != test.entered || w.Header().Get("Access-Control-Allow-Origin") != test.allowed {
				t.Errorf("status %d, entered %v, headers %v", w.Code, entered, w.Header())
			}
			if test.status == 403 && refusalCode(t, w.Body.Bytes()) != "origin_refused" {
				t.Errorf("body %s", w.Body)
			}
			for header, row := range map[string]struct {
				of   bool
				says string
			}{
				"Vary":                          {len(test.origins) > 0, "Origin"},
				"Access-Control-Expose-Headers": {test.allowed != "", "WWW-Authenticate, Link, Request-Id, Retry-After, Mcp-Session-Id, Mcp-Protocol-Version"},
				"Access-Control-Max-Age":        {test.status == 204, "600"}, // only in an answered preflight, like those below
				"Access-Control-Allow-Methods":  {test.status == 204, "GET, POST"},
				"Access-Control-Allow-Headers": {
					test.status == 204, "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID, Request-Id",
				},
			} {
				want := ""
				if row.of {
					want = row.says
				}
				if got := w.Header().Get(header); got != want {
					t.Errorf("%s: %q", header, got)
				}
			}
			if w.Header().Get("Access-Control-Allow-Credentials") != "" {
				t.Error("credentials are allowed")
			}
		})
	}
}

// A preflight is answered only if the host is ours, and only by endpoints that web pages may call.
func TestPreflightsThatAreNotAnswered(t *testing.T) {
	options := web.ChainOptions{Public: web.Public{Origin: "https://mcp.example"}, Origins: []string{"https://app.example"}, Logger: zerolog.Nop()}
	for name, row := range map[string]struct {
		chain  alice.Chain
		host   string
		status int
	}{
		"under a name that is not ours": {options.PublicChain(), "evil.example", 421},
		"of a probe":                    {options.BaseChain(), "mcp.example", 200},
	} {
		w := limited(row.chain.ThenFunc(func(http.ResponseWriter, *http.Request) {}), func(r *http.Request) {
			r.Method, r.Host = http.MethodOptions, row.host
			r.Header.Set("Origin", "https://app.example")
			r.Header.Set("Access-Control-Request-Method", "POST")
		})
		if w.Code != row.status || w.Header().Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("%s: %d, %v", name, w.Code, w.Header())
		}
	}
}
