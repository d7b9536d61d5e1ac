package web

import (
	"net"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// The paths of the endpoint, its documents and its probes, without a prefix; see [Public.Path].
const (
	EndpointPath = "/mcp"
	PagePath     = "/" // for people
	MetadataPath = rs.MetadataPath
	IconPath     = "/icon.svg"
	LivePath     = "/livez"
	ReadyPath    = "/readyz"

	// Served only if hosts sign in here.
	ServerPath    = "/.well-known/oauth-authorization-server"
	AuthorizePath = "/authorize"
	RegisterPath  = "/register"
	TokenPath     = "/token" // #nosec G101 -- a path
)

// OtherPath is recorded instead of a path that is none of this server's.
const OtherPath = "other"

var allPaths = [...]string{
	EndpointPath, MetadataPath, MetadataPath + EndpointPath, IconPath, PagePath, LivePath, ReadyPath,
	ServerPath, AuthorizePath, RegisterPath, TokenPath,
}

// Public has the public names and paths of this server. The zero value serves only loopback names over loopback connections.
type Public struct {
	// Prefix is the path under which a Go program mounts the handler, such as "/pdpp"; empty for the root.
	Prefix string
	// Origin is the configured public origin, such as https://mcp.example: only scheme and host, in lower case, without a default
	// port. If empty, it is derived from the allowed host of each request.
	Origin string
	// Hosts are further allowed host names: "mcp.example" allows any port, "mcp.example:8443" only that one.
	Hosts []string
	// Proxies are the addresses whose X-Forwarded-Host, -Proto and -For are trusted (S3-9c).
	Proxies []netip.Prefix
	// Hops is how many trusted proxies a request passes, one after the other; 0 means 1.
	Hops int
}

// Path adds the prefix to a path of this server. For the well-known metadata paths, the prefix follows the well-known part (RFC 9728,
// section 3.1).
func (p Public) Path(path string) string {
	if resource, ok := strings.CutPrefix(path, MetadataPath); ok {
		return MetadataPath + p.Prefix + resource
	}
	if path == ServerPath { // RFC 8414, section 3.1
		return ServerPath + p.Prefix
	}
	return p.Prefix + path
}

// URL returns the public URL of a path for this request. Call it only after [guardNames], which refuses foreign hosts: an answer must never
// repeat a foreign host or a header that an untrusted peer forwarded (S3-R9).
func (p Public) URL(r *http.Request, path string) string { return p.origin(r) + p.Path(path) }

func (p Public) origin(r *http.Request) string {
	if p.Origin != "" {
		return p.Origin
	}
	scheme := "http"
	if r.TLS != nil {
		scheme = "https"
	}
	if forwarded, ok := p.forwarded(r, "X-Forwarded-Proto"); ok && (forwarded == "http" || forwarded == "https") {
		scheme = forwarded
	}
	return scheme + "://" + strings.ToLower(p.host(r))
}

// host returns the host that the client named: an allowed X-Forwarded-Host of a trusted proxy, or else the Host header.
func (p Public) host(r *http.Request) string {
	if forwarded, ok := p.forwarded(r, "X-Forwarded-Host"); ok && p.allowed(r, forwarded) {
		return forwarded
	}
	return r.Host
}

// forwarded returns the value of a header from a trusted proxy, and whether there is exactly one. With several values, one may come from
// the client, because some proxies append to what the client sent.
func (p Public) forwarded(r *http.Request, header string) (string, bool) {
	values := r.Header.Values(header)
	if len(values) != 1 || values[0] == "" || strings.Contains(values[0], ",") {
		return "", false
	}
	peer, ok := parseHop(r.RemoteAddr)
	return values[0], ok && p.trusts(peer)
}

func (p Public) trusts(address netip.Addr) bool {
	return slices.ContainsFunc(p.Proxies, func(proxy netip.Prefix) bool { return proxy.Contains(address) })
}

// allowed reports whether a host, with or without a port, names this server.
func (p Public) allowed(r *http.Request, host string) bool {
	host = strings.ToLower(host)
	name := hostname(host)
	if name == "" {
		return false
	}
	if _, own, found := strings.Cut(p.Origin, "://"); found && name == hostname(own) {
		return true
	}
	if slices.ContainsFunc(p.Hosts, func(entry string) bool { entry = strings.ToLower(entry); return entry == host || entry == name }) {
		return true
	}
	return rsclient.IsLoopback(name) && overLoopback(r)
}

// hostname returns a host without port and IPv6 brackets, or "" if it is invalid.
func hostname(host string) string {
	if isDNSName(host) {
		return host
	}
	u, err := url.Parse("//" + host)
	if err != nil || u.Host != host {
		return ""
	}
	name := u.Hostname()
	if address, err := netip.ParseAddr(name); err == nil && address.Zone() == "" || isDNSName(name) { // a zone may hold any character
		return name
	}
	return ""
}

// isDNSName reports whether a lower-case text has only characters of DNS names and IPv4 addresses.
func isDNSName(text string) bool {
	return strings.Trim(text, "abcdefghijklmnopqrstuvwxyz0123456789.-_") == ""
}

// overLoopback reports whether the client connected to a loopback address of this machine.
func overLoopback(r *http.Request) bool {
	local, ok := r.Context().Value(http.LocalAddrContextKey).(net.Addr)
	if !ok {
		return false
	}
	address, err := netip.ParseAddrPort(local.String())
	return err == nil && address.Addr().Unmap().IsLoopback()
}

// ipv6SiteBits is the prefix length of an IPv6 network that counts as one client: providers assign each customer at least a /64.
const ipv6SiteBits = 64

// clientAddress returns the peer's address or, behind a trusted proxy, the p.Hops-th address of X-Forwarded-For from the right. Each
// proxy appends one address, so what the client sent is further left. If there are fewer entries, or that entry is not an address,
// clientAddress returns the peer's.
func (p Public) clientAddress(r *http.Request) netip.Addr {
	peer, _ := parseHop(r.RemoteAddr)
	entries := strings.Split(strings.Join(r.Header.Values("X-Forwarded-For"), ","), ",")
	if at := len(entries) - max(p.Hops, 1); at >= 0 && p.trusts(peer) {
		if client, ok := parseHop(strings.TrimSpace(entries[at])); ok {
			return client
		}
	}
	return peer
}

// parseHop parses the address of a peer, or one entry of X-Forwarded-For; some proxies add the port to that.
func parseHop(text string) (netip.Addr, bool) {
	if both, err := netip.ParseAddrPort(text); err == nil {
		return plainAddress(both.Addr()), true
	}
	address, err := netip.ParseAddr(strings.TrimSuffix(strings.TrimPrefix(text, "["), "]"))
	return plainAddress(address), err == nil
}

// plainAddress returns an address in the form that [netip.Prefix.Contains] needs: IPv4-mapped IPv6 as IPv4, and without a zone.
func plainAddress(a netip.Addr) netip.Addr { return a.Unmap().WithZone("") }

// ClientNetwork returns the network that counts as one client: an IPv4 address, or an IPv6 /64.
func ClientNetwork(a netip.Addr) netip.Prefix {
	a = plainAddress(a)
	bits := a.BitLen()
	if a.Is6() {
		bits = ipv6SiteBits
	}
	prefix, _ := a.Prefix(bits) // the zero address gives the zero prefix
	return prefix
}
