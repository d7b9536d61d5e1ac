package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// A hit is one search result.
type hit struct {
	item
	who      string     // sender, author or organiser, as the resource server says
	snippet  markedText // empty when there is none
	excerpts []excerpt  // proven matches, best first
	shown    int        // index of the match that is shown: the first that is not the title
	isTitle  bool       // that match is the title

	key     string   // what tells it from the others of its page
	line    string   // what text says of it, where that is known already
	has     string   // which words of a repaired search it has, as text says it; empty for any other
	words   []string // the same
	nearest []string // what it has in the place of misspelled words
	foreign bool     // it says that it is of another connection than the one that was asked for
	meaning bool     // it was found by its meaning alone: it need not have the words

	own  object // as received
	read bool   // with its texts
}

// readHit reads what a hit is. n is its place in the list, for hits that have no id at all; connection is the one that was asked for.
func readHit(o object, n int, connection string) hit {
	h := hit{own: o, item: item{
		stream:    o.Text("stream", "stream_name"),
		recordID:  o.Text("record_key", "record_id"),
		conn:      rs.ConnectionID(o),
		connector: rs.ConnectorKey(o),
		label:     o.Text("display_name", "connection_display_name"),
		emitted:   clean.Preview(o.Text("emitted_at"), 40),
	}}
	h.conn = cmp.Or(h.conn, rs.ConnectionID(o.Object("read")), connection)
	h.foreign = otherConnection(o, connection)
	if match := o.Text("match"); match == "some" || match == "nearest" {
		h.words, h.nearest = shownWords(o, "matched_words"), shownWords(o, "nearest_words")
		h.has = h.hasOnly()
	}
	switch o.Text("retrieval_mode") {
	case "semantic":
		h.meaning = true
	case "hybrid":
		sources := o.Array("retrieval_sources")
		h.meaning = len(sources) > 0 && !slices.Contains(sources, `"lexical"`)
	}
	h.identify(o.Text("result_id", "id"), o.Text("record_uri", "uri"), n)
	return h
}

// readTexts reads what a hit says: its title, its matches, and which of them is shown.
func (h *hit) readTexts(connection string) {
	o, data := h.own, h.own.Object("data")
	h.read, h.who = true, o.Text("actor")
	h.authored, _ = timeOf(o, data)
	h.title, _ = firstText(titleNames, o, data, func(s string) bool {
		title := plain(s)
		return isTitle(s) && title != h.recordID && title != h.id && title != o.Text("id") // an id is no title
	})
	h.title = plain(h.title)
	if h.excerpts = proven(o, &h.item, connection); len(h.excerpts) == 0 {
		h.snippet = readMarkedText(clean.Line(snippetText(o)))
	}
	h.distinguish()
	h.choose()
}

// heading is the title for people, distinct from every text of the hit.
func (h *hit) heading() string {
	if h.isTitle {
		return h.item.heading() + " (" + h.untitled() + ")"
	}
	return h.item.heading()
}

// identify finds the hit's id. The resource server's own self-contained id passes untouched (S2-12); a record's parts or
// URI become a self-contained id (S3-R19, S1-5b); anything else stays what it is (S2-9).
func (h *hit) identify(own, uri string, n int) {
	ref, isRef := parseRef(own)
	record, _ := parseRef(uri)
	opaque := strings.Contains(own, "://") || strings.HasPrefix(own, "result:")
	switch {
	case isRef && strings.Contains(own, "/") && h.adopt(ref):
	case h.handled():
	case h.adopt(record):
	case isRef && !opaque && (h.stream == "" || h.stream == ref.Stream) && h.adopt(ref):
	case h.recordID == "" && h.stream != "" && !opaque && h.adopt(rs.Ref{Stream: h.stream, RecordID: own}):
	case own == "" || !isRef && !opaque || clean.Line(own) != own:
		h.id = fmt.Sprintf("result:%d", n+1) // what cannot be sent is no id
	default:
		h.id = own
	}
}

// adopt takes over an id's parts and forms the self-contained id from them. It reports whether there is one.
func (h *hit) adopt(ref rs.Ref) bool {
	if ref == (rs.Ref{}) {
		return false
	}
	h.conn = cmp.Or(ref.ConnectionID, h.conn)
	h.stream, h.recordID = ref.Stream, ref.RecordID
	return h.handled()
}

// distinguish keeps the title from saying the same as the text below it (S0-6a). What a server made of the start of the
// text is no title. A title field that matched is one, and heading adds what distinguishes it.
func (h *hit) distinguish() {
	if len(h.excerpts) == 0 {
		switch title := h.title; {
		case !repeats(title, h.snippet.plain):
		case clean.LongerThan(title, titleChars) || len(Quotable(h.snippet.plain)) > len(Quotable(title)):
			h.title = ""
		default:
			h.snippet = markedText{} // the title says it already
		}
		return
	}
	for _, x := range h.excerpts {
		word := len([]rune(x.text.plain)) < min(len([]rune(h.title)), 40) // of a title that says more, such as a tag
		if !word && repeats(h.title, x.text.plain) && !slices.Contains(titleNames, x.field[strings.LastIndexByte(x.field, '.')+1:]) {
			h.title = ""
			return
		}
	}
}

// choose chooses the match that is shown.
func (h *hit) choose() {
	for i := range h.excerpts {
		if !repeats(h.title, h.excerpts[i].text.plain) {
			h.shown = i
			return
		}
	}
	h.isTitle = len(h.excerpts) > 0
}

// snippetText is what a hit shows of its text, in any of its shapes.
func snippetText(o object) string {
	if s := o.Object("snippet"); s != nil {
		return s.Text("text")
	}
	if s := o.Text("snippet"); s != "" {
		return s
	}
	for _, raw := range o.Array("evidence_excerpts") {
		if s := rs.AsObject(raw).Text("preview_text", "text"); s != "" {
			return s
		}
	}
	return o.Text("preview", "text")
}

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

// hasOnly says which words a hit has that lacks others.
func (h *hit) hasOnly() string {
	var parts []string
	if len(h.words) > 0 {
		parts = append(parts, "has only "+quoteEach(h.words))
	}
	if len(h.nearest) > 0 {
		parts = append(parts, "nearest: "+quoteEach(h.nearest))
	}
	return strings.Join(parts, "; ")
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

// best is the match that is shown, of a hit that has one.
func (h *hit) best() *excerpt { return &h.excerpts[h.shown] }

// ofSender is the filter by who sent a hit, where a query names them and a match shows the field that has the name; else "".
func (h *hit) ofSender(query string) string {
	if h.who == "" || !strings.Contains(strings.ToLower(query), strings.ToLower(h.who)) {
		return ""
	}
	for i := range h.excerpts {
		if x := &h.excerpts[i]; x.text.plain == h.who {
			return object{pair(x.field, encode(h.who))}.JSON()
		}
	}
	return ""
}
