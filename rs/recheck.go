package rs

import (
	"context"
	"errors"
	"net/http"
)

type (
	doubtKey   struct{}
	refusalKey struct{} // of the resource server's code, in the context of a doubt
)

// WithDoubt returns a context in which doubt is called when the resource server refuses a read with 401, or with a
// 403 that says that the grant itself is dead. The door sets it: doubt asks the token authority again and remembers the answer.
func WithDoubt(ctx context.Context, doubt func(context.Context)) context.Context {
	return context.WithValue(ctx, doubtKey{}, doubt)
}

// RefusalFrom returns the code with which the resource server brought a doubt about; "" in a context that is no doubt's.
func RefusalFrom(ctx context.Context) Code {
	code, _ := ctx.Value(refusalKey{}).(Code)
	return code
}

// Rechecking is a Doer that reports every 401 (D7), and every 403 that says that the grant is dead (D25), to whoever let the
// caller in. A 401 from the resource server does not mean that the token is dead: it also stands for a stream that is not granted. So the error always goes
// on unchanged, and the door alone decides whether the host must authorize again. Without a door, as over stdio,
// it adds nothing.
type Rechecking struct{ Doer }

// Do performs one read.
func (r Rechecking) Do(ctx context.Context, request Request) (*Response, error) {
	response, err := r.Doer.Do(ctx, request)
	if err == nil {
		return response, nil
	}
	var refused *Error
	if errors.As(err, &refused) && doubtsToken(refused) {
		if doubt, ok := ctx.Value(doubtKey{}).(func(context.Context)); ok {
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
