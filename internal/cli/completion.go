package cli

import (
	"fmt"

	"github.com/alecthomas/kong"

	"github.com/pdp-connect/pdpp-mcp/internal/cli/completion"
	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

type completionCommand struct {
	Shell string `arg:"" help:"bash, zsh or fish." enum:"bash,zsh,fish"`
}

// runCompletion prints a completion script for the commands of a model.
func runCompletion(c completionCommand, model *kong.Application, app App) error {
	var names []string
	for _, tool := range tools.All(tools.Options{}) {
		if tool.Listed {
			names = append(names, tool.Name)
		}
	}
	words := map[string][]string{"setup": clients.Names(), "call": names, "tools": names, "completion": completion.Shells}
	if !completion.Write(app.Out, model, words, c.Shell) {
		return exit.UsageError(fmt.Sprintf("there is no shell %q", c.Shell))
	}
	return nil
}
