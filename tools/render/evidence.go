package render

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// An excerpt is a proven match: the resource server says that this text of this field matched (S1-1a).
type excerpt struct {
	field string
	text  passage
	place place  // where in the field the text stands
	ref   rs.Ref // the record that has the field
	q     string // a text that is literally in the field; may be empty
}

// proven returns a hit's excerpts. A field is claimed only where the resource server proved a match: an evidence
// excerpt of a lexical match, or a snippet that names its field and marks the match. Nothing is ever inferred from
// names (S1-1b).
func proven(hit object, it *item) []excerpt {
	if it.ref == (rs.Ref{}) {
		return nil
	}
	var list []excerpt
	for _, raw := range hit.Array("evidence_excerpts") {
		if len(list) == maxEvidenceRows {
			break
		}
		e := rs.AsObject(raw)
		read := e.Object("read")
		field := e.Text("field_path", "field")
		if field == "" {
			field = read.Text("field")
		}
		if field == "" || e.Text("provenance") != "lexical_match" {
			continue
		}
		if x, ok := newExcerpt(field, e.Text("preview_text", "text"), readRef(read, it)); ok {
			x.place = readPlace(e, read, x.text)
			list = append(list, x)
		}
	}
	if snippet := hit.Object("snippet"); len(list) == 0 && snippet != nil {
		field, text := snippet.Text("field"), snippet.Text("text")
		if field != "" && strings.Contains(balance(text), markOpen) {
			if x, ok := newExcerpt(field, text, it.ref); ok {
				list = append(list, x)
			}
		}
	}
	return list
}

func newExcerpt(field, text string, ref rs.Ref) (excerpt, bool) {
	p := readPassage(oneLine(text))
	if p.plain == "" || !sendableField(field) { // then the call that reads on could not be sent
		return excerpt{}, false
	}
	return excerpt{field: field, text: p, ref: ref, q: marked(balance(text))}, true
}

// readRef is the record that an excerpt says to read, which need not be the hit itself.
func readRef(read object, it *item) rs.Ref {
	other := item{stream: read.Text("stream"), recordID: read.Text("record_id"), conn: connectionID(read)}
	if other.stream == "" {
		other.stream = it.stream
	}
	if other.conn == "" {
		other.conn = it.conn
	}
	if other.recordID == "" {
		return it.ref
	}
	if other.handled(); other.id == "" {
		return it.ref
	}
	return other.ref
}

// A preview is what an answer shows of an excerpt.
type excerptPreview struct {
	text string // at most as many runes as asked for, with marks and ellipses
	cite cite
}

// preview shows at most max runes of the excerpt.
func (x *excerpt) preview(cut *cutter, max int) excerptPreview {
	text, shown := cut.around(x.text, max)
	return excerptPreview{text: text, cite: x.place.cite(x.text.plain, shown)}
}

// read returns the arguments of read_record_field that continue the excerpt.
func (x excerpt) read() *arguments {
	return new(arguments).text("id", x.ref.String()).text("field", x.field).text("q", x.q)
}

// marked is the first marked text when it can be searched for literally, else "".
func marked(s string) string {
	_, rest, ok := strings.Cut(s, markOpen)
	if !ok {
		return ""
	}
	text, _, _ := strings.Cut(rest, markClose)
	if text == "" || longerThan(text, 80) || oneLine(text) != text {
		return ""
	}
	return text
}
