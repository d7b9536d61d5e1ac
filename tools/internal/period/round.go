package period

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
)

// Where there are more sources than are read at once, they are read in rounds, those first that are likely to have something, and what a
// page says is of its round. Which these are is found out anew for each page: a cursor has a seal of those of its round and of the earlier
// ones, and leads nowhere if they are others by then.

// A round is the sources of a page, as its reader sees them.
type round struct {
	*Reader
	sources []source // that are read: what lasts into the time behind all others
	order   []int    // of all that may have something, by their places in the schema
	before  int      // of these, how many earlier rounds have read
	end     int      // and how many they and this one
	seal    string   // "" where one round has all
	reads   int      // that it took to choose
}

// round chooses the sources of the round that begins behind so many.
func (p *Reader) round(ctx context.Context, r rs.Request, before int) *round {
	n := &round{Reader: p}
	n.order, n.reads = p.likely(ctx, r)
	n.before = min(before, len(n.order))
	n.end, n.seal = n.from(n.before)
	places := slices.Sorted(slices.Values(n.order[n.before:n.end]))
	for _, at := range places {
		n.sources = append(n.sources, source{p.chosen[at], false})
	}
	for _, at := range places {
		if p.lasts(at) {
			n.sources = append(n.sources, source{p.chosen[at], true})
		}
	}
	return n
}

// from is where the round ends that begins behind so many sources, and its seal.
func (n *round) from(before int) (end int, seal string) {
	reads := 0
	for end = before; end < len(n.order); end++ {
		if reads += n.cost(n.order[end]); reads > maxReads {
			break
		}
	}
	if before == 0 && end == len(n.order) {
		return end, ""
	}
	hash := sha256.New()
	for _, part := range [][]int{n.order[:before], n.order[before:end]} {
		for _, at := range slices.Sorted(slices.Values(part)) {
			fmt.Fprintln(hash, n.chosen[at].Stream, n.chosen[at].Connection.ID)
		}
		fmt.Fprintln(hash)
	}
	return end, base64.RawURLEncoding.EncodeToString(hash.Sum(nil))[:markChars]
}

// lasts reports whether a source is read a second time, for what lasts into the period.
func (p *Reader) lasts(at int) bool { return p.chosen[at].End != "" && p.Period.Since != "" }

func (p *Reader) cost(at int) int {
	if p.lasts(at) {
		return 2
	}
	return 1
}

// likely are the sources that may have something, the likely ones first where not all are read at once, and how many reads it took to know.
func (p *Reader) likely(ctx context.Context, r rs.Request) (order []int, reads int) {
	cost := 0
	for at := range p.chosen {
		order, cost = append(order, at), cost+p.cost(at)
	}
	if cost <= maxReads {
		return order, 0
	}
	ranks := make([]int, len(order))
	having := len(order)
	if r.Query.Get("q") == "" {
		reads = p.rankByAge(ctx, ranks)
	} else {
		having, reads = p.rankByWords(ctx, r, ranks)
	}
	slices.SortStableFunc(order, func(a, b int) int { return ranks[a] - ranks[b] })
	return order[:having], reads
}

// rankByAge ranks those sources last of which all records are older than the period as far as their connectors know, which is not when
// something is: an event may be read long before its time.
func (p *Reader) rankByAge(ctx context.Context, ranks []int) (reads int) {
	from, _ := p.Period.Bounds(p.Zone)
	if from.IsZero() {
		return 0
	}
	list := p.Streams(ctx)
	for _, row := range list.ListedStreams() {
		updated, err := rs.ReadTime(row.Updated)
		if row.Records != 0 && (err != nil || !updated.Before(from)) {
			continue
		}
		for at, s := range p.chosen {
			if s.Stream == row.Name && (row.Connection == "" || s.Connection.ID == row.Connection) {
				ranks[at] = 1
			}
		}
	}
	return 1
}

