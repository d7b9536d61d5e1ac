package cli

import (
	"bytes"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
)

// A stream's name is the server's: with a line break in it, it writes no line of its own into the list.
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
	if err := runConnections(connectionsCommand{CacheRoot: root}, App{Out: &out}); err != nil {
		t.Fatal(err)
	}
	if strings.Count(out.String(), "\n") != 3 || strings.Contains(out.String(), "\nhttps://evil") || strings.Contains(out.String(), "\x1b") {
		t.Errorf("the list is %q", out.String())
	}
}
