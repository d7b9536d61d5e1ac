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

// Do reads one page of a search.
func (p *Reader) Do(ctx context.Context, r rs.Request) (*rs.Response, error) {
	ctx, cancel := read.WithinDeadline(ctx)
	defer cancel()
	p, reads := p.inOneSearch(ctx, r)
	from, err := p.from(r)
	if err != nil {
		return nil, err
	}
	r.Parts = nil // they are searched as separate streams
	limit, _ := strconv.Atoi(r.Query.Get("limit"))
	limit = min(cmp.Or(limit, DefaultHits), maxHits)
	n := p.round(from.before)
	n.reads = reads
	pages := n.readPages(ctx, r, from, limit)
	isAnswer := func(i int) bool { // what has no time is searched without the filter, even if that was refused
		return pages[i].err == nil && (i < len(n.sources) || len(p.Filter) == 0 || rs.AsError(pages[0].err).Status != 400)
	}
	for i := range pages {
		if isAnswer(i) {
			for j := range pages {
				pages[j].allowLacking()
			}
			return n.merged(r, pages, from, limit), nil
		}
	}
	return nil, pages[0].err
}

// readPages reads a page of each source of the round, and in the first round one of the streams without a time, which is the last.
func (n *round) readPages(ctx context.Context, r rs.Request, from cursor, limit int) []sourcePage {
	pages := make([]sourcePage, len(n.sources), len(n.sources)+1)
	if r.Query.Get("q") != "" && len(n.timeless) > 0 && n.before == 0 {
		pages = append(pages, sourcePage{})
	}
	for i := range pages {
		pages[i].err = &rs.Error{Code: "deadline_exceeded"}
	}
	read.All(ctx, len(pages), func(ctx context.Context, i int) {
		if i == len(n.sources) {
			pages[i] = n.readTimeless(ctx, r)
		} else {
			pages[i] = n.read(ctx, r, n.sources[i], from, from.shown+limit+1)
		}
	})
	if last := len(n.sources); last < len(pages) && len(pages[last].untimed) > 0 && !r.OneRound { // a repair makes many reads already
		n.dateParts(ctx, &pages[last])
	}
	return pages
}

// merged returns one page of the hits that the sources returned.
func (p *round) merged(r rs.Request, pages []sourcePage, from cursor, limit int) *rs.Response {
	response := &rs.Response{Status: 200, ContentType: "application/json", Reads: p.reads}
	for _, page := range pages {
		response.Reads += page.reads
		if page.err != nil {
			response.Unavailable++
		} else {
			response.RequestID = cmp.Or(response.RequestID, page.response.RequestID)
		}
	}
	timeline := r.Query.Get("q") == ""
	all := hitsOf(pages, timeline)
	matched := len(all) > 0 && all[0].match < nearestWord
	if matched { // leave out hits that only have words like those of the query
		all = slices.DeleteFunc(all, func(hit foundAt) bool { return hit.match == nearestWord })
	}
	end := min(len(all), from.shown+limit)
	var items []rs.Item
	for _, hit := range all[min(from.shown, end):end] {
		items = append(items, hit.Item)
	}
	goesOn := func(page sourcePage) bool { return page.more && (!matched || !page.endsWithNearest()) }
	more := len(items) > 0 && (end < len(all) || slices.ContainsFunc(pages, goesOn)) // a warning reports what was not looked through
	more = more || len(all) == 0 && slices.ContainsFunc(pages, func(page sourcePage) bool { return page.all && page.next != nil })
	sources := p.extent(r, pages)
	rest := sources.Get("rest_cursor")
	body := rs.Object{
		{Name: "object", Value: `"list"`}, rs.NewMember("has_more", more || rest != ""), {Name: "data", Value: rs.JoinItems(items)},
		{Name: "meta", Value: p.meta(pages, sources, timeline, len(all) > 0).JSON()},
	}
	if len(p.Unavailable) > 0 {
		response.Unavailable += len(p.Unavailable)
		body = append(body, rs.NewMember("unavailable_connections", p.Unavailable))
	}
	if p.Period != (Period{}) {
		body = body.With("read_as", rs.EncodeJSON(p.says()))
	}
	if more {
		body = append(body, p.next(r, pages, all, cursor{shown: end, before: from.before})...)
	} else if rest != "" {
		body = append(body, rs.Member{Name: "next_cursor", Value: rest})
	}
	return response.WithBody(body.JSON())
}

