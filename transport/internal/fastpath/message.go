package fastpath

import (
	"bytes"
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	methodCallTool  = "tools/call"
	methodListTools = "tools/list"

	versionHeader     = "Mcp-Protocol-Version"
	lastEventIDHeader = "Last-Event-Id"

	// statelessVersion is the version of MCP without sessions: each request says in its _meta who sends it.
	statelessVersion = "2026-07-28"
	// assumedVersion is that of an HTTP request without a version header, as the specification of the transport says.
	assumedVersion = "2025-03-26"

	// maxBrackets bounds the objects and arrays of a plain message. The SDK refuses 1,000 inside one another.
	maxBrackets = 256
	// maxIDBytes bounds an id, without its quotes. 15 digits are exact as a floating point number, as which the SDK reads it.
	maxIDBytes = 15
)

// versions are the versions of MCP whose plain messages are answered here.
var versions = [...]string{"2024-11-05", assumedVersion, "2025-06-18", "2025-11-25", statelessVersion}

// metaNames are the members of a request's _meta that are read, here or by the SDK.
var metaNames = [...]string{mcp.MetaKeyProtocolVersion, mcp.MetaKeyClientInfo, mcp.MetaKeyClientCapabilities, "traceparent", "progressToken"}

// A message is a request that the SDK would read in one way only.
type message struct {
	id          string // as it was written
	method      string
	version     string // of MCP
	tool        string // of a tools/call
	arguments   string // of a tools/call; empty if there are none
	traceparent string // of its _meta
}

// readMessage reads a message, and reports whether it is plain.
func readMessage(header http.Header, body []byte) (message, bool) {
	brackets := bytes.Count(body, []byte{'{'}) + bytes.Count(body, []byte{'['})
	if brackets > maxBrackets || !json.Valid(body) || !utf8.Valid(body) || len(header.Values(lastEventIDHeader)) > 0 {
		return message{}, false
	}
	var tag, method, params, name, meta string
	var m message
	if !readMembers(string(body), member{"jsonrpc", &tag}, member{"id", &m.id}, member{"method", &method}, member{"params", &params}) ||
		tag != `"2.0"` || !isPlainID(m.id) {
		return message{}, false
	}
	m.version = header.Get(versionHeader)
	if m.version == "" {
		m.version = assumedVersion
	}
	switch method {
	case `"` + methodListTools + `"`:
		m.method = methodListTools
		if params != "" && !readMembers(params, member{"_meta", &meta}) {
			return message{}, false
		}
	case `"` + methodCallTool + `"`:
		m.method = methodCallTool
		if !readMembers(params, member{"name", &name}, member{"arguments", &m.arguments}, member{"_meta", &meta}) || rs.Kind(name) != "string" {
			return message{}, false
		}
		m.tool = name[1 : len(name)-1] // a name with escapes is no tool's
	default:
		return message{}, false
	}
	return m, m.readMeta(meta) && m.matches(header)
}

// A member is one that an object may have, and where its value goes.
type member struct {
	name  string
	value *string
}

// readMembers reads an object, and reports whether raw is one that has no other members than these and none of them twice.
func readMembers(raw string, members ...member) bool {
	object := rs.AsObject(raw)
	for _, found := range object {
		known := false
		for _, m := range members {
			if m.name == found.Name && *m.value == "" {
				*m.value, known = found.Value, true
				break
			}
		}
		if !known {
			return false
		}
	}
	return object != nil
}

// isPlainID reports whether the SDK repeats an id as it was written: a short whole number, or a short string without escapes.
func isPlainID(id string) bool {
	if len(id) == 0 || len(id) > maxIDBytes+len(`""`) {
		return false
	}
	if id[0] == '"' {
		isEscaped := func(c rune) bool { return c < ' ' || c > '~' || strings.ContainsRune(`\<>&`, c) }
		return len(id) > len(`""`) && !strings.ContainsFunc(id[1:len(id)-1], isEscaped)
	}
	return len(id) <= maxIDBytes && !strings.ContainsFunc(id, func(c rune) bool { return c < '0' || c > '9' })
}

// readMeta reads the _meta of a request, and reports whether the SDK would accept it.
func (m *message) readMeta(raw string) bool {
	stateless := m.version == statelessVersion
	if raw == "" {
		return !stateless
	}
	meta := rs.AsObject(raw)
	if meta == nil {
		return false
	}
	seen, folded := map[string]string{}, map[string]bool{}
	for _, found := range meta {
		name := strings.ToLower(strings.ToUpper(found.Name)) // with the letters that fold to ASCII
		if folded[name] || slices.ContainsFunc(metaNames[:], func(known string) bool {
			return known != found.Name && strings.EqualFold(known, found.Name)
		}) {
			return false // parsers could read it differently
		}
		seen[found.Name], folded[name] = found.Value, true
	}
	if parent := seen["traceparent"]; rs.Kind(parent) == "string" {
		m.traceparent, _ = rs.AsText(parent)
	}
	version, named := seen[mcp.MetaKeyProtocolVersion]
	if !stateless {
		return !named
	}
	client, introduced := seen[mcp.MetaKeyClientInfo]
	return version == `"`+statelessVersion+`"` &&
		decodes[mcp.ClientCapabilities](seen[mcp.MetaKeyClientCapabilities]) && (!introduced || decodes[mcp.Implementation](client))
}

// decodes reports whether raw is an object that can be decoded into a T.
func decodes[T any](raw string) bool {
	var value T
	return rs.Kind(raw) == "object" && json.Unmarshal([]byte(raw), &value) == nil
}

// matches reports whether the headers name the method and the tool of the message. Only 2026-07-28 requires them.
func (m *message) matches(header http.Header) bool {
	names := func(name, called string) bool {
		sent, ok := header[name]
		return ok && sent[0] == called || !ok && (m.version != statelessVersion || called == "")
	}
	return names("Mcp-Method", m.method) && names("Mcp-Name", m.tool)
}
