package period

import (
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A foundAt is a hit and when its record is; the zero time where that is not known.
type foundAt struct {
	rs.Item
	at time.Time
}

// What of the words of a query a hit has. A resource server returns first those that have all.
const (
	allWords = iota
	someWords
	nearestWord // one that is like a word that is nowhere
)

func (f foundAt) matches() int {
	switch f.Members.Text("match") {
	case "some":
		return someWords
	case "nearest":
		return nearestWord
	}
	return allWords
}

// A sourcePage is what was read of a source.
type sourcePage struct {
	hits     []foundAt
	meta     rs.Object
	missing  []string // the words of the query, as JSON, that occur nowhere
	response *rs.Response
	reads    int
	more     bool
	cursor   string    // of the resource server, behind the hits
	next     rs.Object // the call that reads what follows of the source; nil where its resource server gives no cursor
	all      bool      // the resource server did not filter by time
	parts    bool      // of streams without a time, of which only what is in the period is kept
	untimed  []foundAt // hits that are left out because it is not known when they are
	err      error
}

// complete reports whether the hits of a page, or what its resource server counted, are all that is in the period.
func (page *sourcePage) complete() bool {
	return page.err == nil && !page.all && (!page.parts || !page.more && len(page.untimed) == 0)
}

// endsWithNearest reports whether all hits that follow have no word of the query.
func (page *sourcePage) endsWithNearest() bool {
	return len(page.hits) > 0 && page.hits[len(page.hits)-1].matches() == nearestWord
}

// counts are how many records in the period have all words, and how many have some; false where that is not known.
func (page *sourcePage) counts() (count, partial int, known bool) {
	if !page.parts {
		count, known = page.meta.Number("count")
		partial, _ = page.meta.Object("recall").Number("partial_count")
		return count, partial, known && !page.all
	}
	for _, hit := range page.hits { // what its resource server counted is of any time
		switch hit.matches() {
		case someWords:
			partial++
		case allWords:
			count++
		}
	}
	return count, partial, page.complete()
}

// lacks reports whether a word, as JSON, is known to occur nowhere in the period.
func (page *sourcePage) lacks(word string) bool {
	if slices.Contains(page.missing, word) {
		return true
	}
	return page.parts && page.complete() && !slices.ContainsFunc(page.hits, func(hit foundAt) bool {
		return hit.matches() == allWords || slices.Contains(hit.Members.Array("matched_words"), word)
	})
}

// take reads the answer of a source.
func (page *sourcePage) take(response *rs.Response, err error, s known.Source, r rs.Request, zone *time.Location) {
	page.reads++
	if page.err, page.cursor = err, ""; err != nil {
		return
	}
	page.reads += max(1, response.Reads) - 1
	list, ok := response.List()
	if !ok {
		page.err = &rs.Error{Code: rs.InvalidResponse}
		return
	}
	page.response, page.meta = response, list.Envelope.Object("meta")
	page.missing = page.meta.Object("recall").Array("missing_words")
	page.missing = page.missing[:min(len(page.missing), maxWords)]
	page.cursor = list.Envelope.Text("next_cursor")
	page.more = page.cursor != "" || list.Envelope.Flag("has_more")
	for _, item := range list.Items {
		if r.Query.Get("q") == "" {
			item = recordHit(s, item.Members).Item()
		}
		when := render.WhenOf(item.Members)
		at, err := rs.ReadTime(when) // the zero time if there is none
		if err == nil && filter.IsDate(when) {
			at = filter.StartOfDay(at, zone)
		}
		page.hits = append(page.hits, foundAt{item, at})
	}
}

// goesOn is the call that reads on where a source has more than was read.
func (page *sourcePage) goesOn(stream string, r rs.Request, f filter.Filter) {
	if page.err != nil || page.cursor == "" {
		return
	}
	tool, args := "query_records", rs.Object{{Name: "stream", Value: rs.EncodeJSON(stream)}}
	if r.Query.Has("q") {
		tool, args = "search", rs.Object{{Name: "q", Value: rs.EncodeJSON(r.Query.Get("q"))}, {Name: "streams", Value: rs.EncodeJSON([]string{stream})}}
		if mode := r.Path[strings.LastIndexByte(r.Path, '/')+1:]; mode != "search" {
			args = args.With("mode", rs.EncodeJSON(mode))
		}
	}
	for _, name := range []string{"connection_id", "sort", "order"} {
		if value := r.Query.Get(name); value != "" {
			args = args.With(name, rs.EncodeJSON(value))
		}
	}
	if fields := r.Query["fields"]; len(fields) > 0 {
		args = args.With("fields", rs.EncodeJSON(fields))
	}
	if len(f) > 0 {
		args = args.With("filter", f.Object().JSON())
	}
	args = args.With("limit", r.Query.Get("limit")).With("cursor", rs.EncodeJSON(page.cursor))
	page.next = rs.Object{{Name: "tool", Value: rs.EncodeJSON(tool)}, {Name: "arguments", Value: args.JSON()}}
}

// keep leaves out what is not known to be in a period.
func (page *sourcePage) keep(p Period, zone *time.Location) {
	from, before := p.Bounds(zone)
	var kept []foundAt
	for _, hit := range page.hits {
		switch {
		case hit.at.IsZero():
			page.untimed = append(page.untimed, hit)
		case hit.at.Before(from), !before.IsZero() && !hit.at.Before(before):
		default:
			kept = append(kept, hit)
		}
	}
	page.hits = kept
}