// rankByWords ranks sources by where a search of any time has their best hit, and, as long as that has not all hits, one of those sources
// that it has none of. Where all hits are known, only sources of them have something in the period: having is how many these are, of which
// one is read even so if there is none, for what it says of the words.
func (p *Reader) rankByWords(ctx context.Context, r rs.Request, ranks []int) (having, reads int) {
	streams := r.Query["streams"]
	for at := range ranks {
		ranks[at] = maxHits * maxAnyTime
	}
	for round := 0; round < maxAnyTime && reads < maxReads; round++ { // of a package each reads all members
		page := p.ofAnyTime(ctx, r, streams)
		reads += page.reads
		streams = nil
		for at, s := range p.chosen {
			if ranks[at] < maxHits*maxAnyTime {
				continue
			}
			rank := slices.IndexFunc(page.hits, func(hit foundAt) bool {
				connection := rs.ConnectionID(hit.Members)
				here := connection == "" || s.Connection.ID == "" || connection == s.Connection.ID
				return here && hit.stream() == s.Stream
			})
			if rank >= 0 {
				ranks[at] = round*maxHits + rank
				having++
			} else if !slices.Contains(streams, s.Stream) {
				streams = append(streams, s.Stream)
			}
		}
		if page.err != nil || len(streams) == 0 {
			break
		}
		if page.hasAllOfAnyTime() && strings.HasSuffix(r.Path, "/search") {
			return max(1, having), reads
		}
	}
	return len(ranks), reads
}

// hasAllOfAnyTime reports whether a search of several streams has all that has a word of the query. A word that is common in all of them
// finds nothing itself, and may be rare in one.
func (page *sourcePage) hasAllOfAnyTime() bool {
	recall := page.meta.Object("recall")
	count, counted := page.meta.Number("count")
	some, _ := recall.Number("partial_count")
	return !page.more && page.response.Unavailable == 0 && !recall.Denied("complete") && len(recall.Array("common_words")) == 0 &&
		(!counted || count+some <= len(page.hits)) &&
		!slices.ContainsFunc(page.hits, func(hit foundAt) bool { return hit.stream() == "" })
}

// ofAnyTime searches some streams, all if none is named, without the period and the filter.
func (p *Reader) ofAnyTime(ctx context.Context, r rs.Request, streams []string) (page sourcePage) {
	r.Query = maps.Clone(r.Query)
	ofWholes := func(name string, _ []string) bool { return strings.HasPrefix(name, "filter") }
	maps.DeleteFunc(r.Query, ofWholes)
	r.Query.Del("streams")
	if len(streams) > 0 {
		r.Query["streams"] = streams
	}
	r.Query.Set("limit", strconv.Itoa(maxHits))
	r.Query.Del("cursor")
	response, err := p.Doer.Do(ctx, r)
	page.take(response, err, known.Source{}, r, p.Zone)
	return page
}

// rest is the cursor of the next round; "" where there is none.
func (n *round) rest(r rs.Request) string {
	if n.end == len(n.order) {
		return ""
	}
	_, seal := n.from(n.end)
	return n.spell(r, cursor{before: n.end, seal: seal})
}

// extent is of how many of all sources a page is, with the cursor that goes on with the others; nil where it is of all. Streams that have
// no time are sources where they are searched; those of which it is known that they have nothing count as read.
func (n *round) extent(r rs.Request, pages []sourcePage) rs.Object {
	read, before, all := 0, n.before, len(n.chosen)
	for i, s := range n.sources {
		if !s.lasting && pages[i].err == nil {
			read++
		}
	}
	beside := all - len(n.order)
	if n.Words != "" {
		all += len(n.timeless)
		if n.before > 0 || len(pages) > len(n.sources) && pages[len(n.sources)].err == nil {
			beside += len(n.timeless)
		}
	}
	if n.before > 0 {
		before += beside
	} else {
		read += beside
	}
	if read == all {
		return nil
	}
	said := rs.Object{rs.NewMember("read", read), rs.NewMember("of", all)}
	if before > 0 {
		said = append(said, rs.NewMember("before", before))
	}
	if rest := n.rest(r); rest != "" {
		said = append(said, rs.NewMember("rest_cursor", rest))
	}
	return said
}
