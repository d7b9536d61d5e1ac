package cli

import (
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"
	"text/tabwriter"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"
	"github.com/spf13/cobra"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

type toolsCommand struct {
	JSON          bool
	providerFlags // of which it has only --demo, --data and --db
}

func newTools(app App) *cobra.Command {
	var o toolsCommand
	c := &cobra.Command{
		Use: "tools [tool]", Args: takes(0, 1), ValidArgs: listedTools(), Example: "pdpp-mcp tools search",
		Short: "Print the tools that a model is shown.",
		Long:  "Print the tools that a model is shown, or one of them with its arguments.",
		RunE:  func(_ *cobra.Command, words []string) error { return o.run(app, strings.Join(words, "")) },
	}
	c.Flags().BoolVar(&o.JSON, "json", false, "Print what goes over the wire")
	c.Flags().BoolVar(&o.Demo, "demo", false, "Changes nothing, because the tools are the same for all data")
	o.declareRead(c.Flags())
	c.Flags().Lookup("data").Usage = "Not read (`PATH`), because the tools are the same for all data"
	c.Flags().Lookup("db").Usage = "Not read (`FILE`), because the tools are the same for all data"
	return c
}

// run lists the tools, or shows one. They are the same for every grant and all data, so it needs neither.
func (c toolsCommand) run(app App, name string) error {
	if err := cmp.Or(c.check(), c.readable()); err != nil {
		return err
	}
	client, err := rsclient.New(rsclient.Options{Base: "https://rs.invalid", UserAgent: app.userAgent()}) // never sends a request
	if err != nil {
		return err
	}
	listed := toolList(transport.NewPipeline(transport.PipelineOptions{Client: client, Version: app.Version, Logger: zerolog.Nop()}).Listed())
	tool := listed.named(name)
	switch {
	case name == "" && c.JSON:
		return printJSON(app.Out, map[string]any{"tools": listed}) // as it goes over the wire
	case name == "":
		return listed.print(app.Out)
	case tool == nil:
		return unknownTool(name)
	case c.JSON:
		return printJSON(app.Out, tool)
	}
	return printTool(app.Out, tool)
}

// A toolList has the tools that a model is shown.
type toolList []*mcp.Tool

// named returns the tool of that name, which may be one that can be called but is not in the list, or nil.
func (l toolList) named(name string) *mcp.Tool {
	if at := slices.IndexFunc(l, func(tool *mcp.Tool) bool { return tool.Name == name }); at >= 0 {
		return l[at]
	}
	for _, tool := range tools.All(tools.Options{}) {
		if tool.Name == name {
			return &mcp.Tool{Name: name, Title: tool.Title, Description: tool.Description, InputSchema: tool.Input}
		}
	}
	return nil
}

// listedTools returns the names of the tools that a model is shown.
func listedTools() (names []string) {
	for _, tool := range tools.All(tools.Options{}) {
		if tool.Listed {
			names = append(names, tool.Name)
		}
	}
	return names
}

func unknownTool(name string) error {
	names := listedTools()
	nearest := tools.Nearest(name, names)
	if nearest != "" {
		nearest = ", the nearest is " + nearest
	}
	return exit.UsageError(fmt.Sprintf("there is no tool %q%s; there are %s.", name, nearest, strings.Join(names, ", ")))
}

// print prints the name, title and size of each tool: the bytes that it takes of a model's context.
func (l toolList) print(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	fmt.Fprintln(table, "NAME\tTITLE\tBYTES")
	total := 0
	for _, tool := range l {
		bytes, _ := json.Marshal(tool) // as sent to clients
		total += len(bytes)
		fmt.Fprintf(table, "%s\t%s\t%d\n", tool.Name, tool.Title, len(bytes))
	}
	fmt.Fprintf(table, "\t%d tools\t%d\n", len(l), total)
	return table.Flush()
}

// printTool prints the description of a tool and its arguments, the required ones first.
func printTool(out io.Writer, tool *mcp.Tool) error {
	schema, _ := tool.InputSchema.(json.RawMessage)
	var input inputSchema
	_ = json.Unmarshal(schema, &input) // schemas of this program are valid
	fmt.Fprintf(out, "%s: %s\n\n%s\n\n", tool.Name, tool.Title, tool.Description)
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	optional := slices.DeleteFunc(slices.Sorted(maps.Keys(input.Properties)), func(name string) bool { return slices.Contains(input.Required, name) })
	for i, name := range slices.Concat(slices.Sorted(slices.Values(input.Required)), optional) {
		p, note := input.Properties[name], ""
		if i < len(input.Required) {
			note = "required. "
		}
		note += p.Description
		if len(p.Enum) > 0 {
			note += " (" + strings.Join(p.Enum, ", ") + ")"
		}
		fmt.Fprintf(table, "  %s\t%s\t%s\n", name, p.Type, note)
	}
	return table.Flush()
}

func printJSON(out io.Writer, value any) error {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	return encoder.Encode(value)
}
