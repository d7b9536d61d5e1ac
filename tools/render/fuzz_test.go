package render

import (
	"bytes"
	"encoding/json"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/marked"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// FuzzRender: any answer renders without a panic, into valid UTF-8, within the budgets of both channels, even if a member of its first
// object has a very long name.
func FuzzRender(f *testing.F) {
	for _, body := range goldenBodies(f) {
		f.Add(body, "messages")
	}
	f.Add([]byte("{\"data\":[{\"id\":\"\xff\",\"data\":{\"\\u0000\":\"\\ud800\"}}]}"), "a b")
	f.Fuzz(func(t *testing.T, body []byte, name string) {
		assertRenders(t, body, name)
		if before, after, ok := bytes.Cut(body, []byte("{")); ok && name != "" && !bytes.HasPrefix(bytes.TrimSpace(after), []byte("}")) {
			long := rs.EncodeJSON(strings.Repeat(name, 50_000/len(name)+1))
			assertRenders(t, slices.Concat(before, []byte("{"+long+":1,"), after), name)
		}
	})
}

// goldenBodies returns the successful answers of the resource server in the golden files.
func goldenBodies(t testing.TB) [][]byte {
	t.Helper()
	files, _ := filepath.Glob("testdata/*.txtar")
	var bodies [][]byte
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, part := range archive.Files {
			if path.Base(part.Name) == "rs.json" && !strings.Contains(file+part.Name, "error") {
				bodies = append(bodies, part.Data)
			}
		}
	}
	return bodies
}

// assertRenders renders a body as the answer to each tool.
func assertRenders(t *testing.T, raw []byte, stream string) {
	response, err := rs.ReadResponse(string(raw))
	if err != nil {
		return // the client rejects everything else
	}
	ref := rs.Ref{ConnectionID: "cin_a", Stream: "messages", RecordID: "m1"}
	stream = strings.ToValidUTF8(clean.Clip(stream, 200), "")
	check := func(tool string, r Result, err error) {
		if err != nil {
			if rs.AsError(err).Code != "invalid_response" {
				t.Errorf("%s: %v", tool, err)
			}
			return
		}
		r = r.Clean(response)
		limit := write.TextHard
		if tool == "search" {
			limit = searchAsked + searchHard - searchTarget
		}
		if len(r.Structured) > write.StructuredHard {
			t.Errorf("%s: %d bytes of structured output", tool, len(r.Structured))
		}
		if len(r.Text) > limit {
			t.Errorf("%s: %d bytes of text", tool, len(r.Text))
		}
		if !utf8.ValidString(r.Text) || !json.Valid([]byte(r.Structured)) || !utf8.ValidString(r.Structured) || rs.Kind(r.Structured) != "object" {
			t.Errorf("%s: not a valid result", tool)
		}
		if lines := strings.Count(r.Text, "\n") + 1; lines > write.TextLines {
			t.Errorf("%s: %d lines of text", tool, lines)
		}
		if tool != "fetch" {
			for line := range strings.SplitSeq(r.Text, "\n") {
				if clean.LongerThan(line, write.LineChars) {
					t.Errorf("%s: a line of %d characters", tool, utf8.RuneCountInString(line))
				}
			}
		}
	}
	r, err := Schema(response, SchemaQuery{})
	check("schema", r, err)
	r, err = Schema(response, SchemaQuery{Stream: stream, Full: true})
	check("schema", r, err)
	r, err = Records(response, RecordsQuery{Stream: stream, Fields: []string{"subject", stream}, ChangesSince: stream})
	check("query_records", r, err)
	r, err = Aggregate(response, AggregateQuery{Stream: stream})
	check("aggregate", r, err)
	r, err = Search(response, SearchQuery{Q: stream, RecordBase: base})
	check("search", r, err)
	r, err = Document(response, DocumentQuery{Ref: ref, RecordBase: base})
	check("fetch", r, err)
	r, err = Window(response, WindowQuery{Ref: ref, Field: "body", Q: stream})
	check("read_record_field", r, err)
	r, err = Streams(response, StreamsQuery{})
	check("list_streams", r, err)
	r, err = Blob(string(raw), stream, BlobQuery{BlobID: "b"})
	check("fetch_blob", r, err)
}

