package importer

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

var fileTime = time.Date(2026, time.May, 4, 10, 0, 0, 0, time.UTC)

// writeFolder makes a folder of files with the same modification time.
func writeFolder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "My things")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(path, fileTime, fileTime); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// openFolder opens a folder and fails on an error.
func openFolder(t *testing.T, dir string) (model.Corpus, []Skip) {
	t.Helper()
	var skips []Skip
	corpus, err := Open(t.Context(), dir, nil, Watch{Now: fileTime, Skipped: func(skip Skip) {
		if skip != (Skip{"zz.jsonl", 0, model.NoRecord}) { // an empty file, since a folder without a stream is an error
			skips = append(skips, skip)
		}
	}})
	if err != nil {
		t.Fatal(err)
	}
	return corpus, skips
}

// collectRecords reads a corpus to its end.
func collectRecords(t *testing.T, corpus model.Corpus) []model.Record {
	t.Helper()
	var records []model.Record
	for record, err := range corpus.Records {
		if err != nil {
			t.Fatal(err)
		}
		fields := map[string]json.RawMessage{}
		for _, one := range record.Fields {
			fields[one.Name] = slices.Clone(one.Value)
		}
		var held map[string]json.RawMessage
		if err := json.Unmarshal(record.Data, &held); err != nil || record.Fields != nil && !maps.EqualFunc(held, fields, func(a, b json.RawMessage) bool { return string(a) == string(b) }) {
			t.Errorf("the fields of %s are not those of its data (%v): %q", record.Data, err, fields)
		}
		record.Fields = nil // they are reused for the next record
		records = append(records, record)
	}
	return records
}

func TestOpenReadsAFolderAsItsManifestSays(t *testing.T) {
	corpus, skips := openFolder(t, filepath.Join("testdata", "data-library"))
	if len(skips) > 0 {
		t.Errorf("skipped: %v", skips)
	}
	sums := []string{"sum", "min", "max", "count_distinct", "group_by"}
	times := []string{"min", "max", "group_by_time"}
	groups := []string{"count_distinct", "group_by"}
	want := []model.Connector{{
		Key: "files", SourceID: "https://registry.pdpp.example/connectors/files",
		Connections: []model.Connection{{ID: "cin_files", DisplayName: "My library"}},
		Streams: []model.Stream{
			{
				Name: "loans", PrimaryKey: []string{"loan_number"}, CursorField: "lent_at", ConsentTimeField: "lent_at",
				Fields: []model.Field{
					{Name: "loan_number", Type: "integer", Exact: true, Range: true, Aggregations: sums},
					{Name: "book", Type: "text", Role: "primary-title", Exact: true, Lexical: true, Aggregations: groups},
					{Name: "isbn", Type: "string", Exact: true, Lexical: true, Aggregations: groups},
					{Name: "lent_at", Type: "timestamp", Role: "event-time", Exact: true, Range: true, Aggregations: times},
					{Name: "returned_at", Type: "date", Nullable: true, Exact: true, Range: true, Aggregations: times},
					{Name: "renewed", Type: "integer", Exact: true, Range: true, Aggregations: sums},
				},
				Relations: []model.Relation{
					{Name: "reminders", Target: "reminders", ForeignKey: "loan", Cardinality: "has_many", DefaultLimit: 5, MaxLimit: 20},
					{Name: "receipt", Target: "receipts", ForeignKey: "loan_number", Cardinality: "has_one"},
				},
			},
			{
				Name: "receipts", PrimaryKey: []string{"id"},
				Fields: []model.Field{
					{Name: "id", Type: "string", Exact: true, Aggregations: groups},
					{Name: "loan_number", Type: "string", Exact: true, Aggregations: groups},
					{Name: "printed", Type: "boolean", Exact: true, Aggregations: []string{"group_by"}},
				},
			},
			{
				Name: "reminders", PrimaryKey: []string{"id"}, CursorField: "sent_at", ConsentTimeField: "sent_at",
				Fields: []model.Field{
					{Name: "id", Type: "string", Exact: true, Aggregations: groups},
					{Name: "loan", Type: "string", Exact: true, Aggregations: groups},
					{Name: "sent_at", Type: "timestamp", Role: "event-time", Exact: true, Range: true, Aggregations: times},
					{Name: "text", Type: "text", Role: "secondary", Exact: true, Lexical: true, Aggregations: groups},
				},
			},
		},
	}}
	if diff := cmp.Diff(want, corpus.Connectors); diff != "" {
		t.Errorf("connectors (-want +got)\n%s", diff)
	}
	var got []string
	for _, record := range collectRecords(t, corpus)[:3] {
		got = append(got, record.ID+" "+record.EmittedAt.UTC().Format(time.RFC3339))
	}
	if diff := cmp.Diff([]string{"101 2026-02-03T00:00:00Z", "102 2026-02-10T16:20:00Z", "103 2026-04-21T08:05:00Z"}, got); diff != "" {
		t.Errorf("records (-want +got)\n%s", diff)
	}
}

