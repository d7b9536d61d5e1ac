package period

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
)

// A search may be limited to a period. Resource servers filter the search of one stream at a time, by the field of it that says when: so
// each stream of each connection is read by its own field, and what they return is merged. Without words the records themselves are
// listed, newest first: a timeline.

// Do reads one page of a search.
func (p *Reader) Do(ctx context.Context, r rs.Request) (*rs.Response, error) {
	ctx, cancel := read.WithinDeadline(ctx)
	defer cancel()
	from, err := p.from(r)
	if err != nil {
		return nil, err
	}
	r.Parts = nil // which are read as streams of their own
	limit, _ := strconv.Atoi(r.Query.Get("limit"))
	limit = min(cmp.Or(limit, DefaultHits), maxHits)
	words := r.Query.Get("q") != ""
	pages := make([]sourcePage, len(p.sources), len(p.sources)+1)
	if words && len(p.timeless) > 0 {
		pages = append(pages, sourcePage{})
	}
	for i := range pages {
		pages[i].err = &rs.Error{Code: "deadline_exceeded"}
	}
	read.All(ctx, len(pages), func(ctx context.Context, i int) {
		if i == len(p.sources) {
			pages[i] = p.readTimeless(ctx, r)
		} else {
			pages[i] = p.read(ctx, r, p.sources[i], from, from.shown+limit+1)
		}
	})
	if last := len(p.sources); last < len(pages) && len(pages[last].untimed) > 0 && !r.OneRound { // a repair has many reads already
		p.dateParts(ctx, &pages[last])
	}
	for _, page := range pages {
		if page.err == nil {
			return p.merged(r, pages, from, limit), nil
		}
	}
	return nil, pages[0].err
}

// merged is one page of what the sources returned: hits in turn, the best of each first; records by time.
func (p *Reader) merged(r rs.Request, pages []sourcePage, from cursor, limit int) *rs.Response {
	timeline := r.Query.Get("q") == ""
	var all []foundAt
	more := false
	if timeline { // of equal times in the order of the sources, which is that of the next page too
		for _, page := range pages {
			all = append(all, page.hits...)
		}
		slices.SortStableFunc(all, func(a, b foundAt) int { return b.at.Compare(a.at) })
	} else {
		for rank := range maxHits {
			for _, page := range pages {
				if rank < len(page.hits) {
					all = append(all, page.hits[rank])
				}
			}
		}
		slices.SortStableFunc(all, func(a, b foundAt) int { return cmp.Compare(a.matches(), b.matches()) })
	}
	matched := len(all) > 0 && all[0].matches() < nearestWord
	if matched { // then words that are like those of the query are none of its
		all = slices.DeleteFunc(all, func(hit foundAt) bool { return hit.matches() == nearestWord })
	}
	response := &rs.Response{Status: 200, ContentType: "application/json"}
	counted, exact := 0, true
	for _, page := range pages {
		response.Reads += page.reads
		more = more || page.more && (!matched || !page.endsWithNearest())
		if page.err != nil {
			response.Unavailable++
			exact = false
			continue
		}
		if response.RequestID == "" {
			response.RequestID = page.response.RequestID
		}
		n, _, known := page.counts()
		counted, exact = counted+n, exact && known
	}
	end := min(len(all), from.shown+limit)
	page := all[min(from.shown, len(all)):end]
	items := make([]rs.Item, len(page))
	for i, hit := range page {
		items[i] = hit.Item
	}
	meta := rs.Object{{Name: "warnings", Value: p.warnings(pages, len(all) > 0)}}
	if n := untimedOf(pages); n > 0 {
		meta = append(meta, rs.Member{Name: "untimed_count", Value: strconv.Itoa(n)})
	}
	if exact && !timeline {
		meta = append(meta, rs.Member{Name: "count", Value: strconv.Itoa(counted)})
	}
	if recall := p.recall(pages); recall != nil {
		meta = append(meta, rs.Member{Name: "recall", Value: recall.JSON()})
	}
	more = (more || end < len(all)) && len(page) > 0 // of what was not looked through a warning says so
	body := rs.Object{
		{Name: "object", Value: `"list"`}, {Name: "has_more", Value: strconv.FormatBool(more)}, {Name: "data", Value: rs.JoinItems(items)},
		{Name: "meta", Value: meta.JSON()},
	}
	if p.Period != (Period{}) {
		body = body.With("read_as", rs.EncodeJSON([]string{p.says()}))
	}
	if next := (cursor{shown: end}); more && len(page) > 0 {
		if timeline {
			last := page[len(page)-1].at
			next = cursor{at: last.UTC().Format(time.RFC3339Nano)}
			for _, hit := range all[:end] {
				if hit.at.Equal(last) {
					next.shown++
				}
			}
		}
		failed := func(p sourcePage) bool { return p.err != nil && !timeline } // the next page may have other hits before these
		switch {
		case slices.ContainsFunc(pages, failed):
		case end < len(all), timeline && !slices.ContainsFunc(pages, func(p sourcePage) bool { return p.all }):
			body = append(body, rs.Member{Name: "next_cursor", Value: rs.EncodeJSON(p.spell(r, next))})
		default:
			var calls []string // one for each source of which all that was read has been shown and more follows
			for _, page := range pages {
				if page.more && page.next != nil {
					calls = append(calls, page.next.JSON())
				}
			}
			body = append(body, rs.Member{Name: "goes_on", Value: rs.JoinArray(calls)})
		}
	}
	return response.WithBody(body.JSON())
}

