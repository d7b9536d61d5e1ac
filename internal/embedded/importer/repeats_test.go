package importer

import (
	"database/sql"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// dataOf makes a database and returns the content of its file.
func dataOf(t *testing.T, statements ...string) string {
	t.Helper()
	name := filepath.Join(t.TempDir(), "a.db")
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	for _, statement := range statements {
		if _, err := db.ExecContext(t.Context(), statement); err != nil {
			t.Fatal(err)
		}
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// bytesOf loads files and returns the size of the records of each stream, and what was skipped.
func bytesOf(t *testing.T, files map[string]string) (bytes map[string]int, skips []Skip) {
	t.Helper()
	corpus, skips := openFolder(t, writeTree(t, files))
	bytes = map[string]int{}
	for record, err := range corpus.Records {
		if err != nil {
			t.Fatal(err)
		}
		bytes[record.Stream] += len(record.Data)
	}
	return bytes, skips
}

// If a text occurs once in a file and in many records, records are read up to a multiple of the file's size, over all of its tables.
func TestTheSizeOfRecordsIsBoundedByTheirFile(t *testing.T) {
	const rows = "INSERT INTO %s (n) WITH RECURSIVE c(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < 900) SELECT n FROM c"
	repeating := func(name string) string {
		return "CREATE TABLE " + name + " (n INTEGER); " + fmt.Sprintf(rows, name) +
			"; ALTER TABLE " + name + " ADD COLUMN said TEXT DEFAULT '" + strings.Repeat("x", 100_000) + "'"
	}
	day := "BEGIN:VEVENT\nUID:%d\nDTSTART:20200101T100000Z\nRRULE:FREQ=DAILY\nDESCRIPTION:" + strings.Repeat("x", 100_000) + "\nEND:VEVENT\n"
	for name, text := range map[string]string{
		"a.db":   dataOf(t, repeating("one"), repeating("two"), "CREATE TABLE zero (n)", "INSERT INTO zero VALUES (1)"),
		"a.ics":  "BEGIN:VCALENDAR\n" + fmt.Sprintf(day, 1) + fmt.Sprintf(day, 2) + "END:VCALENDAR\n",
		"a.json": `{"lists":[{"title":"` + strings.Repeat("x", 40_000) + `","songs":[` + numbered(3000, `{"song":"s%d"}`) + `]}]}`,
	} {
		bytes, skips := bytesOf(t, map[string]string{name: text, "zz.csv": "n\n1\n"})
		all := 0
		for _, one := range bytes {
			all += one
		}
		if most := maxRepeated*len(text) + freeRecords; all > most+most/50 || all < most/2 || bytes["zz"] == 0 {
			t.Errorf("%s: %d bytes of records of %d: %v", name, all, len(text), bytes)
		}
		if len(skips) == 0 || skips[0].File != name || !strings.Contains(skips[0].Reason, "times its size") {
			t.Errorf("%s: skipped %v", name, skips)
		}
	}
}

// The length of a long database value is found without reading the value; a text that is too long for a row is skipped, and of bytes only
// the number is kept.
func TestALongValueOfADatabaseIsNotRead(t *testing.T) {
	const long = 48 << 20
	text := dataOf(t, "CREATE TABLE notes (n INTEGER, text, bytes)",
		fmt.Sprintf("INSERT INTO notes VALUES (1, 'short', zeroblob(%d)), (2, printf('%%.*c', %[1]d, 'x'), NULL), (3, 'last', x'0102')", long))
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	records, skips := loaded(t, "a.db", text)
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; taken > 5*uint64(len(text)) && !raceDetector {
		t.Errorf("%d MiB were allocated for a file of %d MiB", taken>>20, len(text)>>20)
	}
	want := []Skip{{File: "a.db", Line: 2, Reason: "a row longer than 16 MiB"}}
	all := fmt.Sprint(records["a_notes"])
	if !slices.Equal(skips, want) || all != "[map[bytes_bytes:5.0331648e+07 n:1 text:short] map[bytes_bytes:2 n:3 text:last]]" {
		t.Errorf("%s, skipped %v; want %q", all, skips, want)
	}
}

// The links and tags of a note are limited in number, and the limit is reported.
func TestLinksAndTagsOfANoteAreBounded(t *testing.T) {
	const many = 20_000
	for name, text := range map[string]string{"links": strings.Repeat("[[a]] ", many), "tags": "#t" + strings.ReplaceAll(numbered(many, "%d"), ",", " #t")} {
		reports := map[string]int{}
		corpus, err := Open(t.Context(), writeTree(t, map[string]string{"a.md": text}), nil, Watch{Kept: func(s Skip) { reports[s.String()]++ }})
		if err != nil {
			t.Fatal(err)
		}
		records := collectRecords(t, corpus)
		if note := "a.md:1: only the first 5000 of its " + name + " are read"; reports[note] != 1 || len(reports) != 1 {
			t.Errorf("reported for %s: %v", name, reports)
		}
		var one struct{ Tags []string }
		if err := json.Unmarshal(records[0].Data, &one); err != nil || len(one.Tags)+len(records)-1 != 5000 {
			t.Errorf("%d tags, %d records: %v", len(one.Tags), len(records), err)
		}
	}
}

// The defects of an event are limited in number, since each is compared with those before it.
func TestDefectsOfAnEventAreBounded(t *testing.T) {
	text := "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:1\nDTSTART:20200101T000000Z\nRRULE:FREQ=DAILY;COUNT=3\n"
	for at := range 1000 {
		text += fmt.Sprintf("EXDATE;TZID=zone%d:20200101T000000\n", at)
	}
	records, skips := loaded(t, "a.ics", text+"END:VEVENT\nEND:VCALENDAR\n")
	defects, _ := records["a"][0]["defects"].([]any)
	if last := len(defects) - 1; last != 99 || defects[last] != "and others" || len(skips) > 0 {
		t.Errorf("%d defects, skipped %v", len(defects), skips)
	}
}

// The budget includes the log of a database, and is shared with the tables before this one.
func TestTablesShareABudget(t *testing.T) {
	of := &fileStream{format: formatDatabase, dependsOn: []sourceFile{{size: 1000}}}
	file := sourceFile{size: 100, piece: piece{Part: "b"}, used: map[string]int{"a": 300, "c": 5000}}
	budget := recordBudget{free: 10}
	budget.begin(file, of)
	if want := 10 + 1100*maxRepeated - 300; budget.left != want {
		t.Errorf("%d bytes, want %d", budget.left, want)
	}
	one := item.Item{Fields: []item.Field{{Name: "n", Value: make([]byte, budget.left-recordBytes)}}}
	if !budget.spend(one) || budget.spend(item.Item{}) {
		t.Error("not as much as the budget allows")
	}
	if budget.end(file); budget.free != 0 || file.used["b"] != budget.used {
		t.Errorf("left %d, used %v", budget.free, file.used)
	}
}
