// Package period limits a search to a period. A resource server can filter only one stream at a time by time, so the package reads each
// stream of each connection with a filter on its own time field, and merges the results. A search without words is a timeline: it lists the
// records themselves, newest first.
package period

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A Period is the time that a search is limited to; the empty one limits nothing.
type Period struct{ Since, Until filter.Value } // dates, or RFC 3339; the zero Value for no bound

// Bounds returns the first instant of a period and the instant before which it ends; zero for a missing bound. A date is the whole day.
func (p Period) Bounds(zone *time.Location) (from, before time.Time) {
	bound := func(v filter.Value, days int, beyond time.Duration) time.Time {
		if day, ok := v.Day(); ok {
			return filter.StartOfDay(day.AddDate(0, 0, days), zone)
		}
		if t, ok := v.Instant(); ok {
			return t.Add(beyond)
		}
		return time.Time{}
	}
	return bound(p.Since, 0, 0), bound(p.Until, 1, 1)
}

// filter returns the period as conditions on a field.
func (p Period) filter(field string, kind filter.DateKind, zone *time.Location) filter.Filter {
	var f filter.Filter
	for _, c := range (filter.Filter{{Field: field, Operator: "gte", Value: p.Since}, {Field: field, Operator: "lte", Value: p.Until}}) {
		if c.Value = bound(c.Value, kind, zone); !c.Value.IsZero() {
			f = append(f, c)
		}
	}
	f, _ = f.WholeDays(func(string) filter.DateKind { return kind }, zone)
	return f
}

// lasting returns the conditions for records of a source that began before a period and last into it.
func (p Period) lasting(s source, zone *time.Location) filter.Filter {
	from, _ := p.Bounds(zone)
	return filter.Lasting(s.Time, s.End, s.Kind, bound(filter.InstantIn(from, time.UTC), s.Kind, zone))
}

// bound returns an instant in the form that the values of a field are compared with: as it was written, or as a clock of the zone shows it.
// It returns any other value unchanged.
func bound(v filter.Value, kind filter.DateKind, zone *time.Location) filter.Value {
	t, ok := v.Instant()
	switch {
	case ok && kind == filter.Dates:
		return filter.Date(t.In(zone))
	case ok && kind == filter.LocalTimes:
		return filter.LocalTime(t.In(zone))
	case ok && kind == filter.Instants:
		return filter.InstantIn(t, zone)
	}
	return v
}

// DefaultHits is the number of hits on a page, if no limit is sent, of a search of a period and of a repaired search.
const DefaultHits = 20

// A cursor is where a search of a period continues. shown counts the hits so far; in a timeline only those with the time at, which is that
// of the last hit shown, so that records added meanwhile do not move the page.
type cursor struct {
	shown  int
	at     filter.Value // an instant; zero except in a timeline
	before int          // sources of earlier rounds
}

const (
	cursorPrefix = "period."
	markChars    = 6
)

// mark returns a short hash that identifies a search: its words, streams, filter and period and, if it takes several rounds, its sources.
func (p *Reader) mark(r rs.Request) string {
	query := url.Values{}
	maps.Copy(query, r.Query)
	query.Del("cursor")
	query.Del("limit")
	search := fmt.Appendln(nil, query.Encode(), p.Filter, p.Period, p.Zone)
	if p.isWide() {
		for _, s := range p.chosen {
			search = fmt.Appendln(search, s.Stream, s.Connection.ID)
		}
	}
	sum := sha256.Sum256(search)
	return base64.RawURLEncoding.EncodeToString(sum[:])[:markChars]
}

// encode returns a cursor as the model sends it back: "period.SHOWN.MARK.AT", or from the second round on "period.SHOWN-BEFORE.MARK.AT".
func (p *Reader) encode(r rs.Request, c cursor) string {
	shown := strconv.Itoa(c.shown)
	if c.before > 0 {
		shown += "-" + strconv.Itoa(c.before)
	}
	return cursorPrefix + shown + "." + p.mark(r) + "." + c.at.String()
}

// IsCursor reports whether a cursor was made by this package.
func IsCursor(cursor string) bool { return strings.HasPrefix(cursor, cursorPrefix) }

