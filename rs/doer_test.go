package rs_test

import (
	"errors"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// D28: a read of a package counts once for each member read, every other read once.
func TestReadsAreCounted(t *testing.T) {
	for name, row := range map[string]struct {
		response *rs.Response
		err      error
		counted  int
	}{
		"of a resource server":  {response: &rs.Response{}, counted: 1},
		"of a package of three": {response: &rs.Response{Reads: 3}, counted: 3},
		"that fails":            {err: errors.New("no answer"), counted: 1},
	} {
		reads := &rs.Reads{Doer: doerFunc(func() (*rs.Response, error) { return row.response, row.err })}
		if _, err := reads.Do(t.Context(), rs.Request{}); !errors.Is(err, row.err) || reads.Count() != row.counted {
			t.Errorf("%s: %d reads, %v", name, reads.Count(), err)
		}
	}
}
