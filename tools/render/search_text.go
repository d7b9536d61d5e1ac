package render

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// text is what a model reads: the proven matches, then a summary whose first part is enough to go on, then the
// other hits and how to page (D11). It shows the hits from the first on: its continuation has all others (D23).
func (s *searchPage) text(l listing, q SearchQuery) string {
	for evidence := len(s.hits); ; {
		text, shown, last := s.layout(l, q, evidence)
		if last < shown {
			return text
		}
		evidence = shown // the continuation would show the match of a later hit again
	}
}

// layout writes the text with matches of the first hits only, evidence many. shown is how many hits stand there without a gap, and
// last the index of the last one that stands there.
func (s *searchPage) layout(l listing, q SearchQuery, evidence int) (text string, shown, last int) {
	hits := s.hits
	for i := range hits {
		hits[i].inText = false
	}
	target, hard := SearchTarget, SearchHard
	if q.Limit > 0 {
		target, hard = SearchAsked, SearchAsked+SearchHard-SearchTarget
	}
	summary, notes, tail := searchSummary(l, s.page, hits, q), searchNotes(l, hits), searchTail(l, q)
	var lead []string
	if q.Repair != nil {
		summary, lead = q.Repair.summary(s.page, hits), q.Repair.says()
	} else if line := searchLead(l); line != "" {
		lead = []string{line}
	}
	reserved := tail
	if len(hits) > 0 {
		if more := s.moreHits(l, q, len(hits), len(hits)); size(more) > size(tail) {
			reserved = more
		}
	}
	warning := s.warning(l.Envelope.Has("next_cursor"))
	if warning != "" {
		warning = "warning: " + warning
		reserved = append([]string{warning}, reserved...)
	}
	fixed := size(lead) + len(summary) + 1 + size(notes) + size(reserved)
	if fixed > hard-200 { // handles of extreme length: what only explains is left out
		notes = nil
		fixed = size(lead) + len(summary) + 1 + size(reserved)
	}
	p := newPage(target)
	if fixed > target-600 {
		p.max = hard
	}
	for _, line := range lead {
		p.add(line)
	}
	p.reserve(summary)
	p.reserve(notes...)
	p.reserve(reserved...)
	s.evidence(p, evidence)
	p.release(summary)
	p.add(summary)
	p.release(notes...)
	for _, note := range notes {
		p.add(note)
	}
	shown, long := hitLines(p, hits, &s.cut)
	p.release(reserved...)
	if warning != "" {
		p.add(warning)
	}
	if shown < len(hits) {
		tail = s.moreHits(l, q, shown, long)
		shown = max(shown, 1)
	} else if long > 0 {
		p.add(longIDs(long))
	}
	for _, line := range tail {
		p.add(line)
	}
	last = -1
	for i := range hits {
		if hits[i].inText {
			last = i
		}
	}
	return p.String(), shown, last
}

// moreHits are the last lines of a text that shows only the first of the hits that are left of a page.
func (s *searchPage) moreHits(l listing, q SearchQuery, shown, long int) []string {
	line := fmt.Sprintf("Shown %d-%d of these %d hits", s.start+1, s.start+shown, len(s.page))
	if shown == 0 {
		shown = 1
		line = fmt.Sprintf("Hit %d of these %d does not fit here", s.start+1, len(s.page))
	}
	if long > 0 {
		line += "; " + longIDs(long)
	} else {
		line += "."
	}
	call := q.call(s.next(q, shown)).call("search")
	if len(call) > longestHandle || oneLine(call) != call {
		return append([]string{line, fmt.Sprintf("To see the others, ask for %d hits at a time.", shown)}, cursorElsewhere(l)...)
	}
	return []string{line, "next page: " + call}
}

// longIDs says how many hits are left out of the text because of their ids (D15).
func longIDs(count int) string {
	return fmt.Sprintf("an id of over %d characters is not shown here (%d).", previewIDChars, count)
}

