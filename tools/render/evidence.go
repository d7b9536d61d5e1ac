package render

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// An excerpt is a proven match: the resource server says that this text of this field matched (S1-1a).
type excerpt struct {
	field string
	text  passage
	place place  // where in the field the text stands
	ref   rs.Ref // the record that has the field
	id    string // its id
	q     string // a text that is literally in the field; may be empty
}

// A proof is what the resource server says of a proven match.
type proof struct{ own, read object }

// takeExcerpt reads an excerpt, and keeps it when it is one of the first that the resource server proved to match.
func (r *hitReader) takeExcerpt(own object) {
	at := len(r.excerpts) - r.first
	if at == maxEvidenceRows {
		return
	}
	p := &r.proofs[at]
	p.own, p.read = own, own.Object("read")
	if otherConnection(p.read, r.q.ConnectionID) {
		return
	}
	field := p.own.Text("field_path", "field")
	if field == "" {
		field = p.read.Text("field")
	}
	if field == "" || p.own.Text("provenance") != "lexical_match" {
		return
	}
	if x, ok := r.excerpt(field, p.own.Text("preview_text", "text")); ok {
		r.excerpts = append(r.excerpts, x)
	}
}

// proven returns the excerpts of the hit at hand. A field is claimed only where the resource server proved a match: an evidence
// excerpt of a lexical match, or a snippet that names its field and marks the match. Nothing is ever inferred from
// names (S1-1b).
func (r *hitReader) proven(it *item) []excerpt {
	if it.ref == (rs.Ref{}) {
		return nil
	}
	for i := range r.excerpts[r.first:] {
		x, p := &r.excerpts[r.first+i], &r.proofs[i]
		x.ref, x.id = readRef(&r.passages.texts, p.read, it)
		x.place = readPlace(p.own, p.read, x.text)
	}
	if len(r.excerpts) == r.first {
		r.part = rs.AsObject(r.own.Get("snippet"))
		field, text := r.part.Text("field"), r.part.Text("text")
		if field != "" && strings.Contains(balance(text), markOpen) {
			if x, ok := r.excerpt(field, text); ok {
				x.ref, x.id = it.ref, it.id
				r.excerpts = append(r.excerpts, x)
			}
		}
	}
	return slices.Clip(r.excerpts[r.first:])
}

func (r *hitReader) excerpt(field, text string) (excerpt, bool) {
	p := r.passages.read(r.passages.texts.oneLine(text))
	if p.plain == "" || !sendableField(field) { // then the call that reads on could not be sent
		return excerpt{}, false
	}
	return excerpt{field: field, text: p, q: marked(balance(text))}, true
}

// readRef is the record that an excerpt says to read, which need not be the hit itself, and its id.
func readRef(texts *texts, read object, it *item) (rs.Ref, string) {
	other := item{stream: read.Text("stream"), recordID: read.Text("record_id"), conn: rs.ConnectionID(read)}
	if other.stream == "" {
		other.stream = it.stream
	}
	if other.conn == "" {
		other.conn = it.conn
	}
	if other.recordID == "" || other.stream == it.ref.Stream && other.recordID == it.ref.RecordID && other.conn == it.ref.ConnectionID {
		return it.ref, it.id
	}
	if other.handled(texts); other.id == "" {
		return it.ref, it.id
	}
	return other.ref, other.id
}

// complete reports whether the resource server shows no ellipsis at an end: whether the excerpt can be all of its field.
func (x *excerpt) complete() bool {
	return !strings.HasPrefix(x.text.plain, ellipsis) && !strings.HasSuffix(x.text.plain, ellipsis) && !strings.HasSuffix(x.text.plain, "...")
}

// read adds the arguments of read_record_field that continue the excerpt.
func (x *excerpt) read(a *arguments) *arguments {
	return a.text("id", x.id).text("field", x.field).text("q", x.q)
}

// marked is the first marked text of a balanced line when it can be searched for literally, else "".
func marked(s string) string {
	_, _, rest := nextMark(s)
	text, _, _ := nextMark(rest)
	if longerThan(text, 80) || oneLine(text) != text {
		return ""
	}
	return text
}
