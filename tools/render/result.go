// Package render turns a resource server's answer into what a model sees: bytes in, content out.
// It has no context, does no I/O and asks no clock.
package render

import (
	"encoding/json"
	"fmt"
	"maps"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/marked"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// Short names for what is read and written everywhere.
type (
	object = rs.Object
	member = rs.Member
)

// A Result is one tool result on both channels. Each alone is complete enough to act on (S4-R4).
type Result struct {
	Text       string          // the one text block of content[]
	Structured json.RawMessage // structuredContent: an object
	Meta       map[string]any  // _meta: resource URIs and counts for hosts, never needed by a model
	Cuts       int             // how many records, fields and pages did not fit and were left out or made smaller; the text says so of each
}

// Clean returns the result as it may reach a host, and what the response that it was made from lost on the way: the same
// for both channels. The text of a document stays its structured result, byte for byte (D3).
func (r Result) Clean(response *rs.Response) Result {
	mirrored := r.Text == string(r.Structured)
	found := clean.DirtyJSON(response.Body)
	if found || clean.DirtyJSON(r.beside(response.Body)) {
		raw := string(r.Structured)
		structured := new(clean.Removed).JSON(raw, clean.Visible)
		if len(structured) > write.StructuredHard { // an escape is longer than its character
			structured = new(clean.Removed).JSON(raw, clean.Lines)
		}
		r.Structured = json.RawMessage(structured)
	}
	switch {
	case !mirrored:
		r.Text = clean.Lines(r.Text)
	case r.Text != string(r.Structured):
		r.Text = string(r.Structured)
	}
	var removed clean.Removed
	if found {
		removed.JSON(response.Body, clean.Lines)
	}
	if removed.Total() > 0 {
		meta := map[string]any{"pdpp/removed_characters": removed}
		maps.Copy(meta, r.Meta)
		r.Meta = meta
	}
	return r
}

// beside is the structured result without the response's body, if it begins with the body: most pages are sent as they were received,
// and the body is searched only once.
func (r Result) beside(body string) json.RawMessage {
	const start = `{"data":`
	if end := len(start) + len(body); len(r.Structured) >= end && string(r.Structured[:len(start)]) == start && string(r.Structured[len(start):end]) == body {
		return r.Structured[end:]
	}
	return r.Structured
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

// Removed counts the characters that were taken out of an answer, by what they were.
type Removed = clean.Removed

// What a result has at most, in bytes.
const (
	TextHard       = write.TextHard
	StructuredHard = write.StructuredHard
)

// A Position is a place in a list of the resource server, as a cursor of ours names it (D23).
type Position = paging.Position

// RepairedList is the Cursor of a Position in the list that a repaired search makes ([Repair]).
const RepairedList = paging.RepairedList

// ParsePosition reads a cursor that a model sent. What does not have the form of a Position is a cursor of the resource server.
func ParsePosition(cursor string) Position { return paging.Parse(cursor) }

// Quotable is a text as an excerpt is hashed: one line, without marks and ellipses, because those are not the record's own words.
func Quotable(text string) string { return marked.Quotable(text) }

// Digest is the SHA-256 of a text as citations write it: 64 lower-case hexadecimal digits.
func Digest(text string) string { return marked.Digest(text) }

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
