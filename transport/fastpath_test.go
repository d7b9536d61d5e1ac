package transport_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport"
	"github.com/pdp-connect/pdpp-mcp/transport/internal/fastpath"
	"github.com/pdp-connect/pdpp-mcp/transport/internal/rpc"
)

// A recordedCall is what the pipeline receives of a call.
type recordedCall struct {
	Tool, Arguments, Protocol, Trace string
}

// paths are two handlers of one pipeline: one with the fast path, and one that leaves every message to the SDK.
type paths struct {
	fast, sdk http.Handler
	calls     []recordedCall
}

func fastTools() []*tools.Tool {
	var all []*tools.Tool
	for _, name := range []string{"good", "empty", "refused", "missing", "panics", "rich"} {
		all = append(all, &tools.Tool{Name: name, Title: "T", Description: "D <&>", Input: json.RawMessage(`{"type":"object"}`), Listed: name != "rich"})
	}
	return all
}

func newPaths() *paths {
	p := &paths{}
	server := transport.NewServer(transport.ServerOptions{
		Self: mcp.Implementation{Name: "pdpp", Title: "Personal <data>", Version: "1"}, Instructions: "I", Tools: fastTools(), Logger: zerolog.Nop(),
		Handler: p.answer,
	})
	options := transport.HandlerOptions{
		Server: server, Authenticator: &authority{}, Public: web.Public{Origin: "https://mcp.example"}, Limiter: web.NewLimiter(web.Limits{}, nil), Logger: zerolog.Nop(),
	}
	p.fast = transport.Handler(options)
	options.NoFastPath = true
	p.sdk = transport.Handler(options)
	return p
}

// answer is the pipeline.
func (p *paths) answer(ctx context.Context, call tools.Call) (tools.Reply, error) {
	id := ""
	if span := trace.SpanContextFromContext(ctx); span.IsValid() {
		id = span.TraceID().String()
	}
	p.calls = append(p.calls, recordedCall{call.Tool.Name, string(call.Raw), call.Protocol, id})
	text := func(s string) []mcp.Content { return []mcp.Content{&mcp.TextContent{Text: s}} }
	switch call.Tool.Name {
	case "good":
		return tools.Reply{Result: &mcp.CallToolResult{Content: text("a\n\"b\" <c> & \\ \u2028 \x01 é 🚀"), StructuredContent: json.RawMessage(`{ "a": [1, "<x>", 2.50], "b": {} }`)}}, nil
	case "empty":
		return tools.Reply{Result: &mcp.CallToolResult{}}, nil
	case "refused":
		return tools.Reply{Result: &mcp.CallToolResult{
			Content: text(""), StructuredContent: map[string]any{"error": "<no>"}, IsError: true, Meta: mcp.Meta{"pdpp/removed_characters": 3, "a": "<b>"},
		}}, nil
	case "missing":
		return tools.Reply{}, &rs.Error{Code: "not_found", Status: 404, Message: "Not <there>.", Hint: "Look."}
	case "rich":
		return tools.Reply{Result: &mcp.CallToolResult{Content: []mcp.Content{
			&mcp.ResourceLink{
				URI:  "pdpp://x",
				Name: "x",
			}, &mcp.TextContent{Text: "t", Annotations: &mcp.Annotations{Priority: 1}}, &mcp.TextContent{Text: "u"},
		}}}, nil
	}
	return tools.Reply{}, errors.New("a fault") // a panic ends like this in the pipeline
}

// ask sends one message to one handler.
func (p *paths) ask(h http.Handler, body string, header http.Header) (*httptest.ResponseRecorder, []recordedCall) {
	p.calls = nil
	r := httptest.NewRequest(http.MethodPost, "https://mcp.example/mcp", strings.NewReader(body))
	r.Header = header.Clone()
	r.Header.Set("Authorization", "Bearer good")
	r.Header.Set("Content-Type", "application/json")
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w, p.calls
}