// meta returns what the answer says of all hits: what is left out, how many there are if that is known, and how many sources were read.
func (p *round) meta(pages []sourcePage, sources rs.Object, timeline, found bool) rs.Object {
	meta := rs.Object{{Name: "warnings", Value: p.warnings(pages, found)}}
	if n, _ := untimedOf(pages, anyStream); n > 0 {
		meta = append(meta, rs.NewMember("untimed_count", n))
	}
	counted, exact := 0, p.isAll() && !timeline
	for _, page := range pages {
		n, _, known := page.counts()
		counted, exact = counted+n, exact && known && page.err == nil
	}
	if exact {
		meta = append(meta, rs.NewMember("count", counted))
	}
	if sources != nil {
		meta = append(meta, rs.Member{Name: "sources", Value: sources.JSON()})
	}
	if recall := p.recall(pages); recall != nil {
		meta = append(meta, rs.Member{Name: "recall", Value: recall.JSON()})
	}
	return meta
}

// next returns how a page continues: with a cursor or, if all that was read has been shown, with a call for each source that has more. It
// is nil if a source of a search failed, since on the next page its hits may come before these.
func (p *round) next(r rs.Request, pages []sourcePage, all []foundAt, next cursor) rs.Object {
	timeline := r.Query.Get("q") == ""
	isUnfiltered := func(page sourcePage) bool { return page.all }
	switch {
	case !timeline && slices.ContainsFunc(pages, func(page sourcePage) bool { return page.err != nil }):
		return nil
	case next.shown == len(all) && (!timeline || slices.ContainsFunc(pages, isUnfiltered)):
		var calls []string
		for _, page := range pages {
			if page.more && page.next != nil {
				calls = append(calls, page.next.JSON())
			}
		}
		return rs.Object{{Name: "goes_on", Value: rs.JoinArray(calls)}}
	case timeline:
		end, last := next.shown, all[next.shown-1].at
		next.at, next.shown = filter.InstantIn(last, time.UTC), 0
		for _, hit := range all[:end] {
			if hit.at.Equal(last) {
				next.shown++
			}
		}
	}
	return rs.Object{rs.NewMember("next_cursor", p.encode(r, next))}
}

// recall merges what the answers say of the words of a query; nil if none says anything. A word is missing if it is missing in all of them.
func (p *round) recall(pages []sourcePage) rs.Object {
	var missing []string
	partial, complete, counted, said := 0, p.isAll(), false, false
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
		for _, page := range pages { // the first that has it: a source may have failed
			if value := page.meta.Object("recall").Get(name); value != "" {
				merged = append(merged, rs.Member{Name: name, Value: value})
				break
			}
		}
	}
	if len(missing) > 0 && p.isAll() && !slices.ContainsFunc(pages, func(page sourcePage) bool { return page.lacking }) { // not searched
		merged = append(merged, rs.Member{Name: "missing_words", Value: rs.JoinArray(missing)})
	}
	return merged
}

// says returns which instants were asked for, of which fields and, for fields whose values have no zone, which days or local times.
func (p *round) says() []string {
	inZone := p.Zone != nil && p.Zone != time.UTC
	var moved, unmoved []string
	for _, s := range p.sources {
		field := s.Time + " of " + s.Stream
		if s.lasting {
			field = "what lasts into it by " + s.End + " of " + s.Stream
		}
		fields := &moved
		if inZone && (s.Kind == filter.Dates || s.Kind == filter.LocalTimes) {
			fields = &unmoved
		}
		if !slices.Contains(*fields, field) {
			*fields = append(*fields, field)
		}
	}
	parts := slices.DeleteFunc(slices.Clone(p.timeless), func(stream string) bool { return !p.isPart(stream) })
	if len(parts) > 0 && p.Words != "" && p.before == 0 {
		moved = append(moved, few(parts)+" by their records")
	}
	from, before := p.Period.Bounds(p.Zone)
	minute := func(t time.Time) string { return strings.Replace(filter.Instant(t), ":00Z", "Z", 1) }
	var says []string
	if len(moved) > 0 {
		days := ""
		if inZone {
			days = " by days of " + p.Zone.String()
		}
		bounds := span("from", minute(from), !from.IsZero(), "until", minute(before), !before.IsZero())
		says = append(says, bounds+days+": "+strings.Join(moved, ", "))
	}
	if len(unmoved) > 0 {
		since, until := bound(p.Period.Since, filter.LocalTimes, p.Zone).String(), bound(p.Period.Until, filter.LocalTimes, p.Zone).String()
		bounds := span("from", since, since != "", "to", until, until != "")
		if p.Period.Since == p.Period.Until {
			bounds = "on " + since
		}
		says = append(says, bounds+" as written, without a zone: "+strings.Join(unmoved, ", "))
	}
	return says
}

