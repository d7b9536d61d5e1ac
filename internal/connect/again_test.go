package connect

import (
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A refuser answers every read with one error.
type refuser struct{ rs.Error }

func (r refuser) Do(context.Context, rs.Request) (*rs.Response, error) { return nil, &r.Error }

// An error about a grant that has ended ends with the command that requests it again and replaces it; an error about a stream does not.
func TestAnEndedGrantNamesTheCommandThatReplacesIt(t *testing.T) {
	k := newKept(t, says(400, `{"error":"invalid_grant"}`))
	want := "pdpp-mcp connect https://rs.example --source https://registry.example/connectors/slack --cache-root " + filepath.Dir(filepath.Dir(k.path))
	for code, row := range map[rs.Code]struct {
		status int
		named  bool
	}{"grant_revoked": {http.StatusForbidden, true}, "context.active_false": {http.StatusUnauthorized, true}, "context.stream_not_allowed": {http.StatusUnauthorized, false}} {
		_, err := renewing{k.Keeper, func(rs.Token) rs.Doer { return refuser{rs.Error{Code: code, Status: row.status}} }}.Do(t.Context(), rs.Request{})
		var refused *rs.Error
		if !errors.As(err, &refused) || refused.Code != code || strings.HasSuffix(refused.Hint, want) != row.named {
			t.Errorf("%s: %+v; want %q", code, refused, want)
		}
	}
	k.now = k.current.Expires
	var ended *rs.Error
	if _, err := k.Token(t.Context()); !errors.As(err, &ended) || !strings.HasSuffix(ended.Hint, want) {
		t.Errorf("%+v; want %q", ended, want)
	}
}

// If a new grant was not used before its first token expired, it is renewed before the server is asked whose it is.
func TestAnExpiredNewGrantIsRenewedFirst(t *testing.T) {
	for name, row := range map[string]struct {
		answer http.HandlerFunc
		token  string
	}{
		"renewed":       {says(200, strings.ReplaceAll(renewed, "grt_1", "grt_9")), "at_2"},
		"dead":          {says(400, `{"error":"invalid_grant"}`), "at_1"},
		"of an owner's": {says(200, strings.Replace(strings.ReplaceAll(renewed, "grt_1", "grt_9"), "at_2", "at_owner", 1)), "at_1"},
	} {
		t.Run(name, func(t *testing.T) {
			k := newKept(t, row.answer)
			d := k.stored(t)
			d.Credential.AccessToken, d.Credential.GrantID, d.Refresh.Token = "at_9", "grt_9", "rt_9"
			k.store(t, d)
			k.identified = k.current.Token
			k.identifyNew = func(_ context.Context, token rs.Token) error {
				if token.Reveal() != "at_2" {
					return errors.New("it is not a client's")
				}
				return nil
			}
			k.now = k.current.Expires.Add(time.Minute)
			k.current.Document.Refresh = nil // the previous grant had no refresh token
			token, err := k.Renew(t.Context(), rs.NewToken("at_1"), "grant_revoked")
			if err != nil || token.Reveal() != row.token || k.sent.Load() != 1 {
				t.Errorf("%s after %d requests, %v", token.Reveal(), k.sent.Load(), err)
			}
			if k.current.GrantID == "grt_9" != (row.token == "at_2") {
				t.Errorf("the current grant is %s", k.current.GrantID)
			}
		})
	}
}

// A full disk is not reported as an unreachable server, since waiting does not help.
func TestAFullDiskIsReported(t *testing.T) {
	k := newKept(t, says(200, renewed))
	if err := os.Symlink(k.path+".away/next", k.path+".next"); err != nil { // now nothing can be reserved
		t.Skip(err)
	}
	k.now = k.current.Expires
	for range 2 { // the second one within the pause between attempts
		var refused *rs.Error
		_, err := k.Token(t.Context())
		if !errors.As(err, &refused) || refused.Code != "credential_not_stored" || refused.Message != "The access to https://rs.example has ended, and its renewal could not be stored in "+k.path+"." ||
			!strings.Contains(refused.NetworkCause(), ".next") || !strings.Contains(refused.Hint, "free space") {
			t.Errorf("%+v", refused)
		}
	}
	_, err := credentials.Identify(t.Context(), renewing{keeper: k.Keeper}, k.current)
	var failed *exit.Error
	if !errors.As(err, &failed) || failed.Code != exit.CannotWrite || !strings.Contains(failed.Cause, ".next") || !strings.Contains(failed.Message, "free space") {
		t.Errorf("a command fails with %v", err)
	}
	if k.sent.Load() > 0 {
		t.Error("a renewal was requested")
	}
}
