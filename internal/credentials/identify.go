package credentials

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// Identify returns the principal of a credential's token by reading the schema with it, before any other read, so that an owner's token
// in the wrong file reads no record. Its errors are *[exit.Error] values: exit.Unavailable if the provider does not answer,
// exit.CannotWrite if a renewed token cannot be stored, exit.NotReady if the token is no longer valid, exit.Owner for an owner's token;
// or a *[transport.StoppedError] if ctx ends first.
func Identify(ctx context.Context, reader rs.Doer, c Credential) (auth.Principal, error) {
	info, err := auth.SchemaProbe{For: func(rs.Token) rs.Doer { return reader }}.Introspect(ctx, c.Token)
	if err != nil && ctx.Err() != nil {
		message := fmt.Sprintf("stopped: %v, while the provider was asked about the credential", context.Cause(ctx))
		return auth.Principal{}, &transport.StoppedError{Message: message}
	}
	var message, network string
	code, connectAgain := exit.NotReady, false
	cause := cmp.Or(errors.Unwrap(err), err)
	switch refused := info.Principal.Admissible(); {
	case err != nil && rs.AsError(cause).Code == "credential_not_stored":
		failed := rs.AsError(cause)
		code, message, network = exit.CannotWrite, failed.Message+" "+failed.Hint, failed.NetworkCause()
	case err != nil:
		code, network = exit.Unavailable, rs.AsError(cause).NetworkCause()
		message = "the provider " + c.ProviderURL + " cannot be reached (" + strings.TrimSuffix(cause.Error(), ".") + "). Check the URL and the network."
	case info.Inactive != nil:
		message, connectAgain = info.Inactive.Message, true
	case refused == nil:
		return info.Principal, nil
	default:
		if info.Principal.Kind == auth.KindOwner {
			code = exit.Owner
		}
		message, connectAgain = rs.AsError(refused).Message, true
	}
	if connectAgain {
		message += RunCommand + ConnectCommand(c)
	}
	return auth.Principal{}, &exit.Error{Code: code, Message: message, Cause: network}
}
