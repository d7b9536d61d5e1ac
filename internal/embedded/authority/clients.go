package authority

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// maxClients limits the clients in memory: beyond it, the one that has not called for longest is dropped.
const maxClients = 1000

// A registeredClient is the metadata of a public client, RFC 7591.
type registeredClient struct {
	ApplicationType string   `json:"application_type,omitempty"`
	ID              string   `json:"client_id"`
	IssuedAt        int64    `json:"client_id_issued_at,omitempty"`
	Name            string   `json:"client_name"`
	GrantTypes      []string `json:"grant_types,omitempty"`
	RedirectURIs    []string `json:"redirect_uris,omitempty"`
	ResponseTypes   []string `json:"response_types,omitempty"`
	AuthMethod      string   `json:"token_endpoint_auth_method"`
}

// preRegistered needs no registration. It has no redirect URI.
var preRegistered = &registeredClient{ID: "pdpp_cli", Name: "pdpp_cli", AuthMethod: "none"}

func (s *Server) client(c *call) (*registeredClient, error) {
	id := c.form.Get("client_id")
	if id == preRegistered.ID {
		return preRegistered, nil
	}
	found, ok := s.clients.Get(id)
	if !ok {
		return nil, badRequest("invalid_client", "Unknown client_id: %s", clip(id))
	}
	return found, nil
}

// register answers a dynamic registration. It ignores unknown fields, as RFC 7591 requires; the reference refuses them.
func (s *Server) register(c *call) (any, error) {
	fresh := &registeredClient{}
	if json.Unmarshal(c.body, fresh) != nil {
		return nil, badRequest("invalid_client_metadata", "Client metadata must be a JSON object")
	}
	if fault := fresh.check(); fault != "" {
		return nil, badRequest("invalid_client_metadata", "%s", fault)
	}
	now := s.Now()
	if !s.registrations.AllowN(now, 1) {
		return nil, tooMany("registrations", registrationSpan)
	}
	fresh.ID, fresh.IssuedAt, fresh.AuthMethod = "cli_"+rand.Text(), now.Unix(), "none"
	s.clients.Add(fresh.ID, fresh)
	c.status = http.StatusCreated
	return fresh, nil
}

// check returns what is wrong with a client's metadata, or "".
func (c registeredClient) check() string {
	switch {
	case len(c.Name) > 200 || len(c.RedirectURIs) > 20:
		return "client_name or redirect_uris is too long"
	case !within([]string{c.AuthMethod}, "", "none") || !within([]string{c.ApplicationType}, "", "native", "web") ||
		!within(c.GrantTypes, grantCode, grantRefresh, grantDevice) || !within(c.ResponseTypes, "code"):
		return "token_endpoint_auth_method must be none, application_type native or web, response_types code, and grant_types among " +
			strings.Join([]string{grantCode, grantRefresh, grantDevice}, ", ")
	case slices.Contains(c.GrantTypes, grantRefresh) && !slices.Contains(c.GrantTypes, grantCode):
		return "refresh_token grant_type requires authorization_code"
	case slices.Contains(c.GrantTypes, grantCode) && len(c.RedirectURIs) == 0:
		return "redirect_uris is required for authorization_code"
	}
	if slices.ContainsFunc(c.RedirectURIs, func(uri string) bool { return !mayRedirect(uri) }) {
		return "redirect_uris must be https URLs of a host in ASCII, or http URLs of a loopback address"
	}
	return ""
}

// mayRedirect reports whether a client may register a redirect URI.
func mayRedirect(uri string) bool {
	u, err := url.Parse(uri)
	if err != nil || len(uri) > 2000 || u.Host == "" || u.User != nil || strings.Contains(uri, "#") {
		return false
	}
	isASCII := !strings.ContainsFunc(u.Host, func(c rune) bool { return c <= ' ' || c >= 0x7F })
	return isASCII && (u.Scheme == "https" || isLoopback(u))
}

func within(values []string, allowed ...string) bool {
	return !slices.ContainsFunc(values, func(value string) bool { return !slices.Contains(allowed, value) })
}

// isLoopback reports whether a URL is of plain HTTP at a loopback address, RFC 8252 section 7.3.
func isLoopback(u *url.URL) bool {
	return u.Scheme == "http" && rsclient.IsLoopback(u.Hostname())
}

// redirects reports whether a client registered a redirect URI: exactly this one, or this one at another port of a loopback address.
func (c registeredClient) redirects(uri string) bool {
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
