package importer

import (
	"crypto/rand"
	"database/sql"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	_ "modernc.org/sqlite" // the database/sql driver "sqlite"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/archive"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// The memory for a small file is bounded by its content, whatever its form: nested elements, a text in very many pieces, a shared text in
// very many cells.
func TestTheMemoryForASmallFileIsBounded(t *testing.T) {
	const (
		deep   = 400_000
		pieces = 20_000
		most   = 300 << 20 // bytes allocated, including those freed again
	)
	workbook := func(shared, sheet string) string {
		return zipOf(t, "[Content_Types].xml", "<Types/>", "xl/workbook.xml", `<workbook><sheets><sheet name="S" id="r1"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r1" Type="x/worksheet" Target="worksheets/sheet1.xml"/></Relationships>`,
			"xl/sharedStrings.xml", "<sst>"+shared+"</sst>", "xl/worksheets/sheet1.xml", "<worksheet><sheetData>"+sheet+"</sheetData></worksheet>")
	}
	one := `<row r="1"><c r="A1" t="inlineStr"><is><t>n</t></is></c></row><row r="2"><c r="A2" t="s"><v>0</v></c></row>`
	long := strings.Repeat("x", 1<<20)
	const tooDeep = "nested more than 200 levels deep"
	for name, row := range map[string]struct{ file, text, skip, value string }{
		"a document that is deep":          {"a.docx", zipOf(t, "word/document.xml", "<w:document xmlns:w=\"w\">"+strings.Repeat("<w:p>a", deep)), tooDeep, ""},
		"a document with a deep head":      {"a.odt", zipOf(t, "content.xml", "<d><p>good</p></d>", "meta.xml", strings.Repeat("<a>", deep)), "", "good"},
		"a sheet that is deep":             {"a.xlsx", workbook("<si><t>good</t></si>", strings.Repeat("<a>", deep)+one), tooDeep, ""},
		"shared texts that are deep":       {"a.xlsx", workbook(strings.Repeat("<a>", deep), one), tooDeep, ""},
		"a track that is deep":             {"a.gpx", "<gpx>" + strings.Repeat("<trkpt><name>a</name>", deep), tooDeep, ""},
		"a statement that is deep":         {"a.ofx", "<OFX>" + strings.Repeat("<STMTTRN>a", deep), tooDeep, ""},
		"a folder of places that is deep":  {"a.kml", "<kml>" + strings.Repeat("<Folder>", deep), tooDeep, ""},
		"measurements that are deep":       {"a.xml", "<!DOCTYPE HealthData><HealthData>" + strings.Repeat("<Record>", deep), "it does not end", ""},
		"something else that is deep":      {"a.xml", "<!DOCTYPE HealthData><HealthData>" + strings.Repeat("<a>", deep), "an element a, which is not read", ""},
		"a note that is deep":              {"a.enex", "<en-export><note><title>good</title>" + strings.Repeat("<a>", deep), tooDeep, ""},
		"a shared text in pieces":          {"a.xlsx", workbook("<si>"+strings.Repeat("<t>piece of a text</t>", pieces)+"</si>", one), "", strings.Repeat("piece of a text", 9)},
		"a title in pieces":                {"a.docx", zipOf(t, "word/document.xml", "<d><t>good</t></d>", "docProps/core.xml", "<c><title>"+strings.Repeat("a piece of the title<!---->", pieces)+"</title></c>"), "", "good"},
		"a track in pieces":                {"a.kml", "<kml><Placemark><Track>" + strings.Repeat("<coord>7.1 50.7 60</coord>", pieces) + "</Track></Placemark></kml>", "", "7.1 50.7 60"},
		"a shared text in each row":        {"a.xlsx", workbook("<si><t>"+long[:1<<14]+"</t></si>", strings.Repeat(`<row><c t="s"><v>0</v></c></row>`, 12000)), "it repeats texts that its cells share", ""},
		"a cell far away in each row":      {"a.xlsx", workbook("", one+strings.Repeat(`<row><c r="XFD9"><v>1</v></c></row>`, pieces)), "the row has 2 cells, and the header 1", ""},
		"a shared text in each cell":       {"a.xlsx", workbook("<si><t>"+long+"</t></si>", `<row r="1">`+strings.Repeat(`<c t="s"><v>0</v></c>`, 900)+"</row>"), "longer than 16 MiB", ""},
		"an object of very many keys":      {"a.json", `[{` + numbered(pieces, `"k%d":0`) + `}]`, "the stream has more than 1000 fields", "k1:0"},
		"a list in an object of many keys": {"a.json", `[{"songs":[{"song":"` + long + `"}],` + numbered(pieces, `"k%d":0`) + `}]`, "more than 1000 fields", "song:xxx"},
		"a page of links in pieces":        {"a.html", "<!DOCTYPE NETSCAPE-Bookmark-file-1><DL><DT><A HREF=\"https://a.example\">" + strings.Repeat("word <!---->", 2*pieces) + "</A></DL>", "", "word word"},
		"places in a long name":            {"a.kml", "<kml><Folder><name>" + long[:1<<19] + "</name>" + strings.Repeat("<Placemark><name>x</name></Placemark>", 500), "repeats what is around", "x"},
		"a cell that is long":              {"a.xlsx", workbook("", `<row r="1"><c t="str"><v>`+strings.Repeat(long, 20)+"</v></c></row>"), "longer than 16 MiB", ""},
	} {
		t.Run(name, func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			records, skips := loaded(t, row.file, row.text)
			runtime.ReadMemStats(&after)
			if taken := after.TotalAlloc - before.TotalAlloc; taken > most && !raceDetector {
				t.Errorf("%d MiB were allocated for a file of %d KiB", taken>>20, len(row.text)>>10)
			}
			if said := fmt.Sprint(skips); !strings.Contains(said, row.skip) || row.skip == "" && len(skips) > 0 {
				t.Errorf("skipped %.300s, want %q", said, row.skip)
			}
			if shown := fmt.Sprint(records); !strings.Contains(shown, row.value) {
				t.Errorf("the records are %.300s", shown)
			}
		})
	}
}

