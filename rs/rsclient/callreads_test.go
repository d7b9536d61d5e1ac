package rsclient_test

import (
	"errors"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// The reads of a call are counted, and the first error that refuses its token is kept.
func TestTheFirstRefusalOfACallIsKept(t *testing.T) {
	other := &rs.Error{Code: "upstream_error", Status: 500}
	refused, later := &rs.Error{Code: "token_expired", Status: 401}, &rs.Error{Code: "grant_revoked", Status: 403}
	for name, row := range map[string]struct {
		reads []error
		want  rs.Code // "" if no token was refused
	}{
		"no read":                 {nil, ""},
		"good answers":            {[]error{nil, nil}, ""},
		"errors of other kinds":   {[]error{other, errors.New("broken")}, ""},
		"one refusal":             {[]error{refused}, "token_expired"},
		"one among other answers": {[]error{nil, other, refused, nil}, "token_expired"},
		"two":                     {[]error{later, refused}, "grant_revoked"},
	} {
		ctx, reads, _ := rsclient.WithCallReads(t.Context())
		for _, err := range row.reads {
			rsclient.NoteRead(ctx, err)
		}
		if got, found := reads.RefusedToken(); got != row.want || found != (row.want != "") || reads.Count() != len(row.reads) {
			t.Errorf("%s: %q, %v, after %d reads", name, got, found, reads.Count())
		}
	}
}
