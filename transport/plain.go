package transport

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// The SDK makes a session of each stateless POST and reads its message some ten times, for 300 KB of garbage. Nearly all
// traffic is tools/call and tools/list in a form that leaves nothing to judge; those are answered here. Whatever is not
// known to be plain, right or wrong, goes to the SDK, and what is answered here is what the SDK would have answered:
// TestPlainMessages and FuzzPlainMessages hold the two against each other.

const (
	methodCallTool  = "tools/call"
	methodListTools = "tools/list"

	protocolVersionHeader = "Mcp-Protocol-Version"
	lastEventIDHeader     = "Last-Event-Id"

	// statelessVersion is the version of MCP without sessions: each request says in its _meta who makes it.
	statelessVersion = "2026-07-28"
	// assumedVersion is that of an HTTP request that names none, as the transport's specification has it.
	assumedVersion = "2025-03-26"

	// maxPlainBrackets bounds how many objects and arrays a plain message may have at all: the SDK refuses 1,000 inside one another.
	maxPlainBrackets = 256
	// maxPlainIDBytes bounds an id that is repeated as it came. 15 digits are exact as a floating point number.
	maxPlainIDBytes = 15
)

// protocolVersions are the versions of MCP whose plain messages are answered here.
var protocolVersions = [...]string{"2024-11-05", assumedVersion, "2025-06-18", "2025-11-25", statelessVersion}

// A plainMessage is a request that the SDK could only take in one way.
type plainMessage struct {
	id        string // as it was written
	method    string
	version   string // of MCP
	tool      string // of a tools/call
	arguments string // of a tools/call; empty when there are none
	trace     string // the traceparent of its _meta
}

// readPlain reads a message and reports whether it is plain.
func readPlain(header http.Header, body []byte) (plainMessage, bool) {
	if bytes.Count(body, []byte{'{'})+bytes.Count(body, []byte{'['}) > maxPlainBrackets || !json.Valid(body) || !utf8.Valid(body) || len(header.Values(lastEventIDHeader)) > 0 {
		return plainMessage{}, false
	}
	var tag, method, params, name, meta string
	var m plainMessage
	if !membersOf(string(body), field{"jsonrpc", &tag}, field{"id", &m.id}, field{"method", &method}, field{"params", &params}) ||
		tag != `"2.0"` || !plainID(m.id) {
		return plainMessage{}, false
	}
	m.version = header.Get(protocolVersionHeader)
	if m.version == "" {
		m.version = assumedVersion
	}
	switch method {
	case `"` + methodListTools + `"`:
		m.method = methodListTools
		if params != "" && !membersOf(params, field{"_meta", &meta}) {
			return plainMessage{}, false
		}
	case `"` + methodCallTool + `"`:
		m.method = methodCallTool
		if !membersOf(params, field{"name", &name}, field{"arguments", &m.arguments}, field{"_meta", &meta}) || rs.Kind(name) != "string" {
			return plainMessage{}, false
		}
		m.tool = name[1 : len(name)-1] // no tool has a name that needs escapes
	default:
		return plainMessage{}, false
	}
	return m, m.readMeta(meta) && m.agrees(header)
}

// A field is a member that an object may have.
type field struct {
	name  string
	value *string
}

// membersOf reads the members of an object, and reports whether raw is one with no other members than these and none of them twice.
func membersOf(raw string, fields ...field) bool {
	object := rs.AsObject(raw)
	for _, member := range object {
		known := false
		for _, f := range fields {
			if f.name == member.Name && *f.value == "" {
				*f.value, known = member.Value, true
				break
			}
		}
		if !known {
			return false
		}
	}
	return object != nil
}

// plainID reports whether an id goes back as it came: a short whole number, or a short string without escapes.
func plainID(id string) bool {
	if len(id) == 0 || len(id) > maxPlainIDBytes+len(`""`) {
		return false
	}
	if id[0] == '"' {
		return len(id) > len(`""`) && !strings.ContainsFunc(id[1:len(id)-1], func(c rune) bool { return c < ' ' || c > '~' || strings.ContainsRune(`\<>&`, c) })
	}
	return len(id) <= maxPlainIDBytes && !strings.ContainsFunc(id, func(c rune) bool { return c < '0' || c > '9' })
}

// readMeta reads the _meta of a request and reports whether the SDK would be content with it.
func (m *plainMessage) readMeta(raw string) bool {
	stateless := m.version == statelessVersion
	if raw == "" {
		return !stateless
	}
	meta := rs.AsObject(raw)
	if meta == nil {
		return false
	}
	seen := map[string]string{}
	for _, member := range meta {
		if _, twice := seen[member.Name]; twice {
			return false
		}
		seen[member.Name] = member.Value
	}
	if trace := seen["traceparent"]; rs.Kind(trace) == "string" {
		m.trace, _ = rs.AsText(trace)
	}
	version, named := seen[mcp.MetaKeyProtocolVersion]
	if !stateless {
		return !named
	}
	info, introduced := seen[mcp.MetaKeyClientInfo]
	return version == `"`+statelessVersion+`"` &&
		reads[mcp.ClientCapabilities](seen[mcp.MetaKeyClientCapabilities]) && (!introduced || reads[mcp.Implementation](info))
}

