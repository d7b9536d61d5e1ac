package hit

import (
	"cmp"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/marked"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// An Excerpt is a proven match: the resource server states that this text of this field matched (S1-1a).
type Excerpt struct {
	Field string
	Text  marked.Text
	Place marked.Place // where in the field the text is
	Ref   rs.Ref       // the record that has the field
	ID    string       // its id
	rank  int          // among the matches of its hit
	raw   string       // the text as received, if cleaning changed more than its ends; else ""
}

// Limits of the search for the best excerpt.
const (
	maxProven  = 12 // excerpts of a hit that are read
	maxMatches = 3  // of these that are kept
	maxMarks   = 16 // of an excerpt
)

// proven returns the first excerpts of a hit that the resource server proved to match: evidence excerpts of a lexical match, or a snippet
// that names its field and marks the match. No field is inferred from anything else, such as names (S1-1b).
func proven(own rs.Object, it *item.Item, connection string) []Excerpt {
	if it.Ref == (rs.Ref{}) {
		return nil
	}
	var proven []Excerpt
	for _, raw := range own.Array("evidence_excerpts") {
		e := rs.AsObject(raw)
		read := e.Object("read")
		field := cmp.Or(e.Text("field_path", "field"), read.Text("field"))
		if len(proven) == maxProven || field == "" || e.Text("provenance") != "lexical_match" || item.OtherConnection(read, connection) {
			continue
		}
		if x, ok := newExcerpt(field, e.Text("preview_text", "text")); ok {
			x.Ref, x.ID = readRef(read, it)
			x.Place = marked.ReadPlace(e, read, x.Text)
			proven = append(proven, x)
		}
	}
	if len(proven) > 0 {
		return proven
	}
	snippet := own.Object("snippet")
	if x, ok := newExcerpt(snippet.Text("field"), snippet.Text("text")); ok && x.Field != "" && len(x.Text.Marks) > 0 {
		x.Ref, x.ID = it.Ref, it.ID
		return []Excerpt{x}
	}
	return nil
}

func newExcerpt(field, text string) (Excerpt, bool) {
	line := clean.Line(text)
	x := Excerpt{Field: field, Text: marked.Read(line)}
	if x.Text.Plain == "" || !write.SendableField(field) { // no call could read such a field
		return Excerpt{}, false
	}
	if line != strings.TrimSpace(text) { // space at the ends is in no match
		x.raw = text
	}
	return x, true
}

// Matched returns a text that is literally in the field: the first that is marked; "" if that cannot be sent back.
func (x *Excerpt) Matched() string {
	raw := x.Text
	if x.raw != "" {
		raw = marked.Read(x.raw)
	}
	if len(raw.Marks) > 0 {
		if q := raw.Plain[raw.Marks[0].From:raw.Marks[0].To]; !clean.LongerThan(q, 80) && clean.Line(q) == q {
			return q
		}
	}
	return ""
}

// readRef returns the record that an excerpt says to read, which need not be the hit itself, and its id.
func readRef(read rs.Object, it *item.Item) (rs.Ref, string) {
	other := item.Item{
		Stream: cmp.Or(read.Text("stream"), it.Stream), RecordID: read.Text("record_id"),
		Connection: cmp.Or(rs.ConnectionID(read), it.Connection),
	}
	same := other.RecordID == it.RecordID && other.Stream == it.Stream && other.Connection == it.Connection
	if same || other.RecordID == "" || !other.SetHandle() {
		return it.Ref, it.ID
	}
	return other.Ref, other.ID
}

// Complete reports whether the excerpt can be all of its field: the resource server sent no ellipsis at either end.
func (x *Excerpt) Complete() bool {
	text := x.Text.Plain
	return !strings.HasPrefix(text, write.Ellipsis) && !strings.HasSuffix(text, write.Ellipsis) && !strings.HasSuffix(text, "...")
}

// isLabel reports whether an excerpt is a whole field of a few words, such as a name, an address or a tag, not a sentence.
func (x *Excerpt) isLabel() bool {
	const fewWords = 3
	return x.Complete() && strings.Count(x.Text.Plain, " ") < fewWords
}

func (x *Excerpt) matches() int {
	words := map[string]bool{}
	for _, m := range x.Text.Marks[:min(len(x.Text.Marks), maxMarks)] {
		words[strings.ToLower(x.Text.Plain[m.From:m.To])] = true
	}
	return len(words)
}

// Read adds the arguments of read_record_field that read around the match.
func (x *Excerpt) Read(a *write.Object) *write.Object {
	return a.Text("id", x.ID).Text("field", x.Field).Text("q", x.Matched())
}

// AddRead adds that call, with its tool, as a member with a name.
func (x *Excerpt) AddRead(a *write.Object, name string) {
	x.Read(a.Open(name, '{').Plain("tool", "read_record_field").Open("arguments", '{')).Close('}').Close('}')
}

func otherFields(excerpts []Excerpt, field string) []string {
	var fields []string
	for _, x := range excerpts {
		if x.Field != field {
			fields = append(fields, x.Field)
		}
	}
	return fields
}
