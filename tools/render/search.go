package render

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/hit"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/question"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// Search renders hits in any shape (S3-R14, S1, S2). Structured is {"results","content_ladder","data"}: results has each hit once, data is
// the envelope without the hits (D4).
func Search(response *rs.Response, q SearchQuery) (Result, error) {
	l, err := answer.ReadList(response, "search", q.Position.Cursor)
	if err != nil {
		return Result{}, err
	}
	if q.Question == nil {
		q.Question = question.New(q.Q, nil)
	}
	s := newSearchPage(l, q)
	s.hints = s.findHints()
	return Result{Structured: s.structured(), Text: s.text()}, nil
}

// A searchPage has the data from which both channels of a search answer are rendered.
type searchPage struct {
	paging.ByCursor
	l    answer.List
	q    SearchQuery
	all  []hit.Hit // of the page
	hits []hit.Hit // those of all that no earlier answer has shown

	records int      // how many records the hits of the page belong to
	hints   []string // with the calls that answer a question which a ranking does not
}

// newSearchPage reads the hits of a page, without their texts: at most limit, and only those of the named connection. It skips items that
// are not objects.
func newSearchPage(l answer.List, q SearchQuery) *searchPage {
	s := &searchPage{l: l, q: q, all: make([]hit.Hit, 0, len(l.Items))}
	extra := paging.Excess{Limit: q.Limit}
	for i, sent := range l.Items {
		if sent.Members == nil {
			continue
		}
		h := hit.Read(sent.Members, i, q.ConnectionID)
		if h.Foreign || q.ConnectionID != "" && h.Connection != q.ConnectionID {
			extra.Foreign++
			continue
		}
		h.Key = h.ID
		if q.Repair != nil && i < len(q.Repair.Hits) {
			h.Key, h.Words, h.Nearest = q.Repair.Hits[i].Key, append([]string{}, q.Repair.Hits[i].Words...), nil
		}
		s.all = append(s.all, h)
	}
	if found := len(s.all); q.Limit > 0 && found > q.Limit {
		extra.Over, extra.Most = found-q.Limit, found
		s.all = s.all[:q.Limit]
	}
	s.ByCursor = paging.ByCursor{
		Pager: paging.Pager{Noun: "hit", Total: len(s.all)},
		At:    q.Position, Limit: q.Limit, Key: func(i int) string { return s.all[i].Key },
		Extra: extra, Continues: l.Envelope.Has("next_cursor"),
	}
	if q.Repair != nil { // the repaired page has only hits that were not shown
		s.Before, s.At = q.Position.Shown, q.Position.Repaired()
	}
	s.ByCursor = s.Begin()
	s.hits = s.all[s.From:]
	s.records = hit.Records(s.all)
	return s
}

// maxShown returns how many of s.hits may be shown.
func (s *searchPage) maxShown() int {
	return min(cmp.Or(s.q.Shown, len(s.hits)), len(s.hits))
}

// hit returns the i-th of s.hits with its texts. It reads them on first use: a page may have a hundred hits, of which few are shown.
func (s *searchPage) hit(i int) *hit.Hit {
	if !s.hits[i].Read {
		s.hits[i].ReadTexts(s.q.ConnectionID)
		if s.q.Repair != nil {
			s.q.Repair.label(&s.hits[i], s.hits)
		}
	}
	return &s.hits[i]
}

// Limits of excerpts in structured output, in characters.
const (
	excerptChars  = 200  // of an excerpt or snippet, also in text
	excerptsJSON  = 2500 // of all excerpts of a page with many hits
	leastExcerpts = 50   // of each excerpt, even then
)

// Targets for the structured output of a page.
const (
	hitsJSON  = 15_000 // bytes for up to 20 hits; for more hits, in proportion
	usualJSON = 10_000 // bytes for a search without limit: a continuation has the other hits
	usualHits = 7      // hits that a search without limit shows, if they fit with shorter excerpts
	fewHits   = 10     // up to so many hits each have a call that reads the rest
)

