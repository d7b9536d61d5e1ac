package importer

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// recordLines returns a line about each record.
func recordLines(records []model.Record) []string {
	var lines []string
	for _, record := range records {
		lines = append(lines, strings.Join([]string{record.ConnectionID, record.Stream, record.ID, record.EmittedAt.Format(time.DateOnly), string(record.Data)}, " "))
	}
	return lines
}

func TestManifestNamesConnectorsWithTheirConnections(t *testing.T) {
	corpus, skips := openFolder(t, writeTree(t, map[string]string{
		"work/messages.jsonl":        `{"id":"1","sent_at":"2026-01-01","n":1}`,
		"cin_home/messages.jsonl":    `{"id":"1","sent_at":"2026-01-02","n":1.5}`,
		"cin_home/old/letters.jsonl": `{"id":"7","n":1}`,
		"shop/orders.csv":            "id,day\n5,2026-01-03\n",
		"other/ignored.jsonl":        `{"id":"9"}`,
		"manifest.json": `{"connectors":[
			{"key":"mail","source_id":"https://registry.test/mail","connections":[{"id":"cin_work","display_name":"Work","folder":"work"},{"id":"cin_home"}]},
			{"key":"shop","connections":[{"id":"cin_shop","folder":"shop"}],"streams":{"orders":{"time_field":"day"}}}]}`,
	}))
	if len(skips) > 0 {
		t.Errorf("skips %v", skips)
	}
	var described []string
	for _, connector := range corpus.Connectors {
		for _, connection := range connector.Connections {
			described = append(described, connector.Key+" "+connector.SourceID+" "+connection.ID+" "+connection.DisplayName)
		}
		for _, stream := range connector.Streams {
			described = append(described, connector.Key+" "+stream.Name)
		}
	}
	if diff := cmp.Diff([]string{
		"mail https://registry.test/mail cin_work Work", "mail https://registry.test/mail cin_home cin_home", "mail messages", "mail old_letters",
		"shop https://registry.pdpp.example/connectors/shop cin_shop cin_shop", "shop orders",
	}, described); diff != "" {
		t.Errorf("connectors (-want +got)\n%s", diff)
	}
	if field, _ := corpus.Connectors[0].Streams[0].Field("n"); field.Type != "number" {
		t.Errorf("of 1 in one connection and 1.5 in the other the type is %s", field.Type)
	}
	want := []string{
		`cin_work messages 1 2026-01-01 {"id":"1","sent_at":"2026-01-01","n":1}`,
		`cin_home messages 1 2026-01-02 {"id":"1","sent_at":"2026-01-02","n":1.5}`,
		`cin_shop orders 5 2026-01-03 {"id":5,"day":"2026-01-03"}`,
	}
	got := recordLines(collectRecords(t, corpus))
	if diff := cmp.Diff(want, append(got[:2:2], got[3:]...)); diff != "" {
		t.Errorf("records (-want +got)\n%s", diff)
	}
}

func TestManifestDeclaresFieldsOfAStreamThatIsNotReadInAdvance(t *testing.T) {
	fields := []model.Field{
		{Name: "key", Type: "string", Exact: true},
		{Name: "at", Type: "timestamp", Role: "event-time", Exact: true, Range: true, Aggregations: []string{"min", "max"}},
		{Name: "text", Type: "text", Role: "primary-title", Lexical: true, Nullable: true},
	}
	declared, err := json.Marshal(fields)
	if err != nil {
		t.Fatal(err)
	}
	corpus, skips := openFolder(t, writeTree(t, map[string]string{
		"b.jsonl": "{\"key\":\"x\",\"at\":\"2026-01-02\",\"text\":null}\nnot JSON\n{\"key\":\"y\",\"at\":\"2026-01-03\",\"extra\":1}",
		"a.jsonl": `{"id":1}`,
		"manifest.json": `{"streams":{"b":{"id_field":"key","cursor_field":"at","fields":` + string(declared) +
			`,"views":[{"id":"short","label":"Short","fields":["key","text"]}],"relations":[{"name":"same","stream":"b","foreign_key":"key","cardinality":"has_one"}]}}}`,
	}))
	if len(skips) > 0 {
		t.Errorf("the stream was read in advance: %v", skips)
	}
	want := model.Stream{
		Name: "b", PrimaryKey: []string{"key"}, CursorField: "at", Fields: fields, Views: []model.View{{ID: "short", Label: "Short", Fields: []string{"key", "text"}}},
		Relations: []model.Relation{{Name: "same", Target: "b", ForeignKey: "key", Cardinality: "has_one"}},
	}
	if diff := cmp.Diff(want, corpus.Connectors[0].Streams[0]); diff != "" {
		t.Errorf("the stream that the manifest names comes first (-want +got)\n%s", diff)
	}
	var reported []Skip
	again, err := Open(t.Context(), writeTree(t, map[string]string{
		"b.jsonl": "not JSON\n", "manifest.json": `{"streams":{"b":{"fields":[{"name":"id","type":"string"}]}}}`,
	}), nil, Watch{Skipped: func(skip Skip) { reported = append(reported, skip) }})
	if err != nil || len(reported) > 0 {
		t.Fatalf("error %v, skips %v", err, reported)
	}
	collectRecords(t, again)
	if len(reported) != 1 || reported[0].Line != 1 {
		t.Errorf("while the records are read it reports %v", reported)
	}
	wantRecords := []string{
		`cin_files b x 2026-01-02 {"key":"x","at":"2026-01-02","text":null}`, `cin_files b y 2026-01-03 {"key":"y","at":"2026-01-03","extra":1}`,
	}
	if diff := cmp.Diff(wantRecords, recordLines(collectRecords(t, corpus))[:2]); diff != "" {
		t.Errorf("records (-want +got)\n%s", diff)
	}
}

