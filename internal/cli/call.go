package cli

import (
	"context"
	"encoding/json"
	"errors"
	"io"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// errAnswered is returned by callTool when the tool answered with an error, which is printed by then.
var errAnswered = errors.New("the tool answered with an error, shown above")

// callTool calls a tool with what was typed (see Arguments) and prints what a model sees: the text, or the structured
// result. What cannot be called as it was typed is a *exit.Error with exit.Usage.
func callTool(ctx context.Context, session *mcp.ClientSession, out io.Writer, tool string, words []string, structured bool) error {
	schema := json.RawMessage(`{}`)
	if listed, err := findTool(ctx, session, tool); err != nil {
		return err
	} else if listed != nil {
		if schema, err = json.Marshal(listed.InputSchema); err != nil {
			return err
		}
	}
	arguments, err := Arguments(schema, words)
	if err != nil {
		return exit.UsageError(err.Error() + ". Run pdpp-mcp tools " + tool + " for its arguments.")
	}
	result, err := session.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: arguments})
	var refused *jsonrpc.Error
	if errors.As(err, &refused) && refused.Code == jsonrpc.CodeInvalidParams {
		return unknownTool(ctx, session, tool)
	}
	if err != nil {
		return err
	}
	if structured && result.StructuredContent != nil {
		err = printJSON(out, result.StructuredContent)
	} else {
		err = printContent(out, result.Content)
	}
	if err == nil && result.IsError {
		return errAnswered
	}
	return err
}

type callCommand struct {
	Tool      string   `arg:"" help:"Name of the tool; pdpp-mcp tools lists them."`
	Arguments []string `arg:"" optional:"" name:"argument" help:"One JSON object, or key=value for each argument; lists are typed with commas."`
	providerFlags
	Structured bool `help:"Print the structured result instead of the text."`
}

// runCall calls a tool as a model would, and prints what it would see.
func runCall(ctx context.Context, c callCommand, app App) error {
	return c.inside(ctx, app, func(session *mcp.ClientSession, _ string) error {
		return callTool(ctx, session, app.Out, c.Tool, c.Arguments, c.Structured)
	})
}