// A name has a limit, in a header and in JSON: each row repeats it, and fields are recognized by their names.
func TestTheNamesOfFieldsAreBounded(t *testing.T) {
	long := strings.Repeat("abc ", 1<<18)
	for name, row := range map[string]struct{ text, stream, want, skip string }{
		"a.csv":   {"id," + long + "\n1,2\n", "a", `"` + strings.Repeat("abc_", 250) + `":2`, ""},
		"a.jsonl": {`{"id":1,"` + long + `":2}`, "a", `"id":1`, "the name of a field is too long: \"abc abc "},
		"a.json":  {`{"` + long + `":[{"id":1}],"b":[{"c":2}]}`, "a_" + strings.Repeat("abc_", 249) + "ab", `"id":1`, ""},
	} {
		began := time.Now()
		corpus, skips := openFolder(t, writeTree(t, map[string]string{name: row.text}))
		first := collectRecords(t, corpus)[0]
		if first.Stream != row.stream || !strings.Contains(string(first.Data), row.want) || !strings.Contains(fmt.Sprint(skips), row.skip) {
			t.Errorf("%s: %.80s of %s, skipped %.200v", name, first.Data, first.Stream, skips)
		}
		if took := time.Since(began); took > 20*time.Second {
			t.Errorf("%s took %v", name, took)
		}
	}
}

// Rows repeat a long header up to a multiple of their file.
func TestShortRowsBelowALongHeaderAreBounded(t *testing.T) {
	text := strings.Join(slices.Repeat([]string{strings.Repeat("x", 900)}, 200), ",") + "\n" + strings.Repeat("1\n", 2000)
	bytes, skips := bytesOf(t, map[string]string{"a.csv": text})
	if most := maxNamed*len(text) + freeRecords; bytes["a"] > most+most/50 || bytes["a"] < most/2 {
		t.Errorf("%d bytes of records of %d", bytes["a"], len(text))
	}
	if last := skips[len(skips)-1].Reason; !strings.Contains(last, "more than 200 times its size") {
		t.Errorf("skipped %q", last)
	}
}

