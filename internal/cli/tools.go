package cli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// printTools prints the tools that a model is shown: name, title and how many bytes each takes of its context. With raw it
// prints the list as it goes over the wire.
func printTools(ctx context.Context, session *mcp.ClientSession, out io.Writer, raw bool) error {
	listed, err := listTools(ctx, session)
	if err != nil {
		return err
	}
	if raw {
		return printJSON(out, map[string]any{"tools": listed})
	}
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tTITLE\tBYTES")
	total := 0
	for _, tool := range listed {
		bytes, err := json.Marshal(tool)
		if err != nil {
			return err
		}
		total += len(bytes)
		fmt.Fprintf(table, "%s\t%s\t%d\n", tool.Name, tool.Title, len(bytes))
	}
	fmt.Fprintf(table, "\t%d tools\t%d\n", len(listed), total)
	return table.Flush()
}

// printTool prints one tool as a model is shown it: what it does, and its arguments. With raw it prints its listing.
func printTool(ctx context.Context, session *mcp.ClientSession, out io.Writer, name string, raw bool) error {
	tool, err := findTool(ctx, session, name)
	if err != nil {
		return err
	}
	if tool == nil {
		return unknownTool(ctx, session, name)
	}
	if raw {
		return printJSON(out, tool)
	}
	schema, err := json.Marshal(tool.InputSchema)
	if err != nil {
		return err
	}
	var input inputSchema
	if err := json.Unmarshal(schema, &input); err != nil {
		return err
	}
	fmt.Fprintf(out, "%s: %s\n\n%s\n\n", tool.Name, tool.Title, tool.Description)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	names := slices.Sorted(maps.Keys(input.Properties))
	slices.SortStableFunc(names, func(a, b string) int { return rank(input, a) - rank(input, b) })
	for _, name := range names {
		p := input.Properties[name]
		note := p.Description
		if len(p.Enum) > 0 {
			note += " (" + strings.Join(p.Enum, ", ") + ")"
		}
		if slices.Contains(input.Required, name) {
			note = "required. " + note
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\n", name, p.Type, note)
	}
	return table.Flush()
}

// rank puts required arguments first.
func rank(input inputSchema, name string) int {
	if slices.Contains(input.Required, name) {
		return 0
	}
	return 1
}

type toolsCommand struct {
	Tool string `arg:"" optional:"" help:"Show this tool with its arguments."`
	JSON bool   `name:"json" help:"Print what goes over the wire."`
	Demo bool   `help:"Changes nothing: the tools are the same for all data."`
	dataFlags
}

// runTools lists the tools. They are the same for every grant, so that none is needed.
func runTools(ctx context.Context, c toolsCommand, app App) error {
	show := func(session *mcp.ClientSession, _ string) error {
		if c.Tool != "" {
			return printTool(ctx, session, app.Out, c.Tool, c.JSON)
		}
		return printTools(ctx, session, app.Out, c.JSON)
	}
	if c.dataFlags != (dataFlags{}) {
		return providerFlags{dataFlags: c.dataFlags}.inside(ctx, app, show)
	}
	client, err := rsclient.New(rsclient.Options{Base: "https://rs.invalid", UserAgent: app.userAgent()}) // never asked
	if err != nil {
		return err
	}
	server := transport.NewPipeline(transport.PipelineOptions{Client: client, Version: app.Version, Logger: zerolog.Nop()})
	session, err := sessionInside(ctx, server, auth.Principal{}, app)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	return show(session, "")
}

// unknownTool returns the error about a tool that does not exist, which names those that do.
func unknownTool(ctx context.Context, session *mcp.ClientSession, name string) error {
	listed, err := listTools(ctx, session)
	if err != nil {
		return err
	}
	var names []string
	for _, tool := range listed {
		names = append(names, tool.Name)
	}
	nearest := tools.Nearest(name, names)
	if nearest != "" {
		nearest = ", the nearest is " + nearest
	}
	return exit.UsageError(fmt.Sprintf("there is no tool %q%s; there are %s.", name, nearest, strings.Join(names, ", ")))
}

func listTools(ctx context.Context, session *mcp.ClientSession) ([]*mcp.Tool, error) {
	result, err := session.ListTools(ctx, nil)
	if err != nil {
		return nil, err
	}
	return result.Tools, nil
}

// findTool returns a listed tool, or nil: a tool can be callable without being listed.
func findTool(ctx context.Context, session *mcp.ClientSession, name string) (*mcp.Tool, error) {
	listed, err := listTools(ctx, session)
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
