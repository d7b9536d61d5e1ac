package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"testing"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// The prefix precedes the server's own paths, and follows a well-known path.
func TestPathsBelowAPrefix(t *testing.T) {
	public := web.Public{Prefix: "/pdpp"}
	for path, want := range map[string]string{
		web.EndpointPath:                    "/pdpp/mcp",
		web.PagePath:                        "/pdpp/",
		web.MetadataPath:                    "/.well-known/oauth-protected-resource/pdpp",
		web.MetadataPath + web.EndpointPath: "/.well-known/oauth-protected-resource/pdpp/mcp",
		web.ServerPath:                      "/.well-known/oauth-authorization-server/pdpp",
	} {
		recorded := ""
		handler := web.ChainOptions{Public: public, Logger: zerolog.Nop()}.Handler(map[string]web.Route{path: {Access: web.Probing,
			Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { recorded = middleware.RequestFrom(r.Context()).Path }),
		}})
		got := public.Path(path)
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, got, nil))
		if got != want || recorded != path {
			t.Errorf("%s is at %s, which is the route %q", path, got, recorded)
		}
	}
}

func TestClientAddress(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, test := range []struct {
		name, peer string
		forwarded  []string
		want       string
		hops       int // 0 means 1
	}{
		{"a peer is its address", "203.0.113.7:4711", nil, "203.0.113.7/32", 0},
		{"an IPv6 peer is its network", "[2001:db8:1:2:3:4:5:6]:4711", nil, "2001:db8:1:2::/64", 0},
		{"an IPv4 address in IPv6 clothes is the same client", "[::ffff:203.0.113.7]:4711", nil, "203.0.113.7/32", 0},
		{"a zone is no part of it", "[fe80::1%eth0]:4711", nil, "fe80::/64", 0},
		{"what a stranger forwards is not believed", "203.0.113.7:4711", []string{"198.51.100.1"}, "203.0.113.7/32", 0},
		{"what a trusted proxy forwards is", "10.1.1.1:4711", []string{"198.51.100.1"}, "198.51.100.1/32", 0},
		{"a trusted proxy over IPv6", "[fd00::1]:4711", []string{"2001:db8::9"}, "2001:db8::/64", 0},
		{"a trusted proxy that forwards nothing stands for itself", "10.1.1.1:4711", nil, "10.1.1.1/32", 0},
		{"what the client itself put in front is passed over", "10.1.1.1:4711", []string{"1.1.1.1, 198.51.100.1"}, "198.51.100.1/32", 0},
		{"so it is in a header of its own", "10.1.1.1:4711", []string{"1.1.1.1", "198.51.100.1"}, "198.51.100.1/32", 0},
		{"an address of the trusted network is a client like any other", "10.1.1.1:4711", []string{"198.51.100.1, 10.2.2.2"}, "10.2.2.2/32", 0},
		{"two proxies: the second address from the right", "10.1.1.1:4711", []string{"1.1.1.1, 198.51.100.1, 192.0.2.7"}, "198.51.100.1/32", 2},
		{"two proxies, and each wrote a header", "10.1.1.1:4711", []string{"1.1.1.1", "198.51.100.1", "192.0.2.7"}, "198.51.100.1/32", 2},
		{"two proxies, of which one was passed by", "10.1.1.1:4711", []string{"198.51.100.1"}, "10.1.1.1/32", 2},
		{"ports are tolerated", "10.1.1.1:4711", []string{"198.51.100.1:5000"}, "198.51.100.1/32", 0},
		{"brackets are tolerated", "10.1.1.1:4711", []string{"[2001:db8::9]"}, "2001:db8::/64", 0},
		{"what is no address stands for nobody", "10.1.1.1:4711", []string{"198.51.100.1, unknown"}, "10.1.1.1/32", 0},
		{"what is no address further left is passed over", "10.1.1.1:4711", []string{"unknown, 198.51.100.1"}, "198.51.100.1/32", 0},
		{"an empty last entry is no address", "10.1.1.1:4711", []string{"198.51.100.1,"}, "10.1.1.1/32", 0},
		{"an empty header says nothing", "10.1.1.1:4711", []string{""}, "10.1.1.1/32", 0},
		{"a peer without an address", "@", []string{"198.51.100.1"}, "invalid Prefix", 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got netip.Prefix
			handler := web.Observe(web.ChainOptions{Public: web.Public{Proxies: proxies, Hops: test.hops}})(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = middleware.RequestFrom(r.Context()).Client
			}))
			limited(handler, func(r *http.Request) {
				r.RemoteAddr = test.peer
				for _, value := range test.forwarded {
					r.Header.Add("X-Forwarded-For", value)
				}
			})
			if got.String() != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

// A client over IPv4 counts alone, also if its address is written as IPv6: all of IPv4 would else be one network.
func TestANetworkOfIPv4IsOneAddress(t *testing.T) {
	for _, address := range []string{"203.0.113.7", "::ffff:203.0.113.7"} {
		if network := web.ClientNetwork(netip.MustParseAddr(address)).String(); network != "203.0.113.7/32" {
			t.Errorf("%s is of %s", address, network)
		}
	}
}
