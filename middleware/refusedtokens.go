package middleware

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// refusedTokens is an Authenticator that asks another one, unless too many tokens from the caller's address have been
// refused: who guesses tokens soon meets this instead of the authority. Good tokens cost nothing, because a host may serve
// any number of people from one address.
type refusedTokens struct {
	Authenticator
	limiter *Limiter
}

// Authenticate asks who bears a token. Beside the errors of the Authenticator it knows RateLimited.
func (t refusedTokens) Authenticate(ctx context.Context, token rs.Token) (rs.Principal, error) {
	address := ClientAddressFrom(ctx)
	if !address.IsValid() { // the peer is on this machine, at a Unix socket: a proxy that nothing is known about
		return t.Authenticator.Authenticate(ctx, token)
	}
	meter := t.limiter.state.Load().addresses.of(address)
	wait, ok := meter.begin(t.limiter.now())
	if !ok {
		return rs.Principal{}, tooFast("Too many access tokens from this client address were refused, or are being judged.", wait)
	}
	refused := true // a panic is charged as well
	defer func() { meter.settle(t.limiter.now(), refused) }()
	principal, err := t.Authenticator.Authenticate(ctx, token)
	// An authority that is out of reach is not the caller's doing. Hanging up before the answer is: it was asked.
	refused = err != nil && rs.AsError(err).Code != rs.AuthorityUnreachable
	return principal, err
}
