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
	ConnectionID string
	Rest         object // the other arguments as they were sent (streams, filter, mode)
	RecordBase   string // public base URL of the resource server, for citations; no trailing slash
}

// Search renders hits in any shape (S3-R14, S1, S2). Structured is {"results","content_ladder","data"}: each hit once, in
// results, and data is the envelope without them (D4).
func Search(body []byte, q SearchQuery) (Result, error) {
	const what = "search"
	o, _, err := decode(body, what)
	if err != nil {
		return Result{}, err
	}
	l, err := readListing(o, what)
	if err != nil {
		return Result{}, err
	}
	hits, reader := make([]hit, 0, len(l.items)), hitReader{q: q}
	for i, raw := range l.items {
		if h, ok := reader.hit(raw, i); ok {
			hits = append(hits, h)
		}
	}
	cut := new(cutter)
	structured, shown := searchStructured(l, hits, q, cut)
	r := Result{Text: searchText(l, hits, shown, q, cut), Structured: structured}
	if uris := windowURIs(hits); len(uris) > 0 {
		r.Meta = map[string]any{"pdpp/field_window_uris": uris}
	}
	return r, nil
}

// searchStructured shortens the previews, then long addresses, then leaves out citations, then the ladder, until a host takes the
// result. The list is cut, at a hit, only when ids alone are too much; shown is how many of its hits stand there.
func searchStructured(l listing, hits []hit, q SearchQuery, cut *cutter) (structured json.RawMessage, shown int) {
	all := len(hits)
	data := fitEnvelope(l.envelope.Without("result_count", "results_ref", "results", "hits"), envelopeJSON)
	data = append(data, pair("result_count", encode(all)), pair("results_ref", encode("structuredContent.results")))
	var d draft
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
		if d.fill(cut, step.chars, step.max) {
			return d.whole(), all
		}
	}
	data = data.Without("next_cursor") // it would skip what is left out
	shown = sort.Search(all, func(n int) bool {
		d.write(hits[:n+1], hitStyle{bare: true}, data, q)
		return len(d.json) > StructuredHard-200
	})
	data = append(data, pair("warning", encode(fmt.Sprintf("Only the first %d of these %d hits fit here: search again with limit %d, then page.", shown, all, max(shown, 1)))))
	d.write(hits[:shown], hitStyle{bare: true}, data, q)
	return d.json, shown
}

// moreNote is the longest form of the line that says what the text leaves out; room for it is kept.
const moreNote = "100 more in structured output; an id of over 200 characters is not shown here (100)."

// searchText is what a model reads: the proven matches, then a summary whose first part is enough to go on, then the
// other hits and how to page (D11).
func searchText(l listing, hits []hit, structured int, q SearchQuery, cut *cutter) string {
	summary, notes, tail := searchSummary(l, hits, q), searchNotes(l, hits), searchTail(l, q)
	if structured < len(hits) { // the cursor would skip what is shown nowhere
		q.Limit = max(structured, 1)
		tail = []string{fmt.Sprintf("Only %d of %d hits fit; ask for fewer: %s", structured, len(hits), q.call("").call("search"))}
	}
	fixed := len(summary) + 1 + size(notes) + size(tail)
	if fixed > SearchHard-200 { // handles of extreme length: what only explains makes room
		notes, tail = nil, cursorElsewhere(l)
		fixed = len(summary) + 1 + size(tail)
	}
	p := newPage(SearchTarget)
	if fixed > SearchTarget-600 {
		p.max = SearchHard
	}
	p.reserve(summary)
	p.reserve(notes...)
	p.reserve(tail...)
	shown := evidenceRows(p, hits, cut)
	p.release(summary)
	p.add(summary)
	p.release(notes...)
	for _, note := range notes {
		p.add(note)
	}
	p.reserve(moreNote)
	long := hitLines(p, hits, shown, cut)
	p.release(moreNote)
	p.release(tail...)
	if rest := len(hits) - len(shown); rest > 0 {
		note := fmt.Sprintf("%d more in structured output; a limit of %d shows as many.", rest, max(len(shown), 1))
		if long > 0 {
			note = fmt.Sprintf("%d more in structured output; an id of over %d characters is not shown here (%d).", rest, previewIDChars, long)
		}
		p.add(note)
	}
	for _, line := range tail {
		p.add(line)
	}
	return p.String()
}

// evidenceRows writes the proven matches, at most three, in at most three quarters of the room, and returns which hits it
// showed. Where that is little room, excerpts are shorter rather than fewer, and then only the best one is citable.
func evidenceRows(p *page, hits []hit, cut *cutter) map[int]bool {
	shown := map[int]bool{}
	var best []int
	for i := range hits {
		if len(hits[i].excerpts) > 0 && !longerThan(hits[i].id, previewIDChars) && len(best) < maxEvidenceRows {
			best = append(best, i)
		}
	}
	room := p.left() * 3 / 4
	for n := len(best); n > 0; n-- {
		for _, step := range []struct{ chars, cited int }{{excerptChars, n}, {130, n}, {130, 1}, {90, 1}, {90, 0}} {
			var lines []string
			for rank, i := range best[:n] {
				lines = append(lines, evidenceLines(cut, &hits[i], step.chars, rank < step.cited)...)
			}
			if (size(lines) <= room || n == 1) && p.block(lines...) {
				for _, i := range best[:n] {
					shown[i] = true
				}
				return shown
			}
		}
	}
	return shown
}

