package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A BlobQuery is the call that a blob answers.
type BlobQuery struct {
	BlobID       string
	ConnectionID string
}

// A BlobHandle is the JSON inside a pdpp://blob/{handle}.
type BlobHandle struct {
	Version      int    `json:"v"`    // 1
	Kind         string `json:"kind"` // "blob"
	BlobID       string `json:"blob_id"`
	ConnectionID string `json:"connection_id,omitempty"`
}

// URI returns the resource URI of a blob's bytes.
func (q BlobQuery) URI() string {
	return BlobURIPrefix + rs.EncodeHandle(BlobHandle{Version: 1, Kind: "blob", BlobID: q.BlobID, ConnectionID: q.ConnectionID})
}

// Blob renders a blob. The first 16 KiB of text, JSON, CSV and calendars are inline; of other types only type,
// size and hash are shown. All bytes are readable as the resource q.URI() (S3-2c).
func Blob(body string, contentType string, q BlobQuery) (Result, error) {
	sum := sha256.Sum256([]byte(body))
	kind, text := blobType(contentType)
	uri := q.URI()
	out := new(write.Object).Plain("blob_id", q.BlobID).Plain("content_type", kind).Put("size_bytes", write.JSON(len(body)))
	out.Plain("sha256", hex.EncodeToString(sum[:])).Optional("connection_id", q.ConnectionID)
	lines := []string{clean.Clip(fmt.Sprintf("%s: %s, %d bytes, sha256 %x", clean.Name(q.BlobID), kind, len(body), sum), write.LineChars)}
	if text && utf8.ValidString(body) {
		s := excerptSpan{text: body, next: -1}
		s.fit(blobText)
		complete := s.next < 0
		out.Plain("text", clean.Lines(s.text)).Put("complete", write.JSON(complete))
		if !complete {
			lines = append(lines, fmt.Sprintf("Shown the first %d of %d bytes; the resource %s has all of them.", len(s.text), len(body), uri))
		}
		if s.text != "" {
			lines = append(lines, write.QuoteLines(s.text)...)
		}
	} else {
		out.Put("complete", "false")
		lines = append(lines, "Not text, so not shown here; the resource "+uri+" has the bytes.")
	}
	return Result{Text: strings.Join(lines, "\n"), Structured: []byte(out.Plain("uri", uri).JSON())}, nil
}

func blobType(contentType string) (kind string, text bool) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || kind == "" {
		kind = "application/octet-stream"
	}
	kind = write.Label(kind)
	named := slices.Contains([]string{"application/json", "application/csv", "application/ics", "application/xml"}, kind)
	return kind, named || strings.HasPrefix(kind, "text/") || strings.HasSuffix(kind, "+json") || strings.HasSuffix(kind, "+xml")
}
