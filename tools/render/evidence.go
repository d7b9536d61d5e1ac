package render

import (
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	markOpen  = "<mark>"
	markClose = "</mark>"
)

// An excerpt is a proven match: the resource server says that this text of this field matched (S1-1a).
type excerpt struct {
	field string
	text  string // one line with balanced marks, as received in length
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
	line := balance(oneLine(text))
	if line == "" {
		return excerpt{}, false
	}
	return excerpt{field: field, text: line, ref: ref, q: marked(balance(text))}, true
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

// around returns about max runes of a marked text, starting a little before its first mark, with balanced marks.
func around(s string, max int) string {
	start := 0
	if at := strings.Index(s, markOpen); at > 0 {
		if before := len([]rune(s[:at])); before > max/3 {
			start = runeIndex(s, before-max/3)
			if space := strings.IndexByte(s[start:at], ' '); space >= 0 {
				start += space + 1
			}
		}
	}
	cut := s[start:]
	if start > 0 {
		cut = "…" + cut
	}
	return clipMarked(cut, max)
}

// clipMarked is clip for a text with marks: it cuts in no tag, and closes a mark that it cut open.
func clipMarked(s string, max int) string {
	s = balance(s)
	if !longerThan(s, max) {
		return s
	}
	room := max - len(markClose) - 1
	if room < 1 {
		return clip(plain(s), max)
	}
	cut := s[:runeIndex(s, room)]
	if at := strings.LastIndexByte(cut, '<'); at >= 0 {
		if tail := s[at:]; (strings.HasPrefix(tail, markOpen) && len(cut)-at < len(markOpen)) ||
			(strings.HasPrefix(tail, markClose) && len(cut)-at < len(markClose)) {
			cut = cut[:at]
		}
	}
	cut = strings.TrimRight(strings.TrimSuffix(strings.TrimRight(cut, " "), markOpen), " ")
	if strings.Count(cut, markOpen) > strings.Count(cut, markClose) {
		cut += markClose
	}
	return cut + "…"
}

// balance removes every mark that does not open and close in order, without nesting. It reads s once: record text may
// hold any number of tags.
func balance(s string) string {
	if !strings.Contains(s, "mark>") {
		return s
	}
	out := make([]byte, 0, len(s))
	open := -1 // where the open mark stands in out
	for {
		before, tag, rest := nextMark(s)
		out = append(out, before...)
		switch {
		case tag == markOpen && open < 0:
			open = len(out)
			out = append(out, tag...)
		case tag == markClose && open >= 0:
			open = -1
			out = append(out, tag...)
		}
		if tag == "" {
			break
		}
		s = rest
	}
	if open >= 0 { // never closed
		out = append(out[:open], out[open+len(markOpen):]...)
	}
	if !balanced(string(out)) {
		return plain(string(out)) // removing a tag put the pieces of another together
	}
	return string(out)
}

// balanced reports whether marks alternate, opening first.
func balanced(s string) bool {
	open := false
	for {
		_, tag, rest := nextMark(s)
		if tag == "" {
			return !open
		}
		if open == (tag == markOpen) {
			return false
		}
		open, s = !open, rest
	}
}

// nextMark splits s at its first tag; tag is "" when there is none.
func nextMark(s string) (before, tag, rest string) {
	for from := 0; ; {
		at := strings.IndexByte(s[from:], '<')
		if at < 0 {
			return s, "", ""
		}
		at += from
		for _, tag := range []string{markOpen, markClose} {
			if strings.HasPrefix(s[at:], tag) {
				return s[:at], tag, s[at+len(tag):]
			}
		}
		from = at + 1
	}
}

// plain removes all marks, also those that appear when others are removed.
func plain(s string) string {
	for range 3 {
		s = strings.ReplaceAll(strings.ReplaceAll(s, markOpen, ""), markClose, "")
	}
	if _, tag, _ := nextMark(s); tag != "" {
		s = strings.ReplaceAll(s, "<", "")
	}
	return s
}
