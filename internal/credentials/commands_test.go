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

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The command that requests more names what is granted and what is missing, quoted so that a shell or a person cannot misread it.
func TestConnectCommands(t *testing.T) {
	stored := func(name string, g Grant) Credential {
		return Credential{ProviderURL: "https://rs.example", Name: name, Document: Document{Grant: g}}
	}
	mail := stored(DefaultName, Grant{
		Source: "https://registry.example/connectors/gmail", Streams: []string{"messages"}, Connections: []string{"cin_a"},
		Since: "2026-03-01T00:00:00Z", Offered: []string{"messages", "threads"},
	})
	mail.Document.AuthorizationServer = "https://as.example"
	chat := stored("slack", Grant{
		Source: "https://registry.example/connectors/slack", Streams: []string{"channels"}, Mode: "single_use", Offered: []string{"channels", "messages", "files"},
	})
	const gmail = "pdpp-mcp connect https://rs.example --source https://registry.example/connectors/gmail --stream messages"
	const slack = "pdpp-mcp connect https://rs.example --source https://registry.example/connectors/slack --stream channels"
	some := stored(DefaultName, Grant{
		Source: "https://registry.example/connectors/gmail", Streams: []string{"messages", "labels"}, Fields: []string{"messages.subject", "labels.name"},
	})
	const part = "pdpp-mcp connect https://rs.example --source https://registry.example/connectors/gmail --stream messages --stream labels"
	const none = "KEY is for the owner to fill in: no connected source is known to have "
	const keys, unknown = ", and the owner sees the key of each source at https://as.example/_ref/connections", ", and the owner sees the key of each source where they are signed in"
	both := []Credential{mail, chat}
	const ended = " --connection cin_a --since 2026-03-01"
	shell := stored(DefaultName, Grant{Source: "https://registry.example/a", Streams: []string{`a" & calc & "`}})
	subshell := stored(DefaultName, Grant{Source: "https://registry.example/a", Streams: []string{"a$(calc)"}})
	quotes := stored(DefaultName, Grant{Source: "https://registry.example/a", Streams: []string{"a\u201d; calc; \u201c"}})
	hostile := mail
	hostile.Document.AuthorizationServer = "https://as.example/;$(id)&calc;"
	flag := stored(DefaultName, Grant{Source: "https://registry.example/a", Connections: []string{"--cache-root=/"}})
	for name, row := range map[string]struct {
		stored  []Credential
		root    string
		missing rs.Missing
		want    []string
	}{
		"a stream":     {both[:1], "", rs.Missing{Streams: []string{"threads"}}, []string{gmail + " --stream threads" + ended}},
		"a connection": {both[:1], "", rs.Missing{Connection: "cin_b"}, []string{gmail + " --connection cin_a --connection cin_b --since 2026-03-01"}},
		"a time":       {both, "", rs.Missing{Streams: []string{"messages"}, AllTimes: true}, []string{gmail + " --connection cin_a"}},
		"a field: all of its stream": {
			[]Credential{some}, "", rs.Missing{Streams: []string{"messages"}}, []string{part + " --field labels.name"},
		},
		"a time of some fields": {
			[]Credential{some}, "", rs.Missing{Streams: []string{"messages"}, AllTimes: true},
			[]string{part + " --field messages.subject --field labels.name"},
		},
		"nothing: the same request again": {both[1:], "/a b", rs.Missing{}, []string{slack + " --once --name slack --cache-root '/a b'"}},
		"a stream that one source has":    {both, "", rs.Missing{Streams: []string{"files"}}, []string{slack + " --stream files --once --name slack"}},
		"a stream that one grant has, and another source": {
			both, "", rs.Missing{Streams: []string{"messages"}, Connection: "cin_b"},
			[]string{gmail + " --connection cin_a --connection cin_b --since 2026-03-01"},
		},
		"streams of several sources, one of none": {
			both, "/a", rs.Missing{Streams: []string{"threads", "files", "orders"}},
			[]string{
				gmail + " --stream threads" + ended + " --cache-root /a", slack + " --stream files --once --name slack --cache-root /a",
				"pdpp-mcp connect https://rs.example --source KEY --stream orders --cache-root /a", none + "orders" + keys,
			},
		},
		"a stream of a source, beside a time of another": {
			both, "", rs.Missing{Streams: []string{"files"}, AllTimes: true}, []string{slack + " --stream files --once --name slack"},
		},
		"a connection of one of several": {
			both, "", rs.Missing{Connection: "cin_b"},
			[]string{gmail + " --connection cin_a --connection cin_b --since 2026-03-01", slack + " --connection cin_b --once --name slack"},
		},
		"a source whose streams are not known": {
			[]Credential{some}, "", rs.Missing{Streams: []string{"threads"}},
			[]string{"pdpp-mcp connect https://rs.example --source KEY --stream threads", none + "threads" + unknown},
		},
		"an authorization server that some shell would read": {
			[]Credential{hostile}, "", rs.Missing{Streams: []string{"orders"}},
			[]string{"pdpp-mcp connect https://rs.example --source KEY --stream orders", none + "orders" + unknown},
		},
		"a stream that PowerShell would run":  {[]Credential{subshell}, "", rs.Missing{}, nil},
		"quotation marks of PowerShell's":     {[]Credential{quotes}, "", rs.Missing{}, nil},
		"a name that a shell would read":      {both, "", rs.Missing{Streams: []string{"x;rm -rf ~"}}, nil},
		"a name that reads like a flag":       {both, "", rs.Missing{Connection: "--cache-root=/"}, nil},
		"a stream that some shell would read": {[]Credential{shell}, "", rs.Missing{}, nil},
		"a connection that reads like a flag": {[]Credential{flag}, "", rs.Missing{}, nil},
		"a grant whose source is not known":   {[]Credential{{ProviderURL: "https://rs.example"}}, "", rs.Missing{}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			for i := range row.stored {
				row.stored[i].Root = row.root
			}
			if diff := cmp.Diff(row.want, ConnectCommands(row.stored, row.missing)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

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
