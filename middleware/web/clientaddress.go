package web

import (
	"net/http"
	"net/netip"
	"strings"

	"github.com/justinas/alice"

	"github.com/pdp-connect/pdpp-mcp/middleware"
)

// ipv6SiteBits is the length of an IPv6 network that counts as one client: a customer of a provider gets a whole /64 at least.
const ipv6SiteBits = 64

// clientAddress records where a request comes from, for the stages that count by it: the peer or, if the peer is a trusted proxy,
// the address that the trusted proxies wrote into X-Forwarded-For.
func clientAddress(public Public) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			middleware.RequestFrom(r.Context()).Client = ClientNetwork(public.clientAddress(r))
			next.ServeHTTP(w, r)
		})
	}
}

// clientAddress returns the peer's address or, behind a trusted proxy, the p.Hops-th address of X-Forwarded-For from the right:
// each proxy appends one, so that what a client sent is further left. If there are fewer, or it is not an address, only the
// peer's own is certain.
func (p Public) clientAddress(r *http.Request) netip.Addr {
	peer, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	address := plainAddress(peer.Addr())
	if !p.trusts(address) {
		return address
	}
	entries := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	at := len(entries) - max(p.Hops, 1)
	if at < 0 {
		return address
	}
	if client, ok := parseHop(strings.TrimSpace(entries[at])); ok {
		return client
	}
	return address
}

// parseHop reads one entry of X-Forwarded-For. Some proxies add the port.
func parseHop(text string) (netip.Addr, bool) {
	if both, err := netip.ParseAddrPort(text); err == nil {
		return plainAddress(both.Addr()), true
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return plainAddress(address), err == nil
}

// plainAddress is an address as prefixes contain it: IPv4 as such, and no zone.
func plainAddress(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// ClientNetwork returns what counts as one client: an IPv4 address, or an IPv6 network of 64 bits.
func ClientNetwork(a netip.Addr) netip.Prefix {
	a = plainAddress(a)
	bits := a.BitLen()
	if a.Is6() {
		bits = ipv6SiteBits
	}
	prefix, _ := a.Prefix(bits) // the zero address gives the zero prefix
	return prefix
}
