package render

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/hit"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

const (
	// searchTarget and searchHard bound the prose of a search (S2-10).
	searchTarget = 1800
	searchHard   = 2400
	// searchAsked bounds the prose of a search for which the caller sent a limit (D36).
	searchAsked = 6000

	previewIDChars = 200 // a longer id is left out (D15)
	leastExcerpt   = 80  // characters; excerpts are shorter only where not one hit fits
)

// text returns what a model reads: the proven matches, then a summary that suffices for the next call, then the other hits and how to page
// (D11). It shows as many of the first of s.hits as fit; its continuation has all others (D23).
func (s *searchPage) text() string {
	target, hard, wanted := searchTarget, searchHard, usualHits
	if max(s.q.Limit, s.q.Shown) > 0 {
		target, hard, wanted = searchAsked, searchAsked+searchHard-searchTarget, s.maxShown()
	}
	frame := s.frame()
	remaining := target - frame.size()
	if remaining < 600 {
		remaining = hard - frame.size()
	}
	if remaining < 200 { // very long ids: leave out what only explains
		frame.notes, frame.read = nil, ""
		remaining = hard - frame.size()
	}
	var hits []hit.Text
	for _, chars := range []int{s.excerptLength(remaining, wanted), 40, 0} { // shorter excerpts if not one hit fits
		if hits = s.hitTexts(chars, remaining); len(hits) > 0 {
			break
		}
	}
	return frame.text(s, hits)
}

// excerptLength returns how many characters an excerpt may have if wanted hits are to fit in remaining bytes.
func (s *searchPage) excerptLength(remaining, wanted int) int {
	const beside = 60 // bytes of a hit in addition to its id, description and excerpt: field, place, digest and separators
	n := min(wanted, len(s.hits))
	for i := range s.hits[:n] {
		h := s.hit(i)
		remaining -= len(h.ID) + len(h.What(true)) + beside
	}
	return min(max(remaining/max(n, 1), leastExcerpt), excerptChars)
}

// Leads of the call that reads a field of a hit. An ellipsis in the text of a hit is where the resource server or this page truncates it.
const (
	readAround = "read around a match: "
	readOn     = `read on at "…": `
)

// A searchFrame is the text of a search without its hits.
type searchFrame struct {
	lead    []string // what was not found, before any hit that might be taken for it
	summary string   // without the number of hits that are shown
	read    string   // the call that reads around the first match, on the first page; "" for none
	notes   []string
	warning string
	tail    string // the end if all hits are shown
	more    string // the end if others follow
}

func (s *searchPage) frame() searchFrame {
	l, q := s.l, s.q
	why, _ := answer.Conditions("search", q.Empty)
	f := searchFrame{
		lead: write.NotEmpty(append([]string{s.notice()}, why...)...), summary: s.summary(),
		notes:   slices.Concat(answer.DatesReadAs(l.Envelope, len(l.Items) == 0), q.Coverage.Lines(), s.notes()),
		warning: write.Lead("warning: ", s.Warning(len(s.hits))), tail: searchTail(l, q),
	}
	if q.Repair != nil {
		f.lead = append(f.lead, q.Repair.says()...)
	}
	if len(s.hits) > 0 {
		f.more = s.moreHits(len(s.hits))
	}
	if h := s.proven(previewIDChars); h != nil && q.Position.First() { // one call is enough: each hit has its id and field= (D34)
		f.read = readMatch(h)
	}
	return f
}

func readMatch(h *hit.Hit) string { return h.Best().Read(new(write.Object)).Call("read_record_field") }

// size returns how many bytes the frame takes at most.
func (f *searchFrame) size() int {
	const counts = 50 // for the range of hits that is shown, their number, and the ids that are left out
	return write.Size(f.lead) + len(f.summary) + 1 + write.Size(f.notes) + len(readAround) + len(f.read) + 1 + len(f.warning) + 1 +
		max(len(f.tail), len(f.more)) + 1 + counts
}

