package render

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

var update = flag.Bool("update", false, "rewrite the expected parts of testdata/*.txtar")

// goldenArgs are the "args" of a case: the tool, and what its renderer takes besides the answer.
type goldenArgs struct {
	Tool         string          `json:"tool"`
	Stream       string          `json:"stream"`
	ConnectionID string          `json:"connection_id"`
	Full         bool            `json:"full"`
	Limit        int             `json:"limit"`
	Cursor       string          `json:"cursor"`
	ChangesSince string          `json:"changes_since"`
	Fields       []string        `json:"fields"`
	Q            string          `json:"q"`
	ID           string          `json:"id"`
	Field        string          `json:"field"`
	Offset       int             `json:"offset_chars"`
	BlobID       string          `json:"blob_id"`
	ContentType  string          `json:"content_type"`
	SchemaOffset int             `json:"offset"`
	Arguments    json.RawMessage `json:"arguments"`
}

const base = "https://rs.example"

func (a goldenArgs) render(body []byte) (Result, error) {
	var ref rs.Ref
	if a.ID != "" {
		var err error
		if ref, err = rs.ParseRef(a.ID); err != nil {
			return Result{}, err
		}
	}
	switch a.Tool {
	case "schema":
		return Schema(body, SchemaQuery{Stream: a.Stream, ConnectionID: a.ConnectionID, Full: a.Full, Fields: a.Fields, Offset: a.SchemaOffset})
	case "query_records":
		return Records(body, RecordsQuery{Stream: a.Stream, ConnectionID: a.ConnectionID, Limit: a.Limit, Cursor: a.Cursor, ChangesSince: a.ChangesSince, Fields: a.Fields})
	case "aggregate":
		return Aggregate(body, AggregateQuery{Stream: a.Stream, Arguments: rs.AsObject(a.Arguments)})
	case "search":
		return Search(body, SearchQuery{Q: a.Q, Limit: a.Limit, ConnectionID: a.ConnectionID, RecordBase: base})
	case "fetch":
		return Document(body, DocumentQuery{Ref: ref, Fields: a.Fields, RecordBase: base})
	case "read_record_field":
		return Window(body, WindowQuery{Ref: ref, Field: a.Field, Offset: a.Offset, Limit: a.Limit, Q: a.Q})
	case "list_streams":
		return Streams(body, StreamsQuery{ConnectionID: a.ConnectionID})
	case "fetch_blob":
		return Blob(body, a.ContentType, BlobQuery{BlobID: a.BlobID, ConnectionID: a.ConnectionID})
	case "error":
		return Error(goldenError(body)), nil
	}
	panic("unknown tool " + a.Tool)
}

func goldenError(body []byte) *rs.Error {
	var e struct {
		Code, Message, Hint, Param string
		RetryWith                  string `json:"retry_with"`
		Connections                []rs.Connection
		Total, Status              int
		Envelope                   json.RawMessage
		RequestID                  string `json:"request_id"`
		RetryAfter                 int    `json:"retry_after"`
	}
	if err := json.Unmarshal(body, &e); err != nil {
		panic(err)
	}
	return &rs.Error{
		Code: rs.Code(e.Code), Message: e.Message, Hint: e.Hint, Param: e.Param, RetryWith: e.RetryWith, Connections: e.Connections,
		ConnectionTotal: e.Total, Status: e.Status, Envelope: e.Envelope, RequestID: e.RequestID, RetryAfter: time.Duration(e.RetryAfter) * time.Second,
	}
}

func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			parts := map[string]*txtar.File{}
			for i := range archive.Files {
				parts[archive.Files[i].Name] = &archive.Files[i]
			}
			if len(bytes.TrimSpace(archive.Comment)) == 0 {
				t.Error("the case does not say why it exists")
			}
			var args goldenArgs
			if err := json.Unmarshal(parts["args"].Data, &args); err != nil {
				t.Fatal(err)
			}
			body := bytes.TrimSuffix(parts["rs.json"].Data, []byte("\n"))
			result, err := args.render(body)
			result = result.Clean(body)
			text, structured := result.Text+"\n", []byte("\n")
			if err != nil {
				text = "error: " + err.Error() + "\n"
			} else {
				assertResult(t, args.Tool, result)
				structured = indent(t, result.Structured)
			}
			if *update {
				archive.Files = []txtar.File{*parts["args"], *parts["rs.json"], {Name: "content.txt", Data: []byte(text)}, {Name: "structured.json", Data: structured}}
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if diff := cmp.Diff(string(parts["content.txt"].Data), text); diff != "" {
				t.Errorf("content (-want +got):\n%s", diff)
			}
			if diff := cmp.Diff(string(parts["structured.json"].Data), string(structured)); diff != "" {
				t.Errorf("structured (-want +got):\n%s", diff)
			}
		})
	}
}

