package web

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// refusedTokens is an Authenticator that asks another one, unless too many tokens from the caller's address have been
// refused: who guesses tokens soon meets this instead of the authority. A known good token is neither counted nor limited,
// and an unknown one that turns out good costs nothing, because a host may serve any number of people from one address.
type refusedTokens struct {
	Authenticator
	limiter *Limiter
}

// A recognizer is an Authenticator that can say, without asking anybody, that a token was good a while ago. [auth.TokenCache]
// is one.
type recognizer interface{ Known(rs.Token) bool }

// Authenticate asks who bears a token. Beside the errors of the Authenticator it knows RateLimited.
func (t refusedTokens) Authenticate(ctx context.Context, token rs.Token) (auth.Principal, error) {
	if memory, ok := t.Authenticator.(recognizer); ok && memory.Known(token) {
		return t.Authenticator.Authenticate(ctx, token)
	}
	address := ClientAddressFrom(ctx)
	if !address.IsValid() { // the peer is on this machine, at a Unix socket: a proxy that nothing is known about
		return t.Authenticator.Authenticate(ctx, token)
	}
	meter := t.limiter.state.Load().addresses.of(address)
	wait, ok := meter.begin(t.limiter.now())
	if !ok {
		return auth.Principal{}, tooFast("Too many unknown access tokens came from this client address.", wait)
	}
	charged := true // a panic is charged as well
	defer func() { meter.settle(t.limiter.now(), charged) }()
	principal, err := t.Authenticator.Authenticate(ctx, token)
	// Whatever the authority answers, it was asked, also when the caller hung up before the answer.
	charged = err != nil && rs.AsError(err).Code != rs.AuthorityBusy
	return principal, err
}
