// Package cite checks whether a record still contains the text that was quoted from it. It reads with the tools that a model has.
package cite

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

const (
	maxCitedChars = 1 << 20 // of one quote
	maxFieldChars = 4 << 20 // of a field that is looked through for a quote that moved
	windowChars   = 16384   // of one read
	maxWindows    = 2048    // reads of one field; one of maxFieldChars in lines of a few words takes half as many
	shownChars    = 200     // of the text that is now in the place of a quote
)

// The outcomes of a check.
const (
	Unchanged = "unchanged" // the field still contains the text
	Changed   = "changed"   // the field has another text in that place, and does not contain the quoted text
	NotFound  = "not found" // the record or the field cannot be read, or does not contain the text
)

// A Verdict says whether a record still contains a quote.
type Verdict struct {
	Verdict string `json:"verdict"`
	ID      string `json:"id"`
	Field   string `json:"field"`
	Start   *int   `json:"start_chars,omitempty"` // the cited range, if the quote is still there
	End     *int   `json:"end_chars,omitempty"`
	Detail  string `json:"detail,omitempty"`
}

// String returns the verdict as one line, even if it has an error of several lines.
func (v Verdict) String() string {
	line := v.Verdict + ": " + v.ID + " field " + v.Field
	if v.Start != nil {
		line += fmt.Sprintf(", characters %d to %d", *v.Start, *v.End)
	}
	if v.Detail != "" {
		line += "; " + v.Detail
	}
	return strings.Join(strings.Fields(line), " ")
}

// Err returns an error unless the record still contains the quote.
func (v Verdict) Err() error {
	switch v.Verdict {
	case Changed:
		return errors.New("the field does not say what was quoted")
	case NotFound:
		return errors.New("the quote was not found")
	}
	return nil
}

// Verify reads what a citation names, through the same tool as a model, and reports whether it is still what was quoted. If the tool fails
// for a reason other than a missing record or field, Verify returns its *rs.Error.
func Verify(ctx context.Context, call Call, c Citation) (Verdict, error) {
	v := Verdict{ID: c.ID, Field: c.Field, Verdict: Unchanged}
	there := ""
	if c.Start != nil {
		quoted, err := c.read(ctx, call, *c.Start, *c.End)
		if err != nil {
			return unreadable(v, err)
		}
		there = string(quoted)
		if there != "" && c.says(there) {
			v.Start, v.End = c.Start, c.End
			return v, nil
		}
	}
	whole, err := c.read(ctx, call, 0, maxFieldChars)
	if err != nil {
		return unreadable(v, err)
	}
	switch {
	case c.isIn(whole):
		if c.Start != nil {
			v.Detail = fmt.Sprintf("moved from characters %d to %d", *c.Start, *c.End)
		}
	case c.Start == nil:
		v.Verdict, v.Detail = NotFound, "the text is not in the field"
	case there == "":
		v.Verdict, v.Detail = Changed, fmt.Sprintf("the field no longer reaches characters %d to %d", *c.Start, *c.End)
	default:
		now := rs.Clip(render.Quotable(there), shownChars)
		v.Verdict, v.Detail = Changed, fmt.Sprintf("characters %d to %d now read %q", *c.Start, *c.End, now)
	}
	return v, nil
}

// gone has the error codes for what a grant does not show (any more). A resource server does not distinguish what is not granted
// from what does not exist.
var gone = map[rs.Code]bool{
	"not_found": true, "unknown_stream": true, "unknown_connection": true, "connection_not_found": true,
	"field_not_granted": true, "unknown_field": true, "field_not_text": true,
	"grant_stream_not_allowed": true, "context.stream_not_allowed": true, "context.instance_mismatch": true,
}

func unreadable(v Verdict, err error) (Verdict, error) {
	if refusal, ok := errors.AsType[*rs.Error](err); ok && gone[refusal.Code] {
		v.Verdict, v.Detail = NotFound, refusal.Error()
		return v, nil
	}
	return Verdict{}, err
}

// WithExitCode gives the error of a failed read the exit code that stdio has for the same reason. Its message names providerURL.
func WithExitCode(err error, providerURL string) error {
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