// A file with more records than any person has is read up to a limit. Pieces that are no records count, since each takes as long.
func TestTheNumberOfRecordsOfAFileIsLimited(t *testing.T) {
	for name, row := range map[string]struct {
		kind format
		text string
		read int
	}{
		"rows":                        {formatTable, "n\n" + strings.Repeat("1\n", 9), 4},
		"objects, one that is broken": {formatLines, "{\"n\":1}\n{\n" + strings.Repeat("{\"n\":1}\n", 9), 3},
		"no more than the limit":      {formatTable, "n\n1\n1\n1\n1\n", 4},
	} {
		files := fstest.MapFS{"f": {Data: []byte(row.text)}}
		s := &fileStream{from: folder{fsys: files}, format: row.kind, idField: "id"}
		read, last := 0, ""
		ids, budget := knownIDs{map[string]int32{}, map[string]knownContent{}}, &recordBudget{free: freeRecords, mostPieces: 4}
		more, err := s.scanFile(t.Context(), sourceFile{name: "f"}, ids, budget, func(s Skip) { last = s.String() },
			func(sourceFile, item.Item) bool { read++; return true })
		want := ""
		if len(row.text) > len("n\n1\n1\n1\n1\n") {
			want = "f: what follows is left out: a file has at most 4 records"
		}
		if read != row.read || last != want || !more || err != nil {
			t.Errorf("%s: %d records, skipped %q, %v", name, read, last, err)
		}
	}
}

// numbered repeats a piece with numbers, separated by commas.
func numbered(count int, piece string) string {
	all := make([]string, count)
	for at := range all {
		all[at] = fmt.Sprintf(piece, at)
	}
	return strings.Join(all, ",")
}

// A name used by many files or streams gets its number without trying all numbers that are already used.
func TestNumberingRepeatedNamesIsLinear(t *testing.T) {
	const count = 3000
	folder := writeTree(t, map[string]string{"a.zip": zipOf(t, slices.Repeat([]string{"a.csv", "n\n1\n"}, count)...)})
	for name, give := range map[string]func(){
		"entries": func() {
			if files, err := fs.ReadDir(archive.In(os.DirFS(folder)), "a.zip"); len(files) != count || err != nil {
				t.Errorf("%d files: %v", len(files), err)
			}
		},
		"streams": func() {
			l := lister{taken: map[string]bool{}, given: map[string]int{}}
			for range count - 1 {
				l.free("a")
			}
			if last := l.free("a"); last != fmt.Sprint("a_", count) {
				t.Errorf("the last stream is called %s", last)
			}
		},
	} {
		if allocations := testing.AllocsPerRun(1, give); allocations > 50*count {
			t.Errorf("%v allocations for %d %s", allocations, count, name)
		}
	}
}

// Skipping empty rows, or days between messages, takes no stack, however many there are.
func TestSkippedRowsTakeNoStack(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(1 << 20))
	records, skips := loaded(t, "a.csv", "a,b\n1,2\n"+strings.Repeat(",\n", 100_000)+"3,4\n")
	if len(records["a"]) != 2 || len(skips) > 0 {
		t.Errorf("%v, skipped %v", records, skips)
	}
}

// A message that is too long is left out, and those after it are read.
func TestALongMessageOfAChatIsLeftOut(t *testing.T) {
	const head = "15/01/26, 02:15 - Ann: "
	half := strings.Repeat("x", item.MaxLine/2+10)
	for name, long := range map[string]string{"on one line": "a\n" + half + half, "on several": half + "\n" + half, "on more": half + "\n" + half + "\n" + half + "\nx"} {
		records, skips := loaded(t, "_chat.txt", head+"first\n"+head+long+"\nand more\n"+head+"last\n")
		chat := records["_chat"]
		if len(chat) != 2 || chat[0]["text"] != "first" || chat[1]["text"] != "last" {
			t.Errorf("%s: %d records: %.300v", name, len(chat), chat)
		}
		if len(skips) != 1 || skips[0] != (Skip{"_chat.txt", 2, "a message that is longer than 16 MiB"}) {
			t.Errorf("%s: skipped %v", name, skips)
		}
	}
}

