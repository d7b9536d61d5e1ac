package middleware

import (
	"context"
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// gateExpand refuses expansion on a stream whose live schema advertises none. If the schema does not say, the resource server decides
// (S4-R5).
func gateExpand(next tools.Handler) tools.Handler {
	return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		if call.Scope.Expands {
			if p := auth.PrincipalFrom(ctx).Package; p != nil {
				// Report an ambiguous connection of a package before any member is read (S0-8a).
				if err := p.Choose(call.Scope); err != nil {
					return tools.Reply{}, err
				}
			}
			if advertised, known := call.Scope.AdvertisesExpansion(ctx, call.RS); known && !advertised {
				return tools.Reply{}, &rs.Error{
					Code: "invalid_expand", Param: "expand",
					Message: fmt.Sprintf("Stream %q advertises no relation to expand.", call.Scope.Stream),
					Hint:    "Leave expand and expand_limit out; GET /v1/schema (expand_capabilities), or the schema tool, says which streams can be expanded.",
				}
			}
		}
		return next(ctx, call)
	}
}
