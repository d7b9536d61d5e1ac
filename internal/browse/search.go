package browse

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

type searchView struct {
	common
	Streams []string
	Asked   bool
	Found   rs.Object // as search answers
}

type searchArguments struct {
	Words   string   `json:"q,omitempty"`
	Streams []string `json:"streams,omitempty"`
	Since   string   `json:"since,omitempty"`
	Until   string   `json:"until,omitempty"`
	Limit   int      `json:"limit"`
	Cursor  string   `json:"cursor,omitempty"`
}

// search finds records, as search answers it.
func (p *Pages) search(ctx context.Context, q query) any {
	v := &searchView{common: common{query: q, Title: "Search"}}
	for _, connection := range objects(p.ask(ctx, &v.common, false, "schema", schemaArguments{}), "data", "connections") {
		for _, stream := range objects(connection, "streams") {
			if name := stream.Text("name"); !slices.Contains(v.Streams, name) {
				v.Streams = append(v.Streams, name)
			}
		}
	}
	if v.Asked = len(q.values) > 0; !v.Asked || v.Failure != nil {
		return v
	}
	arguments := searchArguments{Words: q.Get("q"), Since: q.Get("since"), Until: q.Get("until"), Limit: 20, Cursor: q.Get("cursor")}
	if stream := q.Get("stream"); stream != "" {
		arguments.Streams = []string{stream}
	}
	v.Found = p.ask(ctx, &v.common, true, "search", arguments)
	v.turn(v.Found.Object("data").Text("next_cursor"))
	return v
}

// A span is a part of an excerpt: what does not match, and the match after it.
type span struct{ Text, Match string }

// marked takes an excerpt apart at its marks.
func marked(excerpt string) []span {
	var spans []span
	for excerpt != "" {
		var one span
		one.Text, excerpt, _ = strings.Cut(excerpt, "<mark>")
		one.Match, excerpt, _ = strings.Cut(excerpt, "</mark>")
		spans = append(spans, one)
	}
	return spans
}

type toolView struct {
	common
	Tools            []rs.Object // as they are listed
	Arguments        string
	Text, Structured string
}

// tool calls any tool as it was typed, and shows all that a model gets.
func (p *Pages) tool(ctx context.Context, q query) any {
	v := &toolView{common: common{query: q, Title: "Call a tool"}, Arguments: q.Get("arguments")}
	listed, err := p.options.Ask(ctx, "tools/list", struct{}{})
	if err != nil {
		v.Failure = &failure{Code: "no_answer", Message: "The server did not answer: " + err.Error()}
		return v
	}
	v.Tools = objects(rs.AsObject(listed), "tools")
	if q.Get("tool") == "" {
		return v
	}
	v.Arguments = cmp.Or(v.Arguments, "{}")
	v.Main = &madeCall{q.Get("tool"), v.Arguments}
	result, err := p.options.Ask(ctx, "tools/call", map[string]any{"name": v.Main.Tool, "arguments": json.RawMessage(v.Arguments)})
	if err != nil {
		v.Failure = &failure{Code: "refused", Message: err.Error()}
		return v
	}
	answer := rs.AsObject(result)
	for _, content := range objects(answer, "content") {
		v.Text += content.Text("text") + "\n"
	}
	var indented bytes.Buffer
	if err := json.Indent(&indented, []byte(answer.Get("structuredContent")), "", "  "); err == nil {
		v.Structured = indented.String()
	}
	return v
}