func size(lines []string) int {
	n := 0
	for _, line := range lines {
		n += len(line) + 1
	}
	return n
}

// evidenceLines are one hit's match, the call that reads on (S1-5a), and how to check a quote of it.
func evidenceLines(cut *cutter, h *hit, chars int, cited bool) []string {
	x := &h.excerpts[0]
	shown := x.preview(cut, chars)
	head := h.id
	if conn := h.separate(); conn != "" {
		head += " connection_id=" + name(conn)
	}
	lines := []string{
		head + " | " + h.identity() + " | " + name(x.field) + ": " + quote(shown.text),
		"  read on: " + x.read(new(arguments)).call("read_record_field"),
	}
	if cited && shown.cite.sha256 != "" {
		lines = append(lines, shown.cite.line())
	}
	return lines
}

// searchSummary alone is enough to fetch the best hit (B-1, B-3).
func searchSummary(l listing, hits []hit, q SearchQuery) string {
	line := plural(len(hits), "hit")
	if q.Q != "" {
		line += " for " + quote(preview(q.Q, 80))
	}
	if len(hits) == 0 {
		return line + ". Try other words, fewer of them, or no streams and filter."
	}
	if n := l.count(); n != "" && n != strconv.Itoa(len(hits)) {
		line += " (" + n + " match)"
	}
	if id := hits[0].id; len(id) <= longestHandle {
		line += "; first_fetch_id=" + id + " "
	} else {
		line += "; the first id is too long for text: see structuredContent.results[0].id "
	}
	if mix := sourceMix(hits); mix != "" {
		line += "; source_mix: " + mix
	}
	return strings.TrimRight(line, " ")
}

// sourceMix counts the hits of each connection, when there is more than one (S0-6a).
func sourceMix(hits []hit) string {
	const maxSources = 6
	type source struct {
		conn, label string
		count       int
	}
	var sources []source
	at := map[string]int{}
	for i := range hits {
		conn := hits[i].conn
		n, ok := at[conn]
		if !ok {
			n = len(sources)
			at[conn] = n
			label := preview(hits[i].label, 40)
			if label == "" {
				label = preview(conn, 40)
			}
			if label == "" {
				label = "unnamed"
			}
			sources = append(sources, source{conn: conn, label: label})
		}
		sources[n].count++
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
		parts = append(parts, fmt.Sprintf("%s=%d", bare(s.label), s.count))
	}
	return strings.Join(parts, ", ")
}

// hitLines lists the hits that no evidence line showed, and returns how many have an id too long to show (D15).
func hitLines(p *page, hits []hit, shown map[int]bool, cut *cutter) (long int) {
	for i := range hits {
		if shown[i] {
			continue
		}
		if longerThan(hits[i].id, previewIDChars) {
			long++
			continue
		}
		fit := false
		for _, chars := range []int{120, 60, 0} {
			if fit = p.whole(hitLine(cut, &hits[i], chars)); fit {
				break
			}
		}
		if !fit {
			return long
		}
		shown[i] = true
	}
	return long
}

func hitLine(cut *cutter, h *hit, chars int) string {
	line := h.id
	if conn := h.separate(); conn != "" {
		line += " connection_id=" + name(conn)
	}
	line += " | " + h.identity()
	if chars == 0 {
		return line
	}
	if len(h.excerpts) > 0 {
		return line + " | " + name(h.excerpts[0].field) + ": " + quote(h.excerpts[0].preview(cut, chars).text)
	}
	if text, _ := cut.around(h.snippet, chars); text != "" {
		line += " | " + quote(text)
	}
	return line
}

// identity is the title, and what it does not say of stream, connection and connector.
func (h *hit) identity() string {
	key := preview(h.connector, labelChars)
	if h.title == "" || h.underTitle { // then the line names stream and connection
		if key == "" || h.label == "" {
			return quote(h.untitled())
		}
		return quote(h.untitled()) + " (" + bare(key) + ")"
	}
	line := quote(preview(h.title, 80))
	if h.stream != "" {
		line += " | " + name(clip(h.stream, labelChars))
		if source := h.source(); source != "" {
			line += ", " + source
		}
	}
	return line
}

// searchNotes say how complete the ranking is, as the resource server reports it, and how to fetch.
func searchNotes(l listing, hits []hit) []string {
	var notes []string
	recall := l.envelope.Object("meta").Object("recall")
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
	cursor := l.envelope.Text("next_cursor")
	if cursor == "" {
		if l.envelope.Flag("has_more") {
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
	if l.envelope.Text("next_cursor") == "" {
		return nil
	}
	if line := cursorLine("cursor", l.envelope.Text("next_cursor")); len(line) < longestHandle {
		return []string{"next page: the same search with " + line}
	}
	return []string{"next page: the same search with cursor = structuredContent.data.next_cursor"}
}
