package middleware_test

import (
	"net/http"
	"net/netip"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware"
)

func TestClientAddress(t *testing.T) {
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("fd00::/8")}
	for _, test := range []struct {
		name, peer string
		forwarded  []string
		want       string
	}{
		{"a peer is its address", "203.0.113.7:4711", nil, "203.0.113.7/32"},
		{"an IPv6 peer is its network", "[2001:db8:1:2:3:4:5:6]:4711", nil, "2001:db8:1:2::/64"},
		{"an IPv4 address in IPv6 clothes is the same client", "[::ffff:203.0.113.7]:4711", nil, "203.0.113.7/32"},
		{"a zone is no part of it", "[fe80::1%eth0]:4711", nil, "fe80::/64"},
		{"what a stranger forwards is not believed", "203.0.113.7:4711", []string{"198.51.100.1"}, "203.0.113.7/32"},
		{"what a trusted proxy forwards is", "10.1.1.1:4711", []string{"198.51.100.1"}, "198.51.100.1/32"},
		{"a trusted proxy over IPv6", "[fd00::1]:4711", []string{"2001:db8::9"}, "2001:db8::/64"},
		{"a trusted proxy that forwards nothing stands for itself", "10.1.1.1:4711", nil, "10.1.1.1/32"},
		{"what the client itself put in front is passed over", "10.1.1.1:4711", []string{"1.1.1.1, 198.51.100.1"}, "198.51.100.1/32"},
		{"so it is in a header of its own", "10.1.1.1:4711", []string{"1.1.1.1", "198.51.100.1"}, "198.51.100.1/32"},
		{"a chain of trusted proxies is followed", "10.1.1.1:4711", []string{"1.1.1.1, 198.51.100.1, 10.2.2.2,fd00::3"}, "198.51.100.1/32"},
		{"a client within the trusted network", "10.1.1.1:4711", []string{"10.9.9.9, 10.2.2.2"}, "10.9.9.9/32"},
		{"ports are tolerated", "10.1.1.1:4711", []string{"198.51.100.1:5000"}, "198.51.100.1/32"},
		{"brackets are tolerated", "10.1.1.1:4711", []string{"[2001:db8::9]"}, "2001:db8::/64"},
		{"a hop that is no address ends the walk at its proxy", "10.1.1.1:4711", []string{"198.51.100.1, unknown, 10.2.2.2"}, "10.2.2.2/32"},
		{"an empty header says nothing", "10.1.1.1:4711", []string{""}, "10.1.1.1/32"},
		{"a peer without an address", "@", []string{"198.51.100.1"}, "invalid Prefix"},
	} {
		t.Run(test.name, func(t *testing.T) {
			var got netip.Prefix
			handler := middleware.ClientAddress(middleware.Public{Proxies: proxies})(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				got = middleware.ClientAddressFrom(r.Context())
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
