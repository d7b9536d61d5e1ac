package importer

import (
	"archive/zip"
	"bytes"
	"fmt"
	"io"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/archive"
)

// zipOf returns an archive of files, given as names and texts in order.
func zipOf(t testing.TB, namesAndTexts ...string) string {
	t.Helper()
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	for at := 0; at < len(namesAndTexts); at += 2 {
		entry, err := writer.Create(namesAndTexts[at])
		if err == nil {
			_, err = io.WriteString(entry, namesAndTexts[at+1])
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// encrypted sets the encryption flag of the entries of an archive, in their own headers and in the directory.
func encrypted(text string) string {
	out := []byte(text)
	for at := range out {
		if bytes.HasPrefix(out[at:], []byte("PK\x03\x04")) {
			out[at+6] |= 1
		}
		if bytes.HasPrefix(out[at:], []byte("PK\x01\x02")) {
			out[at+8] |= 1
		}
	}
	return string(out)
}

// claims returns an archive of empty entries that claim an unpacked size.
func claims(t *testing.T, entries int, size uint64) string {
	t.Helper()
	var out bytes.Buffer
	writer := zip.NewWriter(&out)
	for number := range entries {
		if _, err := writer.CreateRaw(&zip.FileHeader{Name: fmt.Sprintf("%d.csv", number), UncompressedSize64: size}); err != nil {
			t.Fatal(err)
		}
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// An archive is read like the folder that it contains, inside a folder or on its own.
func TestArchivesAreFolders(t *testing.T) {
	inner := zipOf(t, "deep.csv", "n\n7\n", "more.zip", zipOf(t, "deeper.csv", "n\n8\n"))
	holds := zipOf(t, "Takeout/a.csv", "id,n\n1,1\n2,2\n", "Takeout/list.json", `{"items":[{"n":3},{"n":4}]}`, "Takeout/mail/one.eml", messageOf("Message-ID: <a@x>", "", "a"), "inner.ZIP", inner)
	want := map[string]int{"Takeout_a": 2, "Takeout_list": 2, "Takeout_mail": 1, "inner_deep": 1}
	deep := Skip{File: "inner.ZIP/more.zip", Reason: "cannot be read: an archive in two others, which is not unpacked"}
	dir := writeFolder(t, map[string]string{"export.zip": holds, "plain.csv": "n\n1\n"})
	for path, prefix := range map[string]string{dir: "export_", dir + "/export.zip": ""} {
		corpus, skips := openFolder(t, path)
		counts := map[string]int{}
		for _, record := range collectRecords(t, corpus) {
			counts[strings.TrimPrefix(record.Stream, prefix)]++
		}
		delete(counts, "plain")
		if diff := cmp.Diff(want, counts); diff != "" {
			t.Errorf("%s: records (-want +got)\n%s", path, diff)
		}
		if len(skips) != 1 || !strings.HasSuffix(skips[0].File, deep.File) || skips[0].Reason != deep.Reason {
			t.Errorf("%s: skips %v", path, skips)
		}
	}
}

// Entries are not lost if their names are in the charset of a Windows console, or if two entries have the same name.
func TestEntriesOfArchivesAreFoundByAnyName(t *testing.T) {
	corpus, skips := openFolder(t, writeFolder(t, map[string]string{"a.zip": zipOf(t, "M\x81ller.csv", "n\n1\n", "x/twice.csv", "n\n2\n", "x/twice.csv", "n\n3\n")}))
	got := map[string]string{}
	for _, record := range collectRecords(t, corpus) {
		got[record.Stream] = string(record.Data)
	}
	if diff := cmp.Diff(map[string]string{"a_Müller": `{"n":1}`, "a_x_twice": `{"n":2}`, "a_x_twice-2": `{"n":3}`}, got); diff != "" || len(skips) > 0 {
		t.Errorf("records (-want +got)\n%s\n%v", diff, skips)
	}
}

// An archive cannot keep other files from being read, exhaust memory or refer to files outside itself.
func TestHostileArchives(t *testing.T) {
	dir := writeFolder(t, map[string]string{
		"good.csv": "n\n1\n", "secret.zip": encrypted(zipOf(t, "a.csv", "n\n1\n")),
		"bomb.zip": claims(t, 1, archive.MaxRatio*200+65<<20), "cut.zip": zipOf(t, "a.csv", "n\n1\n")[:60], "many.zip": claims(t, archive.MaxEntries+1, 0),
		"out.zip": zipOf(t, "../../good.csv", "n\n2\n", "/etc/passwd", "x", `..\win.csv`, "n\n3\n", "twice.csv", "n\n4\n", "twice.csv", "n\n5\n", "a/../b.csv", "n\n6\n", "..", "x"),
	})
	corpus, skips := openFolder(t, dir)
	got := map[string]string{}
	for _, record := range collectRecords(t, corpus) {
		got[record.Stream] = string(record.Data)
	}
	if diff := cmp.Diff(map[string]string{"good": `{"n":1}`, "out_good": `{"n":2}`, "out_win": `{"n":3}`, "out_twice": `{"n":4}`, "out_twice-2": `{"n":5}`, "out_b": `{"n":6}`}, got); diff != "" {
		t.Errorf("records (-want +got)\n%s", diff)
	}
	reasons := map[string]string{}
	for _, skip := range skips {
		reasons[skip.File] = skip.Reason
	}
	want := map[string]string{
		"secret.zip": "cannot be read: encrypted", "out.zip/passwd": "of no known kind",
		"bomb.zip": "cannot be read: an archive that unpacks to more than 64 GiB, or to more than 200 times its size",
		"many.zip": "cannot be read: an archive of more than 100000 entries", "cut.zip": "cannot be read: not a zip archive that can be read: zip: not a valid zip file",
	}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Errorf("skips (-want +got)\n%s", diff)
	}
}