func TestTheTimeOfEmissionIsNotAField(t *testing.T) {
	corpus, _ := openFolder(t, writeTree(t, map[string]string{
		"a.jsonl":       "{\"id\":1,\"at\":\"2026-01-02\",\"seen\":\"2026-05-06\"}\n{\"id\":2,\"at\":\"2026-01-03\"}",
		"manifest.json": `{"streams":{"a":{"emitted_field":"seen"}}}`,
	}))
	if _, ok := corpus.Connectors[0].Streams[0].Field("seen"); ok {
		t.Error("the field is described")
	}
	want := []string{`cin_files a 1 2026-05-06 {"id":1,"at":"2026-01-02"}`, `cin_files a 2 2026-01-03 {"id":2,"at":"2026-01-03"}`}
	if diff := cmp.Diff(want, recordLines(collectRecords(t, corpus))); diff != "" {
		t.Errorf("records (-want +got)\n%s", diff)
	}
}

func TestSortedFilesAreLoadedInTheOrderOfEmission(t *testing.T) {
	files := map[string]string{
		"a.jsonl": "{\"id\":\"a1\",\"at\":\"2026-01-01\"}\n{\"id\":\"a2\",\"at\":\"2026-01-04\"}\n{\"id\":\"a3\",\"at\":\"2026-01-05\"}",
		"b.jsonl": "{\"id\":\"b1\",\"at\":\"2026-01-02\"}\n{\"id\":\"b2\",\"at\":\"2026-01-04\"}",
		"c.jsonl": "",
	}
	for manifest, want := range map[string]string{`{}`: "a1 a2 a3 b1 b2", `{"sorted":true}`: "a1 b1 a2 b2 a3"} {
		files["manifest.json"] = manifest
		corpus, _ := openFolder(t, writeTree(t, files))
		var ids []string
		for _, record := range collectRecords(t, corpus) {
			ids = append(ids, record.ID)
		}
		if got := strings.Join(ids, " "); got != want {
			t.Errorf("%s: %s, want %s", manifest, got, want)
		}
		for range corpus.Records {
			break // stops the readers of the other files
		}
	}
}

func TestRecordsNameFilesOfTheFolder(t *testing.T) {
	root := writeTree(t, map[string]string{
		"papers.jsonl": `{"id":1,"content_type":"text/csv","file":"in/readings.csv"}` + "\n" + `{"id":2,"file":"in/readings.csv"}` + "\n" + `{"id":3,"file":null}` + "\n" +
			`{"id":4,"file":"missing.pdf"}` + "\n" + `{"id":5,"file":"../papers.jsonl"}` + "\n" + `{"id":6,"file":"huge.bin"}` + "\n" + `{"id":7,"file":{"blob_id":"b"}}`,
		"files/in/readings.csv": "a\n1\n",
		"files/huge.bin":        "",
		"manifest.json":         `{"blobs":"files","streams":{"papers":{"fields":[{"name":"id","type":"integer"},{"name":"file","type":"blob","nullable":true}]}}}`,
	})
	if err := os.Truncate(filepath.Join(root, "files", "huge.bin"), item.MaxBlob+1); err != nil {
		t.Fatal(err)
	}
	var reported []string
	corpus, err := Open(t.Context(), root, nil, Watch{Skipped: func(skip Skip) { reported = append(reported, skip.String()) }})
	if err != nil {
		t.Fatal(err)
	}
	if len(corpus.Connectors[0].Streams) != 1 || len(reported) > 0 {
		t.Errorf("the files that records name are streams: %+v, %v", corpus.Connectors[0].Streams, reported)
	}
	records := collectRecords(t, corpus)
	if blob := records[0].Blob; blob == nil || string(blob.Bytes) != "a\n1\n" || blob.MIMEType != "text/csv" || !strings.Contains(string(records[0].Data), blob.ID) {
		t.Errorf("the first record is %s with %+v", records[0].Data, blob)
	}
	if blob := records[1].Blob; blob == nil || blob.MIMEType != "application/octet-stream" {
		t.Errorf("without a type the blob is %+v", blob)
	}
	for index, want := range map[int]string{2: `{"id":3,"file":null}`, 3: `{"id":4,"file":null}`, 4: `{"id":5,"file":null}`, 5: `{"id":6,"file":null}`, 6: `{"id":7,"file":{"blob_id":"b"}}`} {
		if string(records[index].Data) != want || records[index].Blob != nil {
			t.Errorf("record %d is %s with %v, want %s", index, records[index].Data, records[index].Blob, want)
		}
	}
	if diff := cmp.Diff([]string{
		`papers.jsonl:4: it names the file "missing.pdf", which cannot be read`,
		`papers.jsonl:5: it names the file "../papers.jsonl", which is not in the folder files`,
		`papers.jsonl:6: it names the file "huge.bin", which has more than 8 MiB`,
	}, reported); diff != "" {
		t.Errorf("reports (-want +got)\n%s", diff)
	}
	before, err := Look(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(root, "files", "in", "readings.csv"), []byte("a\n1\n2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if after, err := Look(root); err != nil || after.Fingerprint(fileTime) == before.Fingerprint(fileTime) {
		t.Errorf("another file that a record names leaves the fingerprint as it is: %v", err)
	}
}
