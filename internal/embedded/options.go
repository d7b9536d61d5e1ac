package embedded

import (
	"io"
	"net/http"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/semantic"
)

// Options configure a [Server]. The zero value works, but refuses introspection.
type Options struct {
	// Origin is the server's own origin, such as "http://127.0.0.1:7710": the issuer and audience of its tokens.
	// It is asked on each request, for a server that learns its port by listening. Nil: the request's host.
	Origin func() string
	// ClientID and ClientSecret are the HTTP Basic credentials of introspection and of the package directory.
	ClientID, ClientSecret string
	// OwnerSecret is what the owner types on the consent page to approve a request. Empty: no request can be approved.
	OwnerSecret string
	// TokenLife is the life of an access token that can be refreshed. Zero: 10 minutes.
	TokenLife time.Duration
	// RequestLife is how long a request for access waits for the owner. Zero: 5 minutes.
	RequestLife time.Duration
	// OwnerTrap gives an owner token to a careless device authorization, as the reference does: for tests of clients.
	OwnerTrap bool
	// Now tells the time. Nil: time.Now.
	Now func() time.Time
	// Random is where request ids come from; it is read concurrently. Nil: crypto/rand.
	Random io.Reader
	// Observe is called for each request before it is answered, concurrently. It must not read the body. It may be nil.
	Observe func(*http.Request)
	// Fault is called for an error that the client sees as 500 internal_error alone, concurrently. It may be nil.
	Fault func(*http.Request, error)
	// BookmarkLife is how long a changes_since bookmark is kept. Zero: 30 days.
	BookmarkLife time.Duration
	// AllWords makes a search demand every word of its query, as other resource servers do: for tests of a client's own repair.
	AllWords bool
	// Pending says what each answer warns of while files have changed that the store does not hold yet. Empty: nothing. Nil: never anything.
	Pending func() string
	// Embeddings are what semantic and hybrid search find by. Nil: both are refused.
	Embeddings *semantic.Index
}
