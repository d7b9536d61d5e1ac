package render

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// A hitText is a hit as text has it: what it is on one line, the best match on the next.
type hitText struct {
	id     string // as printed, with the connection that must be sent beside it
	what   string
	match  string // "" when no text of it is known
	record rs.Ref // without its stream: hits of one record in several streams, as a message and its body, are one line
	proven bool
	joins  bool // the line is that of an earlier hit
	long   bool // the id is too long to be shown (D15)
}

// sameThing reports whether two streams have parts of one thing, as messages and message_bodies: then equal record ids are of one.
// Others, as orders and customers, may number their records alike.
func sameThing(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return strings.HasPrefix(b, strings.TrimSuffix(a, "s")+"_")
}

// A sharedRecords tells which hits are of the same thing as an earlier one: it has the stream of the first hit of each record id of a
// connection.
type sharedRecords map[rs.Ref]string

// add returns the record of a hit without its stream, the zero Ref where the hit is of none that others can share, and whether the hit
// is of the same thing as an earlier one, as a message and its body.
func (s sharedRecords) add(h *hit) (record rs.Ref, joins bool) {
	record = rs.Ref{ConnectionID: h.ref.ConnectionID, RecordID: h.ref.RecordID}
	if record.RecordID == "" || record.ConnectionID == "" {
		return rs.Ref{}, false
	}
	first, seen := s[record]
	switch {
	case !seen:
		s[record] = h.stream
	case !sameThing(first, h.stream):
		return rs.Ref{}, false
	}
	return record, seen
}

// size is how many bytes a hit adds to the text, at most.
func (t *hitText) size() int {
	switch {
	case t.long:
		return 0
	case t.joins:
		return len(" + ") + len(t.id)
	}
	n := len(t.id) + len(separator) + len(t.what) + 1
	if t.match != "" {
		n += len(t.match) + len("\n  ")
	}
	return n
}

// line writes a hit with the ids of those behind it that are of the same record.
func (t *hitText) line(behind []hitText) string {
	var line strings.Builder
	line.Grow(t.size())
	line.WriteString(t.id)
	for i := range behind {
		if other := &behind[i]; t.record != (rs.Ref{}) && other.record == t.record && !other.long {
			line.WriteString(" + ")
			line.WriteString(other.id)
		}
	}
	line.WriteString(separator)
	line.WriteString(t.what)
	if t.match != "" {
		line.WriteString("\n  ")
		line.WriteString(t.match)
	}
	return line.String()
}

// what says what a hit is: when, its title or what takes the place of one, who it is from, and where it is.
func (h *hit) what(whole bool) string {
	b := make([]byte, 0, 160)
	add := func(parts ...string) {
		if len(b) > 0 {
			b = append(b, separator...)
		}
		for _, part := range parts {
			b = append(b, part...)
		}
	}
	switch {
	case h.authored != "":
		add(shownText(minute(h.authored)))
	case h.emitted != "": // when it was read, which is not when it happened
		add("collected ", shownText(minute(h.emitted)))
	}
	if h.stream != "" && h.ref.Stream == "" { // else the id has it
		add(shownText(clean.Preview(h.stream, labelChars)))
	}
	switch {
	case h.title != "" && !h.isTitle:
		add(shownText(clean.Preview(h.title, 80)))
	case h.title == "":
		add(shownText(h.untitled()))
	}
	if whole && h.who != "" {
		add(shownText(clean.Preview(h.who, labelChars)))
	}
	if source := h.source(); source != "" && (whole || h.separate() != "") {
		add(source)
	}
	if h.has != "" {
		add(h.has)
	}
	return string(b)
}

// appendMatch appends the match of a hit, cited as `pdpp-mcp verify` takes it behind the id: field, place and digest.
func (h *hit) appendMatch(b []byte, chars int) []byte {
	if len(h.excerpts) == 0 {
		if chars == 0 || h.snippet.plain == "" {
			return b
		}
		return h.snippet.appendShown(b, h.snippet.window(chars), clean.AppendEscaped)
	}
	x := h.best()
	if x.id != h.id {
		b = append(append(b, x.id...), ' ')
	}
	b = append(append(b, "field="...), clean.Name(x.field)...)
	if chars == 0 {
		return b
	}
	shown := x.text.window(chars)
	cite := x.place.cite(x.text.plain, shown)
	if cite.quote != "" {
		b = append(b, ' ')
		if cite.end > 0 {
			b = append(strconv.AppendInt(b, int64(cite.start), 10), '-')
			b = append(strconv.AppendInt(b, int64(cite.end), 10), ' ')
		}
		b = cite.appendDigest(b)
	}
	b = x.text.appendShown(append(b, ": "...), shown, clean.AppendEscaped)
	for i, other := range otherFields(h.excerpts, x.field) {
		if i == 0 {
			b = append(b, "; also in "...)
		} else {
			b = append(b, ", "...)
		}
		b = append(b, clean.Name(other)...)
	}
	return b
}

// sourceMix counts the hits of each connection, when there is more than one (S0-6a).
func sourceMix(hits []hit) string {
	const maxSources = 6
	type source struct {
		first *hit
		count int
	}
	var sources []source
	for i := range hits {
		at := slices.IndexFunc(sources, func(s source) bool { return s.first.conn == hits[i].conn })
		if at < 0 {
			at = len(sources)
			sources = append(sources, source{first: &hits[i]})
		}
		sources[at].count++
	}
	if len(sources) < 2 {
		return ""
	}
	var parts []string
	for i, s := range sources {
		if i == maxSources {
			parts = append(parts, fmt.Sprintf("%d others", len(sources)-i))
			break
		}
		label := cmp.Or(clean.Preview(s.first.label, 40), clean.Preview(s.first.conn, 40), "unnamed")
		parts = append(parts, fmt.Sprintf("%s=%d", clean.Bare(label), s.count))
	}
	return strings.Join(parts, ", ")
}