// TestLongTexts: if a name or a value in an answer is very long, the lines of the answer stay within their limit.
func TestLongTexts(t *testing.T) {
	token := regexp.MustCompile(`"(\\.|[^"\\])*"`)
	texts := []string{strings.Repeat("a", 3000), strings.Repeat("é ", 1500), strings.Repeat(`\u0001`, 250)}
	for _, body := range goldenBodies(t) {
		if len(body) > 40_000 {
			continue
		}
		for i, at := range token.FindAllIndex(body, 90) {
			assertRenders(t, slices.Concat(body[:at[0]+1], []byte(texts[i%len(texts)]), body[at[1]-1:]), "messages")
		}
		for _, long := range texts {
			assertRenders(t, token.ReplaceAllFunc(body, func(text []byte) []byte {
				return slices.Concat(text[:len(text)-1], []byte(long[:len(long)/6]), text[len(text)-1:])
			}), "messages")
		}
	}
}

// FuzzWindow: following the windows of a server that counts in UTF-16 units returns the whole text, with nothing skipped or repeated.
func FuzzWindow(f *testing.F) {
	f.Add("plain text", 3, uint8(0))
	f.Add("a🚀b🚀c🚀🚀", 2, uint8(1))
	f.Add("🚀🚀ab", 2, uint8(6))
	f.Add(strings.Repeat("é🚀\n", 30), 7, uint8(3))
	f.Fuzz(func(t *testing.T, text string, limit int, server uint8) {
		text = clean.Lines(strings.ToValidUTF8(text, ""))
		if limit < 1 || limit > 16384 || utf8.RuneCountInString(text) > 40*limit {
			return
		}
		var got strings.Builder
		q := WindowQuery{Ref: rs.Ref{ConnectionID: "c", Stream: "s", RecordID: "r"}, Field: "body", Limit: limit}
		for step := 0; ; step++ {
			if step > 100 {
				t.Fatal("the windows do not end")
			}
			r, err := Window(answered(string(serveWindow([]rune(text), q.Offset, limit, server))), q)
			if err != nil {
				t.Fatal(err)
			}
			var part struct {
				Window struct{ Text string }
				Next   *struct {
					Arguments struct {
						Offset int `json:"offset_chars"`
					}
				}
			}
			if err := json.Unmarshal([]byte(r.Structured), &part); err != nil {
				t.Fatal(err)
			}
			got.WriteString(part.Window.Text)
			if part.Next == nil {
				break
			}
			q.Offset = part.Next.Arguments.Offset
		}
		if diff := cmp.Diff(text, got.String()); diff != "" {
			t.Error(diff)
		}
	})
}

// serveWindow answers like a resource server. Bit 0 of server makes it count ends in UTF-16 units, bit 1 limits ends to the length of the
// field, bit 2 omits total_chars.
func serveWindow(text []rune, offset, limit int, server uint8) []byte {
	offset = min(offset, len(text))
	part := string(text[offset:min(offset+limit, len(text))])
	end := offset + utf8.RuneCountInString(part)
	if server&1 != 0 {
		end += marked.Surrogates(part)
	}
	if server&2 != 0 {
		end = min(end, len(text))
	}
	w := map[string]any{"text": part, "start_chars": offset, "end_chars": end, "limit_chars": limit, "has_more": end < len(text), "complete": offset == 0 && end >= len(text), "next_offset_chars": nil}
	if end < len(text) {
		w["next_offset_chars"] = end
	}
	if server&4 == 0 {
		w["total_chars"] = len(text)
	}
	return []byte(rs.EncodeJSON(map[string]any{"window": w}))
}
