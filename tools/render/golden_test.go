package render_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
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
	"github.com/google/jsonschema-go/jsonschema"
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

// A golden case is a file testdata/TOOL-CASE.txtar, which begins with the reason for the case, or several are in testdata/TOOL.txtar, where the
// part CASE has the reason and the names of the other parts of a case begin with CASE/. The parts are
//
//	args             the arguments, exactly as a model sends them
//	rs.json          what the resource server answers (for its syntax see scriptedAnswer);
//	                 "rs.json PATH" is the answer to reads of only that path
//	content.txt      what a host that shows text sees
//	structured.json  what a host that shows structured output sees, indented
//	meta.json        what only programs see; absent when there is none
//
// -update writes the last three. Of a long part only the beginning and the end are kept, with the length and hash of the
// whole between them.

var update = flag.Bool("update", false, "rewrite the expected parts of testdata/*.txtar")

const recordBase = "https://rs.example"

// goldenCases are the cases that each tool must have.
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

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]bool{}
	for _, file := range files {
		name, kind, alone := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txtar"), "-")
		archive, err := txtar.ParseFile(file)
		tool := toolNamed(name)
		if err != nil || tool == nil {
			t.Fatalf("%s: no tool is named %s (%v)", file, name, err)
		}
		cases := []goldenCase{{kind, archive}}
		if !alone {
			cases = casesOf(t, archive)
		}
		for _, one := range cases {
			found[name+" "+one.kind] = true
			t.Run(name+"-"+one.kind, func(t *testing.T) { golden(t, tool, one.kind, one.Archive) })
		}
		if !alone {
			archive = together(cases)
		}
		if *update {
			if err := os.WriteFile(file, txtar.Format(archive), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, tool := range allTools() {
		for _, name := range goldenCases {
			if !found[tool.Name+" "+name] {
				t.Errorf("%s has no case %q", tool.Name, name)
			}
		}
	}
}

// A goldenCase is one case with its parts.
type goldenCase struct {
	kind string
	*txtar.Archive
}

// casesOf splits a file into its cases; together joins them again.
func casesOf(t *testing.T, file *txtar.Archive) (cases []goldenCase) {
	t.Helper()
	for _, part := range file.Files {
		kind, name, ofCase := strings.Cut(part.Name, "/")
		if !ofCase {
			cases = append(cases, goldenCase{kind, &txtar.Archive{Comment: part.Data}})
		} else if last := len(cases) - 1; last < 0 || cases[last].kind != kind {
			t.Fatalf("%s does not follow the part %s", part.Name, kind)
		} else {
			cases[last].Files = append(cases[last].Files, txtar.File{Name: name, Data: part.Data})
		}
	}
	return cases
}

func together(cases []goldenCase) *txtar.Archive {
	file := &txtar.Archive{}
	for _, one := range cases {
		file.Files = append(file.Files, txtar.File{Name: one.kind, Data: one.Comment})
		for _, part := range one.Files {
			file.Files = append(file.Files, txtar.File{Name: one.kind + "/" + part.Name, Data: part.Data})
		}
	}
	return file
}

// golden compares the result of a case with the expected one, or with -update replaces the expected one.
func golden(t *testing.T, tool *tools.Tool, kind string, archive *txtar.Archive) {
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
	fits(t, tool.Output, result)
	var sent []byte
	for _, answer := range server.answers {
		sent = append(sent, answer.body...)
	}
	assertCanaries(t, kind, tool, reply.Result.IsError, sent, result)
	text, structured := present.ReplaceAllString(result.Text, "${1}2026-11-22T14:00Z"), present.ReplaceAllString(indent(t, []byte(result.Structured)), "${1}2026-11-22T14:00Z")
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
		return
	}
	for _, name := range []string{"content.txt", "structured.json", "meta.json"} {
		if diff := cmp.Diff(string(parts[name]), got[name]); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// fits checks S3-R12: every result of a tool, including errors, matches its output schema. The MCP library does not check that for tools
// defined this way, and some clients refuse a result that does not match.
func fits(t *testing.T, output json.RawMessage, result render.Result) {
	t.Helper()
	var schema jsonschema.Schema
	var value map[string]any
	if err := errors.Join(json.Unmarshal(output, &schema), json.Unmarshal([]byte(result.Structured), &value)); err != nil {
		t.Fatalf("structured output is not an object: %v: %s", err, result.Structured)
	}
	resolved, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	if err := resolved.Validate(value); err != nil {
		t.Errorf("%v: %s", err, result.Structured)
	}
}

// call sends a call through the whole pipeline, as the server does.
func call(t *testing.T, server *scriptedServer, call tools.Call) tools.Reply {
	t.Helper()
	client, err := rsclient.New(rsclient.Options{Base: recordBase, Transport: server, Retries: -1})
	if err != nil {
		t.Fatal(err)
	}
	pipeline := middleware.Standard(middleware.Options{Log: zerolog.Nop(), Source: middleware.SourceOf(client)}, tools.Forward)
	ctx := auth.WithPrincipal(t.Context(), auth.Principal{Token: rs.NewToken("token"), Kind: auth.KindClient})
	reply, err := pipeline(ctx, call)
	if err != nil {
		t.Fatal(err)
	}
	return reply
}

// assertChannels checks the properties of every answer, and that the host gets what was checked.
func assertChannels(t *testing.T, reply tools.Reply) {
	t.Helper()
	result := reply.Rendered
	text, ok := reply.Result.Content[0].(*mcp.TextContent)
	if !ok || len(reply.Result.Content) != 1 || text.Text != result.Text {
		t.Error("content is not the rendered text")
	}
	if string(reply.Result.StructuredContent.(json.RawMessage)) != result.Structured {
		t.Error("structuredContent is not the rendered one")
	}
	kind := "error"
	if !reply.Result.IsError {
		kind = reply.Call.Tool.Name
	}
	render.AssertResult(t, kind, result)
	if again := result.Clean(&rs.Response{}); again.Text != result.Text || again.Structured != result.Structured {
		t.Error("D19: the answer was not cleaned")
	}
	assertHarmless(t, result)
}

// present is the current time in an index.
var present = regexp.MustCompile(`(now |"now": ")20\d\d-\d\d-\d\dT\d\d:\d\dZ`)

// shorten keeps the beginning and the end of a long part, with the length and the hash of the whole.
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
