// Package period searches a resource server that filters by time one stream at a time as if it could search a period of all: it reads each
// stream of each connection by its own field that says when, and merges what they return. A search without words is a timeline: it lists
// the records themselves, newest first.
package period

import (
	"crypto/sha256"
	"encoding/base64"
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
type Period struct{ Since, Until string } // dates, or RFC 3339; "" for no bound

// Bounds are the first instant of a period and the one before which it ends; zero where it has none. A date is the whole day.
func (p Period) Bounds(zone *time.Location) (from, before time.Time) {
	bound := func(text string, days int, beyond time.Duration) time.Time {
		t, err := rs.ReadTime(text)
		switch {
		case err != nil:
			return time.Time{}
		case written.IsDay(text):
			return filter.StartOfDay(t.AddDate(0, 0, days), zone)
		}
		return t.Add(beyond)
	}
	return bound(p.Since, 0, 0), bound(p.Until, 1, 1)
}

// filter is the period as conditions on a field.
func (p Period) filter(field string, kind filter.DateKind, zone *time.Location) filter.Filter {
	var f filter.Filter
	for operator, value := range map[string]string{"gte": p.Since, "lte": p.Until} {
		if t, err := rs.ReadTime(value); err == nil && !written.IsDay(value) {
			value = bound(t, value, kind, zone)
		}
		if value != "" {
			f = append(f, filter.Condition{Field: field, Operator: operator, Value: value})
		}
	}
	f, _ = f.WholeDays(func(string) filter.DateKind { return kind }, zone)
	return f
}

// lasting is what began before a period and lasts into it, as conditions on the times of a source.
func (p Period) lasting(s source, zone *time.Location) filter.Filter {
	from, _ := p.Bounds(zone)
	return filter.Lasting(s.Time, s.End, s.Kind, bound(from, from.UTC().Format(time.RFC3339Nano), s.Kind, zone))
}

// bound is a time as the values of a field are compared with it: written, or what a clock of the zone shows.
func bound(t time.Time, written string, kind filter.DateKind, zone *time.Location) string {
	switch kind {
	case filter.Dates:
		return t.In(zone).Format(time.DateOnly)
	case filter.LocalTimes:
		return t.In(zone).Format(filter.LocalLayout)
	case filter.Instants:
		return filter.Written(t, zone)
	}
	return written
}

// DefaultHits is how many hits a page has that is made here or by the repair of a search, where no limit is sent.
const DefaultHits = 20

// A cursor is where a search of a period goes on. Hits are counted from the first; those of a timeline from the first that is as old
// as the last that was shown, so that records that were added meanwhile move nothing.
type cursor struct {
	shown  int
	at     string // RFC 3339; "" but in a timeline
	before int    // sources of earlier rounds
}

const (
	cursorPrefix = "period."
	markChars    = 6
)

// mark tells a search from another: its words, streams, filter and period, and where it has several rounds their sources.
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

// spell is a cursor as the model sends it back: "period.SHOWN.MARK.AT", and from the second round on "period.SHOWN-BEFORE.MARK.AT".
func (p *Reader) spell(r rs.Request, c cursor) string {
	shown := strconv.Itoa(c.shown)
	if c.before > 0 {
		shown += "-" + strconv.Itoa(c.before)
	}
	return cursorPrefix + shown + "." + p.mark(r) + "." + c.at
}

// IsCursor reports whether a cursor was made here.
func IsCursor(cursor string) bool { return strings.HasPrefix(cursor, cursorPrefix) }

// from is where a search goes on. It is an error where its cursor is of another.
func (p *Reader) from(r rs.Request) (cursor, error) {
	text := r.Query.Get("cursor")
	if text == "" {
		return cursor{}, nil
	}
	if parts := strings.SplitN(text, ".", 4); len(parts) == 4 {
		count, rounds, _ := strings.Cut(parts[1], "-")
		shown, err := strconv.Atoi(count)
		before, _ := strconv.Atoi(rounds)
		_, timeErr := rs.ReadTime(parts[3])
		c := cursor{shown, parts[3], max(0, before)}
		if err == nil && shown+before > 0 && shown >= 0 && shown < maxHits*maxReads && (c.at == "" || timeErr == nil) && p.spell(r, c) == text {
			return c, nil
		}
	}
	return cursor{}, render.InvalidCursor("This cursor is not of this search of a time.",
		"Send it with the same other arguments as the answer printed it, or search again without cursor.")
}

// A foundAt is a hit and when its record is; the zero time where that is not known.
type foundAt struct {
	rs.Item
	at     time.Time
	within bool   // it is known to be a part of a record within the filter
	whole  *whole // whose records it may be a part of; nil where that is not known
}

// What of the words of a query a hit has. A resource server returns first those that have all.
const (
	allWords = iota
	someWords
	nearestWord // one that is like a word that is nowhere
)

func (f foundAt) matches() int {
	return max(allWords, slices.Index([]string{allWords: "", someWords: "some", nearestWord: "nearest"}, f.Members.Text("match")))
}

func (f foundAt) stream() string { return f.Members.Text("stream", "stream_name") }

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
	filtered bool      // which are kept where the records that they are parts of are within the filter
	untimed  []foundAt // hits that are left out because it is not known when they are, or of which records they are parts
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
	searched, said := page.meta.Object("recall").Number("sources_searched_count")
	if slices.Contains(page.missing, word) || said && searched == 0 {
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
		case err != nil && when != "": // it is written in another way
			at, _ = rs.ReadTime(item.Members.Text("emitted_at"))
		case written.IsDay(when):
			at = filter.StartOfDay(at, zone)
		}
		page.hits = append(page.hits, foundAt{Item: item, at: at})
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
		case !hit.at.IsZero() && (hit.at.Before(from) || !before.IsZero() && !hit.at.Before(before)):
		case page.filtered && !hit.within, hit.at.IsZero() && p != (Period{}):
			page.untimed = append(page.untimed, hit)
		default:
			kept = append(kept, hit)
		}
	}
	page.hits = kept
}
