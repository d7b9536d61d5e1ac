package period

import (
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
)

// A round has the sources of one page: all sources of its Reader, or as many of them as [maxReads] allows, in the order of the schema.
type round struct {
	*Reader
	sources []source // to read; those for what lasts into the period come last
	before  int      // number of sources in earlier rounds
	end     int      // number of sources in these rounds and this one
	reads   int      // made before those of the round
}

// round returns the round that begins after the first before sources.
func (p *Reader) round(before int) *round {
	n := &round{Reader: p, before: min(before, len(p.chosen))}
	var lasting []source
	for n.end = n.before; n.end < len(p.chosen); n.end++ {
		s := source{Source: p.chosen[n.end]}
		twice := s.End != "" && !p.Period.Since.IsZero() // also for the records that last into the period
		reads := len(n.sources) + len(lasting) + 1
		if twice {
			reads++
		}
		if reads > maxReads {
			break
		}
		n.sources = append(n.sources, s)
		if twice {
			s.lasting = true
			lasting = append(lasting, s)
		}
	}
	n.sources = append(n.sources, lasting...)
	return n
}

// isAll reports whether one round has all sources.
func (n *round) isAll() bool { return n.before == 0 && n.end == len(n.chosen) }

// isWide reports whether the sources take more than one round.
func (p *Reader) isWide() bool { return !p.round(0).isAll() }

// inOneSearch returns a Reader of one search of any time, for a search for words whose sources take more than one round, if that search
// returns all hits; else this Reader, and the reads that the search took.
func (p *Reader) inOneSearch(ctx context.Context, r rs.Request) (reader *Reader, reads int) {
	if !p.isWide() || p.Words == "" || len(p.Filter) > 0 {
		return p, 0
	}
	wide := p.OfAnyTime()
	page := wide.readAnyTime(ctx, r, wide.timeless, 1)
	if page.err != nil || !page.hasAllOfAnyTime() {
		return p, page.reads
	}
	wide.anyTime = &page
	return wide, 0
}

// readAnyTime searches some streams without the period and the filter. It reads at most as many pages of maxHits hits as given.
func (p *Reader) readAnyTime(ctx context.Context, r rs.Request, streams []string, pages int) (page sourcePage) {
	r.Query = maps.Clone(r.Query)
	ofWholes := func(name string, _ []string) bool { return strings.HasPrefix(name, "filter") }
	maps.DeleteFunc(r.Query, ofWholes)
	r.Query["streams"] = streams
	r.Query.Set("limit", strconv.Itoa(maxHits))
	r.Query.Del("cursor")
	for n := 0; n == 0 || n < pages && page.cursor != ""; n++ {
		response, err := p.Doer.Do(ctx, r)
		if page.take(response, err, known.Source{}, r, p.Zone); page.err != nil && n > 0 {
			page.err, page.more = nil, true // the pages before it count
		}
		r.Query.Set("cursor", page.cursor)
	}
	return page
}

// hasAllOfAnyTime reports whether a search of several streams returned all records with a word of the query. A word that is common in all
// of the streams finds nothing there, although it may be rare in one.
func (page *sourcePage) hasAllOfAnyTime() bool {
	recall := page.meta.Object("recall")
	count, counted := page.meta.Number("count")
	some, _ := recall.Number("partial_count")
	return !page.more && page.response.Unavailable == 0 && !recall.Denied("complete") && len(recall.Array("common_words")) == 0 &&
		(!counted || count+some <= len(page.hits)) &&
		!slices.ContainsFunc(page.hits, func(hit foundAt) bool { return hit.stream() == "" })
}

// extent returns how many of all sources a page covers, and the cursor that continues with the others; nil if it covers all. Streams
// without a time count as sources if they are searched.
func (n *round) extent(r rs.Request, pages []sourcePage) rs.Object {
	read, before, all := 0, n.before, len(n.chosen)
	for i, s := range n.sources {
		if !s.lasting && pages[i].err == nil {
			read++
		}
	}
	if n.Words != "" {
		all += len(n.timeless)
		switch {
		case n.before > 0:
			before += len(n.timeless)
		case len(pages) > len(n.sources) && pages[len(n.sources)].err == nil:
			read += len(n.timeless)
		}
	}
	if read == all {
		return nil
	}
	members := rs.Object{rs.NewMember("read", read), rs.NewMember("of", all)}
	if before > 0 {
		members = append(members, rs.NewMember("before", before))
	}
	if n.end < len(n.chosen) {
		members = append(members, rs.NewMember("rest_cursor", n.encode(r, cursor{before: n.end})))
	}
	return members
}
