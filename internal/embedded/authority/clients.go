package authority

import (
	"encoding/json"
	"maps"
	"net/http"
	"net/netip"
	"net/url"
	"slices"
	"strings"
)

// maxClients bounds the clients in memory: the oldest that was never granted anything goes first.
const maxClients = 1000

// register answers a dynamic registration. As RFC 7591 wants, fields that it does not know are ignored; the reference refuses them.
func (s *Server) register(_ http.ResponseWriter, r *http.Request) (any, error) {
	var c client
	body, err := readBody(r)
	if err != nil || json.Unmarshal(body, &c) != nil {
		return nil, badRequest("invalid_client_metadata", "Client metadata must be a JSON object")
	}
	if fault := c.check(); fault != "" {
		return nil, badRequest("invalid_client_metadata", "%s", fault)
	}
	now := s.Now()
	if s.registered.full(now) {
		return nil, &RefusedError{Status: http.StatusTooManyRequests, Code: "slow_down", Message: "Too many registrations",
			retryAfter: s.registered.span}
	}
	s.registered.count++
	c.ID, c.IssuedAt, c.AuthMethod = draw("cli_", 8), now.Unix(), "none"
	if len(s.clients) >= maxClients {
		s.dropClient()
	}
	s.clients[c.ID] = &c
	return answered{http.StatusCreated, c}, nil
}

// check returns what is wrong with a client's metadata, or "".
func (c client) check() string {
	switch {
	case c.AuthMethod != "" && c.AuthMethod != "none":
		return "token_endpoint_auth_method must be none"
	case len(c.Name) > 200 || len(c.RedirectURIs) > 20:
		return "client_name or redirect_uris is too long"
	case c.ApplicationType != "" && c.ApplicationType != "native" && c.ApplicationType != "web":
		return "application_type must be native or web"
	case slices.Contains(c.GrantTypes, grantRefresh) && !slices.Contains(c.GrantTypes, grantCode):
		return "refresh_token grant_type requires authorization_code"
	}
	for _, grantType := range c.GrantTypes {
		if grantType != grantCode && grantType != grantRefresh && grantType != grantDevice {
			return "Unsupported grant_type"
		}
	}
	for _, responseType := range c.ResponseTypes {
		if responseType != "code" {
			return "Unsupported response_type"
		}
	}
	if slices.Contains(c.GrantTypes, grantCode) && len(c.RedirectURIs) == 0 {
		return "redirect_uris is required for authorization_code"
	}
	for _, text := range c.RedirectURIs {
		u, err := url.Parse(text)
		if err != nil || len(text) > 2000 || u.Host == "" || u.User != nil || strings.Contains(text, "#") ||
			u.Scheme != "https" && !isLoopback(u) {
			return "redirect_uris must be https URLs, or http URLs of a loopback address"
		}
	}
	return ""
}

// dropClient forgets the oldest client that was never granted anything, or else the oldest.
func (s *Server) dropClient() {
	oldest := slices.MinFunc(slices.Collect(maps.Values(s.clients)), func(a, b *client) int {
		if a.kept() != b.kept() {
			if b.kept() {
				return -1
			}
			return 1
		}
		return int(a.IssuedAt - b.IssuedAt)
	})
	delete(s.clients, oldest.ID)
}

func (c *client) kept() bool { return c.granted || slices.Contains(preRegistered, c.ID) }

// isLoopback reports whether a URL is of plain HTTP at a loopback address, RFC 8252 section 7.3.
func isLoopback(u *url.URL) bool {
	address, err := netip.ParseAddr(u.Hostname())
	return u.Scheme == "http" && (u.Hostname() == "localhost" || err == nil && address.IsLoopback())
}

// redirects reports whether a client registered a redirect URI: exactly this one, or this one at another port of a loopback address.
func (c client) redirects(uri string) bool {
	if slices.Contains(c.RedirectURIs, uri) {
		return true
	}
	sent, err := url.Parse(uri)
	if err != nil || !isLoopback(sent) || strings.Contains(uri, "#") {
		return false
	}
	return slices.ContainsFunc(c.RedirectURIs, func(text string) bool {
		registered, err := url.Parse(text)
		if err != nil || !isLoopback(registered) || registered.Hostname() != sent.Hostname() {
			return false
		}
		registered.Host = sent.Host
		return registered.String() == uri
	})
}

func unknownClient(id string) *RefusedError {
	return badRequest("invalid_client", "Unknown client_id: %s", clip(id))
}
