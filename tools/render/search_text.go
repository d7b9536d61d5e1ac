package render

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/hit"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

const (
	// searchTarget and searchHard bound the prose of a search (S2-10).
	searchTarget = 1800
	searchHard   = 2400
	// searchAsked bounds the prose of a search whose limit the caller named (D36).
	searchAsked = 6000

	previewIDChars = 200 // a longer id is left out (D15)
	leastExcerpt   = 80  // characters; excerpts are shorter only where not one hit fits
)

// text is what a model reads: the proven matches, then a summary that is enough to go on, then the other hits and how to page (D11). It
// shows the first hits of those that are left of the page, as many as fit; its continuation has all others (D23).
func (s *searchPage) text() string {
	target, hard, wanted := searchTarget, searchHard, usualHits
	if s.q.Limit > 0 {
		target, hard, wanted = searchAsked, searchAsked+searchHard-searchTarget, len(s.hits)
	}
	frame := s.frame()
	remaining := target - frame.size()
	if remaining < 600 {
		remaining = hard - frame.size()
	}
	if remaining < 200 { // handles of extreme length: what only explains is left out
		frame.notes, frame.read = nil, ""
		remaining = hard - frame.size()
	}
	hits := s.fitting(remaining, wanted)
	if at := s.atOnce(); len(hits) < len(s.hits) && at != "" {
		if room := searchAsked - frame.size(); len(s.hitTexts(s.excerptLength(room, len(s.hits)), room)) == len(s.hits) {
			frame.atOnce = ", " + at
		}
	}
	return frame.text(s, hits)
}

// fitting are as many of the first hits as fit in so many bytes, with shorter excerpts where not one does.
func (s *searchPage) fitting(remaining, wanted int) (hits []hit.Text) {
	for _, chars := range []int{s.excerptLength(remaining, wanted), 40, 0} {
		if hits = s.hitTexts(chars, remaining); len(hits) > 0 {
			break
		}
	}
	return hits
}

// atOnce is how a page of which only the first hits are shown, as no limit was sent, is shown whole; "" for any other page.
func (s *searchPage) atOnce() string {
	if s.q.Limit > 0 || !s.q.Position.First() || len(s.all) > paging.MaxLimit {
		return ""
	}
	return fmt.Sprintf("all with limit %d", len(s.all))
}

// excerptLength is how many characters an excerpt may have where so many hits are to fit in so many bytes.
func (s *searchPage) excerptLength(remaining, wanted int) int {
	const beside = 60 // bytes of a hit: field, place, digest and separators
	n := min(wanted, len(s.hits))
	for i := range s.hits[:n] {
		h := s.hit(i)
		h.Line = h.What(true)
		remaining -= len(h.ID) + len(h.Line) + beside
	}
	return min(max(remaining/max(n, 1), leastExcerpt), excerptChars)
}

// What stands before the call that reads a field of a hit: an ellipsis in its text is where the resource server or this page cuts it.
const (
	readAround = "read around a match: "
	readOn     = `read on at "…": `
)

// A searchFrame is what is in text beside the hits.
type searchFrame struct {
	lead    []string // what is not found, before anything that might be taken for it
	summary string   // without how many hits are shown
	atOnce  string   // how to see all of them
	read    string   // a call that reads around a match; "" for none
	notes   []string
	warning string
	tail    string // where all hits are shown
	more    string // where others follow
}

func (s *searchPage) frame() searchFrame {
	l, q := s.l, s.q
	notes := slices.Concat(datesReadAs(l.Envelope), q.Coverage.lines(), s.notes())
	f := searchFrame{summary: s.summary(), notes: notes, tail: searchTail(l, q), lead: write.NotEmpty(s.notice())}
	if q.Repair != nil {
		f.lead = q.Repair.says()
	}
	if len(s.hits) > 0 {
		f.more = s.moreHits(len(s.hits))
	}
	if warning := s.Warning(len(s.hits)); warning != "" {
		f.warning = "warning: " + warning
	}
	if h := s.proven(previewIDChars); h != nil && q.Position.First() { // each hit's id and field= make a call like it (D34); a continuation has said it
		f.read = h.Best().Read(new(write.Object)).Call("read_record_field")
	}
	return f
}

// size is how many bytes of a text are not hits, at most.
func (f *searchFrame) size() int {
	const counts = 50 // which hits are shown, of how many, and ids that are not
	return write.Size(f.lead) + len(f.summary) + 1 + write.Size(f.notes) + len(readAround) + len(f.read) + 1 + len(f.warning) + 1 +
		max(len(f.tail), len(f.more)) + 1 + counts
}

