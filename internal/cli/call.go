package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// ErrAnswered is returned by Call when the tool answered with an error, which is printed by then.
var ErrAnswered = errors.New("the tool answered with an error, shown above")

// Call calls a tool with what was typed (see Arguments) and prints what a model sees: the text, or the structured
// result. What cannot be called as it was typed is a *exit.Error with exit.Usage.
func Call(ctx context.Context, session *mcp.ClientSession, out io.Writer, tool string, words []string, structured bool) error {
	schema := json.RawMessage(`{}`)
	if listed, err := find(ctx, session, tool); err != nil {
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
		return unknown(ctx, session, tool)
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
		return ErrAnswered
	}
	return err
}

// unknown says which tools there are.
func unknown(ctx context.Context, session *mcp.ClientSession, tool string) error {
	list, err := list(ctx, session)
	if err != nil {
		return err
	}
	var names []string
	for _, listed := range list {
		names = append(names, listed.Name)
	}
	return exit.UsageError(fmt.Sprintf("there is no tool %q; there are %s.", tool, strings.Join(names, ", ")))
}

func list(ctx context.Context, session *mcp.ClientSession) ([]*mcp.Tool, error) {
	result, err := session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	return result.Tools, nil
}

// find returns a listed tool, or nil: a tool can be callable without being listed.
func find(ctx context.Context, session *mcp.ClientSession, name string) (*mcp.Tool, error) {
	listed, err := list(ctx, session)
	if err != nil {
		return nil, err
	}
	if at := slices.IndexFunc(listed, func(tool *mcp.Tool) bool { return tool.Name == name }); at >= 0 {
		return listed[at], nil
	}
	return nil, nil
}

// printContent prints text as it is, and anything else as a line that says what it is.
func printContent(out io.Writer, content []mcp.Content) error {
	for _, item := range content {
		var err error
		switch item := item.(type) {
		case *mcp.TextContent:
			_, err = fmt.Fprintln(out, strings.TrimRight(item.Text, "\n"))
		case *mcp.ImageContent:
			_, err = fmt.Fprintf(out, "[image %s, %d bytes]\n", item.MIMEType, len(item.Data))
		case *mcp.AudioContent:
			_, err = fmt.Fprintf(out, "[audio %s, %d bytes]\n", item.MIMEType, len(item.Data))
		case *mcp.ResourceLink:
			_, err = fmt.Fprintf(out, "[resource %s]\n", item.URI)
		case *mcp.EmbeddedResource:
			_, err = fmt.Fprintf(out, "[resource %s, %s, %d bytes]\n", item.Resource.URI, item.Resource.MIMEType, len(item.Resource.Blob)+len(item.Resource.Text))
		default:
			err = printJSON(out, item)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func printJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
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
		return Call(ctx, session, app.Out, c.Tool, c.Arguments, c.Structured)
	})
}
