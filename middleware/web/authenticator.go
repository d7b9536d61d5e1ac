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

// revalidate asks the authenticator past its memory, if it has one. The token was good, so it is not counted.
func (o ChainOptions) revalidate(ctx context.Context, token rs.Token, reason rs.Code) (auth.Principal, error) {
	if again, ok := o.Authenticator.(revalidator); ok {
		return again.Revalidate(ctx, token, reason)
	}
	return o.Authenticator.Authenticate(ctx, token)
}

// A recognizer is an Authenticator that knows, without asking the authority, that a token was good a while ago, such as
// [auth.TokenCache].
type recognizer interface{ Known(rs.Token) bool }

// authenticate says who bears a token, unless too many tokens from the client's address have been refused:
// a client that guesses tokens is soon refused without asking the authority. A known good token is neither counted nor limited,
// and an unknown one that turns out good costs nothing, because a host may serve any number of people from one address.
// Its errors are those of the Authenticator, and rate_limited.
func (o ChainOptions) authenticate(ctx context.Context, token rs.Token) (auth.Principal, error) {
	memory, remembers := o.Authenticator.(recognizer)
	address := middleware.RequestFrom(ctx).Client
	// A peer without an address is on this machine, at a Unix socket: a proxy that nothing is known about.
	if remembers && memory.Known(token) || !address.IsValid() {
		return o.Authenticator.Authenticate(ctx, token)
	}
	bucket := o.Limiter.state.Load().addresses.of(address)
	wait, ok := bucket.begin(o.Limiter.now())
	if !ok {
		return auth.Principal{}, tooFast("Too many unknown access tokens came from this client address.", wait)
	}
	charged := true // a panic is charged as well
	defer func() { bucket.finish(o.Limiter.now(), charged) }()
	principal, err := o.Authenticator.Authenticate(ctx, token)
	// The authority was asked, also when the caller hung up before the answer.
	charged = err != nil && rs.AsError(err).Code != "authority_busy"
	return principal, err
}
