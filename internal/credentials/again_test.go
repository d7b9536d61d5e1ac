package credentials

import (
	"context"
	"errors"
	"net/http"
	"os"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The command that repairs a credential requests everything that it had, and stores it in the same place.
func TestTheCommandThatRepairsACredentialIsComplete(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("it quotes otherwise")
	}
	root := t.TempDir()
	ended := granted("https://rs.example", "https://r.example/connectors/mail", "grt_1")
	ended.Credential.SetExpiry(time.Unix(1, 0))
	ended.Grant = Grant{
		Source: ended.Grant.Source, Streams: []string{"messages"}, Fields: []string{"messages.subject"}, Connections: []string{"cin_a"}, Since: "2026-01-31T00:00:00Z", Mode: "single_use",
	}
	place(t, root, "work", ended)
	const asked = "pdpp-mcp connect https://rs.example --source https://r.example/connectors/mail --stream messages --field messages.subject --connection cin_a" +
		" --since 2026-01-31 --once --name work --cache-root "
	_, err := LoadCredential(root, "https://rs.example", "", time.Unix(2, 0))
	if err == nil || !strings.HasSuffix(err.Error(), " Run: "+asked+root) {
		t.Errorf("a credential that has ended: %v", err)
	}
	all, _ := Stored(root)
	_, err = Identify(t.Context(), revoked{}, all[0])
	var refused *exit.Error
	if !errors.As(err, &refused) || refused.Code != exit.NotReady || !strings.HasSuffix(refused.Message, " Run: "+asked+root) {
		t.Errorf("a token that is refused: %v", err)
	}
	if _, err = all[0].Reload(time.Unix(2, 0)); err == nil || !strings.HasSuffix(err.Error(), asked+root) {
		t.Errorf("read again: %v", err)
	}
	if err := os.WriteFile(all[0].Path, []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err = LoadCredential(root, "https://rs.example", "", time.Unix(2, 0))
	if err == nil || !strings.HasSuffix(err.Error(), "is malformed. Run: pdpp-mcp connect https://rs.example --source KEY --name work --cache-root "+root) {
		t.Errorf("a file that is damaged: %v", err)
	}
	for want, c := range map[string]Credential{
		"pdpp-mcp connect https://rs.example --source KEY":                                           {},
		"pdpp-mcp connect https://rs.example --source KEY --cache-root /home/anna/.pdpp":             {Root: "/home/anna/.pdpp"},
		"pdpp-mcp connect https://rs.example --source KEY --name chat --cache-root /home/anna/.pdpp": {Name: "chat", Root: "/home/anna/.pdpp"},
		"pdpp-mcp connect https://rs.example --source KEY --cache-root /tmp":                         {Root: "/tmp", Document: Document{Grant: Grant{Source: "--once"}}},
	} {
		c.ProviderURL = "https://rs.example"
		if got := ConnectCommand(c); got != want {
			t.Errorf("%s instead of %s", got, want)
		}
	}
}

// revoked refuses every read, as after a revocation.
type revoked struct{}

func (revoked) Do(context.Context, rs.Request) (*rs.Response, error) {
	return nil, &rs.Error{Code: "grant_revoked", Status: http.StatusForbidden, Message: "The grant was revoked."}
}
