// Package authority is the embedded authorization server: which token grants what, what introspection (RFC 7662) says of a token, and
// which members a package of grants has.
package authority

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"net/http"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// CodeRefused is the code of a client that may not introspect.
const CodeRefused = "context.authentication_failed"

const (
	grantCode    = "authorization_code"
	grantRefresh = "refresh_token"
	grantDevice  = "urn:ietf:params:oauth:grant-type:device_code"

	requestURIPrefix = "urn:pdpp:pending-consent:"
	pollInterval     = 2 * time.Second

	singleUseLife  = 24 * time.Hour
	ownerTokenLife = 365 * 24 * time.Hour
	codeLife       = time.Minute
)

// Decisions of the owner.
const (
	approved = "approved"
	denied   = "denied"
)

// Options configure a [Server]. Grants, Connectors, Origin and Now are needed.
type Options struct {
	Grants     *Grants
	Connectors func() []model.Connector // what there is to grant
	Origin     func(*http.Request) string
	Now        func() time.Time
	// ClientID and ClientSecret are the HTTP Basic credentials of a caller that may introspect. Without an id none may.
	ClientID, ClientSecret string
	// OwnerSecret is what the owner types to approve a request. Empty: no request can be approved.
	OwnerSecret string
	// TokenLife is the life of an access token that can be refreshed. Zero: 10 minutes.
	TokenLife time.Duration
	// RequestLife is how long a request waits for the owner. Zero: 5 minutes.
	RequestLife time.Duration
	// OwnerTrap answers a device authorization without resource and authorization_details with a flow that ends in an owner token,
	// as the reference does: for tests of clients that must refuse it.
	OwnerTrap bool
}

// A Server is an authorization server that keeps everything in memory. It is safe for concurrent use.
type Server struct {
	Options
	key      [32]byte // signs the consent page's CSRF tokens
	mutex    sync.Mutex
	clients  map[string]*client
	requests map[string]*request // by code
	families map[string]*family  // by refresh token
	lines    []*family           // the same, oldest first
	issued   []string            // access tokens, oldest first

	registered attempts // dynamic registrations
	guesses    attempts // wrong owner secrets
}

// New returns a server.
func New(o Options) *Server {
	if o.TokenLife == 0 {
		o.TokenLife = 10 * time.Minute
	}
	if o.RequestLife == 0 {
		o.RequestLife = 5 * time.Minute
	}
	s := &Server{
		Options: o, clients: map[string]*client{}, requests: map[string]*request{}, families: map[string]*family{},
		registered: attempts{most: 120, span: 10 * time.Minute}, guesses: attempts{most: 10, span: time.Minute},
	}
	_, _ = rand.Read(s.key[:]) // never fails
	for _, id := range preRegistered {
		s.clients[id] = &client{ID: id, Name: id}
	}
	return s
}

// token checks who asks about a token, and reads which.
func (s *Server) token(r *http.Request) (string, error) {
	if r.Method != http.MethodPost {
		return "", &RefusedError{Status: http.StatusMethodNotAllowed, Code: "method_not_allowed", Message: "Send a POST request"}
	}
	id, secret, ok := r.BasicAuth()
	if !same(id, s.ClientID) || !same(secret, s.ClientSecret) || !ok || s.ClientID == "" {
		return "", &RefusedError{Status: http.StatusUnauthorized, Code: CodeRefused, Message: "Introspection client authentication failed"}
	}
	form, err := readForm(r)
	if err != nil {
		return "", err
	}
	if form.Get("token") == "" {
		return "", badRequest("invalid_request", "Missing token parameter")
	}
	return form.Get("token"), nil
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

// attempts counts what happens in a span of time.
type attempts struct {
	most  int
	span  time.Duration
	since time.Time
	count int
}

// full reports whether one more is too many. It counts nothing.
func (a *attempts) full(now time.Time) bool {
	if now.Sub(a.since) >= a.span {
		a.since, a.count = now, 0
	}
	return a.count >= a.most
}

// A client is the metadata of a public client, RFC 7591.
type client struct {
	ApplicationType string   `json:"application_type,omitempty"`
	ID              string   `json:"client_id"`
	IssuedAt        int64    `json:"client_id_issued_at"`
	Name            string   `json:"client_name"`
	GrantTypes      []string `json:"grant_types,omitempty"`
	RedirectURIs    []string `json:"redirect_uris,omitempty"`
	ResponseTypes   []string `json:"response_types,omitempty"`
	AuthMethod      string   `json:"token_endpoint_auth_method"`

	granted bool // the owner approved a request of it
}

// preRegistered are clients that need no registration. They have no redirect URI.
var preRegistered = []string{"pdpp_cli"}

// A family is a refresh token with all that came before it.
type family struct {
	client  *client
	grant   Grant
	current string
	past    []string // used refresh tokens, oldest first
	access  []string // the access tokens that may still live
	dead    bool
}

// A request waits for the owner, or was decided.
type request struct {
	code       string // what its URN ends in, and the device code
	client     *client
	selections []selection // none: the owner picks connections
	picked     []string    // ids of connections
	expires    time.Time
	decision   string // "", approved or denied

	userCode string    // of a device
	polled   time.Time // by the device
	owner    bool      // the trap: ends in an owner token

	attempt, pollingCode string // of agent-connect
	collected            bool   // it was polled after the decision
	exchange             string // what the owner can read off the page instead
	exchanged            bool

	redirectURI, state, challenge string // of the code flow
	authorizationCode             string
	codeExpires                   time.Time
	redeemed                      *family // what the code gave

	grant Grant // as approved
	token string
}

func (r *request) uri() string { return requestURIPrefix + r.code }

func (s *Server) find(is func(*request) bool) *request {
	for _, r := range s.requests {
		if is(r) {
			return r
		}
	}
	return nil
}