func indent(t *testing.T, raw []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, raw, "", " "); err != nil {
		t.Fatal(err)
	}
	b.WriteByte('\n')
	return b.Bytes()
}

// assertResult holds for every result there is: budgets, valid UTF-8, short lines, and handles that can be sent back.
func assertResult(t *testing.T, tool string, r Result) {
	t.Helper()
	r = r.Clean(nil)
	limit := TextHard
	switch tool {
	case "search":
		limit = SearchHard
	case "error":
		limit = ErrorText
	}
	if len(r.Text) > limit {
		t.Errorf("text has %d bytes, at most %d are allowed", len(r.Text), limit)
	}
	if r.Text == "" {
		t.Error("text is empty")
	}
	if !utf8.ValidString(r.Text) || !utf8.Valid(r.Structured) {
		t.Error("not valid UTF-8")
	}
	if again := r.Clean(nil); again.Text != r.Text || string(again.Structured) != string(r.Structured) {
		t.Error("D19: a character that must not reach a host is left")
	}
	if lines := strings.Count(r.Text, "\n") + 1; lines > TextLines {
		t.Errorf("text has %d lines", lines)
	}
	for line := range strings.SplitSeq(r.Text, "\n") {
		if tool != "fetch" && utf8.RuneCountInString(line) > LineChars {
			t.Errorf("a line has %d characters: %.80s…", utf8.RuneCountInString(line), line)
		}
	}
	if rs.Kind(r.Structured) != "object" || !json.Valid(r.Structured) {
		t.Errorf("structured is no JSON object: %.80s", r.Structured)
	}
	if len(r.Structured) > StructuredHard {
		t.Errorf("structured has %d bytes, at most %d are allowed", len(r.Structured), StructuredHard)
	}
	if tool == "fetch" && r.Text != string(r.Structured) {
		t.Error("content is not the document's own bytes")
	}
	assertHandles(t, quotedLine.ReplaceAllString(r.Text, ""))
	if strings.Contains(string(r.Structured), WindowURIPrefix) || strings.Contains(r.Text, WindowURIPrefix) {
		t.Error("a field-window URI is visible (S1-R4)")
	}
}

var (
	firstFetchID = regexp.MustCompile(`first_fetch_id=(\S+)`)
	rowID        = regexp.MustCompile(`(?m)^(\S+)(?: connection_id=\S+)? \| `)
	quotedLine   = regexp.MustCompile(`(?m)^[>+] .*$`)
	printedCall  = regexp.MustCompile(`\b(read_record_field|query_records|search|schema|fetch|aggregate) (\{")`)
)

// assertHandles checks that every printed id parses and that every printed call has JSON arguments.
func assertHandles(t *testing.T, text string) {
	t.Helper()
	for _, pattern := range []*regexp.Regexp{firstFetchID, rowID} {
		for _, m := range pattern.FindAllStringSubmatch(text, -1) {
			if _, err := rs.ParseRef(m[1]); err != nil && !strings.Contains(m[1], "://") && m[1] != ">" {
				t.Errorf("printed id does not parse: %v", err)
			}
		}
	}
	for _, at := range printedCall.FindAllStringSubmatchIndex(text, -1) {
		var call map[string]any
		if err := json.NewDecoder(strings.NewReader(text[at[4]:])).Decode(&call); err != nil {
			t.Errorf("printed arguments are not JSON: %v: %.100s", err, text[at[4]:])
			continue
		}
		if id, ok := call["id"].(string); ok && id != "…" {
			if _, err := rs.ParseRef(id); err != nil {
				t.Errorf("printed id does not parse: %v", err)
			}
		}
	}
}
