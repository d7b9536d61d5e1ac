package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// unknown returns the error about a tool that does not exist, which names those that do.
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
