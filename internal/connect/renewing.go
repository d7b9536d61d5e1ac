package connect

import (
	"context"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// renewing is the resource server as the bearer of a stored credential sees it. doer gives it for one token. A read that is refused in
// a way that may mean that the token is no longer good is repeated once, if there is another token by then.
type renewing struct {
	keeper *Keeper
	doer   func(rs.Token) rs.Doer
}

// Do performs one read.
func (r renewing) Do(ctx context.Context, request rs.Request) (*rs.Response, error) {
	token, err := r.keeper.Token(ctx)
	if err != nil {
		return nil, err
	}
	response, err := r.doer(token).Do(ctx, request)
	code, refused := rs.RefusesToken(err)
	if !refused {
		return response, err
	}
	next, failed := r.keeper.Renew(ctx, token, code)
	switch {
	case failed != nil:
		return nil, failed
	case next == token:
		return nil, err
	}
	return r.doer(next).Do(ctx, request)
}
