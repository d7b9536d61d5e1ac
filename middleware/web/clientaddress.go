package web

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"github.com/justinas/alice"
)

// ipv6SiteBits is how much of an IPv6 address names its holder: one customer is given a whole /64 at least.
const ipv6SiteBits = 64

type clientAddressKey struct{}

// ClientAddress notes where a request comes from, for the stages that count by it: the peer or, when the peer is a
// trusted proxy, the address that the trusted proxies wrote into X-Forwarded-For.
func ClientAddress(public Public) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			client := site(public.clientAddress(r))
			next.ServeHTTP(w, r.WithContext(context.WithValue(r.Context(), clientAddressKey{}, client)))
		})
	}
}

// ClientAddressFrom returns where a request comes from, as one address or, for IPv6, as a network. The zero Prefix stands
// for a peer without an address, such as one at a Unix socket.
func ClientAddressFrom(ctx context.Context) netip.Prefix {
	client, _ := ctx.Value(clientAddressKey{}).(netip.Prefix)
	return client
}

// clientAddress is the peer's address or, behind a trusted proxy, the p.Hops-th address of X-Forwarded-For from the right:
// each proxy adds one there, so that whatever a client sent stands further left. Where there are fewer, or it is no address,
// the peer's own is the only one that is certain.
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

// site is what counts as one client.
func site(a netip.Addr) netip.Prefix {
	bits := a.BitLen()
	if a.Is6() {
		bits = ipv6SiteBits
	}
	prefix, _ := a.Prefix(bits) // the zero address gives the zero prefix
	return prefix
}
