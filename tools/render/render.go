// Package render turns a resource server's answer into what a model sees: bytes in, content out.
// It has no context, does no I/O and asks no clock.
package render

import (
	"encoding/json"
	"maps"

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
