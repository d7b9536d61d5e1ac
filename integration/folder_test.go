package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
)

// writeFolder writes files into a new folder.
func writeFolder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// emojiNote returns a long text with many characters outside the basic plane, joined and combining ones.
func emojiNote() string {
	var b strings.Builder
	for day := range 1600 {
		fmt.Fprintf(&b, "%d日目 🏄‍♀️ 海まで歩いた。👨‍👩‍👧 と 🍣 を食べて、e\u0301cole の話。🇯🇵 🎏 🏴󠁧󠁢󠁥󠁮󠁧󠁿\n", day)
	}
	return b.String()
}

func lineOf(t testing.TB, record map[string]any) string {
	t.Helper()
	line, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	return string(line) + "\n"
}

// TestAPersonsOwnFolderIsServed starts the demo on a folder with valid and invalid lines.
func TestAPersonsOwnFolderIsServed(t *testing.T) {
	books := lineOf(t, map[string]any{"id": "b1", "title": "The Lighthouse Keeper", "read_at": "2026-02-01", "rating": 5}) +
		"this is no JSON\n" +
		lineOf(t, map[string]any{"id": "b2", "title": "A Field Guide to Fog", "read_at": "2026-03-01", "rating": 4}) +
		"[1,2,3]\n" +
		lineOf(t, map[string]any{"id": "b1", "title": "The same id again"}) +
		"{\"id\":\"b3\",\"title\":\"\xff\xfe\"}\n" +
		lineOf(t, map[string]any{"id": "shelf/7", "title": "Lanterns / lamps", "read_at": "2026-04-01", "rating": 3})
	note := emojiNote()
	dir := writeFolder(t, map[string]string{
		"books.jsonl":     books,
		"notes.jsonl":     lineOf(t, map[string]any{"id": "n1", "title": "波の日記", "body": note, "written_at": "2026-05-01T10:00:00Z"}),
		"bad name.jsonl":  `{"id":"x"}` + "\n",
		"readme.rtf":      "not a stream",
		"manifest.json":   `{"display_name":"My shelf"}`,
		"empty.jsonl":     "",
		"nothing.jsonl~~": "{}",
	})
	d := runDemo(t, "--data", dir)
	for _, want := range []string{"skipped books.jsonl:2:", "skipped books.jsonl:4:", "skipped books.jsonl:6:", "skipped readme.rtf: of no known kind", "skipped nothing.jsonl~~: of no known kind", "loaded 6 records in ", ", skipped 6", "skipped empty.jsonl: it holds no record"} {
		if _, err := d.stderr.find(startTime, func(line string) bool { return strings.Contains(line, want) }); err != nil {
			t.Errorf("stderr does not say %q (%v):\n%s", want, err, d.stderr)
		}
	}
	s := overHTTP(t, d.MCPURL, d.ClientToken)
	if text := s.text("schema", args(`{}`)); !strings.Contains(text, "books") || !strings.Contains(text, "notes") || !strings.Contains(text, "My shelf") {
		t.Errorf("S0-5a: the schema is\n%s", text)
	}
	if text := s.text("aggregate", args(`{"stream":"books","metric":"sum","field":"rating"}`)); !strings.Contains(text, "12") {
		t.Errorf("S3-12a: the sum of 5, 4 and 3 is\n%s", text)
	}
	for _, query := range []string{"lighthouse", "lanterns"} {
		ids := printedIDs(s.text("search", map[string]any{"q": query}))
		if len(ids) != 1 {
			t.Fatalf("S3-14a: %q finds %v", query, ids)
		}
		var d document
		if s.structured("fetch", map[string]any{"id": ids[0]}, &d); !strings.Contains(strings.ToLower(d.Title), query) {
			t.Errorf("S3-19b: fetch of %s gives %q", ids[0], d.Title)
		}
	}

	// The client corrects for a resource server that counts the ends of windows in UTF-16 units.
	t.Run("S1-R2 a text full of emoji is read completely from a resource server that miscounts", func(t *testing.T) {
		miscounting := newWatch(t, d.RSURL, countUTF16)
		url, _ := serve(t, append([]string{"--rs-url", d.RSURL, "--rs-internal-url", miscounting.URL}, introspected(d.addresses)...)...)
		c := newClient(t, url, d.ClientToken, contentOnly{})
		same(t, note, c.readOn(callOf("read_record_field", `{"id":"cin_files/notes:n1","field":"body","limit_chars":5000}`)))
	})
}