// isPlain reports whether the fast path takes a message.
func isPlain(body string, header http.Header) bool {
	h := fastpath.New(mcp.Implementation{}, fastTools(), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"jsonrpc":"2.0","id":0,"result":{}}`)
	}))
	m, refusal := rpc.Read([]byte(body))
	_, plain := h.Read(header, m)
	return refusal == nil && m.Contradiction(header) == "" && plain
}

// tokens returns the tokens of a JSON text in order. Two texts with equal tokens are equal JSON.
func tokens(t *testing.T, text []byte) []json.Token {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	var all []json.Token
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatalf("%v in %q", err, text)
		}
		all = append(all, token)
	}
}

// compare sends a message to both handlers and compares their answers and the calls that they made.
func (p *paths) compare(t *testing.T, body string, header http.Header) {
	t.Helper()
	got, calls := p.ask(p.fast, body, header)
	want, wantCalls := p.ask(p.sdk, body, header)
	for _, name := range []string{"Content-Type", "Cache-Control", "Allow", "Mcp-Session-Id", "Vary"} {
		if got.Header().Get(name) != want.Header().Get(name) {
			t.Errorf("%s\n%v: %s is %q, with the SDK %q", body, header, name, got.Header().Get(name), want.Header().Get(name))
		}
	}
	if got.Code != want.Code || !cmp.Equal(calls, wantCalls) {
		t.Errorf("%s\n%v: %d and %+v, with the SDK %d and %+v", body, header, got.Code, calls, want.Code, wantCalls)
	}
	if diff := cmp.Diff(tokens(t, want.Body.Bytes()), tokens(t, got.Body.Bytes())); diff != "" {
		t.Errorf("%s\n%v: the SDK's answer (-) and ours (+):\n%s", body, header, diff)
	}
}

// versionOf returns the headers of a version, with those that 2026-07-28 requires.
func versionOf(version, method, name string) http.Header {
	header := http.Header{}
	for key, value := range map[string]string{"Mcp-Protocol-Version": version, "Mcp-Method": method, "Mcp-Name": name} {
		if value != "" {
			header.Set(key, value)
		}
	}
	return header
}

const (
	metaStart = `"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":`
	metaFull  = metaStart + `{"roots":{},"sampling":{},"elicitation":{"form":{}}},"io.modelcontextprotocol/clientInfo":{"name":"x","version":"1"},"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}`
	metaShort = metaStart + `{}}`
)

