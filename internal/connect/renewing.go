package connect

import (
	"context"
	"net/http"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// refused is the error of a read whose token was refused and cannot be replaced. A 401 can be about a stream that is not granted: then the
// token is good, and the error is as it was.
func (k *Keeper) refused(ctx context.Context, err error) error {
	answer := *rs.AsError(err)
	if answer.Status != http.StatusForbidden && answer.Code != "context.active_false" || k.enter(ctx) != nil {
		return err
	}
	defer k.leave()
	answer.Hint = k.hint()
	return &answer
}

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
	if err == nil || !rs.AsError(err).RefusesToken() {
		return response, err
	}
	next, failed := r.keeper.Renew(ctx, token, rs.AsError(err).Code)
	switch {
	case failed != nil:
		return nil, failed
	case next == token:
		return nil, r.keeper.refused(ctx, err)
	}
	return r.doer(next).Do(ctx, request)
}
