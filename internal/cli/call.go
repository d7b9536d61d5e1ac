package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

type callCommand struct {
	providerFlags
	Structured bool
}

func newCall(app App) *cobra.Command {
	var o callCommand
	c := &cobra.Command{
		Use: "call <tool> [argument...]", Args: takes(1, math.MaxInt), ValidArgs: listedTools(),
		Short: "Call a tool and print what a model would see.",
		Long: `Call a tool and print what a model would see. <tool> is one of those that
pdpp-mcp tools lists, or list_streams or fetch_blob. Its arguments are one JSON
object, or key=value for each; lists are typed with commas.`,
		Example: "pdpp-mcp call search q=dentist limit=3 --demo",
		RunE:    func(c *cobra.Command, words []string) error { return o.run(c.Context(), app, words[0], words[1:]) },
	}
	o.declare(c.Flags())
	c.Flags().BoolVar(&o.Structured, "structured", false, "Print the structured result instead of the text")
	return c
}

func (c callCommand) run(ctx context.Context, app App, tool string, arguments []string) error {
	if !slices.Contains(tools.Names(), tool) {
		return unknownTool(tool)
	}
	return c.withServer(ctx, app, func(ctx context.Context, server *transport.Server, _ string) error {
		result, err := callTool(ctx, server, tool, arguments)
		switch {
		case err != nil:
			return err
		case c.Structured && result.StructuredContent != nil:
			return cmp.Or(printJSON(app.Out, result.StructuredContent), failureOf(result))
		}
		return printText(app.Out, result)
	})
}

// callTool calls a tool with arguments from the command line (see Arguments). An unknown tool or invalid arguments are an *exit.Error with
// exit.Usage. The tool's own error is a result.
func callTool(ctx context.Context, server *transport.Server, tool string, words []string) (*mcp.CallToolResult, error) {
	schema := json.RawMessage(`{}`)
	if known := toolList(server.Listed()).named(tool); known != nil {
		schema, _ = known.InputSchema.(json.RawMessage)
	}
	raw, err := Arguments(schema, words)
	if err != nil {
		return nil, exit.UsageError(err.Error() + ". Run pdpp-mcp tools " + tool + " for its arguments.")
	}
	result, err := server.Call(ctx, tool, raw)
	if refused, ok := errors.AsType[*jsonrpc.Error](err); ok && refused.Code == jsonrpc.CodeInvalidParams {
		return nil, unknownTool(tool)
	}
	return result, err
}

// errToolFailed is the error of a command whose tool answered with an error, which it has printed.
var errToolFailed = errors.New("the tool answered with an error, shown above")

func failureOf(result *mcp.CallToolResult) error {
	if result.IsError {
		return errToolFailed
	}
	return nil
}

// printText prints the text that a model sees, and returns errToolFailed if it is an error of the tool.
func printText(out io.Writer, result *mcp.CallToolResult) error {
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok { // tools return no other type of content
			if _, err := fmt.Fprintln(out, strings.TrimRight(text.Text, "\n")); err != nil {
				return err
			}
		}
	}
	return failureOf(result)
}