func TestOpenKeepsRecordsAsTheyAre(t *testing.T) {
	dir := writeFolder(t, map[string]string{
		"b.jsonl": "\xef\xbb\xbf{\"id\":7,\"n\":1.50,\"s\":\"caf\\u00e9\"}\r\n\r\n  {\"id\" : \"x/y:z\", \"day\":\"2026-01-02\"}  \r\n{\"s\":\"no id\"}",
		"a.jsonl": "{\"id\":\"7\"}\n",
		"c.rtf":   "not read",
	})
	corpus, skips := openFolder(t, dir)
	if diff := cmp.Diff([]Skip{{File: "c.rtf", Reason: "of no known kind: save it as .docx or .odt"}}, skips); diff != "" {
		t.Errorf("skips (-want +got)\n%s", diff)
	}
	want := []model.Record{
		{ConnectionID: "cin_files", Stream: "a", ID: "7", Data: []byte(`{"id":"7"}`)},
		{ConnectionID: "cin_files", Stream: "b", ID: "7", Data: []byte(`{"id":7,"n":1.50,"s":"caf\u00e9"}`)},
		{ConnectionID: "cin_files", Stream: "b", ID: "x/y:z", EmittedAt: time.Date(2026, time.January, 2, 0, 0, 0, 0, time.UTC), Data: []byte(`{"id" : "x/y:z", "day":"2026-01-02"}`)},
		{ConnectionID: "cin_files", Stream: "b", ID: "4", Data: []byte(`{"s":"no id"}`)},
	}
	for range 2 {
		if diff := cmp.Diff(want, collectRecords(t, corpus)); diff != "" {
			t.Errorf("records (-want +got)\n%s", diff)
		}
	}
	if name := corpus.Connectors[0].Connections[0].DisplayName; name != "My things" {
		t.Errorf("the connection is called %q", name)
	}
}

func TestOpenReportsWhatItLeavesOut(t *testing.T) {
	tests := []struct {
		name, file, text string
		want             []Skip
		ids              []string
	}{
		{
			"a line that is not JSON", "s.jsonl", "{\"id\":1}\n{\"id\":2,}\n{\"id\":3}\n",
			[]Skip{{"s.jsonl", 2, "not JSON: invalid character '}' looking for beginning of object key string"}}, []string{"1", "3"},
		},
		{"a line that ends too early", "s.jsonl", `{"id":"1"`, []Skip{{"s.jsonl", 1, "not JSON: unexpected end of JSON input"}}, nil},
		{"two objects on a line", "s.jsonl", `{"id":1} {"id":2}`, []Skip{{"s.jsonl", 1, "not JSON: invalid character '{' after top-level value"}}, nil},
		{
			"values that are not objects", "s.jsonl", "[1]\n\"text\"\n3\nnull\n{}\n",
			[]Skip{{"s.jsonl", 1, "not a JSON object"}, {"s.jsonl", 2, "not a JSON object"}, {"s.jsonl", 3, "not a JSON object"}, {"s.jsonl", 4, "not a JSON object"}}, []string{"5"},
		},
		{"bytes that are not UTF-8", "s.jsonl", "{\"id\":\"\xff\"}\n{\"id\":2}", []Skip{{"s.jsonl", 1, "not valid UTF-8"}}, []string{"2"}},
		{
			"a repeated id, as a number or a string", "s.jsonl", "{\"id\":\"7\"}\n\n{\"id\":7}\n{\"id\":8}",
			nil, []string{"7", "7-2", "8"},
		},
		{
			"an id that is the number of another line", "s.jsonl", "{\"id\":2}\n{}\n{\"id\":null}",
			nil, []string{"2", "2-2", "3"},
		},
		{
			"a repeated field, in any notation", "s.jsonl", "{\"a\":1,\"\\u0061\":2}\n{\"a\":1}",
			[]Skip{{"s.jsonl", 1, `ambiguous: it has the field "a" twice`}}, []string{"2"},
		},
		{
			"a byte order mark on a later line", "s.jsonl", "{\"id\":1}\n\xef\xbb\xbf{\"id\":2}",
			[]Skip{{"s.jsonl", 2, "not JSON: invalid character 'ï' looking for beginning of value"}}, []string{"1"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			corpus, skips := openFolder(t, writeFolder(t, map[string]string{test.file: test.text, "zz.jsonl": ""}))
			if diff := cmp.Diff(test.want, skips); diff != "" {
				t.Errorf("skips (-want +got)\n%s", diff)
			}
			var ids []string
			for _, record := range collectRecords(t, corpus) {
				ids = append(ids, record.ID)
			}
			if diff := cmp.Diff(test.ids, ids); diff != "" {
				t.Errorf("ids (-want +got)\n%s", diff)
			}
		})
	}
}

