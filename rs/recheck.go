package rs

import (
	"context"
	"errors"
	"net/http"
)

type (
	onUnauthorizedKey struct{}
	refusalKey        struct{} // of the resource server's code, in the context of a revalidation
)

// WithOnUnauthorized returns a context in which the function is called when the resource server refuses a read with 401, or with a
// 403 that says that the grant itself is dead. The HTTP chain sets it: the function asks the
// token authority again and remembers the answer.
func WithOnUnauthorized(ctx context.Context, ask func(context.Context)) context.Context {
	return context.WithValue(ctx, onUnauthorizedKey{}, ask)
}

// RefusalFrom returns the code with which the resource server refused the read that is the reason to ask again, or "".
func RefusalFrom(ctx context.Context) Code {
	code, _ := ctx.Value(refusalKey{}).(Code)
	return code
}

// Revalidating is a Doer that reports every 401 (D7), and every 403 that says that the grant is dead (D25), to whoever let the
// caller in. A 401 from the resource server does not mean that the token is dead: it also stands for a stream that is not granted. So the error always goes
// on unchanged, and the HTTP chain alone decides whether the host must authorize again. Without an HTTP chain, as over stdio,
// it adds nothing.
type Revalidating struct{ Doer }

// Do performs one read.
func (r Revalidating) Do(ctx context.Context, request Request) (*Response, error) {
	response, err := r.Doer.Do(ctx, request)
	if err == nil {
		return response, nil
	}
	var refused *Error
	if errors.As(err, &refused) && doubtsToken(refused) {
		if doubt, ok := ctx.Value(onUnauthorizedKey{}).(func(context.Context)); ok {
			doubt(context.WithValue(ctx, refusalKey{}, refused.Code))
		}
	}
	return response, err
}

// doubtsToken reports whether a refusal may mean that the token is no longer good.
func doubtsToken(refused *Error) bool {
	switch refused.Status {
	case http.StatusUnauthorized:
		return true
	case http.StatusForbidden:
		switch refused.Code {
		case "grant_revoked", GrantExpired, "grant_invalid", PackageRevoked, "context.active_false":
			return true
		}
	}
	return false
}