// span returns "from A until B", or "from A on" or "until B" if there is only one bound.
func span(since, from string, begins bool, until, before string, ends bool) string {
	switch {
	case !begins:
		return until + " " + before
	case !ends:
		return since + " " + from + " on"
	}
	return since + " " + from + " " + until + " " + before
}

// untimedOf returns how many hits of some streams are left out because their time is unknown, and which streams these are.
func untimedOf(pages []sourcePage, of func(stream string) bool) (n int, streams []string) {
	for _, page := range pages {
		for _, hit := range page.untimed {
			if stream := hit.stream(); of(stream) {
				if n++; !slices.Contains(streams, stream) {
					streams = append(streams, stream)
				}
			}
		}
	}
	return n, streams
}

func anyStream(string) bool { return true }

// few returns the first of some names, and how many others there are.
func few(names []string) string {
	const most = 6
	if others := len(names) - most; others > 0 {
		names = append(slices.Clone(names[:most]), fmt.Sprintf("and %d others", others))
	}
	return strings.Join(names, ", ")
}

// warnings returns one warning with a sentence for each thing that the answer lacks, and then the warnings of the resource server, each
// once. A warning about files that were not read is left out if the answer has records, even if one of its sources has none.
func (p *round) warnings(pages []sourcePage, found bool) string {
	var says, failed, lacking, items []string
	say := func(holds bool, format string, values ...any) {
		if holds {
			says = append(says, fmt.Sprintf(format, values...))
		}
	}
	unfiltered, looked, oldest := false, 0, time.Time{}
	timeless, last := few(p.timeless), len(pages)-1
	for i, page := range pages {
		if page.all {
			unfiltered, looked = true, max(looked, page.looked)
		}
		if page.all && page.more && page.reached.After(oldest) {
			oldest = page.reached
		}
		name := timeless
		if i < len(p.sources) {
			name = p.sources[i].name()
		}
		if page.err != nil {
			failed = append(failed, name+" ("+string(rs.AsError(page.err).Code)+")")
		} else if page.lacking {
			lacking = append(lacking, name)
		}
		for _, raw := range page.meta.Array("warnings") {
			if isNotRead := rs.AsObject(raw).Text("code") == "not_read"; !slices.Contains(items, raw) && (!found || !isNotRead) {
				items = append(items, raw)
			}
		}
	}
	say(unfiltered, "This resource server does not filter what this token reads by time: the first %d of each stream were looked through.", looked)
	say(!oldest.IsZero(), "What is older than %s may be missing.", filter.Instant(oldest))
	say(last == len(p.sources) && pages[last].more, "Only the first %[2]d hits in %[1]s were looked through.", timeless, pages[last].looked)
	hasTime := func(stream string) bool { return p.isPart(stream) || !slices.Contains(p.timeless, stream) }
	unknown, without, lookedUp := "their time is not known", "since and until", hasTime
	if len(p.Filter) > 0 {
		unknown, without, lookedUp = "it is not known whether their records are within filter", "filter", anyStream
	}
	n, streams := untimedOf(pages, lookedUp)
	say(n > 0, "Left out, because %s: %d. A search without %s has them: %s.", unknown, n, without, few(streams))
	n, streams = untimedOf(pages, func(stream string) bool { return !lookedUp(stream) })
	say(n > 0, "Left out, because they have no time of their own: %d. A search without since and until has them: %s.", n, few(streams))
	say(len(p.timeless) > 0 && p.Words == "", "Not listed, having no time of their own: %s.", timeless)
	say(lacking != nil, "Left out, because they lack a field of filter: %s.", few(lacking))
	say(failed != nil, "Could not be read: %s.", few(failed))
	var unavailable []string
	for _, u := range p.Unavailable {
		unavailable = append(unavailable, fmt.Sprintf("%s (%s)", rs.ErrorText(cmp.Or(u.DisplayName, u.ID)), u.Code))
	}
	say(unavailable != nil, "Connections that could not be read: %s.", few(unavailable))
	if len(says) > 0 {
		own := rs.Object{{Name: "code", Value: `"period"`}, {Name: "message", Value: rs.EncodeJSON(strings.Join(says, " "))}}
		items = append([]string{own.JSON()}, items...)
	}
	return rs.JoinArray(items)
}
