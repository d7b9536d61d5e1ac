package render

import (
	"fmt"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A searchPage is what the answer to a search is made of.
type searchPage struct {
	l     listing
	q     SearchQuery
	page  []hit // all hits of the page; hits are those from start on
	hits  []hit
	start int
	left  excess // what the resource server sent beyond what was asked for
	moved string // what is not exact because the list has changed
}

// readHits reads which hits a page has, without their texts. What is no object is none.
func (s *searchPage) readHits(items []rs.Item) {
	s.page = make([]hit, 0, len(items))
	for i, item := range items {
		if item.Members == nil {
			continue
		}
		h := readHit(item.Members, i, s.q.ConnectionID)
		if has := s.q.Repair.has(i); has != "" {
			h.has, h.nearest = has, nil
			h.words = append([]string{}, s.q.Repair.Hits[i].Words...)
		}
		s.page = append(s.page, h)
	}
}

// bound keeps the hits that were asked for: at most limit, of the named connection only.
func (s *searchPage) bound() {
	e := excess{limit: s.q.Limit}
	kept := s.page[:0]
	for _, h := range s.page {
		if h.foreign || s.q.ConnectionID != "" && h.conn != s.q.ConnectionID {
			e.foreign++
			continue
		}
		kept = append(kept, h)
	}
	if e.limit > 0 && len(kept) > e.limit {
		e.over, e.most = len(kept)-e.limit, len(kept)
		kept = kept[:e.limit]
	}
	s.page, s.left = kept, e
}

// hit is a hit with its texts. They are read when they are first needed: a page may have a hundred hits, of which few are shown.
func (s *searchPage) hit(i int) *hit {
	h := &s.hits[i]
	if h.read {
		return h
	}
	h.readTexts(s.q.ConnectionID)
	return h
}

// next is the cursor that goes on behind the first shown of the hits.
func (s *searchPage) next(shown int) string {
	return s.q.Position.after(s.start+shown, s.q.Limit, s.hits[shown-1].id).String()
}

// warning says what the resource server sent beyond what was asked for, and whether the list has changed.
func (s *searchPage) warning(cursor bool) string {
	return strings.TrimSpace(s.left.note("hit", cursor) + " " + s.moved)
}

// lead is what must be known before the hits: which words occur nowhere, or that the hits are only near in meaning. A repair has its own.
func (s *searchPage) lead() string {
	if lead := searchLead(s.l, s.q); lead != "" {
		return lead
	}
	near := 0
	for i := range s.page {
		if s.page[i].meaning {
			near++
		}
	}
	switch {
	case near == 0:
		return ""
	case near == len(s.page):
		return "The hits are the nearest in meaning; they need not have the words, or be about them."
	}
	return fmt.Sprintf("%d of these %d hits: only near in meaning, perhaps without the words.", near, len(s.page))
}