// A table that is too wide for a stream is reported.
func TestATableThatIsTooWideIsReported(t *testing.T) {
	name := filepath.Join(t.TempDir(), "a.db")
	db, err := sql.Open("sqlite", name)
	if err != nil {
		t.Fatal(err)
	}
	columns := slices.Repeat([]string{"c"}, item.MaxFields+1)
	for at := range columns {
		columns[at] += fmt.Sprint(at)
	}
	for _, statement := range []string{"CREATE TABLE wide (" + strings.Join(columns, ",") + ")", "CREATE TABLE good (a)", "INSERT INTO good VALUES (1)"} {
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
	records, skips := loaded(t, "a.db", string(text))
	if len(records["a_good"]) != 1 || len(skips) != 1 || skips[0].Reason != `the table "wide" has more than 1000 columns` {
		t.Errorf("%v, skipped %v", records, skips)
	}
}

// countedFiles count the bytes read from files.
type countedFiles struct {
	fs.FS
	bytes *int
}

type countedFile struct {
	fs.File
	bytes *int
}

func (c countedFiles) Open(name string) (fs.File, error) {
	file, err := c.FS.Open(name)
	return countedFile{file, c.bytes}, err
}

func (c countedFile) Read(into []byte) (int, error) {
	n, err := c.File.Read(into)
	*c.bytes += n
	return n, err
}

func (c countedFile) ReadAt(into []byte, at int64) (int, error) {
	n, err := c.File.(io.ReaderAt).ReadAt(into, at)
	*c.bytes += n
	return n, err
}

func (c countedFile) Seek(offset int64, whence int) (int64, error) {
	return c.File.(io.Seeker).Seek(offset, whence)
}

// A file with many streams is read a few times in total, not once for each stream.
func TestAFileOfManyStreamsIsReadAFewTimes(t *testing.T) {
	const count = 60
	folder := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(folder, "a.db"))
	if err != nil {
		t.Fatal(err)
	}
	sheets, places := "", ""
	parts := []string{"xl/sharedStrings.xml", "<sst><si><t>" + rand.Text() + "</t></si></sst>"}
	for at := range count {
		if _, err := db.ExecContext(t.Context(), fmt.Sprintf("CREATE TABLE t%d (a); INSERT INTO t%[1]d VALUES (%[1]d)", at)); err != nil {
			t.Fatal(err)
		}
		sheets += fmt.Sprintf(`<sheet name="t%d" id="r%[1]d"/>`, at)
		places += fmt.Sprintf(`<Relationship Id="r%d" Type="x/worksheet" Target="s%[1]d.xml"/>`, at)
		parts = append(parts, fmt.Sprintf("xl/s%d.xml", at), fmt.Sprintf(`<worksheet><sheetData><row><c t="str"><v>a</v></c></row><row><c><v>%d</v></c></row></sheetData></worksheet>`, at))
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	book := zipOf(t, append(parts, "xl/workbook.xml", "<workbook><sheets>"+sheets+"</sheets></workbook>", "xl/_rels/workbook.xml.rels", "<R>"+places+"</R>")...)
	if err := os.WriteFile(filepath.Join(folder, "b.xlsx"), []byte(book), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"a.db", "b.xlsx"} {
		info, err := os.Stat(filepath.Join(folder, name))
		if err != nil {
			t.Fatal(err)
		}
		read := 0
		only, err := folderAt(filepath.Join(folder, name), nil)
		if err != nil {
			t.Fatal(err)
		}
		only.fsys = countedFiles{only.fsys, &read}
		corpus, err := only.open(t.Context(), nil, Watch{})
		if err != nil {
			t.Fatal(err)
		}
		found := 0
		for record, err := range corpus.Records {
			if err != nil || string(record.Data) != fmt.Sprintf(`{"a":%s}`, strings.TrimPrefix(record.Stream[strings.LastIndex(record.Stream, "t"):], "t")) {
				t.Errorf("%s: %s, %v", record.Stream, record.Data, err)
			}
			found++
		}
		if most := 8 * int(info.Size()); found != count || read > most {
			t.Errorf("%s: %d records; of %d bytes %d were read, want at most %d", name, found, info.Size(), read, most)
		}
	}
}

// Of too many files that would each be a stream, the first ones are read, and each of the others is reported.
func TestTheNumberOfStreamsIsLimited(t *testing.T) {
	var files []string
	for at := range maxStreams + 2 {
		files = append(files, fmt.Sprintf("d%05d/f%[1]d.csv", at), "n\n1\n")
	}
	corpus, skips := openFolder(t, writeTree(t, map[string]string{"a.zip": zipOf(t, files...)}))
	if count := len(corpus.Connectors[0].Streams); count != maxStreams || len(collectRecords(t, corpus)) != maxStreams {
		t.Errorf("%d streams", count)
	}
	want := Skip{File: "a.zip/d02001/f2001.csv", Reason: "the stream a_d02001_f2001 is left out: 2000 others come before it, and more are not read"}
	if len(skips) != 2 || skips[1] != want {
		t.Errorf("skipped %v; want 2, the last %v", skips, want)
	}
}
