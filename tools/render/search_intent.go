package render

import (
	"regexp"
	"strings"
)

// Questions that no ranking by words answers, in the languages whose common words search knows.
var (
	asksNewest = regexp.MustCompile(`(?i)(^|\s)(latest|newest|most recent|last time|(my|the) last|did \S+ last|neueste[rsnm]?|letzte[rsnm]?|zuletzt|derni(er|ère)s?|últim[oa]s?)(\s|\pP|$)`)
	asksNumber = regexp.MustCompile(`(?i)(^|\s)(how many|how much|number of|sum of|did i spend|wie ?viele?[rsnm]?|combien|cuánt[oa]s?)(\s|\pP|$)`)
)

// otherTool says which tool answers a query that asks for the newest or for a number; "" for any other, and behind the first page.
func (s *searchPage) otherTool() string {
	switch {
	case !s.q.Position.First():
		return ""
	case asksNumber.MatchString(s.q.Q):
		return "Hits are no count: aggregate counts and sums, also within a filter."
	case !asksNewest.MatchString(s.q.Q):
		return ""
	}
	says := "Hits are ranked by their words, not by time. Newest first: query_records"
	for i := range s.hits {
		if filter := s.hit(i).ofSender(s.q.Q); filter != "" {
			return says + " " + new(arguments).text("stream", s.hits[i].stream).text("connection_id", s.hits[i].conn).put("filter", filter).json()
		}
	}
	return says + ", filtered and sorted, or search with since."
}

// ofSender is the filter by who sent a hit, where a query names them and a match shows the field that has the name; else "".
func (h *hit) ofSender(query string) string {
	if h.who == "" || !strings.Contains(strings.ToLower(query), strings.ToLower(h.who)) {
		return ""
	}
	for i := range h.excerpts {
		if x := &h.excerpts[i]; x.text.plain == h.who {
			return object{pair(x.field, encode(h.who))}.JSON()
		}
	}
	return ""
}
