package credentials

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// Identify asks the resource server, as the bearer of a credential's token sees it, whose that is. It is asked before anything else is
// read, so that an owner's token in the wrong file reads no record. Its errors are *[exit.Error] values: exit.Unavailable when the provider
// does not answer, exit.CannotWrite where the token has to be renewed and that cannot be stored, exit.NotReady for a token that is no
// longer good, exit.Owner for an owner's; or a *[transport.StoppedError] when ctx ends first.
func Identify(ctx context.Context, reader rs.Doer, c Credential) (auth.Principal, error) {
	info, err := auth.SchemaProbe{For: func(rs.Token) rs.Doer { return reader }}.Introspect(ctx, c.Token)
	if err != nil && ctx.Err() != nil {
		message := fmt.Sprintf("stopped: %v, while the provider was asked about the credential", context.Cause(ctx))
		return auth.Principal{}, &transport.StoppedError{Message: message}
	}
	var code int
	var message string
	var failed *rs.Error
	switch refused := info.Principal.Admissible(); {
	case errors.As(errors.Unwrap(err), &failed) && failed.Code == "credential_not_stored":
		code, message = exit.CannotWrite, failed.Message+" "+failed.Hint
	case failed != nil:
		code, message = exit.Unavailable, "the provider "+c.ProviderURL+" cannot be reached ("+
			strings.TrimSuffix(failed.Error(), ".")+"). Check the URL and the network."
	case err != nil:
		code, message = exit.Unavailable, "the provider "+c.ProviderURL+" cannot be reached. Check the URL and the network."
	case info.Inactive != nil:
		code, message = exit.NotReady, info.Inactive.Message+" Connect again: "+ConnectCommand(c)
	case refused == nil:
		return info.Principal, nil
	case info.Principal.Kind == auth.KindOwner:
		code, message = exit.Owner, rs.AsError(refused).Message+" Connect with a scoped grant: "+ConnectCommand(c)
	default:
		code, message = exit.NotReady, rs.AsError(refused).Message+" Connect with a scoped grant: "+ConnectCommand(c)
	}
	return auth.Principal{}, &exit.Error{Code: code, Message: message}
}
