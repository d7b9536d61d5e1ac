package render

import (
	"strconv"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A WindowQuery is the call that a field window answers: by Offset and Limit, or around the first match of Q. All
// numbers are in characters, which are code points.
type WindowQuery struct {
	Ref    rs.Ref
	Field  string
	Offset int
	Limit  int
	Q      string
	Before *int // nil: as the resource server pleases
	After  *int
}

// at returns the arguments that read on at an offset with the same limit.
func (q WindowQuery) at(offset int) *arguments {
	a := new(arguments).text("id", q.Ref.String()).text("field", q.Field)
	a.put("offset_chars", strconv.Itoa(offset))
	return a.number("limit_chars", q.Limit)
}

// A BlobQuery is the call that a blob answers.
type BlobQuery struct {
	BlobID       string
	ConnectionID string
}

// Prefixes of the resource URIs of windows and blobs.
const (
	WindowURIPrefix = "pdpp://field-window/"
	BlobURIPrefix   = "pdpp://blob/"
)

// A WindowHandle is the JSON inside a pdpp://field-window/{handle} (S1-2b). Offsets and limits are in characters.
type WindowHandle struct {
	Version     int    `json:"v"`    // 1
	Kind        string `json:"kind"` // "field_window"
	ID          string `json:"id"`   // a record id, as rs.ParseRef reads it
	Field       string `json:"field"`
	OffsetChars int    `json:"offset_chars,omitempty"`
	LimitChars  int    `json:"limit_chars,omitempty"`
	Q           string `json:"q,omitempty"`
	BeforeChars *int   `json:"before_chars,omitempty"`
	AfterChars  *int   `json:"after_chars,omitempty"`
}

// A BlobHandle is the JSON inside a pdpp://blob/{handle}.
type BlobHandle struct {
	Version      int    `json:"v"`    // 1
	Kind         string `json:"kind"` // "blob"
	BlobID       string `json:"blob_id"`
	ConnectionID string `json:"connection_id,omitempty"`
}

// WindowURI returns the resource URI of a field window. It belongs in _meta only (S1-4a).
func WindowURI(q WindowQuery) string {
	return WindowURIPrefix + rs.EncodeHandle(&WindowHandle{
		Version: 1, Kind: "field_window", ID: q.Ref.String(), Field: q.Field,
		OffsetChars: q.Offset, LimitChars: q.Limit, Q: q.Q, BeforeChars: q.Before, AfterChars: q.After,
	})
}

// BlobURI returns the resource URI of a blob's bytes.
func BlobURI(q BlobQuery) string {
	return BlobURIPrefix + rs.EncodeHandle(BlobHandle{Version: 1, Kind: "blob", BlobID: q.BlobID, ConnectionID: q.ConnectionID})
}