// countUTF16 changes the end of a window to the count in UTF-16 units.
func countUTF16(response *http.Response) error {
	if !strings.HasSuffix(response.Request.URL.Path, "/field-window") || response.StatusCode != http.StatusOK {
		return nil
	}
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return err
	}
	var document map[string]any
	if err := json.Unmarshal(text, &document); err != nil {
		return err
	}
	window := document["window"].(map[string]any)
	end := window["start_chars"].(float64) + float64(len(utf16.Encode([]rune(window["text"].(string)))))
	window["end_chars"] = end
	if window["next_offset_chars"] != nil {
		window["next_offset_chars"] = end
	}
	if text, err = json.Marshal(document); err != nil {
		return err
	}
	response.Body = io.NopCloser(bytes.NewReader(text))
	response.ContentLength = int64(len(text))
	response.Header.Set("Content-Length", strconv.Itoa(len(text)))
	return nil
}

// TestAKeptIndexIsServedAgain starts the demo twice on one folder and one database.
func TestAKeptIndexIsServedAgain(t *testing.T) {
	dir := writeFolder(t, map[string]string{"books.jsonl": lineOf(t, map[string]any{"id": "b1", "title": "A Field Guide to Fog", "read_at": "2026-03-01"})})
	database := filepath.Join(t.TempDir(), "index.db")
	visit := func() (answers []string, output string) {
		d, err := startDemo(t.TempDir(), "--data", dir, "--db", database)
		if err != nil {
			t.Fatal(err)
		}
		s := overHTTP(t, d.MCPURL, d.ClientToken)
		for _, call := range []example{
			{"schema", args(`{"stream":"books"}`)},
			{"search", args(`{"q":"fog"}`)},
			{"query_records", args(`{"stream":"books","count":"exact"}`)},
		} {
			answers = append(answers, s.text(call.tool, call.arguments))
		}
		if err := d.stop(); err != nil { // after that its output is complete
			t.Error(err)
		}
		return answers, d.stderr.String()
	}
	first, loaded := visit()
	second, kept := visit()
	if !strings.Contains(loaded, "loaded 1 records") || strings.Contains(loaded, "kept index") {
		t.Errorf("the first start prints\n%s", loaded)
	}
	if !strings.Contains(kept, "is unchanged; using the kept index") || strings.Contains(kept, "loaded") {
		t.Errorf("the second start prints\n%s", kept)
	}
	if want, got := strings.Join(first, "\n"), strings.Join(second, "\n"); want != got {
		t.Errorf("the kept index answers differently:\n%s\n---\n%s", want, got)
	}

	if err := os.WriteFile(filepath.Join(dir, "books.jsonl"), []byte(lineOf(t, map[string]any{"id": "b9", "title": "Another book about fog", "read_at": "2026-04-01"})), 0o600); err != nil {
		t.Fatal(err)
	}
	changed, output := visit()
	if !strings.Contains(output, "loaded 1 records") || !strings.Contains(changed[1], "books:b9") {
		t.Errorf("a changed folder is not read again: %s\n%s", output, changed[1])
	}
}

// TestAHundredThousandRecordsAreSearchable measures how long a large folder takes to load, and checks that it is then searched.
func TestAHundredThousandRecordsAreSearchable(t *testing.T) {
	if testing.Short() {
		t.Skip("a large folder")
	}
	const count = 100_000
	var events strings.Builder
	moment := time.Date(2020, time.January, 1, 0, 0, 0, 0, time.UTC)
	for i := range count {
		fmt.Fprintf(&events, `{"id":"e%d","title":"Entry %d of the harbour log","body":"Tide gauge %d reads %d centimetres at the quay, wind from sector %d.","logged_at":%q,"level":%d}`+"\n",
			i, i, i%97, i%431, i%16, moment.Add(time.Duration(i)*time.Minute).Format(time.RFC3339), i%431)
	}
	dir := writeFolder(t, map[string]string{"log.jsonl": events.String()})
	begun := time.Now()
	d := runDemo(t, "--data", dir)
	t.Logf("%d records load in %s", count, time.Since(begun).Round(10*time.Millisecond))
	s := overHTTP(t, d.MCPURL, d.ClientToken)
	begun = time.Now()
	if ids := printedIDs(s.text("search", args(`{"q":"\"Entry 77777\"","limit":1}`))); len(ids) != 1 || ids[0] != "cin_files/log:e77777" {
		t.Errorf("the entry is not found: %v", ids)
	}
	t.Logf("one search takes %s", time.Since(begun).Round(time.Millisecond))
	begun = time.Now()
	if text := s.text("aggregate", args(`{"stream":"log","metric":"count","filter":{"level":{"gte":400}}}`)); !strings.HasPrefix(text, "7,192 ") {
		t.Errorf("the count is\n%s", text)
	}
	t.Logf("one count takes %s", time.Since(begun).Round(time.Millisecond))
}
