package browse

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// tool calls any tool with typed arguments and shows everything that a model gets.
func (v *view) tool(ctx context.Context) g.Node {
	v.title = "Call a tool"
	given := v.Get("arguments")
	tools := objects(v.request(ctx, "tools/list", struct{}{}), "tools")
	var answer g.Node
	if v.Get("tool") != "" && v.failure == nil {
		given = cmp.Or(given, "{}")
		answer = v.answer(ctx, madeCall{v.Get("tool"), given})
	}
	var names []string
	for _, tool := range tools {
		names = append(names, tool.Text("name"))
	}
	return g.Group{
		h.H1(g.Text(v.title)), page.P(g.Text("As an assistant does, and see all that it gets.")),
		asks(
			"call", nil, page.Class("tools"),
			choose("tool", "tool", "Tool", v.Get("tool"), names, nil),
			page.Field(
				"arguments", "Arguments",
				h.Textarea(
					h.ID("arguments"), h.Name("arguments"), h.Rows("3"), g.Attr("spellcheck", "false"), h.Aria("describedby", "arguments-note"),
					g.Text(given),
				),
				h.Small(h.ID("arguments-note"), g.Text(`A JSON object, such as {"q":"dentist"}. The tools below say what each takes.`)),
			),
			submit("Call"),
		),
		v.said(), answer, h.H2(g.Text("Tools")), g.Map(tools, about),
	}
}

func (v *view) answer(ctx context.Context, made madeCall) g.Node {
	v.main = made
	answer := v.request(ctx, "tools/call", made.params())
	var text, structured bytes.Buffer
	for _, content := range objects(answer, "content") {
		text.WriteString(content.Text("text") + "\n")
	}
	_ = json.Indent(&structured, []byte(answer.Get("structuredContent")), "", "  ") // an error has no structured content
	return g.If(text.Len() > 0, g.Group{
		h.H2(g.Text("Answer")),
		h.Div(
			page.Class("channels"), h.Section(h.H3(g.Text("Text")), longText("Text", text.String())),
			h.Section(h.H3(g.Text("Structured")), longText("Structured result", structured.String())),
		),
	})
}

func about(tool rs.Object) g.Node {
	schema := tool.Object("inputSchema")
	required := schema.Array("required")
	return h.Details(
		h.Summary(g.Text(tool.Text("name"))), page.P(g.Text(tool.Text("description"))),
		h.Dl(g.Map(schema.Object("properties"), func(one rs.Member) g.Node {
			property := rs.AsObject(one.Value)
			kind := property.Text("type")
			if slices.ContainsFunc(required, func(raw string) bool { name, _ := rs.AsText(raw); return name == one.Name }) {
				kind += ", required"
			}
			return term(one.Name, kind, property.Text("description"))
		})),
	)
}
