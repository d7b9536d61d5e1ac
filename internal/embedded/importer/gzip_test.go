package importer

import (
	"bytes"
	"compress/gzip"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func gzipOf(t *testing.T, text string) string {
	t.Helper()
	var out bytes.Buffer
	writer := gzip.NewWriter(&out)
	if _, err := writer.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if err := writer.Close(); err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// A file compressed with gzip is read as if its content were in the folder.
func TestFilesCompressedWithGzip(t *testing.T) {
	corpus, skips := openFolder(t, writeTree(t, map[string]string{
		"orders.csv.gz": gzipOf(t, "id,n\n1,7\n"), "sub/log.jsonl.GZ": gzipOf(t, `{"id":"a","n":8}`), "sub/chats.json.gz": gzipOf(t, `{"a":[{"id":"x"}],"b":[{"id":"y","z":1}]}`),
		"in.zip": zipOf(t, "deep.csv.gz", gzipOf(t, "id,n\n1,9\n"), "plain.csv", "id,n\n1,1\n"), "steps-2026-01-01.csv.gz": gzipOf(t, "n\n1\n"), "steps-2026-02-01.csv.gz": gzipOf(t, "n\n2\n"),
		"false.csv.gz": "n\n1\n2\n3\n4\n", "cut.csv.gz": gzipOf(t, strings.Repeat("n\n1\n", 5000))[:40], "ride.fit.gz": gzipOf(t, "\x0e\x10"), "all.tar.gz": gzipOf(t, "x"), "bare.gz": gzipOf(t, "x"),
	}))
	counts, reasons := map[string]int{}, map[string]string{}
	for _, record := range collectRecords(t, corpus) {
		counts[record.Stream]++
	}
	for _, skip := range skips {
		reasons[skip.File], _, _ = strings.Cut(skip.Reason, ":")
	}
	delete(counts, "cut") // the part that is not cut off is read
	want := map[string]int{"orders": 1, "sub_log": 1, "sub_chats_a": 1, "sub_chats_b": 1, "in_deep": 1, "in_plain": 1, "steps": 2}
	if diff := cmp.Diff(want, counts); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	said := map[string]string{
		"false.csv.gz": "cannot be read", "cut.csv.gz/cut.csv": "cannot be read", "ride.fit.gz/ride.fit": "of no known kind", "all.tar.gz": "of no known kind", "bare.gz": "of no known kind",
	}
	if diff := cmp.Diff(said, reasons); diff != "" {
		t.Errorf("(-want +got)\n%s\n%v", diff, skips)
	}
}