// from returns where a search continues. It fails if the cursor is invalid or belongs to another search.
func (p *Reader) from(r rs.Request) (cursor, error) {
	text := r.Query.Get("cursor")
	if text == "" {
		return cursor{}, nil
	}
	if parts := strings.SplitN(text, ".", 4); len(parts) == 4 {
		count, rounds, _ := strings.Cut(parts[1], "-")
		shown, err := strconv.Atoi(count)
		before, _ := strconv.Atoi(rounds)
		c := cursor{shown, filter.ValueOf(parts[3]), max(0, before)}
		_, isTime := c.at.Instant()
		if err == nil && shown+before > 0 && shown >= 0 && shown < maxHits*maxReads && (isTime || parts[3] == "") && p.encode(r, c) == text &&
			(c.before == 0 || len(p.round(c.before).sources) > 0) {
			return c, nil
		}
	}
	return cursor{}, render.InvalidCursor("This cursor is not of this search of a time.",
		"Send it with the same other arguments as the answer printed it, or search again without cursor.")
}

// A sourcePage is what was read from a source.
type sourcePage struct {
	hits     []foundAt
	looked   int // the hits that were read, including those that are left out
	meta     rs.Object
	missing  []string // the words of the query, as JSON, that no record has
	response *rs.Response
	reads    int
	more     bool
	cursor   string    // the resource server's, after the hits
	next     rs.Object // the call that reads what follows in the source; nil if the resource server gives no cursor
	all      bool      // the resource server did not filter by time
	reached  time.Time // of such a page of a timeline: the time of the last record; zero if it is not the oldest
	parts    bool      // it is of streams without a time; only hits in the period are kept
	filtered bool      // such a hit is kept only if the record that it is a part of is within the filter
	untimed  []foundAt // hits that are left out because their time, or the record that they are a part of, is unknown
	lacking  bool      // the source lacks a field of the filter, so that none of its records can be within it
	err      error
}

// allowLacking makes the refusal of a source that lacks a field of the filter an empty page.
func (page *sourcePage) allowLacking() {
	if refused := (*rs.Error)(nil); errors.As(page.err, &refused) && refused.Code == "unknown_field" && refused.Status == 400 {
		page.err, page.lacking, page.response = nil, true, &rs.Response{}
	}
}

// complete reports whether the hits of a page, or the counts of its resource server, cover everything in the period.
func (page *sourcePage) complete() bool {
	return page.err == nil && !page.all && (!page.parts || !page.more && len(page.untimed) == 0)
}

// endsWithNearest reports whether the last hit, and so every hit that follows, has no word of the query.
func (page *sourcePage) endsWithNearest() bool {
	return len(page.hits) > 0 && page.hits[len(page.hits)-1].match == nearestWord
}

// counts returns how many records in the period have all words, and how many have some; false if that is unknown.
func (page *sourcePage) counts() (count, partial int, known bool) {
	if page.lacking {
		return 0, 0, true
	}
	if !page.parts {
		count, known = page.meta.Number("count")
		partial, _ = page.meta.Object("recall").Number("partial_count")
		return count, partial, known && !page.all
	}
	for _, hit := range page.hits { // the resource server counted hits of any time
		switch hit.match {
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
	searched, said := page.meta.Object("recall").Number("sources_searched_count")
	if page.lacking || slices.Contains(page.missing, word) || said && searched == 0 {
		return true
	}
	return page.parts && page.complete() && !slices.ContainsFunc(page.hits, func(hit foundAt) bool {
		return hit.match == allWords || slices.Contains(hit.Members.Array("matched_words"), word)
	})
}

// take adds the answer of a source to the page.
func (page *sourcePage) take(response *rs.Response, err error, s known.Source, r rs.Request, zone *time.Location) {
	page.reads++
	if page.err, page.cursor = err, ""; err != nil {
		return
	}
	page.reads += max(1, response.Reads) - 1
	list, ok := response.List()
	if !ok {
		page.err = &rs.Error{Code: "invalid_response"}
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
		local, isLocal := written.LocalTime(when, zone)
		switch {
		case isLocal:
			at = local
		case err != nil && when != "": // in an unknown format
			at, _ = rs.ReadTime(item.Members.Text("emitted_at"))
		case written.IsDay(when):
			at = filter.StartOfDay(at, zone)
		}
		page.hits = append(page.hits, newFound(item, at))
	}
	page.looked += len(list.Items)
}

// setNext sets the call that reads on, if the source has more than was read.
func (page *sourcePage) setNext(stream string, r rs.Request, f filter.Filter) {
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

// keep drops the hits outside a period. It moves those not known to be in the period and within the filter to untimed.
func (page *sourcePage) keep(p Period, zone *time.Location) {
	from, before := p.Bounds(zone)
	var kept []foundAt
	for _, hit := range page.hits {
		switch {
		case !hit.at.IsZero() && (hit.at.Before(from) || !before.IsZero() && !hit.at.Before(before)):
		case page.filtered && !hit.within, hit.at.IsZero() && p != (Period{}):
			page.untimed = append(page.untimed, hit)
		default:
			kept = append(kept, hit)
		}
	}
	page.hits = kept
}
