// Package field says in words what a stream's schema says of its fields and relations.
package field

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// MostKinds bounds the kinds of aggregation that are named.
const MostKinds = 12

// schemaBytes bounds the JSON schema of a field.
const schemaBytes = 1500

// Signature is what a field is and can do: "timestamp (event-time) exact range group_by_time max min".
func Signature(f *rs.SchemaField) string {
	var words []string
	if f.Type != "" {
		words = append(words, typeName(write.Label(f.Type)))
	}
	if f.Role != "" {
		words = append(words, "("+clean.Name(write.Label(f.Role))+")")
	}
	if f.Exact {
		words = append(words, "exact")
	}
	if slices.Equal(f.Ranges, rs.RangeOperators) {
		words = append(words, "range")
	} else if len(f.Ranges) > 0 {
		words = append(words, "range["+quotedWords(f.Ranges, write.LabelChars)+"]")
	}
	return cmp.Or(strings.Join(slices.Concat(words, SearchModes(f), Aggregations(f)), " "), "fields")
}

// SearchModes are the modes of search that find a field.
func SearchModes(f *rs.SchemaField) []string {
	var modes []string
	if f.Lexical {
		modes = append(modes, "lexical")
	}
	if f.Semantic {
		modes = append(modes, "semantic")
	}
	return modes
}

// Aggregations are the kinds of aggregation of a field, as they are shown.
func Aggregations(f *rs.SchemaField) []string {
	var kinds []string
	for _, kind := range f.Aggregates[:min(len(f.Aggregates), MostKinds)] {
		if word := clean.Preview(kind, 30); word != "" {
			kinds = append(kinds, clean.Name(word))
		}
	}
	return kinds
}

// typeName is the type of a field, such as string or string|null; quoted where it is more than such words.
func typeName(kind string) string {
	if clean.Unmistakable(strings.ReplaceAll(kind, "|", "")) {
		return kind
	}
	return clean.Quote(kind)
}

// quotedWords joins words that a resource server sent, as many as fit into max bytes.
func quotedWords(list []string, max int) string {
	var words []string
	for _, word := range list {
		if max -= len(word) + 1; max < 0 {
			words = append(words, "…")
			break
		}
		words = append(words, clean.Name(word))
	}
	return strings.Join(words, " ")
}

// WithJSON is a line that ends in JSON. JSON that is too long is shortened, and the line notes it.
func WithJSON(beginning string, raw string) string {
	const note = " (shortened)"
	if raw == "" {
		return clean.Clip(beginning, write.LineChars)
	}
	beginning += " "
	for remaining := max(min(schemaBytes, write.LineChars-len(beginning)-len(note)), 64); ; remaining /= 2 {
		line := beginning + write.JSONText(write.Truncate(raw, remaining))
		if len(raw) > remaining {
			line += note
		}
		if remaining < 16 || !clean.LongerThan(line, write.LineChars) {
			return clean.Clip(line, write.LineChars)
		}
	}
}

// Relation is "attachments (has_many, default 10, max 50)".
func Relation(r rs.Relation) string {
	var notes []string
	if r.Cardinality != "" {
		notes = append(notes, clean.Name(clean.Preview(r.Cardinality, 20)))
	}
	if r.Target != "" && r.Target != r.Name {
		notes = append(notes, "of "+clean.Name(r.Target))
	}
	if r.DefaultLimit != nil {
		notes = append(notes, fmt.Sprintf("default %d", *r.DefaultLimit))
	}
	if r.MaxLimit != nil {
		notes = append(notes, fmt.Sprintf("max %d", *r.MaxLimit))
	}
	if len(notes) == 0 {
		return clean.Name(r.Name)
	}
	return clean.Name(r.Name) + " (" + strings.Join(notes, ", ") + ")"
}

// Advertises reports whether anything can be done with a field beyond reading it.
func Advertises(f rs.SchemaField) bool {
	return f.Granted && (f.Exact || f.Lexical || f.Semantic || len(f.Ranges) > 0 || len(f.Aggregates) > 0)
}