// structured returns all hits of the page, or the first of them if the caller sent no limit. If that is too long, it shortens excerpts and
// long addresses, then leaves out the follow-ups, until the page is within its target or at least within the limit of hosts.
func (s *searchPage) structured() string {
	all, data := s.maxShown(), s.envelope()
	if all == 0 {
		if out := s.write(nil, nil, 0, hit.Style{}, data); write.FitsStructured(out) {
			return out
		}
		const tooLong = "More hits exist, but the cursor to them is too long to be sent back."
		return s.write(nil, nil, 0, hit.Style{}, data.Without("next_cursor").With("warning", write.JSON(tooLong)))
	}
	usual := hit.Style{Chars: min(max(excerptsJSON/all, leastExcerpts), excerptChars), Read: all <= fewHits}
	if s.q.Limit == 0 {
		if out, shown := s.fit(usual, usualJSON, data); shown >= min(usualHits, all) {
			return out
		}
	}
	most := min(hitsJSON*max(all, 20)/20, write.StructuredHard)
	shorter, short := hit.Style{Chars: (leastExcerpts + usual.Chars) / 2, Read: usual.Read}, hit.Style{Chars: leastExcerpts, Short: true}
	for _, style := range []hit.Style{usual, shorter, short} {
		if out, shown := s.fit(style, most, data); shown == all && len(out) <= most {
			return out
		}
		most = write.StructuredHard
	}
	const bare = "Of so many hits only id, title, time and address are here: a smaller limit shows what matches."
	out, _ := s.fit(hit.Style{Bare: true}, most, data.With("note", write.JSON(bare)))
	return out
}

// envelope returns what structured output says about the page. It omits links, which are for the resource server's own clients and repeat
// the cursor.
func (s *searchPage) envelope() object {
	data := write.TruncateEnvelope(s.l.Envelope.Without("result_count", "results_ref", "results", "hits", "links", "url"), write.EnvelopeJSON)
	data = append(data, rs.NewMember("result_count", len(s.hits)), rs.NewMember("results_ref", "structuredContent.results"))
	if s.q.Repair != nil {
		data = data.With("repair", s.q.Repair.json())
		if meta := data.Object("meta"); meta.Has("count") && len(s.hits) > 0 { // the count is that of the search that found nothing
			data = data.With("meta", meta.Without("count").JSON())
		}
	}
	if _, why := answer.Conditions("search", s.q.Empty); why != "" {
		data = data.With("conditions", why).With("meta", data.Object("meta").Without("recall").JSON())
	}
	if s.q.OfTime != nil {
		data = data.With("of_that_time", write.ToolCall("search", s.q.OfTime.JSON()))
	}
	if s.q.OfOther != nil {
		data = data.With("of_other_time", write.ToolCall("search", s.q.OfOther.JSON()))
	}
	say := func(name, text string) {
		if text != "" {
			data = data.With(name, write.JSON(text))
		}
	}
	say("order", write.When(s.q.Q != "" && len(s.all) > 0, ranking))
	if zone := s.zone(); zone != utcTimes {
		say("times", strings.TrimPrefix(zone, "; "))
	}
	if total := s.total(); total != "" && s.q.Repair == nil {
		if _, err := strconv.Atoi(total); err != nil {
			total = write.JSON(total)
		}
		data = data.With("hits_in_all", total)
	}
	if len(s.q.Parts) > 0 {
		data = data.With("also_searched", write.JSON(s.q.Parts))
	}
	if s.records < len(s.all) {
		data = data.With("records_in_page", write.JSON(s.records))
	}
	say("hint", strings.Join(s.hints, " "))
	say("warning", s.Warning(len(s.hits)))
	return data
}

// fit returns the page with as many of the first hits as fit in most bytes in a style, at least one, and their number. The cursor of
// the page continues after them.
func (s *searchPage) fit(style hit.Style, most int, data object) (string, int) {
	results, followUps := write.NewObject(most), write.NewObject(most/4)
	ends := make([][2]int, 1, len(s.hits)+1) // by number of hits: where they end in results and in followUps
	size := len(data.JSON())
	for i := range s.hits[:s.maxShown()] {
		style.Write(results, followUps, s.hit(i), s.q.RecordBase)
		end := [2]int{len(results.Inside()), len(followUps.Inside())}
		if i > 0 && size+end[0]+end[1] > most { // the hits after it do not fit either
			break
		}
		ends = append(ends, end)
	}
	for shown := len(ends) - 1; ; {
		part := data
		if shown < len(s.hits) {
			part = data.WithAll(object{
				write.Pair("has_more", "true"), rs.NewMember("next_cursor", s.Next(shown)),
				rs.NewMember("result_count", shown), rs.NewMember("warning", s.Warning(shown)),
			})
		}
		end := ends[shown]
		out := s.write(results.Inside()[:end[0]], followUps.Inside()[:end[1]], shown, style, part)
		over := len(out) - most
		if shown <= 1 || over <= 0 {
			return out, shown
		}
		for ; shown > 1 && over > 0; shown-- { // leaving out a hit saves at least its own bytes, so few pages are written
			over -= ends[shown][0] + ends[shown][1] - ends[shown-1][0] - ends[shown-1][1]
		}
	}
}

