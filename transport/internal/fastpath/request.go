package fastpath

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport/internal/rpc"
)

const (
	methodCallTool  = "tools/call"
	methodListTools = "tools/list"

	versionHeader = "Mcp-Protocol-Version"

	// assumedVersion is that of an HTTP request without a version header, as the specification of the transport says.
	assumedVersion = "2025-03-26"

	// maxBrackets bounds the objects and arrays of a plain message. The SDK refuses 1,000 inside one another.
	maxBrackets = 256
)

// versions are the versions of MCP whose plain messages are answered here.
var versions = [...]string{"2024-11-05", assumedVersion, "2025-06-18", "2025-11-25", rpc.Stateless}

// A Request is what a message asks for that the SDK would read in one way only.
type Request struct {
	Call        tools.Call // without a tool for tools/list
	Traceparent string     // of its _meta
}

// Read reads a message, and reports whether it is plain. The headers must not contradict the message.
func (h *Handler) Read(header http.Header, m rpc.Message) (r Request, plain bool) {
	version := cmp.Or(header.Get(versionHeader), assumedVersion)
	calls := m.Method == methodCallTool
	if _, served := h.lists[version]; !served || !calls && m.Method != methodListTools || m.ID == "" || m.ID == `""` || len(header["Last-Event-Id"]) > 0 ||
		bytes.Count(m.Text, []byte{'{'})+bytes.Count(m.Text, []byte{'['}) > maxBrackets ||
		m.Envelope.Get("jsonrpc") != `"2.0"` || !onlyNames(m.Envelope, "jsonrpc", "id", "method", "params") || m.Params == nil && m.Envelope.Includes("params") {
		return r, false
	}
	params, name := []string{"_meta"}, ""
	if calls {
		params, name = []string{"_meta", "name", "arguments"}, m.Params.JSONString("name")
		r.Call.Tool = h.tools[name]
	}
	if !onlyNames(m.Params, params...) || m.Meta == nil && m.Params.Includes("_meta") || calls && r.Call.Tool == nil {
		return r, false
	}
	for _, p := range m.Params {
		if p.Name == "arguments" {
			r.Call.Raw = json.RawMessage(p.Value) // also null
		}
	}
	r.Call.Protocol, r.Traceparent = version, m.Meta.JSONString("traceparent")
	if version != rpc.Stateless {
		return r, !m.Meta.Includes(mcp.MetaKeyProtocolVersion)
	}
	return r, header.Get("Mcp-Method") == m.Method && header.Get("Mcp-Name") == name &&
		m.Meta.Get(mcp.MetaKeyProtocolVersion) == `"`+rpc.Stateless+`"` && decodes[mcp.ClientCapabilities](m.Meta.Get(mcp.MetaKeyClientCapabilities)) &&
		(!m.Meta.Includes(mcp.MetaKeyClientInfo) || decodes[mcp.Implementation](m.Meta.Get(mcp.MetaKeyClientInfo)))
}

// onlyNames reports whether an object has no other members than these.
func onlyNames(o rs.Object, names ...string) bool {
	return !slices.ContainsFunc(o, func(m rs.Member) bool { return !slices.Contains(names, m.Name) })
}

// decodes reports whether raw is an object that can be decoded into a T.
func decodes[T any](raw string) bool {
	var value T
	return rs.Kind(raw) == "object" && json.Unmarshal([]byte(raw), &value) == nil
}