// TestAnswersAsTheSDK: the fast path answers plain messages as the SDK does, and leaves the others to it.
func TestAnswersAsTheSDK(t *testing.T) {
	p := newPaths()
	call := func(params string) string {
		return `{"jsonrpc":"2.0","id":7,"method":"tools/call","params":` + params + `}`
	}
	legacy, modern := versionOf("2025-11-25", "", ""), versionOf("2026-07-28", "tools/call", "good")
	for _, row := range []struct {
		says   string
		body   string
		header http.Header
		plain  bool
	}{
		{"a call", call(`{"name":"good","arguments":{"a":1}}`), legacy, true},
		{"a call of a client that names no version", call(`{"name":"good","arguments":{"a":1}}`), http.Header{}, true},
		{"a call of the first version", call(`{"name":"good","arguments":{}}`), versionOf("2024-11-05", "", ""), true},
		{"a call without arguments", call(`{"name":"good"}`), legacy, true},
		{"arguments of null", call(`{"name":"good","arguments":null}`), legacy, true},
		{"arguments that are no object", call(`{"name":"good","arguments":[1,"x"]}`), legacy, true},
		{"arguments with spaces and escapes", call(` { "name" : "good" , "arguments" : { "a" : "\u00e9\n" } } `), legacy, true},
		{"a progress token", call(`{"name":"good","_meta":{"progressToken":1}}`), legacy, true},
		{"a trace", call(`{"name":"good","_meta":{"traceparent":"00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"}}`), legacy, true},
		{"names that differ in case", call(`{"name":"good","_meta":{"a/B":1,"a/b":2}}`), legacy, false},
		{"a name of the client's own", call(`{"name":"good","_meta":{"claudecode/toolUseId":"x"}}`), legacy, true},
		{"an invalid trace", call(`{"name":"good","_meta":{"traceparent":5}}`), legacy, true},
		{"an id of text", strings.Replace(call(`{"name":"good"}`), "7", `"a-7 é"`, 1), legacy, true},
		{"an id of plain text", strings.Replace(call(`{"name":"good"}`), "7", `"a-7"`, 1), legacy, true},
		{"an id of nothing", strings.Replace(call(`{"name":"good"}`), "7", `""`, 1), legacy, false},
		{"an id of 0", strings.Replace(call(`{"name":"good"}`), "7", `0`, 1), legacy, true},
		{"a negative id", strings.Replace(call(`{"name":"good"}`), "7", `-7`, 1), legacy, true},
		{"an id with a fraction", strings.Replace(call(`{"name":"good"}`), "7", `7.5`, 1), legacy, true},
		{"an id with an exponent", strings.Replace(call(`{"name":"good"}`), "7", `7e3`, 1), legacy, true},
		{"an id past what a number holds", strings.Replace(call(`{"name":"good"}`), "7", `9007199254740993`, 1), legacy, true},
		{"an id of null", strings.Replace(call(`{"name":"good"}`), "7", `null`, 1), legacy, false},
		{"an empty result", call(`{"name":"empty"}`), legacy, true},
		{"a refusal", call(`{"name":"refused"}`), legacy, true},
		{"an error", call(`{"name":"missing"}`), legacy, true},
		{"a fault", call(`{"name":"panics"}`), legacy, true},
		{"content of other kinds, of a hidden tool", call(`{"name":"rich"}`), legacy, true},
		{"an unknown tool", call(`{"name":"none"}`), legacy, false},
		{"a name with an escape", call(`{"name":"g\u006fod"}`), legacy, true},
		{"a name that is a number", call(`{"name":5}`), legacy, false},
		{"no name", call(`{"arguments":{}}`), legacy, false},
		{"two names", call(`{"name":"good","name":"empty"}`), legacy, false},
		{"two methods", `{"jsonrpc":"2.0","id":7,"method":"tools/list","method":"tools/call","params":{"name":"good"}}`, legacy, false},
		{"an unknown member of the call", call(`{"name":"good","requestState":"x"}`), legacy, false},
		{"an unknown member of the message", strings.Replace(call(`{"name":"good"}`), `"id"`, `"x":1,"id"`, 1), legacy, false},
		{"a member in other letters", call(`{"Name":"good"}`), legacy, false},
		{"a notification", `{"jsonrpc":"2.0","method":"tools/call","params":{"name":"good"}}`, legacy, false},
		{"another JSON-RPC", strings.Replace(call(`{"name":"good"}`), "2.0", "1.0", 1), legacy, false},
		{"a batch", "[" + call(`{"name":"good"}`) + "]", legacy, false},
		{"no JSON", call(`{"name":"good"`), legacy, false},
		{"something behind it", call(`{"name":"good"}`) + "{}", legacy, false},
		{"bytes that are no UTF-8", call("{\"name\":\"good\",\"arguments\":{\"a\":\"\xff\"}}"), legacy, false},
		{"params of null", call(`null`), legacy, false},
		{"params of a list", call(`["good"]`), legacy, false},
		{"a _meta of null", call(`{"name":"good","_meta":null}`), legacy, false},
		{"a _meta that is a list", call(`{"name":"good","_meta":[]}`), legacy, false},
		{"a _meta with a member twice", call(`{"name":"good","_meta":{"a":1,"a":2}}`), legacy, false},
		{"very deep arguments", call(`{"name":"good","arguments":` + strings.Repeat("[", 1100) + strings.Repeat("]", 1100) + `}`), legacy, false},
		{"an unknown version", call(`{"name":"good"}`), versionOf("2025-01-01", "", ""), false},
		{"a version to come", call(`{"name":"good",` + metaShort + `}`), versionOf("2027-01-01", "tools/call", "good"), false},
		{"the version in the _meta alone", call(`{"name":"good",` + metaShort + `}`), legacy, false},
		{"an event to go on from", call(`{"name":"good"}`), http.Header{"Mcp-Protocol-Version": {"2025-11-25"}, "Last-Event-Id": {"x_1"}}, false},

		{"a stateless call", call(`{"name":"good","arguments":{"a":1},` + metaFull + `}`), modern, true},
		{"a stateless call of a client that says little", call(`{"name":"good",` + metaShort + `}`), modern, true},
		{"a stateless refusal, with a _meta of its own", call(`{"name":"refused",` + metaShort + `}`), versionOf("2026-07-28", "tools/call", "refused"), true},
		{"a stateless error", call(`{"name":"missing",` + metaShort + `}`), versionOf("2026-07-28", "tools/call", "missing"), true},
		{"a stateless fault", call(`{"name":"panics",` + metaShort + `}`), versionOf("2026-07-28", "tools/call", "panics"), true},
		{"a stateless call without a _meta", call(`{"name":"good"}`), modern, false},
		{"a stateless call without its capabilities", call(`{"name":"good","_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}}`), modern, false},
		{"capabilities that are none", call(`{"name":"good",` + metaStart + `5}}`), modern, false},
		{"capabilities of a wrong kind", call(`{"name":"good",` + metaStart + `{"sampling":5}}}`), modern, false},
		{"an invalid client", call(`{"name":"good",` + metaStart + `{},"io.modelcontextprotocol/clientInfo":"x"}}`), modern, false},
		{"a client whose name is a number", call(`{"name":"good",` + metaStart + `{},"io.modelcontextprotocol/clientInfo":{"name":5}}}`), modern, false},
		{"another version in the _meta", call(`{"name":"good",` + strings.Replace(metaShort, "2026-07-28", "2027-01-01", 1) + `}`), modern, false},
		{"no header of the method", call(`{"name":"good",` + metaShort + `}`), versionOf("2026-07-28", "", "good"), false},
		{"a header of another method", call(`{"name":"good",` + metaShort + `}`), versionOf("2026-07-28", "tools/list", "good"), false},
		{"a header of another tool", call(`{"name":"good",` + metaShort + `}`), versionOf("2026-07-28", "tools/call", "empty"), false},
		{"no header of the tool", call(`{"name":"good",` + metaShort + `}`), versionOf("2026-07-28", "tools/call", ""), false},

		{"a list", `{"jsonrpc":"2.0","id":"x","method":"tools/list"}`, legacy, true},
		{"a list with empty params", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{}}`, http.Header{}, true},
		{"a list with a _meta", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"_meta":{"progressToken":"x"}}}`, versionOf("2025-06-18", "", ""), true},
		{"a list with params of null", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":null}`, legacy, false},
		{"a list from a cursor on", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}`, legacy, false},
		{"a stateless list", `{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{` + metaFull + `}}`, versionOf("2026-07-28", "tools/list", ""), true},
		{"a stateless list without a _meta", `{"jsonrpc":"2.0","id":1,"method":"tools/list"}`, versionOf("2026-07-28", "tools/list", ""), false},
		{"something else", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, legacy, false},
	} {
		t.Run(row.says, func(t *testing.T) {
			p.compare(t, row.body, row.header)
			if plain := isPlain(row.body, row.header); plain != row.plain {
				t.Errorf("answered without the SDK: %v", plain)
			}
		})
	}
}

// TestServesEveryVersionOfTheSDK: the fast path answers tools/list itself in every version that it knows.
func TestServesEveryVersionOfTheSDK(t *testing.T) {
	asked := map[string]bool{}
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server {
		return mcp.NewServer(&mcp.Implementation{Name: "x", Version: "1"}, nil)
	},
		&mcp.StreamableHTTPOptions{Stateless: true, JSONResponse: true})
	fastpath.New(mcp.Implementation{}, nil, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer := httptest.NewRecorder()
		sdk.ServeHTTP(answer, r)
		asked[r.Header.Get("Mcp-Protocol-Version")] = strings.Contains(answer.Body.String(), `"result"`)
		w.WriteHeader(answer.Code)
	}))
	want := map[string]bool{"2024-11-05": true, "2025-03-26": true, "2025-06-18": true, "2025-11-25": true, "2026-07-28": true}
	if diff := cmp.Diff(want, asked); diff != "" {
		t.Error(diff)
	}
}

// The law: for every message, both paths give the same answer and make the same calls.
func FuzzAnswersAsTheSDK(f *testing.F) {
	for _, params := range []string{`{"name":"good","arguments":{"a":1}}`, `{"name":"refused",` + metaFull + `}`, `{"name":"good","_meta":{"traceparent":"x"}}`, `{}`, `null`} {
		for _, method := range []string{"tools/call", "tools/list", "initialize", "ping"} {
			for _, version := range []string{"", "2025-11-25", "2026-07-28"} {
				f.Add(`{"jsonrpc":"2.0","id":1,"method":"`+method+`","params":`+params+`}`, version, method, "good")
			}
		}
	}
	p := newPaths()
	f.Fuzz(func(t *testing.T, body, version, method, name string) {
		p.compare(t, body, versionOf(version, method, name))
	})
}
