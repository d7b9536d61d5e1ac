package middleware

import (
	"context"
	"fmt"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// validate checks the arguments, and finds out what the call touches. What is wrong is refused here, before anything of it is read. A
// connection may stand in an id, in connection_id, or in both; two different ones are refused rather than one silently preferred (S2-8).
func validate(next tools.Handler) tools.Handler {
	return func(ctx context.Context, call tools.Call) (tools.Reply, error) {
		args, err := call.Tool.Decode(call.Arguments)
		if err != nil {
			return tools.Reply{}, err
		}
		call.Args = args
		if call.Scope, err = args.Scope(); err == nil && call.Scope.Expands {
			err = mayExpand(ctx, call)
		}
		if err != nil {
			return tools.Reply{}, err
		}
		return next(ctx, call)
	}
}

// mayExpand refuses expansion on a stream whose live schema advertises none. Where the schema cannot tell, the resource server decides
// (S4-R5).
func mayExpand(ctx context.Context, call tools.Call) error {
	if p := auth.PrincipalFrom(ctx).Package; p != nil {
		// A package that cannot tell which member is meant says so before any member is asked (S0-8a).
		if err := p.Choose(call.Scope); err != nil {
			return err
		}
	}
	if advertised, known := call.Scope.AdvertisesExpansion(ctx, call.RS); advertised || !known {
		return nil
	}
	return &rs.Error{
		Code: "invalid_expand", Param: "expand",
		Message: fmt.Sprintf("Stream %q advertises no relation to expand.", call.Scope.Stream),
		Hint:    "Leave expand and expand_limit out; GET /v1/schema (expand_capabilities), or the schema tool, says which streams can be expanded.",
	}
}
