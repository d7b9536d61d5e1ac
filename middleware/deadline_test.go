package middleware_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// The clock stands still except while everybody waits.
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
				core := middlewaretest.Spy{Do: func(ctx context.Context, _ tools.Call) {
					<-ctx.Done()
					cause = ctx.Err()
				}}
				start := time.Now()
				if _, err := middleware.Deadline(40*time.Second)(core.Handle)(ctx, tools.Call{}); err != nil {
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
	core := middlewaretest.Spy{Do: func(ctx context.Context, _ tools.Call) { kept = ctx }}
	if _, err := middleware.Deadline(time.Hour)(core.Handle)(t.Context(), tools.Call{}); err != nil {
		t.Fatal(err)
	}
	if kept.Err() == nil {
		t.Error("the context outlives its call")
	}
}
