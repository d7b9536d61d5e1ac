package middleware_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// A call ends when its request ends, with the same cause, whether the call began before or after that end.
func TestACallEndsWithItsRequest(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	stopping, stop := context.WithCancelCause(t.Context())
	gone, hangUp := context.WithCancelCause(t.Context())
	request := middleware.Request{Ends: []context.Context{stopping, gone}}
	ctx := middleware.WithRequest(t.Context(), &request)
	done, release := middleware.RequestFrom(ctx).Bind(ctx)
	release()
	if !errors.Is(context.Cause(done), context.Canceled) {
		t.Errorf("a released call ended with %v", context.Cause(done))
	}
	open, release := middleware.RequestFrom(ctx).Bind(ctx)
	defer release()
	other, release := middleware.RequestFrom(t.Context()).Bind(t.Context()) // of no request
	defer release()
	if open.Err() != nil {
		t.Fatal(open.Err())
	}
	stop(first)
	<-open.Done()
	hangUp(second)
	late, release := request.Bind(ctx)
	defer release()
	for name, call := range map[string]context.Context{"under way": open, "later": late} {
		if !errors.Is(context.Cause(call), first) {
			t.Errorf("the call %s ended with %v", name, context.Cause(call))
		}
	}
	if ctx.Err() != nil || other.Err() != nil {
		t.Errorf("another context ended: %v, %v", ctx.Err(), other.Err())
	}
}

// A neverEnding context counts the functions that wait for its end.
type neverEnding struct {
	context.Context
	waiting *int
}

func (neverEnding) Done() <-chan struct{} { return make(chan struct{}) }

func (n neverEnding) AfterFunc(func()) (stop func() bool) {
	*n.waiting++
	return func() bool { *n.waiting--; return true }
}

// A call leaves nothing with the end of the server, which outlives any number of calls.
func TestACallLeavesNothingWithTheEndsOfItsRequest(t *testing.T) {
	waiting, during := 0, 0
	request := middleware.Request{Ends: []context.Context{neverEnding{t.Context(), &waiting}}}
	server := &middlewaretest.RS{Answer: func(rs.Request) (*rs.Response, error) {
		during = waiting
		return middlewaretest.JSON(streamsBody), nil
	}}
	ctx := middleware.WithRequest(as(t.Context(), auth.KindClient), &request)
	if _, err := standard(server)(ctx, callOf(t, "list_streams", `{}`)); err != nil || during != 1 || waiting != 0 {
		t.Errorf("%d wait during a call and %d after it (%v)", during, waiting, err)
	}
}
