package web

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// An Authenticator says who bears a token. Its errors are *rs.Error values: AuthorityUnreachable if it could not find out, any
// other code if the token is not good. The principal may still not be admissible.
type Authenticator interface {
	Authenticate(context.Context, rs.Token) (auth.Principal, error)
}

// An AuthenticatorFunc is a function that is an [Authenticator].
type AuthenticatorFunc func(context.Context, rs.Token) (auth.Principal, error)

// Authenticate calls f.
func (f AuthenticatorFunc) Authenticate(ctx context.Context, token rs.Token) (auth.Principal, error) {
	return f(ctx, token)
}

// A revalidator is an Authenticator that remembers tokens. Revalidate asks past its memory; reason is the code with which the
// resource server refused the token.
type revalidator interface {
	Authenticator
	Revalidate(ctx context.Context, token rs.Token, reason rs.Code) (auth.Principal, error)
}

// revalidate asks an authenticator past its memory, if it has one.
func revalidate(ctx context.Context, authenticator Authenticator, token rs.Token, reason rs.Code) (auth.Principal, error) {
	if again, ok := authenticator.(revalidator); ok {
		return again.Revalidate(ctx, token, reason)
	}
	return authenticator.Authenticate(ctx, token)
}

// refusedTokens is an Authenticator that asks another one, unless too many tokens from the client's address have been refused:
// a client that guesses tokens is soon refused without asking the authority. A known good token is neither counted nor limited,
// and an unknown one that turns out good costs nothing, because a host may serve any number of people from one address.
type refusedTokens struct {
	Authenticator
	limiter *Limiter
}

// A recognizer is an Authenticator that knows, without asking the authority, that a token was good a while ago, such as
// [auth.TokenCache].
type recognizer interface{ Known(rs.Token) bool }

// Authenticate says who bears a token. Its errors are those of the Authenticator, and RateLimited.
func (t refusedTokens) Authenticate(ctx context.Context, token rs.Token) (auth.Principal, error) {
	if memory, ok := t.Authenticator.(recognizer); ok && memory.Known(token) {
		return t.Authenticator.Authenticate(ctx, token)
	}
	address := middleware.RequestFrom(ctx).Client
	if !address.IsValid() { // the peer is on this machine, at a Unix socket: a proxy that nothing is known about
		return t.Authenticator.Authenticate(ctx, token)
	}
	bucket := t.limiter.state.Load().addresses.of(address)
	wait, ok := bucket.begin(t.limiter.now())
	if !ok {
		return auth.Principal{}, tooFast("Too many unknown access tokens came from this client address.", wait)
	}
	charged := true // a panic is charged as well
	defer func() { bucket.finish(t.limiter.now(), charged) }()
	principal, err := t.Authenticator.Authenticate(ctx, token)
	// The authority was asked, also when the caller hung up before the answer.
	charged = err != nil && rs.AsError(err).Code != "authority_busy"
	return principal, err
}

// Revalidate asks the Authenticator again. The token was good, so it is not counted.
func (t refusedTokens) Revalidate(ctx context.Context, token rs.Token, reason rs.Code) (auth.Principal, error) {
	return revalidate(ctx, t.Authenticator, token, reason)
}
