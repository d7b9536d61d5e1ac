package web

import (
	"context"

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
