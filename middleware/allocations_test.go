//go:build !race

package middleware_test

import (
	"context"
	"testing"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// Allocation counts are exact where times are not. If a change exceeds the ceiling, remove the needless allocation per call
// or raise the ceiling.

func TestTheChainMakesLittleGarbage(t *testing.T) {
	const ceiling = 60
	call := callOf(t, "list_streams", `{}`)
	plain := *call.Tool
	plain.Render = func(tools.Call, tools.Answer) (render.Result, error) { return render.Result{Text: "nothing"}, nil }
	call.Tool = &plain
	response := middlewaretest.JSON(`{}`)
	var server middlewaretest.RS
	pipeline := middleware.Standard(middleware.Options{Log: zerolog.Nop(), Source: server.Source}, func(_ context.Context, call tools.Call) (tools.Reply, error) {
		return tools.Reply{Call: call, Answer: tools.Answer{Response: response}}, nil
	})
	ctx := as(t.Context(), auth.KindClient)
	got := testing.AllocsPerRun(200, func() {
		if _, err := pipeline(ctx, call); err != nil {
			t.Fatal(err)
		}
	})
	if got > ceiling {
		t.Errorf("%.0f allocations, want at most %d", got, ceiling)
	}
}
