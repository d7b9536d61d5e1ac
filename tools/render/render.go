// Package render turns a resource server's answer into what a model sees: bytes in, content out.
// It has no context, does no I/O and asks no clock.
package render

import (
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A Result is one tool result on both channels. Each alone is complete enough to act on (S4-R4).
type Result struct {
	Text       string          // the one text block of content[]
	Structured json.RawMessage // structuredContent: an object
	Meta       map[string]any  // _meta: resource URIs and counts for hosts, never needed by a model
	Cuts       int             // how many records, fields and pages did not fit and were left out or made smaller; the text says so of each
}

// Redact returns the result without the tokens that the redactor knows. Each channel is searched for itself, after [Result.Clean]:
// removing hidden characters can put the pieces of a token together.
func (r Result) Redact(redactor *rs.Redactor) Result {
	structured := string(r.Structured)
	clean, mirrored := redactor.JSON(structured), r.Text == structured
	if clean != structured {
		r.Structured = json.RawMessage(clean)
	}
	if r.Text = redactor.Text(r.Text); mirrored {
		r.Text = clean
	}
	if r.Meta != nil {
		r.Meta = maps.Clone(r.Meta)
	}
	for key, value := range r.Meta {
		switch value := value.(type) {
		case string:
			r.Meta[key] = redactor.Text(value)
		case []string:
			clean := make([]string, len(value))
			for i, text := range value {
				clean[i] = redactor.Text(text)
			}
			r.Meta[key] = clean
		}
	}
	return r
}

// Short names for what every renderer writes.
type (
	object = rs.Object
	member = rs.Member
)

func pair(name string, value string) member { return member{Name: name, Value: value} }

// decode reads an answer, which must be an object. what names the answer in the error, which shows nothing of the body.
func decode(response *rs.Response, what string) (object, error) {
	o := rs.AsObject(response.Distinct())
	if o == nil {
		return nil, notAnObject(response.Body, what)
	}
	return o, nil
}

func notAnObject(body, what string) error {
	return invalidResponse(what, "is JSON but not an object: "+rs.Kind(body))
}

func invalidResponse(what, fault string) *rs.Error {
	return &rs.Error{
		Code:    rs.InvalidResponse,
		Message: fmt.Sprintf("The resource server's answer to %s %s.", what, fault),
		Hint:    "Retry once; if it fails again, tell the operator of the resource server.",
	}
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

// project drops the fields that were not asked for, so that they appear nowhere in a result (S0-7b, S0-7c).
// A dotted field keeps its top-level member. With no fields it returns data itself.
func project(data object, fields []string) object {
	if len(fields) == 0 || data == nil {
		return data
	}
	kept := make(object, 0, len(data))
	for _, m := range data {
		if wanted(m.Name, fields) {
			kept = append(kept, m)
		}
	}
	return kept
}

func wanted(key string, fields []string) bool {
	for _, field := range fields {
		if field == key || strings.HasPrefix(field, key+".") || strings.HasPrefix(field, key+"[") {
			return true
		}
	}
	return false
}

// projectRecord narrows one record of a list and reports whether there was anything to drop.
// Its envelope stays: identity and what paging needs.
func projectRecord(record rs.Item, fields []string) (rs.Item, bool) {
	var narrow object
	changed := false
	for _, m := range record.Members {
		if data := rs.AsObject(m.Value); m.Name == "data" && data != nil {
			if kept := project(data, fields); len(kept) < len(data) {
				m.Value, changed = kept.JSON(), true
			}
		} else if m.Name != "data" && !wanted(m.Name, envelopeFields) && !wanted(m.Name, fields) {
			changed = true
			continue
		}
		narrow = append(narrow, m)
	}
	if !changed {
		return record, false
	}
	return narrow.Item(), true
}

// projectAll narrows every record of a list, leaving it as received when nothing was too much.
func projectAll(l listing, fields []string) listing {
	if len(fields) == 0 {
		return l
	}
	changed := false
	items := make([]rs.Item, len(l.Items))
	for i, record := range l.Items {
		narrow, cut := projectRecord(record, fields)
		items[i], changed = narrow, changed || cut
	}
	if !changed {
		return l
	}
	return l.keep(items)
}
