package importer

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// writeTree makes a folder with files and folders.
func writeTree(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestStreamsAreNamedAfterTheirPaths(t *testing.T) {
	const line, row = `{"a":1}`, "a\n1\n"
	tests := []struct {
		name  string
		files map[string]string
		want  []string
	}{
		{"folders in folders", map[string]string{"Takeout/Mail/All mail.mbox": messageOf("To: x", "", "x"), "Takeout/b.csv": row}, []string{"Takeout_Mail_All_mail", "Takeout_b"}},
		{"names of other scripts and signs", map[string]string{"my notes.jsonl": line, "€.csv": row, "a..b.csv": row}, []string{"a.b", "my_notes", "stream"}},
		{"two files that differ in their ending", map[string]string{"a.csv": row, "a.jsonl": line, "a.mbox": messageOf("To: x", "", "x")}, []string{"a", "a.jsonl", "a.mbox"}},
		{"two paths of one name", map[string]string{"a b.csv": row, "a/b.csv": row, "a_b.csv": row}, []string{"a_b", "a_b.csv", "a_b.csv_2"}},
		{"a name that attachments will have", map[string]string{"a.mbox": messageOf("To: x", "", "x"), "a_attachments.csv": row}, []string{"a", "a_attachments_2"}},
		{"messages, and a folder of them", map[string]string{"1.eml": "To: x\n\nx", "In/2.eml": "To: y\n\ny", "In/3.EML": "To: z\n\nz"}, []string{"messages"}},
		{"messages at the top, and mailboxes deeper", map[string]string{"1.eml": "To: x\n\nx", "Mail/In/2.eml": "To: y\n\ny", "Mail/Out/3.EML": "To: z\n\nz"}, []string{"messages", "Mail"}},
		{"a file with the name of its folder", map[string]string{"Orders.1/Orders.1.csv": row, "x/Day/Day.csv": row, "x/Day.csv": row}, []string{"Orders.1", "x_Day", "x_Day.csv"}},
		{"an empty file", map[string]string{"a.csv": row, "b.json": "[]", "c.csv": "n,m\n"}, []string{"a"}},
		{"hidden files and folders are skipped", map[string]string{".a.csv": row, ".git/b.csv": row, "c.csv": row, ".DS_Store": "\x00"}, []string{"c"}},
		{"a manifest further down is a file like any other", map[string]string{"x/manifest.json": `[{"id":1}]`}, []string{"x_manifest"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			corpus, skips := openFolder(t, writeTree(t, test.files))
			if empty := (Skip{"b.json", 0, model.NoRecord}); len(skips) > 0 && (test.name != "an empty file" || len(skips) != 2 || skips[0] != empty) {
				t.Errorf("skips %v", skips)
			}
			var got []string
			for _, stream := range corpus.Connectors[0].Streams {
				got = append(got, stream.Name)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			for _, name := range got {
				if strings.Contains(name, "..") || strings.ContainsAny(name, "/ ") {
					t.Errorf("the name %q is not a segment of a path", name)
				}
			}
		})
	}
}

// Many people share their contacts, invitations and items of an app as files of one record each. These are one stream, and their records
// name the file.
func TestFilesOfOneRecordAreOneStream(t *testing.T) {
	card := func(name string) string { return "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:" + name + "\r\nEND:VCARD\r\n" }
	event := func(uid, calendar string) string {
		return "BEGIN:VCALENDAR\r\nVERSION:2.0\r\n" + calendar + "BEGIN:VEVENT\r\nUID:" + uid + "\r\nDTSTART:20260301T100000Z\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n"
	}
	const named = "X-WR-CALNAME:Home\r\n"
	for name, row := range map[string]struct {
		files map[string]string
		want  map[string]int
	}{
		"contacts of a folder": {map[string]string{"People/Ada.vcf": card("Ada"), "People/Bob.vcf": card("Bob"), "People/Cy.vcf": card("Cy")}, map[string]int{"People": 3}},
		"contacts at the top":  {map[string]string{"Ada.vcf": card("Ada"), "Bob.vcf": card("Bob"), "Cy.vcf": card("Cy")}, map[string]int{"contacts": 3}},
		"an address book beside them": {
			map[string]string{"Ada.vcf": card("Ada"), "Bob.vcf": card("Bob"), "Cy.vcf": card("Cy"), "all.vcf": card("Ada") + card("Di")},
			map[string]int{"contacts": 3, "all": 2},
		},
		"two contacts": {map[string]string{"Ada.vcf": card("Ada"), "Bob.vcf": card("Bob")}, map[string]int{"Ada": 1, "Bob": 1}},
		"invitations":  {map[string]string{"a.ics": event("1", ""), "b.ics": event("2", ""), "c.ics": event("3", "")}, map[string]int{"events": 3}},
		"calendars that have one event so far": {
			map[string]string{"a.ics": event("1", named), "b.ics": event("2", named), "c.ics": event("3", named)}, map[string]int{"a": 1, "b": 1, "c": 1},
		},
		"objects with the same members": {
			map[string]string{"x/a.json": `{"id":1,"title":"A"}`, "x/b.json": `{"title":"B","id":2}`, "x/c.json": `{"id":3,"title":"C"}`, "x/d.json": `{"colour":"red"}`},
			map[string]int{"x": 3, "x_d": 1},
		},
		"objects around lists": {
			map[string]string{"a.json": `{"list":[{"n":1},{"n":2}]}`, "b.json": `{"list":[{"n":3}]}`, "c.json": `{"list":[{"n":4}]}`}, map[string]int{"a": 2, "b": 1, "c": 1},
		},
		"objects without members, and broken ones": {
			map[string]string{"a.json": `{"n":1}`, "b.json": `{"n":`, "c.json": `{"n":2}`}, map[string]int{"a": 1, "c": 1},
		},
	} {
		t.Run(name, func(t *testing.T) {
			streams, _ := loadedTree(t, row.files)
			got := map[string]int{}
			for stream, records := range streams {
				got[stream] = len(records)
				if _, named := records[0]["file"]; named != (len(records) > 2) {
					t.Errorf("%s: the first record is %v", stream, records[0])
				}
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

// Such a record without an id is known by the name of its file, so that another file does not change it.
func TestTheOnlyRecordOfAFileHasItsName(t *testing.T) {
	const card = "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:A\r\nEND:VCARD\r\n"
	corpus, _ := openFolder(t, writeTree(t, map[string]string{
		"p/Ada L.vcf": card, "p/Bob.vcf": card, "p/Cy.vcf": card, "x/a.json": `{"id":7,"n":1}`, "x/b.json": `{"id":8,"n":2}`, "x/c.json": `{"id":9,"n":3}`,
	}))
	var got []string
	for _, record := range collectRecords(t, corpus) {
		got = append(got, record.Stream+" "+record.ID)
	}
	slices.Sort(got)
	if diff := cmp.Diff([]string{"p Ada L", "p Bob", "p Cy", "x 7", "x 8", "x 9"}, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A file at the top whose name has no word gets the name of the folder.
func TestAStreamHasAWordInItsName(t *testing.T) {
	corpus, _ := openFolder(t, writeFolder(t, map[string]string{"2026.csv": "a\n1\n", "v2.csv": "a\n1\n"}))
	if got := corpus.Connectors[0].Streams; len(got) != 2 || got[0].Name != "My_things_2026" || got[1].Name != "v2" {
		t.Errorf("%+v", got)
	}
}

// A folder with a file for each day is one stream.
func TestManyFilesOfAFolderAreOneStream(t *testing.T) {
	files := map[string]string{"day/notes-of-all.json": `{"n":7}`, "day/one.csv": "n\n1\n"}
	for day := range manyFiles {
		files[fmt.Sprintf("day/heart_rate-2026-%03d.json", day)] = fmt.Sprintf(`[{"bpm":%d},{"bpm":60}]`, day)
	}
	corpus, skips := openFolder(t, writeTree(t, files))
	counts, named := map[string]int{}, map[string]bool{}
	for _, record := range collectRecords(t, corpus) {
		counts[record.Stream]++
		if record.Stream == "day_heart_rate" {
			named[string(record.Data[:len(`{"file":"heart_rate-2026-000.json",`)])] = true
		}
	}
	if diff := cmp.Diff(map[string]int{"day_heart_rate": 2 * manyFiles, "day_notes-of-all": 1, "day_one": 1}, counts); diff != "" || len(skips) > 0 || len(named) != manyFiles {
		t.Errorf("(-want +got)\n%s\n%v, %d files named", diff, skips, len(named))
	}
}

// Files for the days or months of one thing are one stream. Copies of a whole calendar from several days are not.
func TestFilesOfDaysAreOneStream(t *testing.T) {
	const event = "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:a\nDTSTART:20260101\nEND:VEVENT\nEND:VCALENDAR\n"
	corpus, skips := openFolder(t, writeTree(t, map[string]string{
		"Fitbit/steps-2026-01-30.json":      `[{"dateTime":"01/30/26 00:00:00","value":"12"}]`,
		"Fitbit/steps-2026-02-01.json":      `[{"dateTime":"02/01/26 00:00:00","value":"7"}]`,
		"Fitbit/heart_rate-2026-01-30.json": `[{"dateTime":"01/30/26 00:00:05","value":{"bpm":60}}]`,
		"Fitbit/heart_rate-2026-01-31.json": `[{"dateTime":"01/31/26 00:00:05","value":{"bpm":61}}]`,
		"Fitbit/sleep-2026-01-30.json":      `[{"minutesAsleep":400}]`,
		"statement 2026-01.csv":             "n\n1\n", "statement 2026-02.csv": "n\n2\n",
		"a/f 202601.csv": "A\nday,n\n1,1\n\nB\nwhen,m\n2,2\n", "a/f 202602.csv": "A\nday,n\n1,3\n\nB\nwhen,m\n2,4\n",
		"y 2025.csv": "day,n\n1,1\n", "y 2026.csv": "day,n\n1,2\n", "z 2025.csv": "day,n\n1,1\n", "z 2026.csv": "n,day\n1,2\n",
		"m_01-2026.csv": "n\n1\n", "m_02-2026.csv": "n\n2\n",
		"log_20260101.jsonl": `{"n":1}`, "log_20260102.jsonl": `{"n":2}`,
		"c-2026-01-01.ics": event, "c-2026-01-02.ics": event, "a-1.csv": "n\n1\n", "a-2.csv": "n\n1\n",
	}))
	got := map[string][]string{}
	for _, record := range collectRecords(t, corpus) {
		got[record.Stream] = append(got[record.Stream], string(record.Data))
	}
	for _, stream := range []string{"a-1", "a-2", "c-2026-01-01", "c-2026-01-02"} {
		if len(got[stream]) != 1 {
			t.Errorf("%s: %v", stream, got[stream])
		}
		delete(got, stream)
	}
	want := map[string][]string{
		"Fitbit_steps": {
			`{"file":"steps-2026-01-30.json","dateTime":"2026-01-30T00:00:00","value":12}`,
			`{"file":"steps-2026-02-01.json","dateTime":"2026-02-01T00:00:00","value":7}`,
		},
		"Fitbit_heart_rate": {
			`{"file":"heart_rate-2026-01-30.json","dateTime":"2026-01-30T00:00:05","value.bpm":60}`,
			`{"file":"heart_rate-2026-01-31.json","dateTime":"2026-01-31T00:00:05","value.bpm":61}`,
		},
		"Fitbit_sleep-2026-01-30": {`{"minutesAsleep":400}`},
		"statement":               {`{"file":"statement 2026-01.csv","n":1}`, `{"file":"statement 2026-02.csv","n":2}`},
		"a_f_A":                   {`{"file":"f 202601.csv","day":1,"n":1}`, `{"file":"f 202602.csv","day":1,"n":3}`},
		"a_f_B":                   {`{"file":"f 202601.csv","when":2,"m":2}`, `{"file":"f 202602.csv","when":2,"m":4}`},
		"y":                       {`{"file":"y 2025.csv","day":1,"n":1}`, `{"file":"y 2026.csv","day":1,"n":2}`}, "z_2025": {`{"day":1,"n":1}`}, "z_2026": {`{"n":1,"day":2}`},
		"m":   {`{"file":"m_01-2026.csv","n":1}`, `{"file":"m_02-2026.csv","n":2}`},
		"log": {`{"file":"log_20260101.jsonl","n":1}`, `{"file":"log_20260102.jsonl","n":2}`},
	}
	if diff := cmp.Diff(want, got); diff != "" || len(skips) > 0 {
		t.Errorf("(-want +got)\n%s\n%v", diff, skips)
	}
}

// A folder for each conversation of a chat does not make as many streams.
func TestFilesOfOneNameInManyFoldersAreOneStream(t *testing.T) {
	files := map[string]string{"messages/index.json": `{"7":"Ann"}`}
	for channel := range manyFiles + 1 {
		files[fmt.Sprintf("messages/c%03d/messages.json", channel)] = `[{"ID":1}]`
		files[fmt.Sprintf("messages/c%03d/channel.json", channel)] = `{"type":"DM","recipients":["1"]}`
		files[fmt.Sprintf("inbox/c%03d/page.html", channel)] = "<p>hi</p>"
	}
	corpus, skips := openFolder(t, writeTree(t, files))
	counts, last := map[string]int{}, ""
	for _, record := range collectRecords(t, corpus) {
		if counts[record.Stream]++; record.Stream == "messages_messages" {
			last = string(record.Data)
		}
	}
	want := map[string]int{"messages_index": 1, "messages_messages": manyFiles + 1, "messages_channel": manyFiles + 1, "inbox_documents": manyFiles + 1}
	if diff := cmp.Diff(want, counts); diff != "" || len(skips) > 0 || last != `{"file":"c050/messages.json","ID":1}` {
		t.Errorf("(-want +got)\n%s\n%v, %s", diff, skips, last)
	}
}

func TestOpenTakesASingleFile(t *testing.T) {
	root := writeTree(t, map[string]string{"Reading list.csv": "title\nFog\n", "other.csv": "a\n1\n", "manifest.json": `{"display_name":"no"}`})
	path := filepath.Join(root, "Reading list.csv")
	corpus, skips := openFolder(t, path)
	streams := corpus.Connectors[0].Streams
	if len(skips) > 0 || len(streams) != 1 || streams[0].Name != "Reading_list" || corpus.Connectors[0].Connections[0].DisplayName != "Reading list.csv" || len(collectRecords(t, corpus)) != 1 {
		t.Errorf("skips %v, streams %v", skips, streams)
	}
	before, err := Look(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "other.csv"), []byte("b\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if after, err := Look(path); err != nil || after.Fingerprint(fileTime) != before.Fingerprint(fileTime) {
		t.Errorf("another file changes the fingerprint: %v", err)
	}
}

func TestFingerprintChangesWithAFileFurtherDown(t *testing.T) {
	root := writeTree(t, map[string]string{"a/b/c.csv": "a\n1\n"})
	before, err := Look(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "a", "b", "c.csv"), []byte("a\n1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if after, err := Look(root); err != nil || after.Fingerprint(fileTime) == before.Fingerprint(fileTime) {
		t.Errorf("the fingerprint is the same, error %v", err)
	}
}

func TestOpenEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	root := writeTree(t, map[string]string{"a.jsonl": strings.Repeat("{}\n", 10*foundStep)})
	var reported []int
	_, err := Open(ctx, root, nil, Watch{Found: func(n int) {
		if reported = append(reported, n); n == 2*foundStep {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	if diff := cmp.Diff([]int{foundStep, 2 * foundStep}, reported); diff != "" {
		t.Errorf("reported (-want +got)\n%s", diff)
	}
}

func TestBlobsAreKeptUpToALimit(t *testing.T) {
	keep := &blobBudget{left: 5}
	small, large := &model.Blob{Bytes: []byte("abc")}, &model.Blob{Bytes: []byte("defg")}
	for index, step := range []struct{ blob, want *model.Blob }{{small, small}, {large, nil}, {nil, nil}, {&model.Blob{Bytes: []byte("hi")}, nil}} {
		got := keep.take(step.blob)
		if index < 3 && got != step.want || index == 3 && got != step.blob {
			t.Errorf("step %d: %v", index, got)
		}
	}
}