// evidence writes the proven matches of the first hits, at most three, in at most three quarters of what is left, and marks the hits
// that it showed. Where that is little, excerpts are shorter rather than fewer, and then only the best one is citable.
func (s *searchPage) evidence(p *page, first int) {
	best := make([]*hit, 0, maxEvidenceRows)
	for i := range s.hits[:first] {
		if h := &s.hits[i]; len(h.excerpts) > 0 && !longerThan(h.id, previewIDChars) && len(best) < maxEvidenceRows {
			best = append(best, h)
		}
	}
	most := p.left() * 3 / 4 // bytes
	for n := len(best); n > 0; n-- {
		for _, step := range []struct{ chars, cited int }{{excerptChars, n}, {130, n}, {130, 1}, {90, 1}, {90, 0}} {
			s.rows = s.rows[:0]
			for rank, h := range best[:n] {
				s.rows = h.appendEvidence(s.rows, &s.cut, step.chars, rank < step.cited)
			}
			if (len(s.rows) <= most || n == 1) && p.block(s.rows) {
				for _, h := range best[:n] {
					h.inText = true
				}
				return
			}
		}
	}
}

func size(lines []string) int {
	n := 0
	for _, line := range lines {
		n += len(line) + 1
	}
	return n
}

// searchSummary alone is enough to fetch the best hit (B-1, B-3).
func searchSummary(l listing, page, hits []hit, q SearchQuery) string {
	line := plural(len(page), "hit")
	if q.Q != "" {
		line += " for " + quote(preview(q.Q, 80))
	}
	if len(page) == 0 {
		return line + ". Try other words, fewer of them, or no streams and filter."
	}
	if n := l.count(); n != "" && someCount(l) > 0 {
		line += " (" + n + " with all words, " + strconv.Itoa(someCount(l)) + " with some)"
	} else if n != "" && n != strconv.Itoa(len(page)) {
		line += " (" + n + " match)"
	}
	if len(hits) == 0 {
		return line
	}
	if id := hits[0].id; len(id) <= longestHandle {
		line += "; first_fetch_id=" + id + " "
	} else {
		line += "; the first id is too long for text: see structuredContent.results[0].id "
	}
	if mix := sourceMix(page); mix != "" {
		line += "; source_mix: " + mix
	}
	return strings.TrimRight(line, " ")
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
		label := preview(s.first.label, 40)
		if label == "" {
			label = preview(s.first.conn, 40)
		}
		if label == "" {
			label = "unnamed"
		}
		parts = append(parts, fmt.Sprintf("%s=%d", bare(label), s.count))
	}
	return strings.Join(parts, ", ")
}

// searchNotes say how complete the ranking is, as the resource server reports it, and how to fetch.
func searchNotes(l listing, hits []hit) []string {
	var notes []string
	recall := l.meta.Object("recall")
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
	notes = append(notes, l.warnings(2)...)
	if len(hits) > 0 {
		note := `Fetch a hit by its id as-is: fetch {"id":"…"}`
		if slices.ContainsFunc(hits, func(h hit) bool { return h.separate() != "" }) {
			note += "; add connection_id only where it is shown"
		}
		if slices.ContainsFunc(hits, func(h hit) bool { return h.ref == (rs.Ref{}) }) {
			note += "; an address, or an id like result:3, is no record's and cannot be fetched"
		}
		note += "."
		notes = append(notes, note)
	}
	return notes
}

// searchTail is the last line: the next page, with its cursor.
func searchTail(l listing, q SearchQuery) []string {
	cursor := l.Envelope.Text("next_cursor")
	if cursor == "" {
		if l.Envelope.Flag("has_more") {
			return []string{"More hits exist, but this search has no cursor: raise limit or narrow q."}
		}
		return nil
	}
	call := q.call(cursor).call("search")
	if len(call) > longestHandle || oneLine(call) != call {
		return cursorElsewhere(l)
	}
	return []string{"next page: " + call}
}

// call is the same search at a cursor.
func (q SearchQuery) call(cursor string) *arguments {
	return new(arguments).text("q", q.Q).rest(q.Rest).text("connection_id", q.ConnectionID).number("limit", q.Limit).text("cursor", cursor)
}

// cursorElsewhere stands for a cursor that is too long for the text.
func cursorElsewhere(l listing) []string {
	if l.Envelope.Text("next_cursor") == "" {
		return nil
	}
	if line := cursorLine("cursor", l.Envelope.Text("next_cursor")); len(line) < longestHandle {
		return []string{"next page: the same search with " + line}
	}
	return []string{"next page: the same search with cursor = structuredContent.data.next_cursor"}
}
