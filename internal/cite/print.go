package cite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// PrintVerdict prints on out whether the record of a citation still contains the quote: one line, of JSON if asJSON is set. It returns an
// error if the quote is not there any more, and if a read failed: that error has the exit code that stdio has for the same reason.
// providerURL is for its message.
func PrintVerdict(ctx context.Context, call Call, citation Citation, providerURL string, asJSON bool, out io.Writer) error {
	verdict, err := Verify(ctx, call, citation)
	if err != nil {
		return unverified(err, providerURL)
	}
	line := strings.Join(strings.Fields(verdict.String()), " ") // one line, whatever an error says
	if asJSON {
		line = rs.EncodeJSON(verdict)
	}
	if _, err := fmt.Fprintln(out, line); err != nil {
		return err
	}
	switch verdict.Verdict {
	case Changed:
		return errors.New("the field does not say what was quoted")
	case NotFound:
		return errors.New("the quote was not found")
	}
	return nil
}

// unverified gives the error of a failed read the exit code that stdio has for the same reason.
func unverified(err error, providerURL string) error {
	refusal, ok := errors.AsType[*rs.Error](err)
	if !ok {
		return err
	}
	message := refusal.Error()
	switch code := string(refusal.Code); {
	case strings.HasPrefix(code, "grant_"), strings.HasPrefix(code, "token_"), code == "context.active_false", code == "authentication_error", code == "not_authenticated":
		if !strings.Contains(message, "pdpp-mcp connect ") {
			message += " Connect again: pdpp-mcp connect " + providerURL + " --source KEY"
		}
		return exit.NotReadyError(message)
	case strings.HasPrefix(code, "invalid_") && refusal.Code != "invalid_response", refusal.Code == "ambiguous_connection", refusal.Code == "conflicting_connection_id":
		return exit.UsageError(message)
	case refusal.Code == "internal_error":
		return err
	}
	return &exit.Error{Code: exit.Unavailable, Message: message}
}
