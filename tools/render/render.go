// Package render turns a resource server's answer into what a model sees: bytes in, content out.
// It has no context, does no I/O and asks no clock.
package render

import "encoding/json"

// A Result is one tool result on both channels. Each alone is complete enough to act on (S4-R4).
type Result struct {
	Text       string          // the one text block of content[]
	Structured json.RawMessage // structuredContent: an object
	Meta       map[string]any  // _meta: resource URIs and counts for hosts, never needed by a model
	Cuts       int             // how many records, fields and pages did not fit and were left out or made smaller; the text says so of each
}
