// Package authority is the embedded authorization server: which token grants what, what introspection (RFC 7662) says of a token, and
// which members a package of grants has.
package authority

import (
	"cmp"
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"slices"
	"sync"
	"time"

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

	// maxTokens bounds the access tokens in memory: one that has ended goes first.
	maxTokens = 1000

	// In these spans of time a server takes 120 registrations and 10 wrong secrets.
	registrationSpan = 10 * time.Minute
	guessSpan        = time.Minute
)

// subject is the one person whose data is served.
const subject = "owner_local"

// Options configure a [Server]. Grants, Connectors, Origin and Now are needed.
type Options struct {
	Terms
	Grants     *Grants
	Connectors func() []model.Connector // what there is to grant
	Origin     func(*http.Request) string
	Now        func() time.Time
}

// Terms are who may introspect and approve, and how long what is issued lives.
type Terms struct {
	// ClientID and ClientSecret are the HTTP Basic credentials of a caller that may introspect. Without an id none may.
	ClientID, ClientSecret string
	// OwnerSecret is what the owner types to approve a request. Empty: no request can be approved.
	OwnerSecret string
	// TokenLife is the life of an access token that can be refreshed. Zero: 10 minutes.
	TokenLife time.Duration
}

// A Server is an authorization server that keeps everything in memory. It is safe for concurrent use.
type Server struct {
	Options
	key      [32]byte // signs the consent page's CSRF tokens
	mutex    sync.Mutex
	clients  map[string]*client
	requests map[string]*request // by code
	families []*family           // that refresh, oldest first
	issued   []string            // access tokens, oldest first

	registrations *rate.Limiter
	guesses       *rate.Limiter // wrong owner secrets
}

// A family is a refresh token with all that came before it.
type family struct {
	client  *client
	grant   Grant
	refresh []string // oldest first; the last is the one that can be used
	access  []string // the access tokens that may still live
}

// New returns a server.
func New(o Options) *Server {
	o.TokenLife = cmp.Or(o.TokenLife, 10*time.Minute)
	s := &Server{
		Options: o, requests: map[string]*request{}, clients: map[string]*client{preRegistered: {ID: preRegistered, Name: preRegistered}},
		registrations: rate.NewLimiter(rate.Every(registrationSpan/120), 120), guesses: rate.NewLimiter(rate.Every(guessSpan/10), 10),
	}
	_, _ = rand.Read(s.key[:]) // never fails
	return s
}

// issue draws an access token for a grant. No life: it does not end by itself. The mutex is held.
func (s *Server) issue(grant Grant, life time.Duration) string {
	if life > 0 {
		grant.Expires = s.Now().Add(life)
	}
	if len(s.issued) >= maxTokens {
		s.forget(s.issued[max(0, slices.IndexFunc(s.issued, s.hasEnded))])
	}
	token := draw("", 32)
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

// same compares two secrets in a time that says nothing about either.
func same(a, b string) bool {
	x, y := sha256.Sum256([]byte(a)), sha256.Sum256([]byte(b))
	return subtle.ConstantTimeCompare(x[:], y[:]) == 1
}

// draw returns a name that cannot be guessed: a prefix and as many random bytes in hexadecimal.
func draw(prefix string, bytes int) string {
	random := make([]byte, bytes)
	_, _ = rand.Read(random) // never fails
	return prefix + hex.EncodeToString(random)
}

// spell is a time as answers have it, "" for none.
func spell(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339)
}

// seconds is a life as OAuth spells it.
func seconds(d time.Duration) int64 { return int64(d / time.Second) }
