package transport

import (
	"bytes"
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

// A message is one JSON-RPC message as a client sent it. The SDK reads an id as a floating point number: it returns 1 for
// 1.5 and 9007199254740992 for 9007199254740993. Such an id is replaced by an alias before the SDK sees it.
type message struct {
	jsonrpc.Message
	text  []byte // the message as the SDK is to read it
	id    string // the id of a request as it was written; empty for notifications and responses
	alias string // the JSON string that replaces id in Message and text; empty if the SDK returns id unchanged
}

// restore replaces the alias by the id in text that the SDK wrote.
func (m message) restore(text []byte) []byte {
	if m.alias == "" {
		return text
	}
	return bytes.ReplaceAll(text, []byte(m.alias), []byte(m.id))
}

// wireID is the id as a response repeats it: null if there is none.
func (m message) wireID() any {
	if m.id == "" {
		return nil
	}
	return json.RawMessage(m.id)
}

var errNotAMessage = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: not a JSON-RPC 2.0 message"}

// parseMessage reads one JSON-RPC message, over either transport. It refuses what the SDK could not read, which would end a
// stdio session or be answered as plain text, and what two parsers could read in two ways.
func parseMessage(sent []byte) (message, *jsonrpc.Error) {
	sent = bytes.TrimSpace(sent)
	if !json.Valid(sent) {
		return message{}, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error: the message is not valid JSON"}
	}
	if sent[0] == '[' {
		return message{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: batches are not served; send one message at a time"}
	}
	envelope := rs.AsObject(string(sent))
	isRequest := envelope.Includes("method")
	if envelope == nil || isRequest && (envelope.Text("method") == "" || envelope.Includes("result") || envelope.Includes("error")) {
		return message{}, errNotAMessage
	}
	if !utf8.Valid(sent) {
		return message{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: the message is not UTF-8"}
	}
	if fault := ambiguity(envelope); fault != "" {
		return message{}, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: " + fault}
	}
	m := message{text: sent}
	if isRequest && envelope.Includes("id") {
		m.id = envelope.Get("id")
		if !validID(m.id) {
			return message{}, errNotAMessage
		}
		if !exactID(m.id) {
			m.alias = `"` + rand.Text() + `"`
			m.text = []byte(envelope.With("id", m.alias).JSON())
		}
	}
	var err error
	if m.Message, err = jsonrpc.DecodeMessage(m.text); err != nil {
		return message{}, errNotAMessage
	}
	return m, nil
}

// validID reports whether an id is one that MCP allows: a string or a number.
func validID(id string) bool {
	kind := rs.Kind(id)
	return kind == "number" || kind == "string" && utf8.ValidString(id)
}

// maxExactDigits is how many digits of an integer a floating point number always holds.
const maxExactDigits = 15

// exactID reports whether the SDK returns a valid id unchanged: a string without escapes, or an integer that a floating point
// number holds.
func exactID(id string) bool {
	if id[0] == '"' {
		return !strings.Contains(id, `\`)
	}
	digits := strings.TrimPrefix(id, "-")
	return len(digits) <= maxExactDigits && strings.Trim(digits, "0123456789") == "" && id != "-0"
}

// contradiction is a header of a request that names another call than the message, or "". Version 2026-07-28 has both headers in every
// request, which the SDK holds to that; a filter in front may believe them in any version.
func (m message) contradiction(header http.Header) string {
	request, ok := m.Message.(*jsonrpc.Request)
	if !ok || header.Get("Mcp-Protocol-Version") == "2026-07-28" {
		return ""
	}
	member := "name"
	if request.Method == "resources/read" {
		member = "uri"
	}
	called := rs.AsObject(string(request.Params)).Text(member)
	switch method, name := header["Mcp-Method"], header["Mcp-Name"]; {
	case len(method) > 0 && method[0] != request.Method:
		return "Mcp-Method"
	case len(name) > 0 && name[0] != called:
		return "Mcp-Name"
	}
	return ""
}

// The names that a message may hold at each level, by their lower case.
var (
	envelopeNames = byLowerCase("jsonrpc", "id", "method", "params", "result", "error")
	paramNames    = byLowerCase("_meta", "name", "arguments", "uri", "cursor", "protocolVersion", "capabilities", "clientInfo", "requestId", "reason",
		"ref", "argument", "level", "notifications")
	metaNames = byLowerCase(mcp.MetaKeyProtocolVersion, mcp.MetaKeyClientInfo, mcp.MetaKeyClientCapabilities, "traceparent", "progressToken")
)

func byLowerCase(names ...string) map[string]string {
	index := make(map[string]string, len(names))
	for _, name := range names {
		index[foldCase(name)] = name
	}
	return index
}

// foldCase maps names that differ only in case to one text, including letters such as the Kelvin sign that fold to ASCII.
func foldCase(name string) string { return strings.ToLower(strings.ToUpper(name)) }

// ambiguity says which member of a message parsers could read differently: one that occurs twice, or one that is known
// under another case. It returns "" for a message without such a member. What a tool's own arguments hold is checked when
// they are decoded.
func ambiguity(envelope rs.Object) string {
	if fault := ambiguousName(envelope, envelopeNames, "message"); fault != "" {
		return fault
	}
	params := rs.AsObject(envelope.Get("params"))
	if fault := ambiguousName(params, paramNames, "params"); fault != "" {
		return fault
	}
	return ambiguousName(rs.AsObject(params.Get("_meta")), metaNames, "_meta")
}

func ambiguousName(o rs.Object, known map[string]string, level string) string {
	seen := make(map[string]bool, len(o))
	for _, member := range o {
		folded := foldCase(member.Name)
		name, isKnown := known[folded]
		switch {
		case seen[folded] && isKnown:
			return fmt.Sprintf("the member %q occurs twice in %s", name, level)
		case seen[folded]:
			return "a member occurs twice in " + level
		case isKnown && member.Name != name:
			return fmt.Sprintf("the member %q of %s must be written %q", member.Name, level, name)
		}
		seen[folded] = true
	}
	return ""
}
