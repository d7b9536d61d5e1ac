package web_test

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// reach sends one request through the Host guard and says the status and the URL that would be published.
func reach(public web.Public, local, peer, host string, headers http.Header) (int, string) {
	published := ""
	handler := web.Host(public)(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		published = public.URL(r, "/mcp")
	}))
	r := httptest.NewRequest(http.MethodGet, "/mcp", nil)
	r.Host, r.RemoteAddr = host, peer
	for name, values := range headers {
		r.Header[http.CanonicalHeaderKey(name)] = values
	}
	if local != "" { // else the local address is not known
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
		{name: "a listed name and port", public: listed, local: outside, host: "alt.example:8443", status: 200, url: "http://alt.example:8443/mcp"},
		{name: "a listed name with another port", public: listed, local: outside, host: "alt.example:1", status: 421},
		{name: "userinfo is no part of a host", public: listed, local: outside, host: "x@mcp.example", status: 421},
		{name: "markup is no part of a host", public: listed, local: outside, host: `mcp.example">`, status: 421},
		{name: "the configured origin is published whatever the host says", public: configured, local: loopback, host: "localhost", status: 200, url: "https://mcp.example/mcp"},
		{name: "the configured origin's host is allowed", public: configured, local: outside, host: "mcp.example", status: 200, url: "https://mcp.example/mcp"},
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
