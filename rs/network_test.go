package rs_test

import (
	"errors"
	"fmt"
	"io"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Of a read without a complete answer, a person at a terminal sees what the network reported; of any other error nothing.
func TestWhatTheNetworkReported(t *testing.T) {
	for says, row := range map[string]struct {
		e    rs.Error
		want string
	}{
		"a connection that closed":        {rs.Error{Code: "response_truncated", Cause: fmt.Errorf("read: %w", io.ErrUnexpectedEOF)}, "unexpected EOF"},
		"a cause on two lines":            {rs.Error{Code: "grant_expired", Cause: rs.LoggableError{Err: errors.New("a\nb")}}, "a; b"},
		"a cause that may quote a server": {rs.Error{Code: "server_unreachable", Cause: errors.New("canary")}, "*errors.errorString"},
		"no cause":                        {rs.Error{Code: "server_unreachable"}, ""},
		"an error that came as an answer": {rs.Error{Code: "not_found", Cause: io.EOF}, ""},
	} {
		if got := row.e.NetworkCause(); got != row.want {
			t.Errorf("%s: %q, want %q", says, got, row.want)
		}
	}
}
