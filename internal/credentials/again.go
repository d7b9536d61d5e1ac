package credentials

import (
	"errors"
	"runtime"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// ConnectCommand returns the command line that requests the grant of a stored credential again and stores it in the same place. KEY
// replaces a source that is unknown or cannot be quoted safely for a shell.
func ConnectCommand(c Credential) string {
	if !c.Document.Grant.isAskable() {
		c.Document.Grant = Grant{Source: "KEY"}
	}
	return connectCommand(c)
}

// isAskable reports whether a command line can request this grant.
func (g Grant) isAskable() bool {
	return g.Source != "" && !slices.ContainsFunc(slices.Concat([]string{g.Source, g.Since}, g.Streams, g.Connections, g.Fields), isNoWord)
}

// connectCommand is ConnectCommand for a grant that is askable.
func connectCommand(c Credential) string {
	g := c.Document.Grant
	words := []string{"pdpp-mcp", "connect", c.ProviderURL, "--source", g.Source}
	for _, asked := range []struct {
		flag   string
		values []string
	}{{"--stream", g.Streams}, {"--field", g.Fields}, {"--connection", g.Connections}} {
		for _, value := range asked.values {
			words = append(words, asked.flag, value)
		}
	}
	words = append(words, clients.Flags("--since", strings.TrimSuffix(g.Since, "T00:00:00Z"))...)
	if g.Mode == "single_use" {
		words = append(words, "--once")
	}
	name := c.Name
	if name == DefaultName {
		name = ""
	}
	return clients.CommandLine(runtime.GOOS, append(words, clients.Flags("--name", name, "--cache-root", c.Root)...))
}

// isNoWord reports whether a program could take text for a flag, or a shell could take it for more than one word despite quotes:
// PowerShell runs $( ) inside quotation marks and accepts typographic ones. The names in a grant come from the server.
func isNoWord(text string) bool {
	return strings.HasPrefix(text, "-") || strings.ContainsAny(text, "\"%!$`‘’‚‛“”„") || strings.ContainsFunc(text, unicode.IsControl)
}

// Mend separates an error message from the command that fixes it.
const Mend = " Run: "

// sayCommand appends the command that replaces an unusable credential to its error.
func sayCommand(c Credential, err error) error {
	refused, ok := errors.AsType[*exit.Error](err)
	if !ok {
		return err
	}
	return &exit.Error{Code: refused.Code, Message: refused.Message + Mend + ConnectCommand(c)}
}
