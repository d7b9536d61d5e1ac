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

// ConnectCommand is the command line that asks for what a stored credential had, and stores it where that is. Where its source is
// not known, or is no word for a shell, KEY stands for it.
func ConnectCommand(c Credential) string {
	if !c.Document.Grant.isAskable() {
		c.Document.Grant = Grant{Source: "KEY"}
	}
	return connectCommand(c)
}

// isAskable reports whether a command can ask for what was granted.
func (g Grant) isAskable() bool {
	return g.Source != "" && !slices.ContainsFunc(slices.Concat([]string{g.Source, g.Since}, g.Streams, g.Connections, g.Fields), isNoWord)
}

// connectCommand is the command line that asks for a grant that is askable.
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

// isNoWord reports what a program could take for a flag, or some shell for more than a word however it is quoted: PowerShell runs $( )
// between quotation marks, and takes those of print for its own. What a grant names are names of the server's.
func isNoWord(text string) bool {
	return strings.HasPrefix(text, "-") || strings.ContainsAny(text, "\"%!$`‘’‚‛“”„") || strings.ContainsFunc(text, unicode.IsControl)
}

// Mend is between an error and the command that mends it.
const Mend = " Run: "

// sayCommand adds to why a credential cannot be used the command that mends it.
func sayCommand(c Credential, err error) error {
	refused, ok := errors.AsType[*exit.Error](err)
	if !ok {
		return err
	}
	return &exit.Error{Code: refused.Code, Message: refused.Message + Mend + ConnectCommand(c)}
}
