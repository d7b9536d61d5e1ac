package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/justinas/alice"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// maxTokenBytes is the longest accepted token. Longer ones are refused without asking the authenticator.
const maxTokenBytes = 4096

// bearer admits a request with exactly one valid client token in the Authorization header, and puts the principal into the
// context. It refuses every other request (S0-R3, S3-R6, S3-R18).
//
// A token can become invalid while its request is in the pipeline. If the resource server refuses it, the authenticator is asked again
// before the answer begins, and a challenge may replace the answer (D7). A challenge for more scope also replaces the answer if a call was
// refused for something that a new sign-in asks for; see Offers in [ChainOptions].
func bearer(o ChainOptions) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			token, err := parseBearer(r)
			var principal auth.Principal
			if err == nil {
				principal, err = o.authenticate(r.Context(), token)
			}
			if err == nil {
				err = principal.Admissible()
			}
			if err != nil {
				refuseCaller(w, r, o.Public, err)
				return
			}
			deferred := &deferredWriter{w: w, r: r, token: token, options: &o}
			next.ServeHTTP(deferred, r.WithContext(auth.WithPrincipal(r.Context(), principal)))
			deferred.finish()
		})
	}
}

// parseBearer returns the token of a request (RFC 6750, section 2.1). It refuses a token in the query even if the header has a valid one:
// the query ends up in logs and histories.
func parseBearer(r *http.Request) (rs.Token, error) {
	values := r.Header.Values("Authorization")
	query, err := url.ParseQuery(r.URL.RawQuery)
	switch {
	case query.Has("access_token"):
		return rs.Token{}, malformed("The access token was sent in the URL.")
	case err != nil: // another program may read a token from it
		return rs.Token{}, malformed("The query of the URL is malformed.")
	case len(values) == 0:
		return rs.Token{}, &rs.Error{Code: "not_authenticated", Message: "No access token was sent.", Hint: bearerHint}
	case len(values) > 1:
		return rs.Token{}, malformed("More than one Authorization header was sent.")
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	token = strings.Trim(token, " ")
	switch {
	case !strings.EqualFold(scheme, "Bearer"):
		return rs.Token{}, malformed("The Authorization header is not of the Bearer scheme.")
	case len(token) > maxTokenBytes || !isToken68(token):
		return rs.Token{}, malformed("The bearer token is not of the form that RFC 6750 allows.")
	}
	return rs.NewToken(token), nil
}

const bearerHint = "Send a client access token of a PDPP grant: Authorization: Bearer TOKEN." // #nosec G101 -- a hint

func malformed(message string) *rs.Error {
	return &rs.Error{Code: "invalid_request", Message: message, Hint: bearerHint}
}

// isToken68 reports whether a text is a b64token: 1*( ALPHA / DIGIT / "-" / "." / "_" / "~" / "+" / "/" ) *"=".
func isToken68(text string) bool {
	body := strings.TrimRight(text, "=")
	return body != "" && strings.Trim(body, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._~+/") == ""
}

// An Authenticator returns the principal who bears a token. Its errors are *rs.Error values: [rs.AuthorityUnreachable] if it could not find
// out, any other code if the token is not valid. The principal may still not be admissible.
type Authenticator interface {
	Authenticate(context.Context, rs.Token) (auth.Principal, error)
}

// An AuthenticatorFunc is a function that is an [Authenticator].
type AuthenticatorFunc func(context.Context, rs.Token) (auth.Principal, error)

// Authenticate calls f.
func (f AuthenticatorFunc) Authenticate(ctx context.Context, token rs.Token) (auth.Principal, error) {
	return f(ctx, token)
}

// A revalidator is an Authenticator that caches tokens. Revalidate bypasses the cache; reason is the code with which the resource server
// refused the token.
type revalidator interface {
	Authenticator
	Revalidate(ctx context.Context, token rs.Token, reason rs.Code) (auth.Principal, error)
}

// revalidate authenticates a token again and bypasses the authenticator's cache, if it has one. It does not charge the client address,
// because the token was valid before.
func (o ChainOptions) revalidate(ctx context.Context, token rs.Token, reason rs.Code) (auth.Principal, error) {
	if again, ok := o.Authenticator.(revalidator); ok {
		return again.Revalidate(ctx, token, reason)
	}
	return o.Authenticator.Authenticate(ctx, token)
}

// A recognizer is an Authenticator, such as [auth.TokenCache], that knows without asking the authority that a token was valid a while ago.
type recognizer interface{ Known(rs.Token) bool }

// authenticate returns the principal who bears a token, unless too many tokens from the client's address have been refused:
// a client that guesses tokens is soon refused without asking the authority. A token known to be valid is neither counted nor limited. An
// unknown one that turns out to be valid costs nothing, because a host may serve any number of people from one address.
// The errors are those of the Authenticator, and rate_limited.
func (o ChainOptions) authenticate(ctx context.Context, token rs.Token) (auth.Principal, error) {
	memory, remembers := o.Authenticator.(recognizer)
	address := &middleware.RequestFrom(ctx).Client
	// A peer without an address connects by a Unix socket on this machine: a proxy, whose clients are not known.
	if remembers && memory.Known(token) || !address.IsValid() {
		return o.Authenticator.Authenticate(ctx, token)
	}
	bucket := o.Limiter.state.Load().addresses.of(*address)
	wait, ok := bucket.begin(o.Limiter.now())
	if !ok {
		return auth.Principal{}, tooFast("Too many unknown access tokens came from this client address.", wait)
	}
	charged := true // also after a panic
	defer func() { bucket.finish(o.Limiter.now(), charged) }()
	principal, err := o.Authenticator.Authenticate(auth.WithAddress(ctx, address), token)
	// A caller that hung up is charged too: the authority was asked.
	charged = err != nil && rs.AsError(err).Code != "authority_busy"
	return principal, err
}
