package tools

import (
	"context"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// sourceRequest is the read of a source: a search where there are words, else a list of its records, newest first.
func sourceRequest(s known.Source, r rs.Request, f filter.Filter, limit int) rs.Request {
	query := url.Values{}
	r.OneRound = true
	if q := r.Query.Get("q"); q != "" {
		query.Set("q", q)
		query["streams"] = []string{s.Stream}
	} else {
		r.Path = rs.Path("streams", s.Stream, "records")
		if f == nil {
			query.Set("order", "desc")
		} else {
			query.Set("sort", "-"+s.Time)
		}
		for _, name := range []string{s.Time, s.Title, s.Author, s.Text} {
			if name != "" && !slices.Contains(query["fields"], name) {
				query.Add("fields", name)
			}
		}
	}
	read.SetText(query, "connection_id", s.Connection.ID)
	read.SetNumber(query, "limit", limit)
	f.Write(query)
	r.Query = query
	return r
}

// recordHit is a record as a search returns one.
func recordHit(s known.Source, record rs.Object) rs.Object {
	hit, data := rs.Object{{Name: "object", Value: `"search_result"`}}, record.Object("data")
	put := func(name, value string) {
		if value != "" {
			hit = append(hit, rs.Member{Name: name, Value: rs.EncodeJSON(value)})
		}
	}
	put("stream", s.Stream)
	put("record_key", record.Text("id", "record_id"))
	put("connection_id", s.Connection.ID)
	put("display_name", s.Connection.DisplayName)
	put("connector_key", s.Connection.ConnectorKey)
	put("emitted_at", record.Text("emitted_at"))
	put("authored_at", data.Text(s.Time))
	put("title", data.Text(s.Title))
	put("actor", data.Text(s.Author))
	put("snippet", data.Text(s.Text))
	return hit
}

// sourceName is a source for people.
func sourceName(s known.Source) string {
	if s.Connection.DisplayName == "" {
		return s.Stream
	}
	return s.Stream + " of " + s.Connection.DisplayName
}

// Bounds of what is read for one page.
const (
	maxPeriodSources = 24
	maxPeriodHits    = 100 // of one source
	maxPeriodWords   = 500 // a query has fewer
)

// A periodReader is a resource server as a search sees it that is limited to a period.
type periodReader struct {
	doer     rs.Doer
	args     searchArgs
	sources  []known.Source // that say when
	timeless []string       // streams that do not
	left     []known.Source // beyond the bound
	refused  *known.Refusals
	grant    string
}

// connections is how many connections are read.
func (p *periodReader) connections() int {
	ids := map[string]bool{}
	for _, s := range p.sources {
		ids[s.Connection.ID] = true
	}
	return len(ids)
}

// A foundAt is a hit and when its record is; the zero time where that is not known.
type foundAt struct {
	rs.Item
	at time.Time
}

// A periodPage is what was read of a source.
type periodPage struct {
	hits     []foundAt
	meta     rs.Object
	missing  []string // the words of the query, as JSON, that occur nowhere
	response *rs.Response
	reads    int
	more     bool
	all      bool      // the resource server did not filter by time
	parts    bool      // of streams without a time, of which only what is in the period is kept
	untimed  []foundAt // hits that are left out because it is not known when they are
	err      error
}

// read reads a source, filtered by time; where the resource server refuses to filter what this token reads, its newest records or best
// hits, of which those in the period are kept.
func (p *periodReader) read(ctx context.Context, r rs.Request, s known.Source, from periodCursor, most int) (page periodPage) {
	limited := p.args.period
	if from.at != "" {
		limited.until = from.at
	}
	f := p.args.filter
	for _, c := range limited.filter(s.Time, s.Kind, p.args.zone) {
		f = f.Narrowed(c)
	}
	if _, refused := p.refused.Get(p.grant); !refused {
		response, err := p.doer.Do(ctx, sourceRequest(s, r, f, most))
		if page.take(response, err, s, r, p.args.zone); !filterRefused(err) {
			return page
		}
		p.refused.Put(p.grant, true)
	}
	reads := page.reads
	page = periodPage{all: true}
	response, err := p.doer.Do(ctx, sourceRequest(s, r, nil, maxPeriodHits))
	page.take(response, err, s, r, p.args.zone)
	page.reads += reads
	page.keep(limited, p.args.zone)
	return page
}

// readTimeless searches the streams that have no time, of which only hits that say one are kept.
func (p *periodReader) readTimeless(ctx context.Context, r rs.Request) (page periodPage) {
	r.Query = maps.Clone(r.Query)
	r.Query["streams"] = p.timeless
	r.Query.Set("limit", strconv.Itoa(maxPeriodHits))
	r.Query.Del("cursor")
	response, err := p.doer.Do(ctx, r)
	page.take(response, err, known.Source{}, r, p.args.zone)
	page.keep(p.args.period, p.args.zone)
	page.parts = true
	return page
}

// complete reports whether the hits of a page, or what its resource server counted, are all that is in the period.
func (page *periodPage) complete() bool {
	return page.err == nil && !page.all && (!page.parts || !page.more && len(page.untimed) == 0)
}

// counts are how many records in the period have all words, and how many have some; false where that is not known.
func (page *periodPage) counts() (count, partial int, known bool) {
	if !page.parts {
		count, known = page.meta.Number("count")
		partial, _ = page.meta.Object("recall").Number("partial_count")
		return count, partial, known && !page.all
	}
	for _, hit := range page.hits { // what its resource server counted is of any time
		switch hit.Members.Text("match") {
		case "some":
			partial++
		case "nearest":
		default:
			count++
		}
	}
	return count, partial, page.complete()
}

// lacks reports whether a word, as JSON, is known to occur nowhere in the period.
func (page *periodPage) lacks(word string) bool {
	if slices.Contains(page.missing, word) {
		return true
	}
	return page.parts && page.complete() && !slices.ContainsFunc(page.hits, func(hit foundAt) bool {
		match := hit.Members.Text("match")
		return match != "some" && match != "nearest" || slices.Contains(hit.Members.Array("matched_words"), word)
	})
}

// take reads the answer of a source.
func (page *periodPage) take(response *rs.Response, err error, s known.Source, r rs.Request, zone *time.Location) {
	page.reads++
	if page.err = err; err != nil {
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
	page.missing = page.missing[:min(len(page.missing), maxPeriodWords)]
	page.more = list.Envelope.Has("next_cursor") || list.Envelope.Flag("has_more")
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

// keep leaves out what is not known to be in a period.
func (page *periodPage) keep(p period, zone *time.Location) {
	from, before := p.bounds(zone)
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

// filterRefused reports whether a resource server does not filter what a token reads at all.
func filterRefused(err error) bool {
	if err == nil {
		return false
	}
	e := rs.AsError(err)
	return e.Status == 400 && e.Param == "filter" && strings.Contains(e.Message, "not supported")
}

// A periodCursor is where a search of a period goes on. Hits are counted from the first; those of a timeline from the first that is as old
// as the last that was shown, so that records that were added meanwhile move nothing.
type periodCursor struct {
	shown int
	at    string // RFC 3339; "" but in a timeline
}

const periodCursorPrefix = "period."

func (c periodCursor) String() string { return periodCursorPrefix + strconv.Itoa(c.shown) + "." + c.at }

func parsePeriodCursor(text string) (periodCursor, error) {
	if text == "" {
		return periodCursor{}, nil
	}
	rest, ok := strings.CutPrefix(text, periodCursorPrefix)
	number, at, _ := strings.Cut(rest, ".")
	shown, err := strconv.Atoi(number)
	if _, timeErr := rs.ReadTime(at); !ok || err != nil || shown < 1 || shown >= maxPeriodHits || at != "" && timeErr != nil {
		return periodCursor{}, &rs.Error{Code: rs.InvalidCursor, Param: "cursor", Message: "This cursor is not of a search with since or until.", Hint: "Search again without cursor."}
	}
	return periodCursor{shown, at}, nil
}
