// Package authority is the embedded authorization server. It registers clients, asks the owner for consent, issues and introspects tokens
// (RFC 7662), and lists the members of a package of grants.
package authority

import (
	"cmp"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantDevice  = "urn:ietf:params:oauth:grant-type:device_code"

	requestURIPrefix = "urn:pdpp:pending-consent:"
	pollInterval     = 2 * time.Second
	requestLife      = 5 * time.Minute // of a request that waits for the owner

	singleUseLife = 24 * time.Hour
	codeLife      = time.Minute

	// maxTokens limits the access tokens in memory: beyond it, one that has ended is dropped, or else the oldest.
	maxTokens = 1000

	// A server accepts 120 registrations per registrationSpan.
	registrationSpan = 10 * time.Minute
)

// subject is the id of the only person whose data is served.
const subject = "owner_local"

// Options configure a [Server]. Grants, Connectors, Origin and Now are needed.
type Options struct {
	Terms
	Grants     *Grants
	Connectors func() []model.Connector // the sources that can be granted
	Origin     func(*http.Request) string
	Now        func() time.Time
}

// Terms are the credentials for introspection and approval, and the lifetime of access tokens.
type Terms struct {
	// ClientID and ClientSecret are the HTTP Basic credentials for introspection. Without an id, introspection is refused.
	ClientID, ClientSecret string
	// OwnerSecret is what the owner types to approve a request: random, with at least 64 bits. Empty: no request can be approved.
	OwnerSecret string
	// TokenLife is the lifetime of an access token that can be refreshed. Zero: 10 minutes.
	TokenLife time.Duration
}

// A Server is an authorization server that keeps everything in memory. It is safe for concurrent use.
type Server struct {
	Options
	key      [32]byte // signs the consent page's CSRF tokens
	mutex    sync.Mutex
	clients  *lru.Cache[string, *registeredClient]
	requests map[string]*request // by code
	families []*family           // that refresh, oldest first
	issued   []string            // access tokens, oldest first

	registrations *rate.Limiter
}

// A family is a refresh token with all its predecessors, and the access tokens that were issued for them.
type family struct {
	client  *registeredClient
	grant   Grant
	refresh []string // oldest first; the last is the one that can be used
	access  []string // the access tokens that may still be valid
}

// New returns a server.
func New(o Options) *Server {
	o.TokenLife = cmp.Or(o.TokenLife, 10*time.Minute)
	clients, _ := lru.New[string, *registeredClient](maxClients) // fails only for a size below 1
	s := &Server{
		Options: o, requests: map[string]*request{}, clients: clients,
		registrations: rate.NewLimiter(rate.Every(registrationSpan/120), 120),
	}
	_, _ = rand.Read(s.key[:]) // never fails
	return s
}

// issue creates an access token for a grant. A life of 0 sets no expiry. The caller holds the mutex.
func (s *Server) issue(grant Grant, life time.Duration) string {
	if life > 0 {
		grant.Expires = s.Now().Add(life)
	}
	if len(s.issued) >= maxTokens {
		s.forget(s.issued[max(0, slices.IndexFunc(s.issued, s.hasEnded))])
	}
	token := rand.Text()
	s.Grants.Put(token, grant)
	s.issued = append(s.issued, token)
	return token
}

func (s *Server) forget(token string) {
	s.Grants.byToken.Delete(token)
	s.issued = slices.DeleteFunc(s.issued, func(other string) bool { return other == token })
}

func (s *Server) hasEnded(token string) bool {
	grant, _ := s.Grants.Lookup(token)
	return grant.Ended(s.Now()) != ""
}

// keyed returns the HMAC of a text with SHA-256, in hexadecimal digits.
func keyed(key []byte, text string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(text))
	return hex.EncodeToString(mac.Sum(nil))
}

// metadata returns the metadata of the authorization server (RFC 8414).
func (s *Server) metadata(c *call) (any, error) {
	origin := s.Origin(c.Request)
	return map[string]any{
		"issuer":                                     origin,
		"authorization_endpoint":                     origin + "/oauth/authorize",
		"token_endpoint":                             origin + "/oauth/token",
		"registration_endpoint":                      origin + "/oauth/register",
		"pushed_authorization_request_endpoint":      origin + "/oauth/par",
		"device_authorization_endpoint":              origin + "/oauth/device_authorization",
		"agent_connect_endpoint":                     origin + "/agent-connect",
		"introspection_endpoint":                     origin + "/introspect",
		"response_types_supported":                   []string{"code"},
		"grant_types_supported":                      []string{grantDevice, grantCode, grantRefresh},
		"code_challenge_methods_supported":           []string{"S256"},
		"token_endpoint_auth_methods_supported":      []string{"none"},
		"pdpp_registration_modes_supported":          []string{"dynamic", "pre_registered_public"},
		"pdpp_pre_registered_public_clients":         []any{preRegistered},
		"pdpp_authorization_details_types_supported": []string{detailsType},
	}, nil
}