// text writes the frame around the hits that are shown.
func (f *searchFrame) text(s *searchPage, hits []hit.Text) string {
	var proven, unproven []string
	isCut := func(h hit.Text) bool { return h.Proven && !h.Long && h.Cut() }
	long, read := 0, write.Lead(readAround, f.read)
	if at := slices.IndexFunc(hits, isCut); f.read != "" && at >= 0 {
		read = readOn + readMatch(s.hit(at))
	}
	for i := range hits {
		h := &hits[i]
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
	summary, tail, notShown := f.summary, f.tail, ""
	switch part := len(hits) < len(s.hits) || s.From > 0; {
	case part:
		of := strings.TrimPrefix(s.ofRecords(), " of ")
		summary += fmt.Sprintf("; shown %s of these %d%s", s.Span(s.From+len(hits)), s.Total, write.When(of != "", " ("+of+")"))
	case s.total() != "" && len(s.all) > 0 && s.q.Repair == nil && s.q.Q != "":
		summary += "; this page: " + write.Plural(len(s.all), "hit") + s.ofRecords()
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

// proven returns the first hit with a proven match and an id of at most idChars characters; nil if there is none.
func (s *searchPage) proven(idChars int) *hit.Hit {
	for i := range s.hits {
		if h := s.hit(i); len(h.Excerpts) > 0 && !clean.LongerThan(h.ID, idChars) {
			return h
		}
	}
	return nil
}

func (s *searchPage) moreHits(shown int) string {
	return s.q.nextPage(s.Next(shown), fmt.Sprintf("To see the others, ask for %d hits at a time.", shown))
}

// notes returns how complete the ranking is, as the resource server reports it, and how to fetch.
func (s *searchPage) notes() []string {
	hits, recall := s.hits, s.l.Recall
	var incomplete string
	var first []string // what a continuation does not repeat
	if recall.Denied("complete") {
		n, counted := recall.Number("ranked_candidate_count")
		of := write.When(s.l.Warned("unavailable_connections"), " of the connections that were read")
		incomplete = "recall: incomplete" + write.When(counted, ", ranked over "+write.Plural(n, "candidate")+of)
		n, limited := recall.Number("candidate_window_limit")
		incomplete += write.When(limited, fmt.Sprintf(", at most %d a source", n)) +
			write.When(recall.Flag("truncated") || limited, "; a narrower q, streams or connection_id finds more") + "."
	}
	if s.q.Position.First() {
		parts := strings.Join(write.Each(s.q.Parts, write.ShownName), ", ")
		first = append([]string{write.Lead("searched too, as parts of these records: ", parts)},
			s.q.leftOut(recall, len(s.all) > 0 && s.all[0].Has == "")...)
	}
	separate := slices.ContainsFunc(hits, func(h hit.Hit) bool { return h.Separate() != "" })
	unnamed := slices.ContainsFunc(hits, func(h hit.Hit) bool { return h.Ref == (rs.Ref{}) })
	return write.NotEmpty(slices.Concat([]string{incomplete}, first, s.l.Warnings(2), s.ofTimes(), s.hints, []string{
		write.When(len(hits) > 0 && s.proven(math.MaxInt) == nil, `Fetch a hit by its id as-is: fetch {"id":"…"}.`),
		write.When(separate, "Send connection_id beside an id where it is shown."),
		write.When(unnamed, "An address, or an id like result:3, is no record's and cannot be fetched."),
	})...)
}

// hitTexts returns as many of the first hits as fit in remaining bytes, with excerpts of at most chars characters.
func (s *searchPage) hitTexts(chars, remaining int) []hit.Text {
	lines := make([]hit.Text, 0, len(s.hits))
	matches := make([]byte, 0, 320*min(len(s.hits), usualHits))
	records := make(hit.SharedRecords, len(s.hits))
	for i := range s.hits[:s.maxShown()] {
		h := s.hit(i)
		from := len(matches)
		matches = h.AppendMatch(matches, chars)
		line := hit.Text{ID: h.Handle("", ""), What: h.What(chars > 0), Match: matches[from:len(matches):len(matches)]}
		line.Proven = len(h.Excerpts) > 0
		if line.Long = clean.LongerThan(h.ID, previewIDChars); !line.Long {
			line.Record, line.Joins = records.Add(h)
		}
		if line.Joins && records[line.Record] != h.Stream { // only matches in one record are on its lines
			line.Match = nil
		}
		if remaining -= line.Size(); remaining < 0 {
			break
		}
		lines = append(lines, line)
	}
	return lines
}

// summary alone suffices to fetch the best hit (B-1, B-3). It says what each number counts: all hits, those of this page, or records.
func (s *searchPage) summary() string {
	if len(s.all) == 0 {
		return s.nothing()
	}
	q := s.q
	var line string
	switch total := s.total(); {
	case q.Repair != nil:
		line = q.Repair.total() + " for some of the words"
	case q.Q == "":
		order := ", newest first" + write.When(s.sources() != "", " of these sources")
		line = write.Plural(len(s.all), "record") + order + s.untimed() + s.counts() + s.follow()
	case total != "":
		line = total + " hit" + write.When(total != "at least 1", "s") + s.forQuery() + s.counts()
	default:
		line = write.Plural(len(s.all), "hit") + s.ofRecords() + s.forQuery() + s.counts() + s.follow()
	}
	line += write.When(q.Q != "", ", "+ranking)
	if len(s.hits) == 0 {
		return line
	}
	if id := s.hits[0].ID; len(id) <= write.LongestHandle {
		line += "; first_fetch_id=" + id
	} else {
		line += "; the first id is too long for text: see structuredContent.results[0].id"
	}
	if q.Position.First() { // a continuation does not repeat it
		line += write.Lead(" ; source_mix: ", hit.SourceMix(s.all))
	}
	return line + s.zone()
}

// zone says how times are printed for a call with a time_zone: instants in UTC, local times as written. Local times are taken as those of
// that zone, so hits may seem out of order where both occur.
func (s *searchPage) zone() string {
	zone := s.q.Rest.Text("time_zone")
	if zone == "" {
		return ""
	}
	written, utc := false, false
	for i := range s.hits {
		at := s.hit(i).Authored
		_, err := rs.ReadTime(at)
		written = written || at != "" && err != nil
		utc = utc || err == nil && len(at) > len(time.DateOnly)
	}
	zone = clean.Name(write.Label(zone))
	switch {
	case written && utc:
		return utcTimes + ", those with T and no offset of clocks in " + zone
	case written:
		return "; times are of clocks in " + zone
	}
	return utcTimes
}

const utcTimes = "; times are UTC"

// ofRecords says how many records the hits of the page belong to, if these are fewer.
func (s *searchPage) ofRecords() string {
	if s.records == len(s.all) || s.q.Q == "" {
		return ""
	}
	return " of " + write.Plural(s.records, "record")
}

// follow says whether more hits follow this page, for a search whose total is unknown; "" for a page that has all.
func (s *searchPage) follow() string {
	switch {
	case s.hasRest() && s.l.Envelope.Get("next_cursor") == s.l.Meta.Object("sources").Get("rest_cursor"): // whether more follow is unknown
	case s.l.Envelope.Flag("has_more"), s.l.Envelope.Has("next_cursor"), len(s.l.Envelope.Array("goes_on")) > 0:
		return ", more follow"
	case s.q.Position.Cursor != "":
		return ", the last page"
	}
	return ""
}

func (s *searchPage) untimed() string {
	n, _ := s.l.Meta.Number("untimed_count")
	switch {
	case n > 0 && len(s.q.Parts) > 0 && s.q.Rest.Has("filter"):
		return fmt.Sprintf(" (left out: %d that may be outside filter)", n)
	case n > 0:
		return fmt.Sprintf(", without %d of unknown time", n)
	}
	return ""
}

func (s *searchPage) forQuery() string {
	return " for " + clean.Quote(clean.Preview(s.q.Q, 80)) + s.untimed()
}

func (s *searchPage) counts() string {
	n, some, nearest := s.l.Matches(), someCount(s.l), nearestCount(s.l)
	all := "all words" + write.When(s.l.Recall.Has("time_words"), " and that time")
	switch {
	case n == "":
		return ""
	case some > 0 && nearest > 0:
		return fmt.Sprintf(" (%s with %s, %d with some, %d near)", n, all, some, nearest)
	case some > 0:
		return fmt.Sprintf(" (%s with %s, %d with some)", n, all, some)
	case n == "0":
		return " (0 with the words themselves)"
	}
	return ""
}

func (s *searchPage) nothing() string {
	switch {
	case s.q.Repair != nil:
		return "0 hits. Try other words, or no streams and filter."
	case s.q.Q == "":
		return "0 records of this time" + write.Lead(" where ", s.sources())
	}
	n, counted := s.l.Recall.Number("sources_searched_count")
	over := write.When(counted, " over "+write.Plural(n, "source")+write.When(n > 1, ", each a stream of one connection"))
	if sources := s.sources(); sources != "" { // sources that were not read may have some
		return "0 hits" + s.forQuery() + s.q.where() + " where " + sources + "."
	}
	return "0 hits" + s.forQuery() + s.q.where() + over + ". Try " + s.q.otherwise() + "."
}
