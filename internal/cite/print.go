package cite

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// maxCitationBytes bounds a citation, which may hold the text that it quotes.
const maxCitationBytes = 4 << 20

// ReadCitations reads the citation that was typed, with the text that was typed beside it; or, where that is "-", one
// citation a line from in. They are all read before any record is. Its errors are *exit.Error values with
// exit.Usage.
func ReadCitations(typed, text string, in io.Reader) ([]Citation, error) {
	if typed != "-" {
		citation, err := ParseCitation(typed, text)
		if err != nil {
			return nil, exit.UsageError(err.Error() + ".")
		}
		return []Citation{citation}, nil
	}
	if text != "" {
		return nil, exit.UsageError("--text belongs to one citation. On standard input, a citation carries its text itself.")
	}
	var citations []Citation
	lines := bufio.NewScanner(in)
	lines.Buffer(nil, maxCitationBytes)
	for number := 1; lines.Scan(); number++ {
		if strings.TrimSpace(lines.Text()) == "" {
			continue
		}
		citation, err := ParseCitation(lines.Text(), "")
		if err != nil {
			return nil, exit.UsageError(fmt.Sprintf("line %d: %v.", number, err))
		}
		citations = append(citations, citation)
	}
	if err := lines.Err(); err != nil {
		return nil, exit.UsageError(fmt.Sprintf("standard input cannot be read: %v. Send one citation a line, each under %d bytes.", err, maxCitationBytes))
	}
	if len(citations) == 0 {
		return nil, exit.UsageError("standard input holds no citation. Send one a line.")
	}
	return citations, nil
}

// PrintVerdicts says of each citation whether its record still says it: one line a citation on out, of JSON where that is
// asked for. It fails where one no longer does, and where a read failed: that error has the exit code that stdio has for
// the same reason. providerURL is for its text.
func PrintVerdicts(ctx context.Context, call Call, citations []Citation, providerURL string, asJSON bool, out io.Writer) error {
	differ := 0
	for _, citation := range citations {
		verdict, err := Verify(ctx, call, citation)
		if err != nil {
			return unverified(err, providerURL)
		}
		if verdict.Verdict != Unchanged {
			differ++
		}
		line := strings.Join(strings.Fields(verdict.String()), " ") // one line, whatever an error says
		if asJSON {
			line = rs.EncodeJSON(verdict)
		}
		if _, err := fmt.Fprintln(out, line); err != nil {
			return err
		}
	}
	if differ > 0 {
		return fmt.Errorf("%d of %d quotes no longer stand", differ, len(citations))
	}
	return nil
}

// unverified gives a read that failed the exit code that stdio has for the same reason.
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
		return &exit.Error{Code: exit.NotReady, Message: message}
	case strings.HasPrefix(code, "invalid_") && refusal.Code != "invalid_response", refusal.Code == "ambiguous_connection", refusal.Code == "conflicting_connection_id":
		return exit.UsageError(message)
	case refusal.Code == "internal_error":
		return err
	}
	return &exit.Error{Code: exit.Unavailable, Message: message}
}
