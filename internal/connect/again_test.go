package connect

import (
	"context"
	"errors"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A refuser answers every read with one error.
type refuser struct{ rs.Error }

func (r refuser) Do(context.Context, rs.Request) (*rs.Response, error) { return nil, &r.Error }

// An answer about a dead grant ends with the command that asks for it again and stores it in its place; one about a stream does not.
func TestADeadGrantNamesTheCommandThatReplacesIt(t *testing.T) {
	k := newKept(t, says(400, `{"error":"invalid_grant"}`))
	want := "pdpp-mcp connect https://rs.example --source https://registry.example/connectors/slack --cache-root " + filepath.Dir(filepath.Dir(k.path))
	for code, row := range map[rs.Code]struct {
		status int
		named  bool
	}{"grant_revoked": {http.StatusForbidden, true}, "context.active_false": {http.StatusUnauthorized, true}, "context.stream_not_allowed": {http.StatusUnauthorized, false}} {
		_, err := renewing{k.Keeper, func(rs.Token) rs.Doer { return refuser{rs.Error{Code: code, Status: row.status}} }}.Do(t.Context(), rs.Request{})
		var refused *rs.Error
		if !errors.As(err, &refused) || refused.Code != code || strings.HasSuffix(refused.Hint, want) != row.named {
			t.Errorf("%s: %+v", code, refused)
		}
	}
	k.now = k.current.Expires
	var ended *rs.Error
	if _, err := k.Token(t.Context()); !errors.As(err, &ended) || !strings.HasSuffix(ended.Hint, want) {
		t.Errorf("%+v", ended)
	}
}
