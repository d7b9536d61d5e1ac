package middleware_test

import (
	"context"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// Chain(h, a, b, c) is a(b(c(h))), also when the caller changes the slice of stages afterwards.
func TestChainIsItsEquation(t *testing.T) {
	var order []string
	stage := func(name string) middleware.Middleware {
		return func(next tools.Handler) tools.Handler {
			return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
				order = append(order, name+" in")
				reply, err := next(ctx, call)
				order = append(order, name+" out")
				return reply, err
			}
		}
	}
	core := spy{Do: func(context.Context, tools.Call) { order = append(order, "core") }}
	stages := []middleware.Middleware{stage("a"), stage("b"), stage("c")}
	pipeline := middleware.Chain(core.Handle, stages...)
	stages[1] = stage("changed later")

	if _, err := pipeline(t.Context(), tools.Call{}); err != nil {
		t.Fatal(err)
	}
	want := []string{"a in", "b in", "c in", "core", "c out", "b out", "a out"}
	if diff := cmp.Diff(want, order); diff != "" {
		t.Error(diff)
	}
	if _, err := middleware.Chain(core.Handle)(t.Context(), tools.Call{}); err != nil || len(core.Calls()) != 2 {
		t.Errorf("the empty chain is not its core: %v", err)
	}
}
