package authority

import (
	"crypto/rand"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"fmt"
	"net/http"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// CodeRefused is the code of a client that may not introspect.
const CodeRefused = "context.authentication_failed"

// maxForm bounds the body of a request to the authority, in bytes.
const maxForm = 64 << 10

// Options configure a [Server]. Grants, Connectors, Origin and Now are needed.
type Options struct {
	Grants     *Grants
	Connectors func() []model.Connector // what there is to grant
	Origin     func(*http.Request) string
	Now        func() time.Time
	// ClientID and ClientSecret are the HTTP Basic credentials of who may ask. Without an id nobody may.
	ClientID, ClientSecret string
	// OwnerSecret is what the owner types to approve a request. Empty: nobody can approve.
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

// A RefusedError is the error of a request that gets no answer.
type RefusedError struct {
	Status  int
	Code    string
	Message string

	familyDied bool // fresh_authorization_required
	retryAfter time.Duration
}

// Error returns code and message.
func (r *RefusedError) Error() string { return r.Code + ": " + r.Message }

func badRequest(code, format string, args ...any) *RefusedError {
	return &RefusedError{Status: http.StatusBadRequest, Code: code, Message: fmt.Sprintf(format, args...)}
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
	r.Body = http.MaxBytesReader(nil, r.Body, maxForm)
	if err := r.ParseForm(); err != nil || r.PostForm.Get("token") == "" {
		return "", badRequest("invalid_request", "Missing token parameter")
	}
	return r.PostForm.Get("token"), nil
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