// reads reports whether raw is an object that can be read as a T.
func reads[T any](raw string) bool {
	var value T
	return rs.Kind(raw) == "object" && json.Unmarshal([]byte(raw), &value) == nil
}

// agrees reports whether the headers that 2026-07-28 demands say what the message says.
func (m *plainMessage) agrees(header http.Header) bool {
	return m.version != statelessVersion || header.Get("Mcp-Method") == m.method && (m.method != methodCallTool || header.Get("Mcp-Name") == m.tool)
}

// servePlain answers a request if it is plain, and reports whether it has.
func (e *endpoint) servePlain(w http.ResponseWriter, r *http.Request, body []byte) bool {
	m, plain := readPlain(r.Header, body)
	list, served := e.lists[m.version]
	if !plain || !served {
		return false
	}
	if m.method == methodListTools {
		writePlain(w, []byte(answerStart+m.id), list)
		return true
	}
	tool, known := e.server.tools[m.tool]
	if !known {
		return false
	}
	ctx, done := joined(r.Context(), e.stop)
	defer done()
	var result *mcp.CallToolResult
	err := recovered(ctx, e.server.log, m.method, func() (err error) {
		result, err = callTool(ctx, e.server.handle, tools.Call{Tool: tool, Raw: json.RawMessage(m.arguments), Protocol: m.version}, m.trace)
		return err
	})
	var refused *jsonrpc.Error
	if errors.As(err, &refused) {
		status := http.StatusOK
		if m.version == statelessVersion && refused.Code == jsonrpc.CodeInvalidParams {
			status = http.StatusBadRequest
		}
		writeRPCError(w, status, json.RawMessage(m.id), refused)
		return true
	}
	buffer := e.server.buffers.Get().(*[]byte)
	*buffer = e.server.answer((*buffer)[:0], m, result)
	writePlain(w, *buffer)
	if cap(*buffer) <= maxBuffer {
		e.server.buffers.Put(buffer)
	}
	return true
}

// answerStart is how every answer begins; the request's id follows.
const answerStart = `{"jsonrpc":"2.0","id":`

// resultStart stands between the id and the result.
const resultStart = `,"result":`

// writePlain sends an answer in its parts. Its length is known, so it is not sent in chunks.
func writePlain(w http.ResponseWriter, parts ...[]byte) {
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Content-Length", strconv.Itoa(length))
	w.WriteHeader(http.StatusOK)
	for _, part := range parts {
		_, _ = w.Write(part) // #nosec G705 -- JSON, and said to be
	}
}

// maxBuffer is how large a buffer for answers may be to be used again, in bytes. Few answers are as long.
const maxBuffer = 256 << 10

// answer appends the answer to a plain tools/call. Unlike the SDK it does not escape <, > and &: JSON is not HTML.
func (s *Server) answer(b []byte, m plainMessage, result *mcp.CallToolResult) []byte {
	structured, ok := result.StructuredContent.(json.RawMessage)
	if !ok && result.StructuredContent != nil {
		structured = json.RawMessage(rs.EncodeJSON(result.StructuredContent))
	}
	b = append(append(append(append(b, answerStart...), m.id...), resultStart...), '{')
	meta := result.Meta
	if m.version == statelessVersion {
		meta = mcp.Meta{mcp.MetaKeyServerInfo: s.self}
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
	if m.version == statelessVersion {
		b = append(b, `,"resultType":"complete"`...)
	}
	return append(b, `}}`...)
}

// toolLists asks the SDK once for its answer to tools/list in each version of MCP, and returns what follows the id. It is
// the same for everybody. A version that the SDK does not serve is left out.
func toolLists(sdk http.Handler) map[string][]byte {
	lists := map[string][]byte{}
	for _, version := range protocolVersions {
		request := &http.Request{Method: http.MethodPost, URL: &url.URL{Path: web.EndpointPath}, Header: http.Header{
			"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}, protocolVersionHeader: {version},
		}}
		params := `{}`
		if version == statelessVersion {
			request.Header.Set("Mcp-Method", methodListTools)
			params = `{"_meta":{"` + mcp.MetaKeyProtocolVersion + `":"` + version + `","` + mcp.MetaKeyClientCapabilities + `":{}}}`
		}
		request.Body = io.NopCloser(strings.NewReader(answerStart + `0,"method":"` + methodListTools + `","params":` + params + `}`))
		heard := &heard{header: http.Header{}}
		sdk.ServeHTTP(heard, request)
		if list, ok := bytes.CutPrefix(heard.body.Bytes(), []byte(answerStart+"0")); ok && bytes.HasPrefix(list, []byte(resultStart)) {
			lists[version] = list
		}
	}
	return lists
}

// heard is an http.ResponseWriter that keeps what it is told.
type heard struct {
	header http.Header
	body   bytes.Buffer
}

func (h *heard) Header() http.Header         { return h.header }
func (h *heard) WriteHeader(int)             {}
func (h *heard) Write(p []byte) (int, error) { return h.body.Write(p) }