// recall is what the answers say of the words of a query; nil where none does. A word is missing where it is in none of them.
func (p *Reader) recall(pages []sourcePage) rs.Object {
	var missing []string
	partial, complete, counted, said := 0, len(p.left) == 0, false, false
	for i := range pages {
		recall := pages[i].meta.Object("recall")
		_, some, _ := pages[i].counts()
		partial, complete = partial+some, complete && pages[i].complete() && !recall.Denied("complete")
		counted, said = counted || recall.Has("partial_count"), said || recall != nil
		for _, word := range pages[i].missing {
			if !slices.Contains(missing, word) {
				missing = append(missing, word)
			}
		}
	}
	if !said {
		return nil
	}
	missing = slices.DeleteFunc(missing, func(word string) bool {
		return slices.ContainsFunc(pages, func(page sourcePage) bool { return !page.lacks(word) })
	})
	merged := rs.Object{{Name: "complete", Value: strconv.FormatBool(complete)}}
	if counted {
		merged = append(merged, rs.Member{Name: "partial_count", Value: strconv.Itoa(partial)})
	}
	for _, name := range []string{"left_out_words", "time_words", "preferred_time"} {
		if value := pages[0].meta.Object("recall").Get(name); value != "" {
			merged = append(merged, rs.Member{Name: name, Value: value})
		}
	}
	if len(missing) > 0 && len(p.left) == 0 {
		merged = append(merged, rs.Member{Name: "missing_words", Value: rs.JoinArray(missing)})
	}
	return merged
}

// says is which instants were asked for, of which fields.
func (p *Reader) says() string {
	var fields, says []string
	for _, s := range p.sources {
		field := s.Time + " of " + s.Stream
		if s.lasting {
			field = "what lasts into it by " + s.End + " of " + s.Stream
		}
		if !slices.Contains(fields, field) {
			fields = append(fields, field)
		}
	}
	from, before := p.Period.Bounds(p.Zone)
	minute := func(t time.Time) string { return strings.Replace(filter.Instant(t), ":00Z", "Z", 1) }
	if !from.IsZero() {
		says = append(says, "from "+minute(from))
	}
	if before.IsZero() {
		says = append(says, "on")
	} else {
		says = append(says, "until "+minute(before))
	}
	if len(p.timeless) > 0 && p.Words != "" {
		fields = append(fields, strings.Join(p.timeless, ", ")+" by their records")
	}
	if p.Zone != nil && p.Zone != time.UTC {
		says = append(says, "by days of "+p.Zone.String())
	}
	return strings.Join(says, " ") + ": " + strings.Join(fields, ", ")
}

// untimedOf is how many hits are left out because it is not known when they are.
func untimedOf(pages []sourcePage) (n int) {
	for _, page := range pages {
		n += len(page.untimed)
	}
	return n
}

// warnings say in one sentence each what the answer does not have, before the warnings of the resource server, each of them once. Those of
// files that were not read belong to an answer without records, not to one that has any though one of its sources has none.
func (p *Reader) warnings(pages []sourcePage, found bool) string {
	const most = 6 // names of what was not read
	var says, failed, left, items []string
	say := func(holds bool, format string, values ...any) {
		if holds {
			says = append(says, fmt.Sprintf(format, values...))
		}
	}
	unfiltered, untimed, oldest := false, untimedOf(pages), time.Time{}
	timeless, last := strings.Join(p.timeless, ", "), len(pages)-1
	for i, page := range pages {
		unfiltered = unfiltered || page.all
		if n := len(page.hits); page.all && page.more && n > 0 && page.hits[n-1].at.After(oldest) {
			oldest = page.hits[n-1].at
		}
		if name := timeless; page.err != nil {
			if i < len(p.sources) {
				name = p.sources[i].name()
			}
			failed = append(failed, name+" ("+string(rs.AsError(page.err).Code)+")")
		}
		for _, raw := range page.meta.Array("warnings") {
			if isNotRead := rs.AsObject(raw).Text("code") == "not_read"; !slices.Contains(items, raw) && (!found || !isNotRead) {
				items = append(items, raw)
			}
		}
	}
	for _, s := range p.left {
		switch {
		case slices.Contains(left, s.name()), len(left) > most:
		case len(left) == most:
			left = append(left, "…")
		default:
			left = append(left, s.name())
		}
	}
	say(unfiltered, "This resource server does not filter what this token reads by time: the first %d of each stream were looked through.", maxHits)
	say(!oldest.IsZero(), "What is older than %s may be missing.", filter.Instant(oldest))
	say(last == len(p.sources) && pages[last].more, "Of %s only the first %d hits were looked through.", timeless, maxHits)
	unknown, without := "their time is not known", "since and until"
	if len(p.Filter) > 0 {
		unknown, without = "it is not known whether their records are within filter", "filter"
	}
	say(untimed > 0, "Left out, because %s: %d; at most %d are looked up. A search of %s without %s has them.",
		unknown, untimed, maxDatedHits, timeless, without)
	say(len(p.timeless) > 0 && p.Words == "", "%s have no time of their own and are not listed.", timeless)
	say(left != nil, "Not read, because there are so many, but by the same call with fewer streams: %s.", strings.Join(left, ", "))
	say(failed != nil, "Could not be read: %s.", strings.Join(failed, ", "))
	if len(says) > 0 {
		own := rs.Object{{Name: "code", Value: `"period"`}, {Name: "message", Value: rs.EncodeJSON(strings.Join(says, " "))}}
		items = append([]string{own.JSON()}, items...)
	}
	return rs.JoinArray(items)
}
