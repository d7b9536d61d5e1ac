package middleware_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// limited calls core behind a deadline, for an admitted caller.
func limited(ctx context.Context, limit time.Duration, core tools.Handler) error {
	options := middleware.Options{Deadline: limit, Source: new(middlewaretest.RS).Source}
	_, err := middleware.Admit(options)(core)(as(ctx, auth.KindClient), tools.Call{})
	return err
}

// A call ends at its deadline or when its caller hangs up, whichever comes first. The clock is that of synctest.
func TestDeadline(t *testing.T) {
	for name, row := range map[string]struct {
		caller time.Duration // when the caller hangs up; 0 for never
		want   time.Duration
		cause  error
	}{
		"a call ends when its time is up":             {0, 40 * time.Second, context.DeadlineExceeded},
		"a caller who hangs up ends it sooner":        {3 * time.Second, 3 * time.Second, context.Canceled},
		"a caller who hangs up later changes nothing": {time.Hour, 40 * time.Second, context.DeadlineExceeded},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, hangUp := context.WithCancel(t.Context())
				defer hangUp()
				if row.caller > 0 {
					time.AfterFunc(row.caller, hangUp)
				}
				var cause error
				core := spy{Do: func(ctx context.Context, _ tools.Call) {
					<-ctx.Done()
					cause = ctx.Err()
				}}
				start := time.Now()
				if err := limited(ctx, 40*time.Second, core.Handle); err != nil {
					t.Fatal(err)
				}
				if took := time.Since(start); took != row.want || !errors.Is(cause, row.cause) {
					t.Errorf("%v after %s; want %v after %s", cause, took, row.cause, row.want)
				}
			})
		})
	}
}

func TestDeadlineIsReleased(t *testing.T) {
	var kept context.Context
	core := spy{Do: func(ctx context.Context, _ tools.Call) { kept = ctx }}
	if err := limited(t.Context(), time.Hour, core.Handle); err != nil {
		t.Fatal(err)
	}
	if kept.Err() == nil {
		t.Error("the context outlives its call")
	}
}

// If a call fails because its context ended, the error is the typed cause of that end, such as server_stopping.
func TestACallEndsForTheCauseOfItsContext(t *testing.T) {
	stopping := &rs.Error{Code: "server_stopping", Message: "The server is stopping."}
	for name, row := range map[string]struct {
		cause error // of the context's end
		fails error // how the core fails
		want  rs.Code
	}{
		"the cause is shown":                {stopping, &rs.Error{Code: "canceled"}, "server_stopping"},
		"an answer in spite of it is kept":  {stopping, nil, ""},
		"a hang-up is the core's to tell":   {context.Canceled, &rs.Error{Code: "canceled"}, "canceled"},
		"a failure before it keeps its own": {nil, &rs.Error{Code: "not_found"}, "not_found"},
	} {
		t.Run(name, func(t *testing.T) {
			ctx, end := context.WithCancelCause(t.Context())
			core := func(context.Context, tools.Call) (tools.Reply, error) {
				if row.cause != nil {
					end(row.cause)
				}
				return tools.Reply{}, row.fails
			}
			err := limited(ctx, time.Hour, core)
			var got *rs.Error
			if errors.As(err, &got); (got == nil) != (row.want == "") || got != nil && got.Code != row.want {
				t.Errorf("got %v, want %s", err, row.want)
			}
		})
	}
}
