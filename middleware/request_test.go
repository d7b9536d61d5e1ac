package middleware_test

import (
	"context"
	"errors"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware"
)

// A call ends with its request, whether it began before or after that end, and for the cause of the end.
func TestACallEndsWithItsRequest(t *testing.T) {
	first, second := errors.New("first"), errors.New("second")
	var request middleware.Request
	ctx := middleware.WithRequest(t.Context(), &request)
	done, release := middleware.RequestFrom(ctx).Bind(ctx)
	release()
	if !errors.Is(context.Cause(done), context.Canceled) {
		t.Errorf("a released call ended with %v", context.Cause(done))
	}
	if request.UnderWay() != 0 {
		t.Error("a released call is kept for as long as the request")
	}
	open, release := middleware.RequestFrom(ctx).Bind(ctx)
	defer release()
	other, release := middleware.RequestFrom(t.Context()).Bind(t.Context()) // of no request
	defer release()
	if open.Err() != nil {
		t.Fatal(open.Err())
	}
	ended, end := context.WithCancelCause(t.Context())
	stop := request.EndWith(ended)
	end(first)
	<-open.Done()
	stop()
	request.End(second)
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

// An end that was taken back does not end the request.
func TestAnEndThatIsTakenBack(t *testing.T) {
	var request middleware.Request
	ended, end := context.WithCancel(t.Context())
	stop := request.EndWith(ended)
	if !stop() {
		t.Error("the end had come already")
	}
	end()
	call, release := request.Bind(t.Context())
	defer release()
	if call.Err() != nil {
		t.Error(call.Err())
	}
}
