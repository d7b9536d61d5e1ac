package browse

import (
	"bytes"
	"context"
	"encoding/json"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

type toolView struct {
	common
	Tools            []toolRow
	Tool, Arguments  string
	Text, Structured string
}

type toolRow struct {
	Name, Description string
	Arguments         []argumentRow
}

type argumentRow struct {
	Name, Type, Description string
	Required                bool
}

// tool calls any tool as it was typed, and shows all that a model gets.
func (p *Pages) tool(ctx context.Context, q query) any {
	v := &toolView{common: common{Title: "Call a tool", View: "call"}, Tool: q.get("tool"), Arguments: q.get("arguments")}
	listed, err := p.options.Ask(ctx, "tools/list", struct{}{})
	if err != nil {
		v.Failure = &failure{Code: "no_answer", Message: "The server did not answer: " + err.Error()}
		return v
	}
	for _, raw := range rs.AsObject(listed).Array("tools") {
		v.Tools = append(v.Tools, newToolRow(rs.AsObject(raw)))
	}
	if v.Tool == "" {
		return v
	}
	if v.Arguments == "" {
		v.Arguments = "{}"
	}
	v.Main = &madeCall{v.Tool, v.Arguments}
	result, err := p.options.Ask(ctx, "tools/call", map[string]any{"name": v.Tool, "arguments": json.RawMessage(v.Arguments)})
	if err != nil {
		v.Failure = &failure{Code: "refused", Message: err.Error()}
		return v
	}
	answer := rs.AsObject(result)
	for _, raw := range answer.Array("content") {
		v.Text += rs.AsObject(raw).Text("text") + "\n"
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(answer.Get("structuredContent")), "", "  "); err == nil {
		v.Structured = indented.String()
	}
	return v
}

func newToolRow(listed rs.Object) toolRow {
	row := toolRow{Name: listed.Text("name"), Description: listed.Text("description")}
	schema := listed.Object("inputSchema")
	required := map[string]bool{}
	for _, raw := range schema.Array("required") {
		name, _ := rs.AsText(raw)
		required[name] = true
	}
	for _, m := range schema.Object("properties") {
		property := rs.AsObject(m.Value)
		row.Arguments = append(row.Arguments, argumentRow{m.Name, property.Text("type"), property.Text("description"), required[m.Name]})
	}
	return row
}
