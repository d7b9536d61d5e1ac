package fastpath

import (
	"encoding/json"
	"maps"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/transport/internal/rpc"
)

const (
	// answerStart begins every answer; the request's id follows.
	answerStart = `{"jsonrpc":"2.0","id":`
	// resultStart follows the id.
	resultStart = `,"result":`
)

// writeResult returns the answer to a tools/call. Unlike the SDK it does not escape <, > and &, because JSON is not HTML, and does
// not parse the structured content again.
func writeResult(id, version string, result *mcp.CallToolResult, server mcp.Implementation) []byte {
	structured, ok := result.StructuredContent.(json.RawMessage)
	if !ok && result.StructuredContent != nil {
		structured = json.RawMessage(rs.EncodeJSON(result.StructuredContent))
	}
	size := len(structured) + 1024
	for _, content := range result.Content {
		if text, ok := content.(*mcp.TextContent); ok {
			size += len(text.Text) + len(text.Text)/8 // with its escapes
		}
	}
	b := append(append(append(append(make([]byte, 0, size), answerStart...), id...), resultStart...), '{')
	meta := result.Meta
	if version == rpc.Stateless {
		meta = mcp.Meta{mcp.MetaKeyServerInfo: server}
		maps.Copy(meta, result.Meta)
	}
	if len(meta) > 0 {
		b = append(append(append(b, `"_meta":`...), rs.EncodeJSON(meta)...), ',')
	}
	b = append(b, `"content":[`...)
	for i, content := range result.Content {
		if i > 0 {
			b = append(b, ',')
		}
		if text, ok := content.(*mcp.TextContent); ok && text.Meta == nil && text.Annotations == nil {
			b = append(rs.AppendText(append(b, `{"type":"text","text":`...), text.Text), '}')
		} else {
			b = append(b, rs.EncodeJSON(content)...)
		}
	}
	b = append(b, ']')
	if structured != nil {
		b = append(append(b, `,"structuredContent":`...), structured...)
	}
	if result.IsError {
		b = append(b, `,"isError":true`...)
	}
	if version == rpc.Stateless {
		b = append(b, `,"resultType":"complete"`...)
	}
	return append(b, `}}`...)
}