// write returns the structured output of the first hits: all in results, those with a proven match in content_ladder too (S1-1a).
func (s *searchPage) write(results, followUps []byte, shown int, style hit.Style, data object) string {
	a := write.NewObject(2048+len(results)+len(followUps)).Optional("notice", s.noticeJSON()).Elements("results", results).
		Open("content_ladder", '{').Elements("records", followUps)
	if x := style.FirstIncomplete(s.hits[:shown]); x != nil && !style.Read {
		x.AddRead(a, "read_each_like")
	}
	return a.Close('}').Append("data", data.AppendJSON).JSON()
}

// ranking tells the order of hits, because the first of them does not answer a question for the latest.
const ranking = "by relevance, not date"

// total returns how many hits there are on all pages, such as "48" or "at least 260". It is "" if the resource server does not tell, or if
// this page has all of them.
func (s *searchPage) total() string {
	n := s.l.Matches()
	exact, err := strconv.Atoi(n)
	if err != nil {
		return write.When(someCount(s.l) == 0, n)
	}
	exact += someCount(s.l) + nearestCount(s.l)
	return write.When(exact > len(s.all), strconv.Itoa(exact))
}

// noticeJSON returns the notice of structured output, which has no summary: it also explains the counts.
func (s *searchPage) noticeJSON() string {
	n, some := s.l.Matches(), someCount(s.l)
	counts := ""
	if s.q.Repair == nil && n != "" && n != "0" && some > 0 && len(s.all) > 0 {
		counts = fmt.Sprintf("%s with all of the words, %d with some; those name theirs in words.", n, some)
	}
	return paging.Sentences(s.notice(), counts)
}

// notice returns what must precede the hits: that not all sources were read, which words occur nowhere, or that the hits are only near in
// meaning. After a repair it has the first of these only, because the repair explains the rest.
func (s *searchPage) notice() string {
	return paging.Sentences(s.unread(), write.When(s.q.Repair == nil, s.lacking()))
}

// unread says how many sources were read, with the call that continues with the others; "" if all were read.
func (s *searchPage) unread() string {
	says := s.sources()
	if says == "" {
		return ""
	}
	others := s.q.call(s.l.Meta.Object("sources").Text("rest_cursor"))
	return says + "." + write.When(s.hasRest(), write.Offer(" The others: ", others.Call("search"), write.LongestHandle))
}

func (s *searchPage) hasRest() bool { return s.l.Meta.Object("sources").Has("rest_cursor") }

// sources returns "32 of 47 sources were read", or on a later page "15 more of 47 sources were read"; "" if all were read at once.
func (s *searchPage) sources() string {
	of := s.l.Meta.Object("sources")
	if of == nil {
		return ""
	}
	read, _ := of.Number("read")
	all, _ := of.Number("of")
	return fmt.Sprintf("%d%s of %s were read", read, write.When(of.Has("before"), " more"), write.Plural(all, "source"))
}

func (s *searchPage) lacking() string {
	if lead := searchLead(s.l, s.q); lead != "" {
		return lead
	}
	near := 0
	for i := range s.all {
		if s.all[i].Meaning {
			near++
		}
	}
	switch {
	case near == 0 && (s.l.Matches() != "0" || someCount(s.l) == 0 || len(s.all) == 0):
		return ""
	case near == 0 && s.all[0].Own.Flag("not_of_time"):
		return "No record that has all of the words is known to be of the time that the query names."
	case near == 0:
		return "No record has all of the words; the hits have some."
	case near == len(s.all):
		return "The hits are the nearest in meaning; they need not have the words, or be about them."
	}
	return fmt.Sprintf("%d of these %d hits: only near in meaning, perhaps without the words.", near, len(s.all))
}