func TestOpenPassesOverLinesOfMoreThan16MiB(t *testing.T) {
	fits := `{"id":"fits","text":"` + strings.Repeat("x", item.MaxLine-len(`{"id":"fits","text":""}`)) + `"}`
	corpus, skips := openFolder(t, writeFolder(t, map[string]string{"s.jsonl": fits + "\r\n" + fits + " \n{\"id\":\"after\"}\n" + fits + "xx"}))
	if diff := cmp.Diff([]Skip{{"s.jsonl", 2, "longer than 16 MiB"}, {"s.jsonl", 4, "longer than 16 MiB"}}, skips); diff != "" {
		t.Errorf("skips (-want +got)\n%s", diff)
	}
	if records := collectRecords(t, corpus); len(records) != 2 || len(records[0].Data) != item.MaxLine || records[1].ID != "after" {
		t.Errorf("%d records", len(records))
	}
}

func TestOpenLeavesOutWhatIsNotAFile(t *testing.T) {
	dir := writeFolder(t, map[string]string{"s.jsonl": "{}"})
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "folder.jsonl")); err != nil {
		t.Fatal(err)
	}
	_, skips := openFolder(t, dir)
	if diff := cmp.Diff([]Skip{{"folder.jsonl", 0, linkOut}}, skips); diff != "" {
		t.Errorf("skips (-want +got)\n%s", diff)
	}
}

func TestOpenSaysWhatAFolderMustHold(t *testing.T) {
	for name, files := range map[string]map[string]string{
		"an empty folder":           nil,
		"a folder of other files":   {"notes.json": "{}", "manifest.json": "{}"},
		"a folder of unknown kinds": {"notes.docx": "PK\x03\x04", "readme.rtf": "hello"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := Open(t.Context(), writeFolder(t, files), nil, Watch{})
			if err == nil || !strings.Contains(err.Error(), "name a folder or a file of "+knownEndings) {
				t.Errorf("error %v", err)
			}
		})
	}
	if _, err := Open(t.Context(), filepath.Join(t.TempDir(), "nowhere"), nil, Watch{}); err == nil {
		t.Error("a folder that does not exist is opened")
	}
}

func TestRecordsStopWhenTheIterationEnds(t *testing.T) {
	corpus, _ := openFolder(t, writeFolder(t, map[string]string{"a.jsonl": "{}\n{}\n", "b.jsonl": "{}"}))
	for _, err := range corpus.Records {
		if err != nil {
			t.Fatal(err)
		}
		break
	}
}

func TestFingerprintChangesWithTheFolder(t *testing.T) {
	dir := writeFolder(t, map[string]string{"a.jsonl": "{}\n", "manifest.json": "{}"})
	fingerprint := func() string {
		t.Helper()
		sight, err := Look(dir)
		if err != nil {
			t.Fatal(err)
		}
		return sight.Fingerprint(fileTime)
	}
	seen := map[string]string{fingerprint(): "at first"}
	if _, same := seen[fingerprint()]; !same {
		t.Error("the fingerprint of an unchanged folder changed")
	}
	write := func(name, text string, age time.Time) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if err := os.Chtimes(filepath.Join(dir, name), age, age); err != nil {
			t.Fatal(err)
		}
	}
	for _, step := range []struct {
		name   string
		change func()
	}{
		{"a file with another modification time", func() { write("a.jsonl", "{}\n", fileTime.Add(time.Nanosecond)) }},
		{"a file of another size", func() { write("a.jsonl", "{}\n{}\n", fileTime) }},
		{"another manifest", func() { write("manifest.json", "{ }", fileTime) }},
		{"another file", func() { write("b.jsonl", "", fileTime) }},
		{"a file that is skipped", func() { write("c.rtf", "not read", fileTime) }},
	} {
		step.change()
		sum := fingerprint()
		if before, taken := seen[sum]; taken {
			t.Errorf("%s: the fingerprint is the same as %s", step.name, before)
		}
		seen[sum] = step.name
	}
	sum := fingerprint()
	write(".hidden", "passed over", fileTime)
	if fingerprint() != sum {
		t.Error("a hidden file changes the fingerprint")
	}
}

func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	var text bytes.Buffer
	for number := range 100_000 {
		fmt.Fprintf(&text, `{"id":"m-%d","subject":"Message number %d","sent_at":"2026-03-01T10:00:00Z","size":%d,"seen":true,"tags":["a","b"],"from":{"name":"Ada"}}`+"\n", number, number, number*17)
	}
	if err := os.WriteFile(filepath.Join(dir, "messages.jsonl"), text.Bytes(), 0o600); err != nil {
		b.Fatal(err)
	}
	b.SetBytes(2 * int64(text.Len()))
	b.ReportAllocs()
	for b.Loop() {
		corpus, err := Open(b.Context(), dir, nil, Watch{})
		if err != nil {
			b.Fatal(err)
		}
		count := 0
		for _, err := range corpus.Records {
			if err != nil {
				b.Fatal(err)
			}
			count++
		}
		if count != 100_000 {
			b.Fatal(count)
		}
	}
}
