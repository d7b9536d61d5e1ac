package render

import (
	"encoding/json"
	"fmt"
	"slices"
	"sort"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A SearchQuery is the call that a page of hits answers.
type SearchQuery struct {
	Q            string
	Limit        int
	Position     Position // where the answer starts
	ConnectionID string
	Rest         object  // the other arguments as they were sent (streams, filter, mode)
	RecordBase   string  // public base URL of the resource server, for citations; no trailing slash
	Repair       *Repair // what was done where no record has all words; nil where that was not needed
}

// search is what [Search] returns.
func (room *searchPage) search(response *rs.Response, q SearchQuery) (Result, error) {
	l, err := readListing(response, "search")
	if err != nil {
		return Result{}, err
	}
	room.readHits(l.Items, response, q)
	room.left = room.bound()
	room.page = room.hits
	room.start, room.moved = q.Position.start(len(room.page), func(i int) string { return room.page[i].id })
	room.hits = room.page[room.start:]
	r := Result{Structured: room.structured(l, q)}
	r.Text = room.text(l, q)
	if uris := windowURIs(room.hits); len(uris) > 0 {
		r.Meta = map[string]any{"pdpp/field_window_uris": uris}
	}
	return r, nil
}

// next is the cursor that goes on behind the first shown of the hits.
func (room *searchPage) next(q SearchQuery, shown int) string {
	return q.Position.after(room.start+shown, q.Limit, room.hits[shown-1].id).String()
}

// structured shortens the previews, then long addresses, then leaves out citations, then the ladder, until a host takes the
// result. The list ends at a hit, and its cursor goes on behind that, only when ids alone are too much.
func (room *searchPage) structured(l listing, q SearchQuery) json.RawMessage {
	hits, all, d := room.hits, len(room.hits), &room.draft
	if q.Repair == nil {
		d.notice = searchLead(l)
	}
	data := fitEnvelope(l.Envelope.Without("result_count", "results_ref", "results", "hits"), envelopeJSON)
	data = append(data, pair("result_count", encode(all)), pair("results_ref", encode("structuredContent.results")))
	if q.Repair != nil {
		data = data.With("repair", q.Repair.envelope().JSON())
	}
	if left := room.warning(data.Has("next_cursor")); left != "" {
		data = data.With("warning", encode(left))
	}
	for i, step := range []struct {
		style hitStyle
		chars int // of excerpts and snippets
		max   int
	}{
		{hitStyle{cited: true, rungs: all}, excerptChars, StructuredTarget}, {hitStyle{cited: true, rungs: all}, 100, StructuredTarget},
		{hitStyle{cited: true, rungs: all}, 50, StructuredTarget}, {hitStyle{cited: true, rungs: all}, 50, StructuredHard},
		{hitStyle{cited: true, rungs: all, short: true}, 50, StructuredHard}, {hitStyle{rungs: all, short: true}, 50, StructuredHard},
		{hitStyle{rungs: 10, short: true}, 50, StructuredHard}, {hitStyle{rungs: 3, short: true}, 30, StructuredHard},
		{hitStyle{bare: true}, 0, StructuredHard},
	} {
		if i == 0 || step.style != d.style {
			d.write(hits, step.style, data, q)
		}
		if d.fill(&room.cut, step.chars, step.max) {
			return d.whole()
		}
	}
	data = data.With("has_more", "true").With("next_cursor", encode(room.next(q, all)))
	shown := max(sort.Search(all, func(n int) bool {
		d.write(hits[:n+1], hitStyle{bare: true}, data, q)
		return len(d.json) > StructuredHard-200
	}), 1)
	note := fmt.Sprintf("These are hits %d-%d of the %d of this page; next_cursor goes on behind them.", room.start+1, room.start+shown, len(room.page))
	data = data.With("next_cursor", encode(room.next(q, shown))).With("warning", encode(strings.TrimSpace(room.warning(false)+" "+note)))
	d.write(hits[:shown], hitStyle{bare: true}, data, q)
	return d.json
}

// warning says what the resource server sent beyond what was asked for, and whether the list has changed.
func (room *searchPage) warning(cursor bool) string {
	return strings.TrimSpace(room.left.note("hit", cursor) + " " + room.moved)
}

// text is what a model reads: the proven matches, then a summary whose first part is enough to go on, then the
// other hits and how to page (D11). It shows the hits from the first on: its continuation has all others (D23).
func (room *searchPage) text(l listing, q SearchQuery) string {
	for evidence := len(room.hits); ; {
		text, shown, last := room.layout(l, q, evidence)
		if last < shown {
			return text
		}
		evidence = shown // the continuation would show the match of a later hit again
	}
}

// layout writes the text with matches of the first hits only, evidence many. shown is how many hits stand there without a gap, and
// last the index of the last one that stands there.
func (room *searchPage) layout(l listing, q SearchQuery, evidence int) (text string, shown, last int) {
	hits := room.hits
	for i := range hits {
		hits[i].inText = false
	}
	target, hard := SearchTarget, SearchHard
	if q.Limit > 0 {
		target, hard = SearchAsked, SearchAsked+SearchHard-SearchTarget
	}
	summary, notes, tail := searchSummary(l, room.page, hits, q), searchNotes(l, hits), searchTail(l, q)
	var lead []string
	if q.Repair != nil {
		summary, lead = q.Repair.summary(room.page, hits), q.Repair.says()
	} else if line := searchLead(l); line != "" {
		lead = []string{line}
	}
	reserved := tail
	if len(hits) > 0 {
		if more := room.moreHits(l, q, len(hits), len(hits)); size(more) > size(tail) {
			reserved = more
		}
	}
	warning := room.warning(l.Envelope.Has("next_cursor"))
	if warning != "" {
		warning = "warning: " + warning
		reserved = append([]string{warning}, reserved...)
	}
	fixed := size(lead) + len(summary) + 1 + size(notes) + size(reserved)
	if fixed > hard-200 { // handles of extreme length: what only explains makes room
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
	room.evidence(p, evidence)
	p.release(summary)
	p.add(summary)
	p.release(notes...)
	for _, note := range notes {
		p.add(note)
	}
	shown, long := hitLines(p, hits, &room.cut)
	p.release(reserved...)
	if warning != "" {
		p.add(warning)
	}
	if shown < len(hits) {
		shown = max(shown, 1)
		tail = room.moreHits(l, q, shown, long)
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
func (room *searchPage) moreHits(l listing, q SearchQuery, shown, long int) []string {
	line := fmt.Sprintf("Shown %d-%d of these %d hits", room.start+1, room.start+shown, len(room.page))
	if long > 0 {
		line += "; " + longIDs(long)
	} else {
		line += "."
	}
	call := q.call(room.next(q, shown)).call("search")
	if len(call) > longestHandle || oneLine(call) != call {
		return append([]string{line, fmt.Sprintf("To see the others, ask for %d hits at a time.", shown)}, cursorElsewhere(l)...)
	}
	return []string{line, "next page: " + call}
}

// longIDs says how many hits are left out of the text because of their ids (D15).
func longIDs(count int) string {
	return fmt.Sprintf("an id of over %d characters is not shown here (%d).", previewIDChars, count)
}

// evidence writes the proven matches of the first hits, at most three, in at most three quarters of the room, and marks the hits
// that it showed. Where that is little room, excerpts are shorter rather than fewer, and then only the best one is citable.
func (room *searchPage) evidence(p *page, first int) {
	best := make([]*hit, 0, maxEvidenceRows)
	for i := range room.hits[:first] {
		if h := &room.hits[i]; len(h.excerpts) > 0 && !longerThan(h.id, previewIDChars) && len(best) < maxEvidenceRows {
			best = append(best, h)
		}
	}
	most := p.left() * 3 / 4 // bytes
	for n := len(best); n > 0; n-- {
		for _, step := range []struct{ chars, cited int }{{excerptChars, n}, {130, n}, {130, 1}, {90, 1}, {90, 0}} {
			room.rows = room.rows[:0]
			for rank, h := range best[:n] {
				room.rows = h.appendEvidence(room.rows, &room.cut, step.chars, rank < step.cited)
			}
			if (len(room.rows) <= most || n == 1) && p.block(room.rows) {
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

// appendEvidence appends the lines of one hit's match, the call that reads on (S1-5a), and how to check a quote of it.
func (h *hit) appendEvidence(b []byte, cut *cutter, chars int, cited bool) []byte {
	x := &h.excerpts[0]
	cite := x.cut(cut, chars)
	b = append(appendName(append(h.appendHead(b), " | "...), x.field), ": "...)
	b = append(cut.append(b, appendEscaped), '\n')
	b = append(b, "  read on: read_record_field {"...)
	b = x.read(&arguments{b}).shut('}').shut('\n').b
	if cited && cite.quote != "" {
		b = append(cite.appendLine(b), '\n')
	}
	return b
}

// appendHead appends a hit's id, with the connection that must be passed beside it, and what it is.
func (h *hit) appendHead(b []byte) []byte {
	b = append(b, h.id...)
	if conn := h.separate(); conn != "" {
		b = appendName(append(b, " connection_id="...), conn)
	}
	if b = h.appendIdentity(append(b, " | "...)); h.has != "" {
		b = append(append(b, " | "...), h.has...)
	}
	return b
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

// hitLines lists the hits that no evidence line showed, up to the first for which there is no room. It returns how many hits stand in
// the text from the first on, and how many of these have an id too long to show (D15).
func hitLines(p *page, hits []hit, cut *cutter) (shown, long int) {
	line := make([]byte, 0, 400)
	for i := range hits {
		h := &hits[i]
		if h.inText {
			continue
		}
		if longerThan(h.id, previewIDChars) {
			long++
			continue
		}
		for _, chars := range []int{120, 60, 0} {
			line = append(h.appendLine(line[:0], cut, chars), '\n')
			if h.inText = p.block(line); h.inText {
				break
			}
		}
		if !h.inText {
			return i, long
		}
	}
	return len(hits), long
}

func (h *hit) appendLine(b []byte, cut *cutter, chars int) []byte {
	b = h.appendHead(b)
	if chars == 0 {
		return b
	}
	if len(h.excerpts) > 0 {
		b = append(appendName(append(b, " | "...), h.excerpts[0].field), ": "...)
		cut.around(h.excerpts[0].text, chars)
		return cut.append(b, appendEscaped)
	}
	if _, ok := cut.around(h.snippet, chars); ok {
		b = cut.append(append(b, " | "...), appendEscaped)
	}
	return b
}

// appendIdentity appends the title, and what it does not say of stream, connection and connector.
func (h *hit) appendIdentity(b []byte) []byte {
	if h.title == "" || h.underTitle { // then the line names stream and connection
		what := h.heading
		if h.underTitle {
			what = h.untitled(new(texts))
		}
		b = appendQuoted(b, what)
		if key := preview(h.connector, labelChars); key != "" && h.label != "" {
			b = append(append(append(b, " ("...), bare(key)...), ')')
		}
		return b
	}
	b = appendQuoted(b, preview(h.title, 80))
	if h.stream == "" {
		return b
	}
	b = appendName(append(b, " | "...), clip(h.stream, labelChars))
	source := len(b)
	if b = h.appendSource(append(b, ", "...)); len(b) == source+len(", ") {
		return b[:source]
	}
	return b
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
