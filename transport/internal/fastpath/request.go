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

	// assumedVersion is the version of an HTTP request without a version header, according to the specification of the transport.
	assumedVersion = "2025-03-26"

	// maxBrackets limits the objects and arrays of a plain message. The SDK refuses 1,000 levels of nesting.
	maxBrackets = 256
)

// versions are the versions of MCP whose plain messages are answered here.
var versions = [...]string{"2024-11-05", assumedVersion, "2025-06-18", "2025-11-25", rpc.Stateless}

// paramNames are the names that the parameters of a plain request may have, by its method.
var paramNames = map[string][]string{methodCallTool: {"_meta", "name", "arguments"}, methodListTools: {"_meta"}}

// Read returns the call of a message, without a tool for tools/list, and reports whether the message is plain. The headers must not
// contradict the message.
func (h *Handler) Read(header http.Header, m rpc.Message) (call tools.Call, plain bool) {
	version := cmp.Or(header.Get(versionHeader), assumedVersion)
	if _, served := h.lists[version]; !served || len(header["Last-Event-Id"]) > 0 || !hasPlainForm(m) {
		return call, false
	}
	name := m.Params.JSONString("name") // "" for tools/list
	call = tools.Call{Tool: h.tools[name], Protocol: version}
	if m.Method == methodCallTool && call.Tool == nil {
		return call, false
	}
	for _, p := range m.Params {
		if p.Name == "arguments" {
			call.Raw = json.RawMessage(p.Value) // also null
		}
	}
	if version != rpc.Stateless {
		return call, !m.Meta.Includes(mcp.MetaKeyProtocolVersion)
	}
	return call, header.Get("Mcp-Method") == m.Method && header.Get("Mcp-Name") == name && describesClient(m.Meta)
}

// hasPlainForm reports whether a message is a shallow request with an id, all of whose members are expected and of the expected kind.
func hasPlainForm(m rpc.Message) bool {
	brackets := bytes.Count(m.Text, []byte{'{'}) + bytes.Count(m.Text, []byte{'['})
	names, served := paramNames[m.Method]
	return served && m.ID != "" && m.ID != `""` && brackets <= maxBrackets && m.Envelope.Get("jsonrpc") == `"2.0"` &&
		onlyNames(m.Envelope, "jsonrpc", "id", "method", "params") && onlyNames(m.Params, names...) &&
		(m.Params != nil || !m.Envelope.Includes("params")) && (m.Meta != nil || !m.Params.Includes("_meta"))
}

// describesClient reports whether the _meta of a stateless request describes its client, as such a request must.
func describesClient(meta rs.Object) bool {
	return meta.Get(mcp.MetaKeyProtocolVersion) == `"`+rpc.Stateless+`"` &&
		decodes[mcp.ClientCapabilities](meta.Get(mcp.MetaKeyClientCapabilities)) &&
		(!meta.Includes(mcp.MetaKeyClientInfo) || decodes[mcp.Implementation](meta.Get(mcp.MetaKeyClientInfo)))
}

func onlyNames(o rs.Object, names ...string) bool {
	return !slices.ContainsFunc(o, func(m rs.Member) bool { return !slices.Contains(names, m.Name) })
}

// decodes reports whether raw is an object that can be decoded into a T.
func decodes[T any](raw string) bool {
	var value T
	return rs.Kind(raw) == "object" && json.Unmarshal([]byte(raw), &value) == nil
}
