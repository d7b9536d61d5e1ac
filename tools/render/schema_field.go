package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// mostKinds bounds the kinds of aggregation that are named.
const mostKinds = 12

// schemaBytes bounds the JSON schema of a field.
const schemaBytes = 1500

// signature is what a field is and can do: "timestamp (event-time) exact range group_by_time max min".
func signature(f *rs.SchemaField) string {
	kind, role, ranges := "", "", ""
	if f.Type != "" {
		kind = typeName(write.Label(f.Type))
	}
	if f.Role != "" {
		role = "(" + clean.Name(write.Label(f.Role)) + ")"
	}
	if slices.Equal(f.Ranges, rs.RangeOperators) {
		ranges = "range"
	} else if len(f.Ranges) > 0 {
		ranges = "range[" + quotedWords(f.Ranges, write.LabelChars) + "]"
	}
	words := write.NotEmpty(kind, role, write.When(f.Exact, "exact"), ranges)
	return cmp.Or(strings.Join(slices.Concat(words, searchModes(f), aggregations(f)), " "), "fields")
}

// searchModes are the modes of search that find a field.
func searchModes(f *rs.SchemaField) []string {
	return write.NotEmpty(write.When(f.Lexical, "lexical"), write.When(f.Semantic, "semantic"))
}

// aggregations are the kinds of aggregation of a field, as they are shown.
func aggregations(f *rs.SchemaField) []string {
	var kinds []string
	for _, kind := range f.Aggregates[:min(len(f.Aggregates), mostKinds)] {
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

// withJSON is a line that ends in JSON. JSON that is too long is shortened, and the line notes it.
func withJSON(beginning string, raw string) string {
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

// expands is "attachments (has_many, default 10, max 50)".
func expands(r rs.Relation) string {
	var cardinality, of, least, most string
	if r.Cardinality != "" {
		cardinality = clean.Name(clean.Preview(r.Cardinality, 20))
	}
	if r.Target != "" && r.Target != r.Name {
		of = "of " + clean.Name(r.Target)
	}
	if r.DefaultLimit != nil {
		least = fmt.Sprintf("default %d", *r.DefaultLimit)
	}
	if r.MaxLimit != nil {
		most = fmt.Sprintf("max %d", *r.MaxLimit)
	}
	notes := strings.Join(write.NotEmpty(cardinality, of, least, most), ", ")
	return clean.Name(r.Name) + write.When(notes != "", " ("+notes+")")
}

// advertises reports whether anything can be done with a field beyond reading it.
func advertises(f rs.SchemaField) bool {
	return f.Granted && (f.Exact || f.Lexical || f.Semantic || len(f.Ranges) > 0 || len(f.Aggregates) > 0)
}
