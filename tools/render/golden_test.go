package render_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rogpeppe/go-internal/txtar"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// The golden cases are testdata/TOOL-CASE.txtar. Each says first why it exists, then has the parts
//
//	args             the arguments, exactly as a model sends them
//	rs.json          what the resource server answers (golden_server_test.go says what may stand there);
//	                 "rs.json PATH" is the answer to reads of that path alone
//	content.txt      what a host that shows text sees
//	structured.json  what a host that shows structured output sees, indented
//	meta.json        what only programs see; absent when there is none
//
// The last three are written by -update. A part that is long is kept as its beginning and its end, with length and hash of
// the whole between them.

var update = flag.Bool("update", false, "rewrite the expected parts of testdata/*.txtar")

const recordBase = "https://rs.example"

// goldenCases are what each tool has to show, under these names.
var goldenCases = []string{"empty", "one", "many", "paged", "huge", "multilingual", "hostile", "error"}

func TestMain(m *testing.M) {
	render.AssertSendable = assertSendable
	os.Exit(m.Run())
}

var allTools = sync.OnceValue(func() []*tools.Tool { return tools.All(tools.Options{RecordBase: recordBase}) })

// toolNamed returns a tool as it is served, or nil.
func toolNamed(name string) *tools.Tool {
	for _, tool := range allTools() {
		if tool.Name == name {
			return tool
		}
	}
	return nil
}

func TestEveryToolHasEveryGoldenCase(t *testing.T) {
	for _, tool := range allTools() {
		for _, name := range goldenCases {
			if _, err := os.Stat(filepath.Join("testdata", tool.Name+"-"+name+".txtar")); err != nil {
				t.Errorf("%s has no case %q: %v", tool.Name, name, err)
			}
		}
	}
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) { golden(t, file) })
	}
}

func golden(t *testing.T, file string) {
	archive, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	name, kind, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txtar"), "-")
	tool := toolNamed(name)
	if tool == nil {
		t.Fatalf("no tool is named %s: a case is TOOL-CASE.txtar", name)
	}
	if len(bytes.TrimSpace(archive.Comment)) == 0 {
		t.Error("the case does not say why it exists")
	}
	parts := map[string][]byte{}
	var kept []txtar.File
	server := &scriptedServer{answers: map[string]scriptedAnswer{}}
	for _, part := range archive.Files {
		parts[part.Name] = part.Data
		path, isAnswer := strings.CutPrefix(part.Name, "rs.json")
		if isAnswer {
			server.answers[strings.TrimSpace(path)] = readAnswer(t, part.Data)
		}
		if isAnswer || part.Name == "args" {
			kept = append(kept, part)
		}
	}
	reply := call(t, server, tools.Call{Tool: tool, Raw: bytes.TrimSpace(parts["args"])})
	result := reply.Rendered
	if isError := strings.HasPrefix(kind, "error"); isError != reply.Result.IsError {
		t.Fatalf("isError is %t: %s", reply.Result.IsError, result.Text)
	}
	assertChannels(t, reply)
	var sent []byte
	for _, answer := range server.answers {
		sent = append(sent, answer.body...)
	}
	assertCanaries(t, kind, tool, reply.Result.IsError, sent, result)
	text, structured := present.ReplaceAllString(result.Text, "${1}2026-11-22T14:00Z"), present.ReplaceAllString(indent(t, result.Structured), "${1}2026-11-22T14:00Z")
	got := map[string]string{"content.txt": shorten(text + "\n"), "structured.json": shorten(structured)}
	if len(result.Meta) > 0 {
		got["meta.json"] = shorten(indent(t, []byte(rs.EncodeJSON(result.Meta))))
	}
	if *update {
		archive.Files = kept
		for _, name := range []string{"content.txt", "structured.json", "meta.json"} {
			if got[name] != "" {
				archive.Files = append(archive.Files, txtar.File{Name: name, Data: []byte(got[name])})
			}
		}
		if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
			t.Fatal(err)
		}
		return
	}
	for _, name := range []string{"content.txt", "structured.json", "meta.json"} {
		if diff := cmp.Diff(string(parts[name]), got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// call lets a call pass the whole pipeline, as it does when it is served.
func call(t *testing.T, server *scriptedServer, call tools.Call) tools.Reply {
	t.Helper()
	client, err := rsclient.New(rsclient.Options{Base: recordBase, Transport: server, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	pipeline := middleware.Standard(middleware.Options{Log: zerolog.Nop(), Source: func(_ context.Context, p auth.Principal) (rs.Doer, error) { return client.For(p.Caller()), nil }}, tools.Forward)
	ctx := auth.WithPrincipal(t.Context(), auth.Principal{Token: rs.NewToken("token"), Kind: auth.KindClient})
	reply, err := pipeline(ctx, call)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// assertChannels checks what holds of every answer, and that the host gets what was checked.
func assertChannels(t *testing.T, reply tools.Reply) {
	t.Helper()
	result := reply.Rendered
	text, ok := reply.Result.Content[0].(*mcp.TextContent)
	if !ok || len(reply.Result.Content) != 1 || text.Text != result.Text {
		t.Error("content is not the rendered text")
	}
	if rs.EncodeJSON(reply.Result.StructuredContent) != rs.EncodeJSON(result.Structured) {
		t.Error("structuredContent is not the rendered one")
	}
	kind := "error"
	if !reply.Result.IsError {
		kind = reply.Call.Tool.Name
	}
	render.AssertResult(t, kind, result)
	if again := result.Clean(&rs.Response{}); again.Text != result.Text || string(again.Structured) != string(result.Structured) {
		t.Error("D19: the answer was not cleaned")
	}
	assertHarmless(t, result)
}

// present is the present time in an index.
var present = regexp.MustCompile(`(now |"now": ")20\d\d-\d\d-\d\dT\d\d:\d\dZ`)

// shorten keeps the beginning and the end of a long part, at characters, with what tells whether anything between changed.
func shorten(text string) string {
	const most, ends = 6 << 10, 1500
	if len(text) <= most {
		return text
	}
	first, last := ends, len(text)-ends
	for !utf8.RuneStart(text[first]) {
		first--
	}
	for !utf8.RuneStart(text[last]) {
		last++
	}
	return fmt.Sprintf("%s\n[… %d bytes in all, sha256 %x …]\n%s", text[:first], len(text), sha256.Sum256([]byte(text)), text[last:])
}

func indent(t *testing.T, raw []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", " "); err != nil {
		t.Fatal(err)
	}
	return b.String() + "\n"
}
