package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
)

// A stream's name comes from the server, so a line break in it must not start a line of the list.
func TestConnectionsAreListedOnTheirOwnLines(t *testing.T) {
	root := t.TempDir()
	document := credentials.Document{
		ProviderURL: "https://rs.example", Credential: credentials.Issued{AccessToken: "token-of-a-grant", TokenType: "Bearer"},
		Grant: credentials.Grant{Source: "https://registry.example/gmail", Streams: []string{"messages\nhttps://evil.example, default\x1b[31m"}},
	}
	if _, _, err := credentials.Store(t.Context(), root, "", document); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := (connectionsCommand{cacheFlags: cacheFlags{root}}).run(t.Context(), App{Out: &out}); err != nil {
		t.Fatal(err)
	}
	if strings.Count(out.String(), "\n") != 3 || strings.Contains(out.String(), "\nhttps://evil") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("the list is %q", out.String())
	}
}

// After an interrupted renewal, the list does not say that the grant is renewed automatically.
func TestAnInterruptedRenewalIsNotListedAsAutomatic(t *testing.T) {
	root := t.TempDir()
	document := credentials.Document{
		ProviderURL: "https://rs.example", Credential: credentials.Issued{AccessToken: "token-of-a-grant", TokenType: "Bearer"},
		Refresh: &credentials.Refresh{TokenEndpoint: "https://as.example/token", Token: "token-of-a-renewal"}, Grant: credentials.Grant{Source: "https://r.example/gmail"},
	}
	document.Credential.SetExpiry(time.Date(2026, 11, 22, 14, 0, 0, 0, time.UTC))
	if _, _, err := credentials.Store(t.Context(), root, "", document); err != nil {
		t.Fatal(err)
	}
	list := func() string {
		var out bytes.Buffer
		if err := (connectionsCommand{cacheFlags: cacheFlags{root}}).run(t.Context(), App{Out: &out}); err != nil {
			t.Fatal(err)
		}
		return out.String()
	}
	if got := list(); !strings.Contains(got, "renewed by itself") {
		t.Error(got)
	}
	all, _ := credentials.Stored(root)
	if _, err := all[0].Reserve(); err != nil { // as by a process that ended before its request was answered
		t.Fatal(err)
	}
	if got := list(); strings.Contains(got, "by itself") || !strings.Contains(got, "until 2026-11-22T14:00:00Z") || !strings.Contains(got, "--source https://r.example/gmail") {
		t.Error(got)
	}
}

// connections and disconnect name each file that cannot be read, with the reason, and list the readable ones.
func TestFilesThatCannotBeUsedAreNamed(t *testing.T) {
	root := t.TempDir()
	document := credentials.Document{
		ProviderURL: "https://rs.example", AuthorizationServer: "http://127.0.0.1:1", Credential: credentials.Issued{AccessToken: "token-of-a-grant", TokenType: "Bearer"},
	}
	for name, text := range map[string]string{"good": "", "cut": `{"provider_url":"https://rs.ex`, "empty": "\n", "nameless": `{"credential":{"access_token":"x"}}`, "owner": `{"provider_url":"https://rs.example","credential":{"access_token":"x","kind":"owner"}}`} {
		if _, _, err := credentials.Store(t.Context(), root, name, document); err != nil {
			t.Fatal(err)
		}
		path, err := credentials.Path(root, name, "https://rs.example")
		if err == nil && text != "" {
			err = os.WriteFile(path, []byte(text), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	var out, stderr strings.Builder
	if err := (connectionsCommand{cacheFlags: cacheFlags{root}}).run(t.Context(), App{Out: &out, Err: &stderr}); err != nil || strings.Count(out.String(), "https://rs.example") != 1 {
		t.Errorf("%v: %s", err, out.String())
	}
	err := disconnectCommand{Name: "cut", cacheFlags: cacheFlags{root}}.run(t.Context(), App{Out: &out, Err: &stderr}, "https://rs.example")
	if err == nil || !strings.Contains(err.Error(), "there is cut, empty, good, nameless, owner") {
		t.Error(err)
	}
	for _, name := range []string{"cut", "empty", "nameless", "owner"} {
		if strings.Count(stderr.String(), filepath.Join(root, "connections", name)) != 2 {
			t.Errorf("%s is not named: %s", name, stderr.String())
		}
	}
	if strings.Count(stderr.String(), "cannot be used") != 8 {
		t.Error(stderr.String())
	}
}

// setup notes that a grant which --only names is not stored, even if another is.
func TestSetupNotesAGrantThatIsNotStored(t *testing.T) {
	root := t.TempDir()
	document := credentials.Document{
		ProviderURL: "https://rs.example", Credential: credentials.Issued{AccessToken: "token-of-a-grant", TokenType: "Bearer"},
	}
	if _, _, err := credentials.Store(t.Context(), root, "work", document); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"work", "home"} {
		var stderr strings.Builder
		app := App{Out: io.Discard, Err: &stderr, Getenv: func(string) string { return "" }}
		arguments := []string{"setup", "cursor", "--provider-url", "https://rs.example", "--cache-root", root, "--only", name}
		if code := Run(t.Context(), arguments, app); code != 0 || strings.Contains(stderr.String(), "is stored as home") != (name == "home") {
			t.Errorf("%s: %d, %s", name, code, stderr.String())
		}
	}
}
