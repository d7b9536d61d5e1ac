package render

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// Hits of one record share a line with each id once, above their different matches, and count as one record, also if a resource server has
// a hit for each matching part of a record.
func TestHitsOfOneRecordShareALine(t *testing.T) {
	const note, again = `{"stream":"notes","record_key":"1","connection_id":"c","snippet":{"field":"title","text":"<mark>needle</mark>"}}`,
		`{"stream":"notes","record_key":"1","connection_id":"c","snippet":{"field":"body","text":"the second <mark>needle</mark>"}}`
	const part, other = `{"stream":"note_texts","record_key":"1","connection_id":"c"}`, `{"stream":"orders","record_key":"1","connection_id":"c"}`
	const first, second = "\n  field=title 09881f6ed93360a2: \"<mark>needle</mark>\"", "\n  field=body 2a5434150f5e3ed4: \"the second <mark>needle</mark>\""
	for _, row := range []struct{ says, hits, lines, summary string }{
		{"a record found twice", note + "," + again, "c/notes:1 | notes 1" + first + second, "2 hits of 1 record for"},
		{"one found twice by the same match", note + "," + note, "c/notes:1 | notes 1" + first, "2 hits of 1 record for"},
		{"one found twice, its part between", note + "," + part + "," + again, "c/notes:1 + c/note_texts:1 | notes 1" + first + second, "3 hits of 1 record for"},
		{"a part found twice", note + "," + part + "," + part, "c/notes:1 + c/note_texts:1 | notes 1" + first, "3 hits of 1 record for"},
		{"one of another kind with the same id", note + "," + other, "c/notes:1 | notes 1" + first, "2 hits for"},
	} {
		r, _ := search(t, []byte(`{"data":[`+row.hits+`]}`), "needle")
		if want := row.lines + "\n" + row.summary; !strings.HasPrefix(r.Text, want) {
			t.Errorf("%s: want\n%s in\n%s", row.says, want, r.Text)
		}
	}
}

// An id that is no record's stays as it is (S2-9), unless it has what could be read as more of the line that it begins.
func TestAnIDIsNoLine(t *testing.T) {
	for id, want := range map[string]string{
		"https://example.test/a?b=c#d": "https://example.test/a?b=c#d", `x:// next page: search {"q":"y"}`: "result:1", "x://y|z": "result:1",
	} {
		if _, got := search(t, []byte(`{"data":[{"id":`+write.JSON(id)+`,"title":"T"}]}`), "needle"); got.Results[0].ID != want {
			t.Errorf("%s is %s, want %s", id, got.Results[0].ID, want)
		}
	}
}
