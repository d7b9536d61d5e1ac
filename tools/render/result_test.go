package render

import (
	"encoding/json"
	"fmt"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A mirrored document stays mirrored, and removed characters are counted in the resource server's answer.
func TestCleanResult(t *testing.T) {
	body := []byte(`{"data":{"body":"a\u0000b"}}`)
	r := Result{Text: "x\u202ey", Structured: object{write.Pair("data", string(body))}.JSON()}.Clean(&rs.Response{Body: string(body)})
	want := Result{Text: "xy", Structured: `{"data":{"data":{"body":"ab"}}}`, Meta: map[string]any{"pdpp/removed_characters": clean.Removed{Control: 1}}}
	if diff := cmp.Diff(want, r); diff != "" {
		t.Error(diff)
	}
	mirrored := Result{Text: `{"id":"a\u0000"}`, Structured: `{"id":"a\u0000"}`}.Clean(&rs.Response{})
	if mirrored.Text != `{"id":"a"}` || mirrored.Text != mirrored.Structured {
		t.Errorf("D3: %q is not %q", mirrored.Text, mirrored.Structured)
	}
}

// D18: names whose visible escapes are longer than the names themselves do not make a result exceed its budget.
func TestEscapedNamesStayWithinTheBudget(t *testing.T) {
	for _, size := range []int{1, 20, 80} {
		var members []string
		for i, total := 0, 0; total < pageJSON-2000; i++ {
			m := write.JSON(strings.Repeat("\u202e", size)+strings.Repeat("n", i%7)+write.JSON(i)) + ":1"
			members, total = append(members, m), total+len(m)+1
		}
		body := `{"data":[{"id":"a","data":{` + strings.Join(members, ",") + `}}]}`
		response := answered(body)
		r, err := Records(response, RecordsQuery{Stream: "messages"})
		if err != nil {
			t.Fatal(err)
		}
		if escaped := new(clean.Removed).JSON(r.Structured, clean.Visible); len(escaped) <= write.StructuredHard {
			t.Fatalf("only %d bytes with visible escapes: the test is not effective", len(escaped))
		}
		if r = r.Clean(response); len(r.Structured) > write.StructuredHard || !json.Valid([]byte(r.Structured)) || strings.ContainsRune(r.Structured, 0x202E) {
			t.Errorf("%d bytes of structured output, want at most %d", len(r.Structured), write.StructuredHard)
		}
	}
}

// D18: no text has more lines than hosts show, however they are added.
func TestTextHasAtMost256Lines(t *testing.T) {
	page, n := write.Fullest(2*write.TextLines, func(n int) string { return strings.Repeat("x\n", n-1) + "x" }, write.FitsText)
	if lines := strings.Count(page, "\n") + 1; lines != write.TextLines || n != write.TextLines {
		t.Errorf("%d lines of %d, want %d", lines, n, write.TextLines)
	}
	for _, text := range []string{strings.Repeat("\n", 5000), strings.Repeat("a\n", 300), strings.Repeat("\r\n", 400), strings.Repeat("\u2028", 400), strings.Repeat("a\u0085", 400)} {
		q := WindowQuery{Ref: rs.Ref{ConnectionID: "c", Stream: "s", RecordID: "r"}, Field: "body", Offset: 7, Q: "x"}
		r, err := Window(answered(object{write.Pair("window", object{write.Pair("text", write.JSON(text)), write.Pair("start_chars", "7"), write.Pair("total_chars", "9000000"), write.Pair("previous_offset_chars", "1"), write.Pair("next_offset_chars", "9000")}.JSON())}.JSON()), q)
		if err != nil {
			t.Fatal(err)
		}
		if lines := strings.Count(r.Clean(&rs.Response{}).Text, "\n") + 1; lines > write.TextLines {
			t.Errorf("a window of %.8q has %d lines", text, lines)
		}
	}
}

// D19: text after an unchanged part of the answer, and any part that differs from it, is cleaned.
func TestChangedPartsOfAnAnswerAreCleaned(t *testing.T) {
	for _, structured := range []string{
		"{\"data\":{\"k\":\"\u202E\"},\"x\":1}",
		"{\"data\":{\"k\":\"abc\"},\"x\":\"\u202E\"}",
		"{\"other\":{\"k\":\"\u202E\"},\"x\":1}",
	} {
		r := Result{Text: "t", Structured: structured}.Clean(&rs.Response{Body: `{"k":"abc"}`})
		if strings.ContainsRune(r.Structured, '\u202E') {
			t.Errorf("%q", r.Structured)
		}
	}
}

// D19: text that only resembles something to remove is unchanged, and nothing is counted.
func TestHarmlessEscapesAreNotCounted(t *testing.T) {
	r := Result{Text: "t", Structured: `{"data":{"k":"\u00e9"}}`}.Clean(&rs.Response{Body: `{"k":"\u00e9"}`})
	if r.Meta != nil {
		t.Errorf("%v", r.Meta)
	}
}

func TestAWindowNeverEndsInsideAFlag(t *testing.T) {
	runes := []rune("ab🏴\U000E0067\U000E0062\U000E0073\U000E0063\U000E0074\U000E007F")
	cut := string(runes[:5]) // "ab", the black flag and two tags
	body := fmt.Sprintf(`{"field":{"path":"f"},"window":{"text":%q,"start_chars":0,"end_chars":5,"total_chars":%d,"complete":false,"next_offset_chars":5}}`, "PLACE", len(runes))
	quoted, err := json.Marshal(cut)
	if err != nil {
		t.Fatal(err)
	}
	result, err := Window(answered(strings.Replace(body, `"PLACE"`, string(quoted), 1)), WindowQuery{Ref: rs.Ref{Stream: "s", RecordID: "r"}, Field: "f", Limit: 5})
	if err != nil {
		t.Fatal(err)
	}
	var got struct {
		Window struct {
			Text string `json:"text"`
			Next int    `json:"next_offset_chars"`
		} `json:"window"`
	}
	if err := json.Unmarshal([]byte(result.Structured), &got); err != nil {
		t.Fatal(err)
	}
	if got.Window.Text != "ab" || got.Window.Next != 2 {
		t.Errorf("got %q and next %d, want \"ab\" and 2", got.Window.Text, got.Window.Next)
	}
}

// If nothing is in one day of UTC, the answer says how to send the same day of another time zone.
func TestAnEmptyDayMayBeOfAnotherTimeZone(t *testing.T) {
	for read, want := range map[string]bool{
		"at from 2026-02-28T00:00Z until 2026-03-01T00:00Z":                   true,
		"at from 2026-03-01T00:00Z until 2026-04-01T00:00Z":                   false,
		"at from 2026-03-15T23:00Z until 2026-03-16T23:00Z, of Europe/Berlin": false,
	} {
		for _, isEmpty := range []bool{true, false} {
			lines := answer.DatesReadAs(rs.AsObject(`{"read_as":[`+write.JSON(read)+`]}`), isEmpty)
			if says := strings.Contains(lines[0], "for that of another time zone send time_zone"); says != (want && isEmpty) {
				t.Errorf("%s, empty %v: %s", read, isEmpty, lines[0])
			}
		}
	}
}

// A long note about how dates were read is truncated after a name and says how many more there are.
func TestALongDateNoteIsTruncatedAfterAName(t *testing.T) {
	names := make([]string, 30)
	for i := range names {
		names[i] = fmt.Sprintf("received_at of messages_%02d", i)
	}
	read := "from 2026-10-01T00:00Z on: " + strings.Join(names, ", ")
	lines := answer.DatesReadAs(rs.AsObject(`{"read_as":[`+write.JSON(read)+`]}`), false)
	want := "dates read as: from 2026-10-01T00:00Z on: " + strings.Join(names[:9], ", ") + ", and 21 more"
	if len(lines) != 1 || lines[0] != want {
		t.Errorf("got %q, want %s", lines, want)
	}
}

// A resource server may repeat an offset beyond the end as the start or end of an empty window: the field has no more characters for it.
func TestAnOffsetBeyondTheEndDoesNotLengthenTheField(t *testing.T) {
	for name, window := range map[string]string{
		"the start is the offset":         `"start_chars":999,"end_chars":999`,
		"so is only the end":              `"start_chars":101,"end_chars":999`,
		"neither is given":                `"complete":false`,
		"the start is the end":            `"start_chars":101,"end_chars":101`,
		"an end before the start is said": `"start_chars":999,"end_chars":101,"has_more":true`,
	} {
		q := WindowQuery{Ref: rs.Ref{Stream: "s", RecordID: "r"}, Field: "f", Offset: 999}
		r, err := Window(answered(`{"window":{"text":"","total_chars":101,`+window+`}}`), q)
		const says = "offset_chars 999 is beyond the end: the field has 101 characters."
		if err != nil || !strings.Contains(r.Text, says) || !strings.Contains(r.Text, "characters 101 to 101 of 101; the end of the field") ||
			!strings.Contains(r.Structured, says) || !strings.Contains(r.Structured, `"total_chars":101`) {
			t.Errorf("%s: %v\n%s\n%s", name, err, r.Text, r.Structured)
		}
	}
}
