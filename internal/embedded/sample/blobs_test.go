package sample

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image/png"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

func TestYearBlobReferencesResolve(t *testing.T) {
	corpus := year(t)
	blobs := map[recordKey]model.Blob{}
	seen, kinds := map[string]bool{}, map[string]int{}
	for record := range corpus.Records {
		if record.Blob == nil {
			continue
		}
		if seen[record.Blob.ID] {
			t.Errorf("two records share %s", record.Blob.ID)
		}
		seen[record.Blob.ID] = true
		blobs[recordKey{record.ConnectionID, record.Stream, record.ID}] = *record.Blob
		kinds[record.Blob.MIMEType]++
	}
	without := 0
	for key, data := range decoded(t, collectRecords(t, corpus)) {
		if key.stream != "attachments" {
			continue
		}
		reference, ok := data["blob_ref"].(map[string]any)
		if !ok {
			without++
			continue
		}
		blob, ok := blobs[key]
		if !ok {
			t.Errorf("%v refers to %v, which does not exist", key, reference["blob_id"])
			continue
		}
		delete(blobs, key)
		sum := sha256.Sum256(blob.Bytes)
		digest := hex.EncodeToString(sum[:])
		want := map[string]any{
			"blob_id": "blob_sha256_" + digest, "mime_type": blob.MIMEType, "size_bytes": float64(len(blob.Bytes)), "sha256": digest,
			"fetch_url": "/v1/blobs/blob_sha256_" + digest,
		}
		if diff := cmp.Diff(want, reference); diff != "" {
			t.Errorf("%v (-want +got)\n%s", key, diff)
		}
		if data["content_type"] != blob.MIMEType || data["size_bytes"] != float64(len(blob.Bytes)) {
			t.Errorf("%v describes its blob as %v of %v bytes", key, data["content_type"], data["size_bytes"])
		}
	}
	if len(blobs) > 0 {
		t.Errorf("%d blobs that nothing refers to", len(blobs))
	}
	if without != 1 {
		t.Errorf("%d attachments without a blob, want 1", without)
	}
	for _, kind := range []string{"application/pdf", "image/png", "text/csv", "text/plain", "text/calendar"} {
		if kinds[kind] < 3 {
			t.Errorf("%d blobs of type %s", kinds[kind], kind)
		}
	}
}

func TestYearBlobsAreRealFiles(t *testing.T) {
	for record := range year(t).Records {
		blob := record.Blob
		if blob == nil {
			continue
		}
		switch blob.MIMEType {
		case "application/pdf":
			at := bytes.LastIndex(blob.Bytes, []byte("startxref\n"))
			table, _, _ := strings.Cut(string(blob.Bytes[at+len("startxref\n"):]), "\n")
			offset := 0
			for _, digit := range table {
				offset = 10*offset + int(digit-'0')
			}
			if !bytes.HasPrefix(blob.Bytes, []byte("%PDF-1.4\n")) || !bytes.HasPrefix(blob.Bytes[offset:], []byte("xref\n0 6\n")) {
				t.Errorf("%s is not a PDF with a table at %d", record.ID, offset)
			}
		case "image/png":
			if picture, err := png.Decode(bytes.NewReader(blob.Bytes)); err != nil || picture.Bounds().Dx() != 96 {
				t.Errorf("%s is not a picture: %v", record.ID, err)
			}
		case "text/calendar":
			if !bytes.HasPrefix(blob.Bytes, []byte("BEGIN:VCALENDAR\r\n")) || !bytes.HasSuffix(blob.Bytes, []byte("END:VCALENDAR\r\n")) || !utf8.Valid(blob.Bytes) {
				t.Errorf("%s is not a calendar", record.ID)
			}
		case "text/csv":
			if lines := bytes.Count(blob.Bytes, []byte("\n")); lines != 25 {
				t.Errorf("%s has %d lines", record.ID, lines)
			}
		}
	}
}
