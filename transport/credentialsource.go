package transport

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A CredentialSource has the token of a local session, which it may renew. It is safe for concurrent use.
type CredentialSource interface {
	// Token returns the token for the next read. Its error is an *[rs.Error] that says what the user has to do.
	Token(context.Context) (rs.Token, error)
	// Renew returns the token to repeat a read with that was refused with a code, or the refused one where there is no other.
	Renew(ctx context.Context, refused rs.Token, code rs.Code) (rs.Token, error)
}

// Renewing returns the resource server as the bearer of a source's token sees it. doer gives it for one token. A read that is refused
// in a way that may mean that the token is no longer good is repeated once, if there is another token by then.
func Renewing(source CredentialSource, doer func(rs.Token) rs.Doer) rs.Doer {
	return renewing{source, doer}
}

type renewing struct {
	source CredentialSource
	doer   func(rs.Token) rs.Doer
}

// Do performs one read.
func (r renewing) Do(ctx context.Context, request rs.Request) (*rs.Response, error) {
	token, err := r.source.Token(ctx)
	if err != nil {
		return nil, err
	}
	response, err := r.doer(token).Do(ctx, request)
	code, refused := rs.RefusesToken(err)
	if !refused {
		return response, err
	}
	next, failed := r.source.Renew(ctx, token, code)
	switch {
	case failed != nil:
		return nil, failed
	case next == token:
		return nil, err
	}
	return r.doer(next).Do(ctx, request)
}
