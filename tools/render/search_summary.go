package render

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/hit"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// ranking says what the order of hits is not: a question for the latest is not answered by the first of them.
const ranking = "by relevance, not date"

// summary alone is enough to fetch the best hit (B-1, B-3), and says what its numbers are of: all hits, those of this page, or records.
func (s *searchPage) summary() string {
	q, line := s.q, ""
	if len(s.all) == 0 {
		return s.nothing()
	}
	switch total := s.total(); {
	case q.Repair != nil:
		line = write.Plural(q.Repair.Total, "hit") + " for some of the words"
	case q.Q == "":
		line = write.Plural(len(s.all), "record") + ", newest first" + s.untimed() + s.counts()
	case total != "":
		line = total + " hits" + s.forQuery() + s.counts()
	default:
		line = write.Plural(len(s.all), "hit") + s.ofRecords() + s.forQuery() + s.counts()
	}
	if q.Q != "" {
		line += ", " + ranking
	}
	if len(s.hits) == 0 {
		return line
	}
	if id := s.hits[0].ID; len(id) <= write.LongestHandle {
		line += "; first_fetch_id=" + id
	} else {
		line += "; the first id is too long for text: see structuredContent.results[0].id"
	}
	if mix := hit.SourceMix(s.all); mix != "" && q.Position.First() { // a continuation has said it
		line += " ; source_mix: " + mix
	}
	if q.Rest.Has("time_zone") { // in which only days are read
		line += "; times are UTC"
	}
	return line
}

// ofRecords says of how many records the hits of the page are, where these are fewer.
func (s *searchPage) ofRecords() string {
	if s.records < len(s.all) && s.q.Q != "" {
		return " of " + write.Plural(s.records, "record")
	}
	return ""
}

// total is how many hits there are in all, where the resource server says so and they are not those of this page: "48", "at least 260"; else "".
func (s *searchPage) total() string {
	n := s.l.count()
	if exact, err := strconv.Atoi(n); err == nil {
		nearest, _ := s.l.meta.Object("recall").Number("nearest_count")
		if exact += someCount(s.l) + max(nearest, 0); exact <= len(s.all) {
			return ""
		}
		return strconv.Itoa(exact)
	}
	if someCount(s.l) > 0 {
		return ""
	}
	return n
}

// forQuery says which query the hits are for.
func (s *searchPage) forQuery() string {
	return " for " + clean.Quote(clean.Preview(s.q.Q, 80)) + s.untimed()
}

// untimed says how many hits are left out of a period because nothing says when they are.
func (s *searchPage) untimed() string {
	if n, _ := s.l.meta.Number("untimed_count"); n > 0 {
		return ", without " + strconv.Itoa(n) + " of unknown time"
	}
	return ""
}

// counts says how many of the hits have all words.
func (s *searchPage) counts() string {
	n, some := s.l.count(), someCount(s.l)
	switch {
	case n == "":
		return ""
	case some > 0:
		return fmt.Sprintf(" (%s with all words, %d with some)", n, some)
	case n == "0":
		return " (0 with the words themselves)"
	}
	return ""
}

// noticeJSON is the notice of structured output, which has no summary: it says what the counts are of, too.
func (s *searchPage) noticeJSON() string {
	notice, n, some := s.notice(), s.l.count(), someCount(s.l)
	if s.q.Repair == nil && n != "" && n != "0" && some > 0 && len(s.all) > 0 {
		notice = strings.TrimSpace(fmt.Sprintf("%s %s with all of the words, %d with some; those name theirs in words.", notice, n, some))
	}
	return notice
}

// notice is what must be known before the hits: which words occur nowhere, or that the hits are only near in meaning. A repair has its own.
func (s *searchPage) notice() string {
	if s.q.Repair != nil {
		return ""
	}
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
	case near == 0 && s.l.count() == "0" && someCount(s.l) > 0 && len(s.all) > 0:
		return "No record has all of the words; the hits have some."
	case near == 0:
		return ""
	case near == len(s.all):
		return "The hits are the nearest in meaning; they need not have the words, or be about them."
	}
	return fmt.Sprintf("%d of these %d hits: only near in meaning, perhaps without the words.", near, len(s.all))
}

// nothing says that and where nothing was found.
func (s *searchPage) nothing() string {
	switch {
	case s.q.Repair != nil:
		return "0 hits. Try other words, or no streams and filter."
	case s.q.Q == "":
		return "0 records of this time"
	}
	return "0 hits" + s.forQuery() + searched(s.l, s.q) + ". Try " + s.q.otherwise() + "."
}

// searched says where a search has found nothing.
func searched(l listing, q SearchQuery) string {
	var where []string
	if streams := write.Words(q.Rest, "streams"); len(streams) > 0 {
		where = append(where, "in "+strings.Join(streams, ", "))
	}
	if q.ConnectionID != "" {
		where = append(where, "of "+clean.Name(clean.Preview(q.ConnectionID, write.LabelChars)))
	}
	if q.Rest.Has("filter") {
		where = append(where, "within filter")
	}
	for _, bound := range []string{"since", "until"} {
		if value := q.Rest.Text(bound); value != "" {
			where = append(where, bound+" "+clean.Preview(value, write.LabelChars))
		}
	}
	if n, ok := l.meta.Object("recall").Number("sources_searched_count"); ok {
		where = append(where, "over "+write.Plural(n, "source"))
	}
	if len(where) == 0 {
		return ""
	}
	return " " + strings.Join(where, " ")
}

// someCount is how many records have some of the words, as the resource server counted.
func someCount(l listing) int {
	n, _ := l.meta.Object("recall").Number("partial_count")
	return max(n, 0)
}
