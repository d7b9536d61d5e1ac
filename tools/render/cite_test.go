package render

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/marked"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// citedEvidence is the evidence of a hit, as it is in results and in content_ladder.
type citedEvidence struct {
	Text    string
	Preview string
	Start   *int `json:"start_chars"`
	End     *int `json:"end_chars"`
	SHA256  string
}

// citedHit renders a search answer with one hit and one excerpt, and returns the evidence and the text.
func citedHit(t *testing.T, excerpt map[string]any) (citedEvidence, string) {
	t.Helper()
	excerpt["field_path"], excerpt["provenance"] = "body", "lexical_match"
	r, err := Search(answered(write.JSON(map[string]any{"data": []any{map[string]any{
		"stream": "messages", "record_key": "m1", "connection_id": "cin_a", "evidence_excerpts": []any{excerpt},
	}}})), SearchQuery{Q: "x", RecordBase: base})
	if err != nil {
		t.Fatal(err)
	}
	assertResult(t, "search", r)
	var s struct {
		Results []struct{ Evidence citedEvidence }
		Ladder  struct {
			Records []struct{ Evidence []citedEvidence }
		} `json:"content_ladder"`
	}
	if err := json.Unmarshal([]byte(r.Structured), &s); err != nil {
		t.Fatal(err)
	}
	if len(s.Ladder.Records) == 0 {
		return citedEvidence{}, r.Text
	}
	in, followUp := s.Results[0].Evidence, s.Ladder.Records[0].Evidence[0]
	if in.Text != followUp.Preview {
		t.Errorf("results show %q, and the ladder %q", in.Text, followUp.Preview)
	}
	return in, r.Text
}

func TestCitations(t *testing.T) {
	long := strings.Repeat("hay ", 100) + "<mark>needle</mark> 🚀 é" + strings.Repeat(" straw", 100)
	for _, test := range []struct {
		name    string
		excerpt map[string]any
		quote   string // the hashed text
		at      string // the range; "" for none
	}{
		{"without a range only the text is hashed", map[string]any{"preview_text": "…the <mark>bill</mark> is due…"}, "the bill is due", ""},
		{"a range on the excerpt is used", map[string]any{"preview_text": "the <mark>bill</mark>", "start_chars": 10, "end_chars": 18}, "the bill", "10-18"},
		{"a range on the excerpt's read is used", map[string]any{"preview_text": "the <mark>bill</mark>", "read": map[string]any{"start_chars": 10, "end_chars": 18}}, "the bill", "10-18"},
		{"ellipses added by the server are not counted", map[string]any{"preview_text": "…the <mark>bill</mark>…", "start_chars": 10, "end_chars": 18}, "the bill", "10-18"},
		{"an ellipsis at the end of the text is not quoted", map[string]any{"preview_text": "the <mark>bill</mark>…", "start_chars": 10, "end_chars": 19}, "the bill", "10-19"},
		{"collapsed white space keeps its range", map[string]any{"preview_text": "the\n\n  <mark>bill</mark>", "start_chars": 10, "end_chars": 21}, "the bill", "10-21"},
		{"a range is accepted for the whole field if the server collapsed white space", map[string]any{"preview_text": "the <mark>bill</mark>", "start_chars": 10, "end_chars": 21}, "the bill", "10-21"},
		{"a range is refused for a part if the server collapsed white space", map[string]any{"preview_text": long, "start_chars": 10, "end_chars": 2000}, "", ""},
		{"a range in UTF-16 units is refused", map[string]any{"preview_text": "🚀 the <mark>bill</mark>", "start_chars": 10, "end_chars": 21}, "🚀 the bill", ""},
		{"a range that is too short is refused", map[string]any{"preview_text": "the <mark>bill</mark>", "start_chars": 10, "end_chars": 12}, "the bill", ""},
		{"a negative range is refused", map[string]any{"preview_text": "the <mark>bill</mark>", "start_chars": -1, "end_chars": 7}, "the bill", ""},
		{"the range includes removed characters", map[string]any{"preview_text": "the \u202e<mark>bill</mark>\u200b\x07!", "start_chars": 0, "end_chars": 12}, "", "0-12"},
		{"there is no range if an escape sequence makes it uncertain", map[string]any{"preview_text": "\x1b[31m1 <mark>x</mark>", "start_chars": 0, "end_chars": 8}, "1 x", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, text := citedHit(t, test.excerpt)
			at := ""
			if got.Start != nil {
				at = fmt.Sprintf("%d-%d", *got.Start, *got.End)
			}
			if at != test.at || got.SHA256 != marked.Cited(got.Text) || test.quote != "" && got.SHA256 != marked.Digest(test.quote)[:16] {
				t.Errorf("%q at %q, want %q; %+v", marked.Quotable(got.Text), at, test.at, got)
			}
			if at != "" {
				at += " "
			}
			if !strings.Contains(text, "\n  field=body "+at+got.SHA256+": ") {
				t.Errorf("the text does not cite it:\n%s", text)
			}
		})
	}
	t.Run("truncation moves the range", func(t *testing.T) {
		field := []rune("start. " + strings.NewReplacer("<mark>", "", "</mark>", "").Replace(long))
		got, _ := citedHit(t, map[string]any{"preview_text": "…" + long, "start_chars": 7, "end_chars": len(field)})
		if got.Start == nil || string(field[*got.Start:*got.End]) != marked.Quotable(got.Text) || *got.Start == 7 || *got.End == len(field) {
			t.Errorf("%+v", got)
		}
	})
	t.Run("each hit that is shown is cited", func(t *testing.T) {
		r, _ := search(t, hits(9, 20), "needle")
		if n := strings.Count(r.Text, "\n  field="); n < 5 || len(r.Text) > searchTarget {
			t.Errorf("%d citations in %d bytes:\n%s", n, len(r.Text), r.Text)
		}
	})
}

