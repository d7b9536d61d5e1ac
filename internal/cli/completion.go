package cli

import (
	"github.com/alecthomas/kong"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/completion"
	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

type completionCommand struct {
	Shell string `arg:"" help:"bash, zsh or fish." enum:"bash,zsh,fish"`
}

// Run prints a completion script for the commands that were parsed.
func (c completionCommand) Run(parsed *kong.Context, app App) error {
	var names []string
	for _, tool := range tools.All(tools.Options{}) {
		if tool.Listed {
			names = append(names, tool.Name)
		}
	}
	words := map[string][]string{"setup": clients.Names(), "call": names, "tools": names, "completion": completion.Shells}
	return completion.Write(app.Out, parsed.Model, words, c.Shell)
}
