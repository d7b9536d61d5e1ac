package render

import (
	"cmp"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// An excerpt is a proven match: the resource server says that this text of this field matched (S1-1a).
type excerpt struct {
	field string
	text  markedText
	place place  // where in the field the text stands
	ref   rs.Ref // the record that has the field
	id    string // its id
	raw   string // the text as received, where it is not the same
}

// proven returns the first excerpts of a hit that the resource server proved to match. A field is claimed only there: an evidence
// excerpt of a lexical match, or a snippet that names its field and marks the match. Nothing is ever inferred from names (S1-1b).
func proven(own object, it *item, connection string) []excerpt {
	if it.ref == (rs.Ref{}) {
		return nil
	}
	var proven []excerpt
	for _, raw := range own.Array("evidence_excerpts") {
		e := rs.AsObject(raw)
		read := e.Object("read")
		field := cmp.Or(e.Text("field_path", "field"), read.Text("field"))
		if len(proven) == maxEvidenceRows || field == "" || e.Text("provenance") != "lexical_match" || otherConnection(read, connection) {
			continue
		}
		if x, ok := newExcerpt(field, e.Text("preview_text", "text")); ok {
			x.ref, x.id = readRef(read, it)
			x.place = readPlace(e, read, x.text)
			proven = append(proven, x)
		}
	}
	if len(proven) == 0 {
		snippet := own.Object("snippet")
		field, text := snippet.Text("field"), snippet.Text("text")
		if field != "" {
			if x, ok := newExcerpt(field, text); ok && len(x.text.marks) > 0 {
				x.ref, x.id = it.ref, it.id
				proven = append(proven, x)
			}
		}
	}
	return proven
}

func newExcerpt(field, text string) (excerpt, bool) {
	line := clean.Line(text)
	x := excerpt{field: field, text: readMarkedText(line)}
	if x.text.plain == "" || !sendableField(field) { // then the call that reads on could not be sent
		return excerpt{}, false
	}
	if line != text {
		x.raw = text
	}
	return x, true
}

// matched is a text that is literally in the field: the first that is marked; "" where that cannot be sent.
func (x *excerpt) matched() string {
	raw := x.text
	if x.raw != "" {
		raw = readMarkedText(x.raw)
	}
	if len(raw.marks) > 0 {
		if q := raw.plain[raw.marks[0].from:raw.marks[0].to]; !clean.LongerThan(q, 80) && clean.Line(q) == q {
			return q
		}
	}
	return ""
}

// readRef is the record that an excerpt says to read, which need not be the hit itself, and its id.
func readRef(read object, it *item) (rs.Ref, string) {
	other := item{
		stream: cmp.Or(read.Text("stream"), it.stream), recordID: read.Text("record_id"), conn: cmp.Or(rs.ConnectionID(read), it.conn),
	}
	same := other.recordID == it.recordID && other.stream == it.stream && other.conn == it.conn
	if same || other.recordID == "" || !other.handled() {
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
	return a.text("id", x.id).text("field", x.field).text("q", x.matched())
}

// addRead adds the whole call.
func (x *excerpt) addRead(a *arguments) {
	x.read(a.plain("tool", "read_record_field").open("arguments", '{')).close('}')
}

// otherFields are the fields that matched beside one.
func otherFields(excerpts []excerpt, field string) []string {
	var fields []string
	for i := range excerpts {
		if excerpts[i].field != field {
			fields = append(fields, excerpts[i].field)
		}
	}
	return fields
}