// text writes the frame around the hits that are shown.
func (f *searchFrame) text(s *searchPage, hits []hit.Text) string {
	var proven, unproven []string
	long, cut := 0, false
	for i := range hits {
		h := &hits[i]
		cut = cut || bytes.Contains(h.Match, []byte(write.Ellipsis))
		switch {
		case h.Long:
			long++
		case h.Joins:
		case h.Proven:
			proven = append(proven, h.Line(hits[i+1:]))
		default:
			unproven = append(unproven, h.Line(hits[i+1:]))
		}
	}
	summary, read, tail, notShown := f.summary, f.read, f.tail, ""
	switch part := len(hits) < len(s.hits) || s.From > 0; {
	case part:
		summary += fmt.Sprintf("; shown %s of these %d%s%s", s.Span(s.From+len(hits)), s.Total, strings.Replace(s.ofRecords(), " of ", " hits of ", 1), f.atOnce)
	case s.total() != "" && s.q.Repair == nil && s.q.Q != "":
		summary += "; this page: " + write.Plural(len(s.all), "hit") + s.ofRecords()
	}
	switch {
	case read == "":
	case cut:
		read = readOn + read
	default:
		read = readAround + read
	}
	if len(hits) < len(s.hits) {
		tail = s.moreHits(max(len(hits), 1))
	}
	switch {
	case long > 0:
		notShown = fmt.Sprintf("An id of over %d characters is not shown here (%d); structured output has it.", previewIDChars, long)
	case len(hits) == 0 && len(s.hits) > 0:
		notShown = fmt.Sprintf("Hit %d of these %d does not fit here.", s.From+1, s.Total)
	}
	lines := slices.Concat(f.lead, proven, []string{summary}, f.notes, []string{read}, unproven, []string{f.warning, notShown, tail})
	return strings.Join(write.NotEmpty(lines...), "\n")
}

// proven is the first hit with a proven match and an id of at most so many characters; nil where there is none.
func (s *searchPage) proven(idChars int) *hit.Hit {
	for i := range s.hits {
		if h := s.hit(i); len(h.Excerpts) > 0 && !clean.LongerThan(h.ID, idChars) {
			return h
		}
	}
	return nil
}

// moreHits are the last lines of a text that shows only the first of the hits that are left of a page.
func (s *searchPage) moreHits(shown int) string {
	return s.q.nextPage(s.Next(shown), fmt.Sprintf("To see the others, ask for %d hits at a time.", shown))
}

// notes say how complete the ranking is, as the resource server reports it, and how to fetch.
func (s *searchPage) notes() []string {
	var notes []string
	hits, recall := s.hits, s.l.meta.Object("recall")
	if recall.Denied("complete") {
		note := "recall: incomplete"
		if n, ok := recall.Number("ranked_candidate_count"); ok {
			note += fmt.Sprintf(", ranked over %d candidates", n)
		}
		if n, ok := recall.Number("candidate_window_limit"); ok {
			note += fmt.Sprintf(", at most %d a source", n)
		}
		if recall.Flag("truncated") || recall.Has("candidate_window_limit") {
			note += "; a narrower q, streams or connection_id finds more"
		}
		notes = append(notes, note+".")
	}
	if s.q.Position.First() { // a continuation has said it
		notes = append(notes, leftOut(recall)...)
	}
	notes = append(notes, s.l.warnings(2)...)
	if s.q.OfTime != nil {
		notes = append(notes, write.Offer("of the time that the query names: ", "search "+s.q.OfTime.JSON(), write.LineChars))
	}
	notes = append(notes, s.hints...)
	if s.proven(math.MaxInt) == nil && len(hits) > 0 {
		notes = append(notes, `Fetch a hit by its id as-is: fetch {"id":"…"}.`)
	}
	if slices.ContainsFunc(hits, func(h hit.Hit) bool { return h.Separate() != "" }) {
		notes = append(notes, "Send connection_id beside an id where it is shown.")
	}
	if slices.ContainsFunc(hits, func(h hit.Hit) bool { return h.Ref == (rs.Ref{}) }) {
		notes = append(notes, "An address, or an id like result:3, is no record's and cannot be fetched.")
	}
	return write.NotEmpty(notes...)
}

// searchTail is the last line: the next page, with its cursor.
func searchTail(l listing, q SearchQuery) string {
	switch cursor := l.Envelope.Text("next_cursor"); {
	case cursor != "":
		return q.nextPage(cursor, paging.AtStructured("search"))
	case l.Envelope.Flag("has_more"):
		return "More hits exist, but this search has no cursor: raise limit or narrow q."
	}
	return ""
}

// hitTexts are the first hits, as many as fit in so many bytes with excerpts of at most so many characters.
func (s *searchPage) hitTexts(chars, remaining int) []hit.Text {
	lines := make([]hit.Text, 0, len(s.hits))
	records := make(hit.SharedRecords, len(s.hits))
	matches := make([]byte, 0, 320*min(len(s.hits), usualHits))
	for i := range s.hits {
		h := s.hit(i)
		what := h.Line
		if what == "" || chars == 0 {
			what = h.What(chars > 0)
		}
		from := len(matches)
		matches = h.AppendMatch(matches, chars)
		line := hit.Text{ID: h.ID, What: what, Match: matches[from:len(matches):len(matches)], Proven: len(h.Excerpts) > 0}
		if conn := h.Separate(); conn != "" {
			line.ID += " connection_id=" + clean.Name(conn)
		}
		if line.Long = clean.LongerThan(h.ID, previewIDChars); !line.Long {
			line.Record, line.Joins = records.Add(h)
		}
		if remaining -= line.Size(); remaining < 0 {
			break
		}
		lines = append(lines, line)
	}
	return lines
}

// windowURIs are the field windows of the proven matches, for hosts that read resources (S1-4a).
func (s *searchPage) windowURIs() []string {
	uris := make([]string, 0, hit.MaxEvidenceRows)
	for i := range s.hits {
		for _, x := range s.hit(i).Excerpts {
			if len(uris) == hit.MaxEvidenceRows {
				return uris
			}
			uris = append(uris, WindowQuery{Ref: x.Ref, Field: x.Field, Q: x.Matched()}.URI())
		}
	}
	return uris
}