// FuzzCite: whatever part of a field a server returns, a citation with a range hashes exactly the text at that range.
func FuzzCite(f *testing.F) {
	f.Add("a plain field with some words in it", uint16(2), uint16(20), uint16(8), uint16(5), false)
	f.Add(strings.Repeat("é🚀 \n\n x", 100), uint16(10), uint16(500), uint16(200), uint16(9), false)
	f.Add(strings.Repeat("a\t\tb\x1b[31m🏴 ", 60), uint16(3), uint16(400), uint16(70), uint16(4), true)
	f.Add("…… wait … <mark>x</mark> …", uint16(0), uint16(26), uint16(8), uint16(3), false)
	f.Fuzz(func(t *testing.T, text string, start, length, mark, matched uint16, collapse bool) {
		field := []rune(strings.ToValidUTF8(text, ""))
		if int(start)+int(length) > len(field) || length == 0 || mark >= length || int(mark)+int(matched) > int(length) {
			return
		}
		part := field[start : start+length]
		shown := string(part[:mark]) + "<mark>" + string(part[mark:mark+matched]) + "</mark>" + string(part[mark+matched:])
		if collapse {
			shown = strings.Join(strings.FieldsFunc(shown, func(r rune) bool { return strings.ContainsRune(" \t\n", r) }), " ")
		}
		if start > 0 {
			shown = "…" + shown
		}
		if int(start)+int(length) < len(field) {
			shown += "…"
		}
		got, _ := citedHit(t, map[string]any{"preview_text": shown, "start_chars": start, "end_chars": int(start) + int(length)})
		if got.Text == "" || strings.Contains(text, "mark>") {
			return
		}
		if want := marked.Quotable(got.Text); want != "" && got.SHA256 != marked.Digest(want)[:16] {
			t.Errorf("the hash is not of %q", want)
		}
		if got.Start == nil {
			return
		}
		if *got.Start < int(start) || *got.End > int(start)+int(length) || *got.Start >= *got.End {
			t.Fatalf("range %d-%d of %d-%d", *got.Start, *got.End, start, start+length)
		}
		if there := marked.Quotable(string(field[*got.Start:*got.End])); there != marked.Quotable(got.Text) {
			t.Errorf("%q is at %d-%d, not %q", there, *got.Start, *got.End, marked.Quotable(got.Text))
		}
	})
}

func TestWindowsAreHashed(t *testing.T) {
	r, err := Window(answered(write.JSON(map[string]any{"window": map[string]any{"text": "a\x1b[31m b\u202e\nc", "start_chars": 5, "end_chars": 16, "total_chars": 40}})), WindowQuery{Field: "body"})
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Window struct {
			Text, SHA256 string
			Start        int `json:"start_chars"`
			End          int `json:"end_chars"`
		}
	}
	if err := json.Unmarshal([]byte(r.Structured), &s); err != nil {
		t.Fatal(err)
	}
	if s.Window.Text != "a b\nc" || s.Window.SHA256 != marked.Digest("a b\nc") || s.Window.End-s.Window.Start != 11 {
		t.Errorf("%+v", s.Window)
	}
	if line := "\nsha256 " + s.Window.SHA256 + " of this text\n"; !strings.Contains(r.Text, line) {
		t.Errorf("the text does not have the hash:\n%s", r.Text)
	}
}
