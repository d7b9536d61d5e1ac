package hit

import (
	"bytes"
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/marked"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/question"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A Text is a hit in text: what it is on one line, the best match on the next.
type Text struct {
	ID     string // as printed, with the connection that must be sent with it
	What   string
	Match  []byte // empty if no text of the hit is known
	Record rs.Ref // without its stream: hits of one record in several streams, such as a message and its body, share a line
	Proven bool
	Joins  bool // the hit is on the line of an earlier hit
	Long   bool // the id is too long to be shown (D15)
}

// sameThing reports whether two streams are one, or have parts of the same things, such as messages and message_bodies: then equal record
// ids mean one thing. Other streams, such as orders and customers, may use the same ids for different things.
func sameThing(a, b string) bool {
	if len(a) > len(b) {
		a, b = b, a
	}
	return a == b || strings.HasPrefix(b, strings.TrimSuffix(a, "s")+"_")
}

// SharedRecords finds hits of the same thing as an earlier hit. It maps each record, without its stream, to the stream of its first hit.
type SharedRecords map[rs.Ref]string

// Add returns the record of a hit without its stream, or the zero Ref if no other hit can share it, and whether the hit is of the same
// thing as an earlier one, such as a message and its body.
func (s SharedRecords) Add(h *Hit) (record rs.Ref, joins bool) {
	record = rs.Ref{ConnectionID: h.Ref.ConnectionID, RecordID: h.Ref.RecordID}
	if record.RecordID == "" || record.ConnectionID == "" {
		return rs.Ref{}, false
	}
	first, seen := s[record]
	switch {
	case !seen:
		s[record] = h.Stream
	case !sameThing(first, h.Stream):
		return rs.Ref{}, false
	}
	return record, seen
}

// Cut reports whether the match is truncated.
func (t *Text) Cut() bool {
	return bytes.Contains(t.Match, []byte(`"`+write.Ellipsis)) || bytes.Contains(t.Match, []byte(write.Ellipsis+`"`))
}

// Size returns how many bytes a hit adds to the text at most.
func (t *Text) Size() int {
	switch {
	case t.Long:
		return 0
	case t.Joins:
		return len(" + ") + len(t.ID) + len("\n  ") + len(t.Match)
	}
	return len(t.ID) + len(write.Separator) + len(t.What) + len("\n  ") + len(t.Match) + 1
}

// Line returns a hit, with the ids of the hits after it that belong to the same record, and their matches if they are of this one.
func (t *Text) Line(behind []Text) string {
	var line strings.Builder
	line.Grow(t.Size())
	line.WriteString(t.ID)
	ids, matches := []string{t.ID}, [][]byte{t.Match}
	for _, other := range behind {
		if t.Record == (rs.Ref{}) || other.Record != t.Record || other.Long {
			continue
		}
		if !slices.Contains(ids, other.ID) {
			line.WriteString(" + ")
			line.WriteString(other.ID)
			ids = append(ids, other.ID)
		}
		if !slices.ContainsFunc(matches, func(match []byte) bool { return bytes.Equal(match, other.Match) }) {
			matches = append(matches, other.Match)
		}
	}
	line.WriteString(write.Separator)
	line.WriteString(t.What)
	for _, match := range matches {
		if len(match) > 0 {
			line.WriteString("\n  ")
			line.Write(match)
		}
	}
	return line.String()
}

// IsSameRecord reports whether another hit is of the same thing, such as the body of a message.
func (h *Hit) IsSameRecord(other *Hit) bool {
	return h.RecordID != "" && h.RecordID == other.RecordID && h.Connection == other.Connection && sameThing(h.Stream, other.Stream)
}

// Shows reports whether the texts that a hit shows contain a word.
func (h *Hit) Shows(word string) bool {
	shown := []string{h.Title, h.Who, h.Snippet.Plain}
	for i := range h.Excerpts {
		shown = append(shown, h.Excerpts[i].Text.Plain)
	}
	return question.Has(strings.Join(shown, "\n"), word)
}

// What describes a hit: its time, its title or a substitute, who it is from, and where it is. Without whole, it leaves out what is not
// needed to read the record.
func (h *Hit) What(whole bool) string {
	if whole && h.what != "" {
		return h.what
	}
	when, title, who, source := "", h.untitled, "", h.Source()
	switch {
	case h.Authored != "":
		when = h.When()
	case h.Emitted != "": // when it was collected, which is not when it happened
		when = "collected " + clean.ShownText(write.Minute(h.Emitted))
	}
	if h.Title != "" {
		title = write.When(!h.isTitle, clean.Preview(h.Title, 80))
	}
	if whole {
		who = write.Label(h.Who)
	} else if h.Separate() == "" {
		source = ""
	}
	stream := write.When(h.Ref.Stream == "", write.Label(h.Stream)) // else it is in the id
	b := make([]byte, 0, 160)
	for _, part := range [...]string{when, shown(stream), shown(title), shown(who), source, h.Has} {
		if part != "" {
			b = append(append(b, write.When(len(b) > 0, write.Separator)...), part...)
		}
	}
	if !whole {
		return string(b)
	}
	h.what = string(b)
	return h.what
}

func shown(text string) string { return write.When(text != "", clean.ShownText(text)) }

// AppendMatch appends the match of a hit with its citation, as `pdpp-mcp verify` takes it after the id: field, range and digest.
func (h *Hit) AppendMatch(b []byte, chars int) []byte {
	if len(h.Excerpts) == 0 {
		if chars == 0 || h.Snippet.Plain == "" {
			return b
		}
		return h.Snippet.Append(b, h.Snippet.Window(chars), clean.AppendEscaped)
	}
	x := h.Best()
	if x.ID != h.ID {
		b = append(append(b, x.ID...), ' ')
	}
	b = append(append(b, "field="...), clean.Name(x.Field)...)
	if chars == 0 {
		return b
	}
	shown := x.Text.Window(chars)
	cite := x.Place.Cite(x.Text.Plain, shown)
	if cite.End > 0 {
		b = fmt.Appendf(b, " %d-%d", cite.Start, cite.End)
	}
	if cite.Quote != "" {
		b = marked.AppendDigest(append(b, ' '), cite.Quote)
	}
	b = x.Text.Append(append(b, ": "...), shown, clean.AppendEscaped)
	return append(b, write.Lead("; also in ", strings.Join(write.Each(otherFields(h.Excerpts, x.Field), clean.Name), ", "))...)
}

// Records counts the records to which hits belong.
func Records(hits []Hit) int {
	count, records := 0, make(SharedRecords, len(hits))
	for i := range hits {
		if _, joins := records.Add(&hits[i]); !joins {
			count++
		}
	}
	return count
}

// StreamMix counts the records to which hits belong, by connection and stream. A thing that is stored in several streams, such as a message
// and its body, counts once.
func StreamMix(hits []Hit) string {
	const maxStreams = 8
	type group struct {
		source  string
		streams []string
		count   int
	}
	var groups []group
	records := make(SharedRecords, len(hits))
	for i := range hits {
		h, source := &hits[i], sourceLabel(&hits[i])
		at := slices.IndexFunc(groups, func(g group) bool {
			return g.source == source && slices.ContainsFunc(g.streams, func(s string) bool { return sameThing(s, h.Stream) })
		})
		if at < 0 {
			at, groups = len(groups), append(groups, group{source: source})
		}
		g := &groups[at]
		if !slices.Contains(g.streams, h.Stream) {
			g.streams = append(g.streams, h.Stream)
		}
		if _, joins := records.Add(h); !joins {
			g.count++
		}
	}
	parts := make([]string, len(groups))
	for i, g := range groups {
		slices.SortFunc(g.streams, func(a, b string) int { return cmp.Compare(len(a), len(b)) })
		parts[i] = fmt.Sprintf("%s %s %d", g.source, strings.Join(write.Each(g.streams, clean.Name), "+"), g.count)
	}
	return strings.Join(write.First(parts, maxStreams, "%d other streams"), ", ")
}

// SourceMix counts the hits of each connection; "" if there is only one (S0-6a).
func SourceMix(hits []Hit) string {
	const maxSources = 6
	var firsts []*Hit          // the first hit of each connection
	counts := map[string]int{} // by connection
	for i := range hits {
		if counts[hits[i].Connection]++; counts[hits[i].Connection] == 1 {
			firsts = append(firsts, &hits[i])
		}
	}
	if len(firsts) < 2 {
		return ""
	}
	parts := write.Each(firsts, func(h *Hit) string { return fmt.Sprintf("%s=%d", sourceLabel(h), counts[h.Connection]) })
	return strings.Join(write.First(parts, maxSources, "%d others"), ", ")
}

func sourceLabel(h *Hit) string {
	return clean.Bare(cmp.Or(clean.Preview(h.Label, 40), clean.Preview(h.Connection, 40), "unnamed"))
}

// A Style is how much of each hit structured output shows.
type Style struct {
	Chars int  // most characters of an excerpt or snippet
	Read  bool // each hit has the call that reads the rest, instead of one example for all
	Short bool // a hit has the address from RecordURL instead of a long one from its source
	Bare  bool // a hit has only id, title, connection_id, time and the address from RecordURL
}

// Write adds a hit to the results, and to the follow-ups if it has a proven match (S1-1a). base is the public address of the resource
// server.
func (style Style) Write(results, followUps *write.Object, h *Hit, base string) {
	style.result(results.Open("", '{'), h, base)
	results.Close('}')
	if len(h.Excerpts) == 0 || style.Bare {
		return
	}
	x := h.Best()
	followUps.Open("", '{').Plain("id", h.ID).Open("evidence", '[').Open("", '{').Plain("field", x.Field)
	followUps.Append("preview", style.excerpt(&x.Text))
	if style.Read && !style.shows(x) { // if results does not have the whole text (S1-R2)
		x.AddRead(followUps, "read")
	}
	followUps.Close('}').Close(']').Close('}')
}

// result writes a hit for structuredContent.results. URIs of field windows are in _meta only (S1-R4).
func (style Style) result(a *write.Object, h *Hit, base string) {
	const longURL = 300
	title, url := h.Heading(), cmp.Or(item.Address(h.Own), item.Address(h.Own.Object("data")))
	if style.Bare {
		title = clean.Clip(title, 40)
	}
	if url == "" || style.Bare || style.Short && len(url) > longURL {
		url = item.RecordURL(base, h.Ref)
	}
	a.Plain("id", h.ID).Plain("title", title).Plain("url", url)
	if style.Bare {
		a.Optional("connection_id", h.Separate()).Optional("authored_at", h.Authored)
		return
	}
	h.writeOrigin(a)
	style.writeMatch(a, h)
}

// writeOrigin writes who a hit is from, when and where it is, and which words of the query it has.
func (h *Hit) writeOrigin(a *write.Object) {
	a.Optional("who", write.Label(h.Who)).Optional("authored_at", h.Authored).Optional("authored_field", item.LastChange(h.TimeField))
	a.Optional("emitted_at", write.When(h.Authored == "", h.Emitted)) // when it was collected, which is not when it happened
	a.Optional("connection_id", h.Connection).Optional("connector_key", clean.Preview(h.Connector, write.TitleChars))
	a.Optional("stream", h.Stream).Optional("record_id", h.RecordID)
	a.Optional("display_name", clean.Preview(h.Label, write.TitleChars))
	if h.Has != "" && len(h.Words) > 0 {
		a.Put("words", write.JSON(h.Words))
	}
	a.List("nearest_words", h.Nearest)
}

// writeMatch writes the best match of a hit with its citation, or what else is known of its text.
func (style Style) writeMatch(a *write.Object, h *Hit) {
	if len(h.Excerpts) == 0 {
		if h.Snippet.Plain != "" {
			a.Append("snippet", style.excerpt(&h.Snippet))
		}
		return
	}
	x := h.Best()
	a.Open("evidence", '{').Optional("id", write.When(x.ID != h.ID, x.ID)).Plain("field", x.Field).Append("text", style.excerpt(&x.Text))
	cite := x.Place.Cite(x.Text.Plain, x.Text.Window(style.Chars))
	if cite.End > 0 {
		a.Put("start_chars", write.JSON(cite.Start)).Put("end_chars", write.JSON(cite.End))
	}
	if cite.Quote != "" {
		a.Append("sha256", func(b []byte) []byte { return append(marked.AppendDigest(append(b, '"'), cite.Quote), '"') })
	}
	a.Flag("cut", !style.shows(x)).List("also_in", otherFields(h.Excerpts, x.Field)).Close('}')
}

func (style Style) excerpt(text *marked.Text) func(b []byte) []byte {
	return func(b []byte) []byte { return text.Append(b, text.Window(style.Chars), appendEscapedJSON) }
}

func appendEscapedJSON(b []byte, text string) []byte {
	from := len(b)
	b = rs.AppendText(b, text)
	return b[:from+copy(b[from:], b[from+1:len(b)-1])]
}

// shows reports whether a style shows all of the excerpt and the excerpt can be all of its field.
func (style Style) shows(x *Excerpt) bool { return x.Text.Fits(style.Chars) && x.Complete() }

// FirstIncomplete returns the first match that is not shown completely; nil if there is none or the style has no follow-ups.
func (style Style) FirstIncomplete(hits []Hit) *Excerpt {
	for i := range hits {
		if len(hits[i].Excerpts) > 0 && !style.Bare && !style.shows(hits[i].Best()) {
			return hits[i].Best()
		}
	}
	return nil
}
