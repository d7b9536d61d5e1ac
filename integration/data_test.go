package integration

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode"
)

// TestAFolderOfManyKindsIsServed starts the demo on the kinds of files that people have.
func TestAFolderOfManyKindsIsServed(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"orders.csv": "ID;Order Date;Item;Price\n7;03.11.2025;\"Lamp; green\";12.50\n8;24.12.2025;Chair;40\n9;1.1.2026;too;many;cells\n",
		"Takeout/Mail/All mail.mbox": "From 1@x Mon Mar 02 10:00:00 +0000 2026\r\nMessage-ID: <m1@x>\r\nSubject: =?UTF-8?Q?Gr=C3=BC=C3=9Fe?=\r\nFrom: =?iso-8859-1?Q?J=F6rg?= <j@x>\r\n" +
			"Date: Mon, 2 Mar 2026 10:00:00 +0000\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n\r\n<p>The marmalade is ready</p>\r\n" +
			"--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment; filename=recipe.txt\r\n\r\noranges and sugar\r\n--b--\r\n\r\n",
		"home.ics":    "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:d\nDTSTART;TZID=Europe/Berlin:20260701T090000\nSUMMARY:Dentist\nEND:VEVENT\nEND:VCALENDAR\n",
		"chat.json":   `{"messages":[{"id":"c1","text":"hello"},5]}`,
		"holiday.jpg": "\xff\xd8\xff",
	} {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := runDemo(t, "--data", dir)
	for _, want := range []string{
		"skipped holiday.jpg: of no known kind", "skipped orders.csv:4: the row has 5 cells, and the header 4", "skipped chat.json:1: item 2 is not a JSON object", "loaded 6 records in ", ", skipped 3",
	} {
		if _, err := d.stderr.find(startTime, func(line string) bool { return strings.Contains(line, want) }); err != nil {
			t.Errorf("stderr does not say %q (%v):\n%s", want, err, d.stderr)
		}
	}
	s := overHTTP(t, d.MCPURL, d.ClientToken)
	for _, call := range []struct {
		tool, arguments, want string
	}{
		{"schema", `{}`, "Takeout_Mail_All_mail"},
		{"aggregate", `{"stream":"orders","metric":"sum","field":"Price"}`, "52.5"},
		{"query_records", `{"stream":"orders","filter":{"Order_Date":{"gte":"2025-12-01"}}}`, "Chair"},
		{"search", `{"q":"marmalade"}`, "cin_files/Takeout_Mail_All_mail:m1@x"},
		{"search", `{"q":"jörg"}`, "cin_files/Takeout_Mail_All_mail:m1@x"},
		{"query_records", `{"stream":"Takeout_Mail_All_mail","expand":["attachments"]}`, "attachments: m1@x-a1 | m1@x | recipe.txt"},
		{"search", `{"q":"recipe.txt"}`, "cin_files/Takeout_Mail_All_mail_attachments:m1@x-a1"},
		{"query_records", `{"stream":"home"}`, "2026-07-01T09:00:00+02:00"},
		{"fetch", `{"id":"cin_files/chat:c1"}`, "hello"},
	} {
		if text := s.text(call.tool, args(call.arguments)); !strings.Contains(text, call.want) {
			t.Errorf("%s %s: want %q in\n%s", call.tool, call.arguments, call.want, text)
		}
	}
}

// archiveVariable names an mbox file of real messages; if it is not set, the history of this repository is used.
const archiveVariable = "MAIL_ARCHIVE"

// privateKey matches the start of a private key, or its replacement.
var privateKey = regexp.MustCompile(`-----BEGIN [A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?-----|\[private key\]`)

// isWithoutSecrets reports whether a body is the text, except for removed values of names such as password.
func isWithoutSecrets(body, text string) bool {
	parts := strings.Split(body, "[secret]")
	if len(parts) == 1 {
		return body == text
	}
	text, begins := strings.CutPrefix(text, parts[0])
	for _, part := range parts[1 : len(parts)-1] {
		_, text, _ = strings.Cut(text, part)
	}
	return begins && strings.HasSuffix(text, parts[len(parts)-1])
}

