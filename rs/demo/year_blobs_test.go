package demo

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"image/png"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
)

func TestYearBlobReferencesResolve(t *testing.T) {
	corpus := Year()
	blobs := map[string]Blob{}
	kinds := map[string]int{}
	for _, blob := range corpus.Blobs {
		if _, twice := blobs[blob.ID]; twice {
			t.Errorf("two records share %s", blob.ID)
		}
		blobs[blob.ID] = blob
		kinds[blob.MIMEType]++
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
		id, _ := reference["blob_id"].(string)
		blob, ok := blobs[id]
		if !ok {
			t.Errorf("%v refers to %s, which does not exist", key, id)
			continue
		}
		delete(blobs, id)
		sum := sha256.Sum256(blob.Bytes)
		digest := hex.EncodeToString(sum[:])
		want := map[string]any{
			"blob_id": "blob_sha256_" + digest, "mime_type": blob.MIMEType, "size_bytes": float64(len(blob.Bytes)), "sha256": digest,
			"fetch_url": "/v1/blobs/blob_sha256_" + digest,
		}
		if diff := cmp.Diff(want, reference); diff != "" {
			t.Errorf("%v (-want +got)\n%s", key, diff)
		}
		if owner := (recordKey{blob.ConnectionID, blob.Stream, blob.RecordID}); owner != key {
			t.Errorf("%s belongs to %v and is referred to by %v", id, owner, key)
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
	for _, blob := range Year().Blobs {
		switch blob.MIMEType {
		case "application/pdf":
			at := bytes.LastIndex(blob.Bytes, []byte("startxref\n"))
			table, _, _ := strings.Cut(string(blob.Bytes[at+len("startxref\n"):]), "\n")
			offset := 0
			for _, digit := range table {
				offset = 10*offset + int(digit-'0')
			}
			if !bytes.HasPrefix(blob.Bytes, []byte("%PDF-1.4\n")) || !bytes.HasPrefix(blob.Bytes[offset:], []byte("xref\n0 6\n")) {
				t.Errorf("%s is not a PDF with a table at %d", blob.RecordID, offset)
			}
		case "image/png":
			if picture, err := png.Decode(bytes.NewReader(blob.Bytes)); err != nil || picture.Bounds().Dx() != 96 {
				t.Errorf("%s is not a picture: %v", blob.RecordID, err)
			}
		case "text/calendar":
			if !bytes.HasPrefix(blob.Bytes, []byte("BEGIN:VCALENDAR\r\n")) || !bytes.HasSuffix(blob.Bytes, []byte("END:VCALENDAR\r\n")) || !utf8.Valid(blob.Bytes) {
				t.Errorf("%s is not a calendar", blob.RecordID)
			}
		case "text/csv":
			if lines := bytes.Count(blob.Bytes, []byte("\n")); lines != 25 {
				t.Errorf("%s has %d lines", blob.RecordID, lines)
			}
		}
	}
}
