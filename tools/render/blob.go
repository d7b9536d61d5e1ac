package render

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"mime"
	"strings"
	"unicode/utf8"
)

// A BlobQuery is the call that a blob answers.
type BlobQuery struct {
	BlobID       string
	ConnectionID string
}

// Blob renders a blob. Text, JSON, CSV and calendars stand inline, the first 16 KiB of them; of other types only type,
// size and hash. All bytes are readable as the resource BlobURI(q) (S3-2c).
func Blob(body string, contentType string, q BlobQuery) (Result, error) {
	sum := sha256.Sum256([]byte(body))
	kind, text := blobType(contentType)
	uri := BlobURI(q)
	out := object{
		pair("blob_id", encode(q.BlobID)), pair("content_type", encode(kind)), pair("size_bytes", encode(len(body))),
		pair("sha256", encode(hex.EncodeToString(sum[:]))),
	}
	if q.ConnectionID != "" {
		out = append(out, pair("connection_id", encode(q.ConnectionID)))
	}
	head := fmt.Sprintf("%s: %s, %d bytes, sha256 %x", name(q.BlobID), kind, len(body), sum)
	lines := []string{clip(head, LineChars)}
	inline := text && utf8.ValidString(body)
	if inline {
		s := span{text: body}
		s.next = -1
		s.fit(blobText)
		complete := s.next < 0
		out = append(out, pair("text", encode(manyLines(s.text))), pair("complete", encode(complete)))
		if !complete {
			lines = append(lines, fmt.Sprintf("Shown the first %d of %d bytes; the resource %s has all of them.", len(s.text), len(body), uri))
		}
		if s.text != "" {
			lines = append(lines, quoteLines(s.text)...)
		}
	} else {
		out = append(out, pair("complete", encode(false)))
		lines = append(lines, "Not text, so not shown here; the resource "+uri+" has the bytes.")
	}
	out = append(out, pair("uri", encode(uri)))
	return Result{Text: strings.Join(lines, "\n"), Structured: out.AppendJSON(nil)}, nil
}

// blobType is the media type without parameters, and whether such a blob is text.
func blobType(contentType string) (kind string, text bool) {
	kind, _, err := mime.ParseMediaType(contentType)
	if err != nil || kind == "" {
		kind = "application/octet-stream"
	}
	kind = preview(kind, labelChars)
	switch {
	case strings.HasPrefix(kind, "text/"), kind == "application/json", strings.HasSuffix(kind, "+json"),
		kind == "application/csv", kind == "application/ics", kind == "application/xml", strings.HasSuffix(kind, "+xml"):
		return kind, true
	}
	return kind, false
}