// TestARealArchiveIsReadToItsEnd loads the output of git format-patch, or the named archive, and compares each body with that of git
// mailsplit.
func TestARealArchiveIsReadToItsEnd(t *testing.T) {
	archive := os.Getenv(archiveVariable)
	if archive == "" {
		archive = filepath.Join(t.TempDir(), "archive.mbox")
		text, err := exec.CommandContext(t.Context(), "git", "format-patch", "--stdout", "--root", "HEAD").Output()
		if err != nil || len(text) == 0 {
			t.Skipf("no history of git here (%v), and %s names no archive", err, archiveVariable)
		}
		if err := os.WriteFile(archive, text, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := mailsplit(t, archive)
	begun := time.Now()
	d := runDemo(t, "--data", archive, "--db", filepath.Join(t.TempDir(), "index.db"))
	t.Logf("%d messages load in %s", len(want), time.Since(begun).Round(time.Millisecond))
	if skipped, err := d.stderr.find(startTime, func(line string) bool { return strings.Contains(line, ", skipped ") }); err != nil || !strings.Contains(skipped, "skipped 0") {
		t.Errorf("something is left out: %q, %v", skipped, err)
	}
	stream := strings.TrimSuffix(filepath.Base(archive), filepath.Ext(archive))
	got := records(t, d, stream)
	bodies, subjects := make([]string, len(got)), make([]string, len(got))
	for index, one := range got {
		bodies[index], subjects[index] = one.Data.BodyText, one.Data.Subject
	}
	if len(got) != len(want) {
		t.Errorf("%d messages of %d", len(got), len(want))
	}
	for _, all := range [][]string{bodies, want} {
		for index, body := range all {
			all[index] = privateKey.Split(body, 2)[0] // the importer removes it
		}
		slices.Sort(all)
	}
	for index := range min(len(bodies), len(want)) {
		if !isWithoutSecrets(bodies[index], want[index]) {
			same(t, want[index], bodies[index])
			break
		}
	}

	s := overHTTP(t, d.MCPURL, d.ClientToken)
	if text := s.text("aggregate", map[string]any{"stream": stream, "metric": "count"}); !strings.HasPrefix(strings.ReplaceAll(text, ",", ""), strconv.Itoa(len(want))+" ") {
		t.Errorf("the count is\n%s", text)
	}
	middle := got[len(got)/2]
	begun = time.Now()
	ids := printedIDs(s.text("search", map[string]any{"q": `"` + strings.Join(regexp.MustCompile(`[\pL\pN]+`).FindAllString(middle.Data.Subject, -1), " ") + `"`, "limit": 25}))
	t.Logf("the first search takes %s", time.Since(begun).Round(time.Millisecond))
	if len(ids) == 0 {
		t.Errorf("the message %q is not found by its subject", middle.Data.Subject)
	}
	// Hidden and control characters never reach a model, and a megabyte would need a thousand calls, so such bodies are not compared.
	readable := slices.DeleteFunc(slices.Clone(got), func(one mailRecord) bool {
		return len(one.Data.BodyText) > 1<<20 || strings.ContainsFunc(one.Data.BodyText, func(c rune) bool { return unicode.In(c, unicode.Cf, unicode.Cc) && c != '\n' && c != '\t' })
	})
	slices.SortFunc(readable, func(a, b mailRecord) int { return len(a.Data.BodyText) - len(b.Data.BodyText) })
	for _, one := range []mailRecord{readable[0], readable[len(readable)/2], readable[len(readable)-1]} {
		c := newClient(t, d.MCPURL, d.ClientToken, contentOnly{})
		same(t, one.Data.BodyText, c.readOn(call{"read_record_field", map[string]any{"id": "cin_files/" + stream + ":" + one.ID, "field": "body_text"}}))
	}
}

// mailsplit returns the bodies that git finds in an mbox, as they should be shown.
func mailsplit(t *testing.T, archive string) []string {
	t.Helper()
	dir := t.TempDir()
	if out, err := exec.CommandContext(t.Context(), "git", "mailsplit", "-o"+dir, archive).CombinedOutput(); err != nil {
		t.Fatalf("git mailsplit: %v\n%s", err, out)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	quoted := regexp.MustCompile(`(?m)^>(>*From )`)
	var bodies []string
	for _, entry := range entries {
		text, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err != nil {
			t.Fatal(err)
		}
		_, body, _ := bytes.Cut(text, []byte("\n\n"))
		bodies = append(bodies, strings.TrimRight(strings.ToValidUTF8(strings.ReplaceAll(string(quoted.ReplaceAll(body, []byte("$1"))), "\r\n", "\n"), "\ufffd"), " \t\r\n"))
	}
	return bodies
}

type mailRecord struct {
	ID   string `json:"id"`
	Data struct {
		Subject  string `json:"subject"`
		BodyText string `json:"body_text"`
	} `json:"data"`
}

// records reads a stream page by page to the end and fails on a repeated record.
func records(t *testing.T, d *running, stream string) []mailRecord {
	t.Helper()
	var all []mailRecord
	seen := map[string]bool{}
	cursor := ""
	for {
		query := url.Values{"limit": {"100"}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, d.RSURL+"/v1/streams/"+stream+"/records?"+query.Encode(), nil)
		if err != nil {
			t.Fatal(err)
		}
		request.Header.Set("Authorization", "Bearer "+d.ClientToken)
		status, _, body := do(t, request)
		var page struct {
			Data       []mailRecord `json:"data"`
			HasMore    bool         `json:"has_more"`
			NextCursor string       `json:"next_cursor"`
		}
		if err := json.Unmarshal([]byte(body), &page); err != nil || status != http.StatusOK {
			t.Fatalf("status %d, %v", status, err)
		}
		for _, one := range page.Data {
			if seen[one.ID] {
				t.Fatalf("%s occurs twice", one.ID)
			}
			seen[one.ID] = true
			all = append(all, one)
		}
		if cursor = page.NextCursor; !page.HasMore {
			return all
		}
	}
}

// manyVariable has the number of messages to measure.
const manyVariable = "MANY_MESSAGES"

// TestManyMessagesAreMeasured measures a large archive, for example with MANY_MESSAGES=50000.
func TestManyMessagesAreMeasured(t *testing.T) {
	count, err := strconv.Atoi(os.Getenv(manyVariable))
	if err != nil {
		t.Skipf("set %s, for example to 50000", manyVariable)
	}
	dir := t.TempDir()
	archive, index := filepath.Join(dir, "mail.mbox"), filepath.Join(dir, "index.db")
	file, err := os.Create(archive)
	if err != nil {
		t.Fatal(err)
	}
	for number := range count {
		if _, err := file.WriteString(madeMessage(number)); err != nil {
			t.Fatal(err)
		}
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	size := func(path string) int64 {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		return info.Size() >> 20
	}
	visit := func(name string, arguments ...string) {
		begun := time.Now()
		d, err := startDemo(t.TempDir(), append([]string{"--data", archive}, arguments...)...)
		if err != nil {
			t.Fatal(err)
		}
		started := time.Since(begun)
		s := overHTTP(t, d.MCPURL, d.ClientToken)
		var searches []time.Duration
		for _, query := range []string{fmt.Sprintf("number%d", count/2), "harbour", "quarterly budget"} {
			begun = time.Now()
			if ids := printedIDs(s.text("search", map[string]any{"q": query, "limit": 5})); len(ids) == 0 {
				t.Errorf("nothing is found for %q", query)
			}
			searches = append(searches, time.Since(begun).Round(time.Millisecond))
		}
		t.Logf("%s: %d messages, %d MiB of mbox; starts in %s; peak memory %s; searches take %v", name, count, size(archive), started.Round(10*time.Millisecond), peakMemory(d), searches)
		if text := s.text("aggregate", args(`{"stream":"mail","metric":"count"}`)); !strings.HasPrefix(strings.ReplaceAll(text, ",", ""), strconv.Itoa(count)+" ") {
			t.Errorf("the count is\n%s", text)
		}
		if err := d.stop(); err != nil {
			t.Error(err)
		}
	}
	visit("kept, first start", "--db", index)
	t.Logf("the index has %d MiB", size(index))
	visit("kept, second start", "--db", index)
	visit("in memory")
}

// peakMemory returns the peak memory of a process, as reported by the kernel.
func peakMemory(d *running) string {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", d.cmd.Process.Pid))
	if err != nil {
		return "unknown"
	}
	return strings.TrimSpace(string(regexp.MustCompile(`VmHWM:(.*)`).FindSubmatch(status)[1]))
}

// madeMessage returns a message of about two thousand bytes; each third has HTML too, each tenth an attachment of four thousand bytes.
func madeMessage(number int) string {
	words := strings.Fields("harbour quarterly budget lantern meeting invoice garden letter window river train ticket answer question holiday recipe school doctor market bridge")
	var text strings.Builder
	for index := range 220 {
		text.WriteString(words[(number*7+index*index)%len(words)])
		text.WriteString([]string{" ", " ", " ", ". ", "\n"}[index%5])
	}
	body, kind := text.String(), "text/plain; charset=utf-8"
	switch {
	case number%10 == 0:
		kind = "multipart/mixed; boundary=b"
		body = "--b\n\n" + body + "\n--b\nContent-Type: application/octet-stream; name=f.bin\nContent-Disposition: attachment; filename=f" + strconv.Itoa(number) + ".bin\n\n" + strings.Repeat(strconv.Itoa(number), 4000/len(strconv.Itoa(number))) + "\n--b--"
	case number%3 == 0:
		kind = "multipart/alternative; boundary=b"
		body = "--b\n\n" + body + "\n--b\nContent-Type: text/html\n\n<p>" + body + "</p>\n--b--"
	}
	sent := time.Date(2010, time.January, 1, 0, 0, 0, 0, time.UTC).Add(time.Duration(number) * 157 * time.Minute)
	return fmt.Sprintf("From p%d@example.com %s\nMessage-ID: <m%d@example.com>\nReferences: <m%d@example.com>\nFrom: Person %d <p%d@example.com>\nTo: Nora <nora@example.com>\nDate: %s\nSubject: About the %s, number%d\nContent-Type: %s\n\n%s\n\n",
		number%500, sent.Format(time.ANSIC), number, number-number%5, number%500, number%500, sent.Format(time.RFC1123Z), words[number%len(words)], number, kind, body)
}
