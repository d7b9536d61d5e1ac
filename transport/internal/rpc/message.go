// Package rpc reads the JSON-RPC messages of MCP, over either transport, and writes errors in answer to them.
package rpc

import (
	"bytes"
	"cmp"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"unicode/utf8"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Stateless is the version of MCP without sessions: each request names its client in _meta, and what it calls in headers.
const Stateless = "2026-07-28"

// A Message is one JSON-RPC message as a client sent it. The SDK reads an id as a floating point number: it returns 1 for
// 1.5 and 9007199254740992 for 9007199254740993. Such an id is replaced by an alias before the SDK sees it.
type Message struct {
	Envelope rs.Object
	Params   rs.Object // nil if absent or not an object
	Meta     rs.Object // of Params, likewise

	Text   []byte // the message as the SDK is to read it
	ID     string // the id of a request as it was written; empty for notifications and responses
	Alias  string // the JSON string that replaces ID in Text; empty if the SDK returns ID unchanged
	Method string // empty for responses
}

// Restore replaces the alias by the id in text that the SDK wrote.
func (m Message) Restore(text []byte) []byte {
	if m.Alias == "" {
		return text
	}
	return bytes.ReplaceAll(text, []byte(m.Alias), []byte(m.ID))
}

// InvalidRequest returns the error for a message that is JSON but not a valid request.
func InvalidRequest(why string) *jsonrpc.Error {
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: " + why}
}

const notAMessage = "not a JSON-RPC 2.0 message"

// Read parses one message. It refuses what the SDK could not read and would answer with plain text or the end of a stdio session, and what
// two parsers could read differently.
func Read(sent []byte) (Message, *jsonrpc.Error) {
	sent = bytes.TrimSpace(sent)
	if !json.Valid(sent) {
		return Message{}, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error: the message is not valid JSON"}
	}
	if sent[0] == '[' {
		return Message{}, InvalidRequest("batches are not served; send one message at a time")
	}
	m := Message{Envelope: rs.AsObject(string(sent)), Text: sent}
	m.Params, m.Method = m.Envelope.Object("params"), m.Envelope.Text("method")
	m.Meta = m.Params.Object("_meta")
	isRequest := m.Envelope.Includes("method")
	if m.Envelope == nil || isRequest && (m.Method == "" || m.Envelope.Includes("result") || m.Envelope.Includes("error")) {
		return Message{}, InvalidRequest(notAMessage)
	}
	if !utf8.Valid(sent) {
		return Message{}, InvalidRequest("the message is not UTF-8")
	}
	if fault := m.ambiguity(); fault != "" {
		return Message{}, InvalidRequest(fault)
	}
	if isRequest && m.Envelope.Includes("id") {
		m.ID = m.Envelope.Get("id")
		if kind := rs.Kind(m.ID); kind != "number" && kind != "string" { // as MCP allows
			return Message{}, InvalidRequest(notAMessage)
		}
		if !exactID(m.ID) {
			m.Alias = `"` + rand.Text() + `"`
			m.Text = []byte(m.Envelope.With("id", m.Alias).JSON())
		}
	}
	return m, nil
}

// Decode decodes the message with the SDK.
func (m Message) Decode() (jsonrpc.Message, *jsonrpc.Error) {
	decoded, err := jsonrpc.DecodeMessage(m.Text)
	if err != nil {
		return nil, InvalidRequest(notAMessage)
	}
	return decoded, nil
}

// maxExactDigits is how many digits of an integer a floating point number always represents exactly.
const maxExactDigits = 15

// exactID reports whether the SDK returns a valid id unchanged: a string without escapes, or an integer that a floating point number
// represents exactly.
func exactID(id string) bool {
	if id[0] == '"' {
		return !strings.Contains(id, `\`)
	}
	digits := strings.TrimPrefix(id, "-")
	return len(digits) <= maxExactDigits && strings.Trim(digits, "0123456789") == "" && id != "-0"
}

// Contradiction returns the name of a header that names another call than the message, or "". In the stateless version the SDK checks both
// headers; in any other version a filter in front may still trust them.
func (m Message) Contradiction(header http.Header) string {
	if m.Method == "" || header.Get("Mcp-Protocol-Version") == Stateless {
		return ""
	}
	member := "name"
	if m.Method == "resources/read" {
		member = "uri"
	}
	switch method, name := header["Mcp-Method"], header["Mcp-Name"]; {
	case len(method) > 0 && method[0] != m.Method:
		return "Mcp-Method"
	case len(name) > 0 && name[0] != m.Params.Text(member):
		return "Mcp-Name"
	}
	return ""
}

// The known names at each level of a message.
var (
	envelopeNames = []string{"jsonrpc", "id", "method", "params", "result", "error"}
	paramNames    = []string{"_meta", "name", "arguments", "uri", "cursor", "protocolVersion", "capabilities", "clientInfo", "requestId", "reason",
		"ref", "argument", "level", "notifications"}
	metaNames = []string{mcp.MetaKeyProtocolVersion, mcp.MetaKeyClientInfo, mcp.MetaKeyClientCapabilities, "progressToken"}
)

// ambiguity describes a member of a message that parsers could read differently: one that occurs twice, or whose name differs from a known
// one in case. It returns "" if there is none. The arguments of a tool are checked when they are decoded.
func (m *Message) ambiguity() string {
	return cmp.Or(
		ambiguousName(m.Envelope, envelopeNames, "message"), ambiguousName(m.Params, paramNames, "params"), ambiguousName(m.Meta, metaNames, "_meta"),
	)
}

func ambiguousName(o rs.Object, known []string, level string) string {
	switch member, name, found := o.Ambiguity(known...); {
	case !found:
		return ""
	case name == "":
		return "a member occurs twice in " + level
	case name == member:
		return fmt.Sprintf("the member %q occurs twice in %s", name, level)
	default:
		return fmt.Sprintf("the member %q of %s must be written %q", member, level, name)
	}
}
