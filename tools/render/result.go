// Package render turns a resource server's answer into what a model sees: bytes in, content out.
// It has no context, does no I/O and asks no clock.
package render

import (
	"maps"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/marked"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/schema"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// Short names for what is read and written everywhere.
type (
	object = rs.Object
	member = rs.Member
)

// A Result is one tool result on both channels. Each alone is complete enough to act on (S4-R4).
type Result struct {
	Text       string         // the one text block of content[]
	Structured string         // structuredContent: an object
	Meta       map[string]any // _meta: resource URIs and counts for hosts, never needed by a model
	Cuts       int            // records, fields and pages that were left out or shortened to fit; the text reports each
}

// Clean removes the characters that must not reach a host from both channels, and counts in Meta those that the response contained. The
// text of a document stays identical to its structured result, byte for byte (D3).
func (r Result) Clean(response *rs.Response) Result {
	mirrored := r.Text == r.Structured
	found := clean.DirtyJSON(response.Body)
	if found || clean.DirtyJSON(r.Structured) {
		raw := r.Structured
		r.Structured = new(clean.Removed).JSON(raw, clean.Visible)
		if len(r.Structured) > write.StructuredHard { // an escape is longer than its character
			r.Structured = new(clean.Removed).JSON(raw, clean.Lines)
		}
	}
	if mirrored {
		r.Text = r.Structured
	} else {
		r.Text = clean.Lines(r.Text)
	}
	var removed clean.Removed
	if found {
		removed.JSON(response.Body, clean.Lines)
	}
	if removed.Total() > 0 {
		meta := map[string]any{removedKey: removed}
		maps.Copy(meta, r.Meta)
		r.Meta = meta
	}
	return r
}

// Redact returns the result without the tokens that the redactor knows. It searches each channel separately, after [Result.Clean], because
// removing hidden characters can join the pieces of a token. It modifies Meta in place.
func (r Result) Redact(redactor *rs.Redactor) Result {
	mirrored := r.Text == r.Structured
	r.Text, r.Structured = redactor.Text(r.Text), redactor.JSON(r.Structured)
	if mirrored {
		r.Text = r.Structured
	}
	for key, value := range r.Meta {
		switch value := value.(type) {
		case string:
			r.Meta[key] = redactor.Text(value)
		case []string:
			for i, text := range value {
				value[i] = redactor.Text(text)
			}
		}
	}
	return r
}

// removedKey is the key in Meta of the counts of characters removed from the text of records.
const removedKey = "pdpp/removed_characters"

// Removed returns how many characters [Result.Clean] took out of the text of records.
func (r Result) Removed() int {
	removed, _ := r.Meta[removedKey].(clean.Removed)
	return removed.Total()
}

// Size limits of a result, in bytes.
const (
	TextHard       = write.TextHard
	StructuredHard = write.StructuredHard
)

// A Position is a place in a list of the resource server, as this adapter's cursors encode it (D23).
type Position = paging.Position

// RepairedList is the Cursor of a Position in the combined list of a repaired search ([Repair]).
const RepairedList = paging.RepairedList

// ParsePosition parses a cursor that a model sent. A text without the form of a Position is taken for a cursor of the resource server.
func ParsePosition(cursor string) Position { return paging.Parse(cursor) }

// InvalidCursor returns an "invalid_cursor" error.
func InvalidCursor(message, hint string) *rs.Error { return paging.InvalidCursor(message, hint) }

// Quotable returns the form of a text that is hashed for a citation: one line, without marks and without the ellipses at its ends, which
// are not the record's own words.
func Quotable(text string) string { return marked.Quotable(text) }

// Digest is the SHA-256 of a text as citations write it: 64 lower-case hexadecimal digits.
func Digest(text string) string { return marked.Digest(text) }

// BriefOf returns the first short values of a record, to describe one without a title, or "".
func BriefOf(data rs.Object) string { return item.Brief(data) }

// WhenOf returns the time that a record or hit itself states, RFC 3339 or a date, or "". It is not the time at which it was collected.
func WhenOf(o rs.Object) string {
	when, _ := item.Time(o, o.Object("data"))
	return when
}

// UsualNames returns which of the names of fields are probably those of the title and of the time of a record; "" for none.
func UsualNames(fields []string) (title, time string) {
	first := func(names []string) string {
		for _, name := range names {
			if slices.Contains(fields, name) {
				return name
			}
		}
		return ""
	}
	return first(item.TitleNames), first(item.TimeNames)
}

type (
	// Coverage is how fresh the data of an answer are, and to which time range the grant is limited.
	Coverage = answer.Coverage
	// Ungranted is what an answer leaves out because it is not granted.
	Ungranted = answer.Ungranted
	// EmptyField is a field of a filter that matches no record.
	EmptyField = answer.EmptyField
	// KnownValue is a value of a field, and how many records have it.
	KnownValue = answer.KnownValue
)

// CoverageOf is [answer.CoverageOf].
func CoverageOf(list []rs.ListedStream, stream *rs.Response, streams ...string) Coverage {
	return answer.CoverageOf(list, stream, streams...)
}

// WithUngranted returns the result with a notice of what it leaves out because that is not granted, at the end of its text and the start of
// its structured output. A nil u adds nothing.
func (r Result) WithUngranted(u *Ungranted) Result {
	if u == nil {
		return r
	}
	r.Text = strings.Join(append([]string{r.Text}, u.Lines()...), "\n")
	r.Structured = append(object{rs.NewMember("not_granted", u)}, rs.AsObject(r.Structured)...).JSON()
	return r
}

// A SchemaQuery is the call that a schema document answers.
type SchemaQuery = schema.Query

// A StreamsQuery is the call that a list of streams answers.
type StreamsQuery = schema.ListQuery

// Schema renders a schema document: an index of streams, or what one stream can do (S0-R5).
func Schema(response *rs.Response, q SchemaQuery) (Result, error) {
	text, structured, err := schema.Render(response, q)
	return Result{Text: text, Structured: structured}, err
}

// Streams renders the granted streams, a line per stream and connection (S3-2a).
func Streams(response *rs.Response, q StreamsQuery) (Result, error) {
	text, structured, err := schema.List(response, q)
	return Result{Text: text, Structured: structured}, err
}
