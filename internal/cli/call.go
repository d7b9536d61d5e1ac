package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

type callCommand struct {
	Tool      string   `arg:"" help:"Name of the tool; pdpp-mcp tools lists them."`
	Arguments []string `arg:"" optional:"" name:"argument" help:"One JSON object, or key=value for each argument; lists are typed with commas."`
	providerFlags
	Structured bool `help:"Print the structured result instead of the text."`
}

// Run calls a tool as a model would, and prints what it would see.
func (c callCommand) Run(ctx context.Context, app App) error {
	return c.inside(ctx, app, func(ctx context.Context, server *transport.Server, _ string) error {
		return callTool(ctx, server, app.Out, c.Tool, c.Arguments, c.Structured)
	})
}

// errAnswered is returned by callTool when the tool answered with an error, which is printed by then.
var errAnswered = errors.New("the tool answered with an error, shown above")

// callTool calls a tool with what was typed (see Arguments) and prints what a model sees: the text, or the structured
// result. What cannot be called as it was typed is a *exit.Error with exit.Usage.
func callTool(ctx context.Context, server *transport.Server, out io.Writer, tool string, words []string, structured bool) error {
	listed := toolList(server.Listed())
	schema := json.RawMessage(`{}`) // a tool can be callable without being listed
	if known := listed.named(tool); known != nil {
		schema, _ = known.InputSchema.(json.RawMessage)
	}
	arguments, err := Arguments(schema, words)
	if err != nil {
		return exit.UsageError(err.Error() + ". Run pdpp-mcp tools " + tool + " for its arguments.")
	}
	raw, err := json.Marshal(arguments)
	if err != nil {
		return err
	}
	result, err := server.Call(ctx, tool, raw)
	if refused, ok := errors.AsType[*jsonrpc.Error](err); ok && refused.Code == jsonrpc.CodeInvalidParams {
		return listed.unknown(tool)
	}
	if err != nil {
		return err
	}
	if structured && result.StructuredContent != nil {
		err = printJSON(out, result.StructuredContent)
	} else {
		for _, content := range result.Content {
			if text, ok := content.(*mcp.TextContent); ok && err == nil { // no tool answers with anything else
				_, err = fmt.Fprintln(out, strings.TrimRight(text.Text, "\n"))
			}
		}
	}
	if err == nil && result.IsError {
		return errAnswered
	}
	return err
}
