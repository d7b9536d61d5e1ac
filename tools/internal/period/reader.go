package period

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
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
		if f == nil || s.Time == "" {
			query.Set("order", "desc")
		} else {
			query.Set("sort", "-"+s.Time)
		}
		for _, name := range []string{s.Time, s.Title, s.Author, s.Text} {
			if name != "" && !s.Untitled() && !slices.Contains(query["fields"], name) { // else its first values say what it is
				query.Add("fields", name)
			}
		}
	}
	read.Set(query, "connection_id", s.Connection.ID)
	read.Set(query, "limit", limit)
	f.Write(query)
	r.Query = query
	return r
}

// recordHit is a record as a search returns one.
func recordHit(s known.Source, record rs.Object) rs.Object {
	data, field := record.Object("data"), s.Time
	if !data.Has(field) {
		field = ""
	}
	hit := rs.Object{
		{Name: "object", Value: "search_result"}, {Name: "stream", Value: s.Stream}, {Name: "record_key", Value: record.Text("id", "record_id")},
		{Name: "connection_id", Value: s.Connection.ID}, {Name: "display_name", Value: s.Connection.DisplayName},
		{Name: "connector_key", Value: s.Connection.ConnectorKey}, {Name: "emitted_at", Value: record.Text("emitted_at")},
		{Name: "authored_at", Value: data.Text(field)}, {Name: "authored_field", Value: field},
		{Name: "title", Value: data.Text(s.Title)}, {Name: "actor", Value: data.Text(s.Author)}, {Name: "snippet", Value: data.Text(s.Text)},
	}
	if s.Untitled() {
		hit = append(hit, rs.Member{Name: "title", Value: render.BriefOf(data.Without(field))})
	}
	hit = slices.DeleteFunc(hit, func(m rs.Member) bool { return m.Value == "" })
	for i := range hit {
		hit[i].Value = rs.EncodeJSON(hit[i].Value)
	}
	return hit
}

// name is a source for people.
func (s source) name() string {
	name := s.Stream
	if s.lasting {
		name = "what lasts into it of " + name
	}
	if s.Connection.DisplayName == "" {
		return name
	}
	return name + " of " + s.Connection.DisplayName
}

// Bounds of what is read for one page.
const (
	maxReads = 32  // of sources, some of which are read a second time, for what lasts into the time
	maxHits  = 100 // of one source
	maxWords = 500 // a query has fewer
)

// A Reader is a resource server as a search sees it that is limited to a period.
type Reader struct {
	Doer    rs.Doer
	Words   string // that are searched for; "" lists the records themselves
	Filter  filter.Filter
	Period  Period
	Zone    *time.Location  // of dates
	Refused *known.Refusals // to filter
	Grant   string          // that is read
	// Connection is the one that the search names; "" for all.
	Connection string

	chosen   []known.Source // that say when
	timeless []string       // streams that do not
	wholes   []known.Source // whose records have parts in those
	anyTime  *sourcePage    // a search of those that has been made already; nil before
}

// A source is read for what is of a period by its time, or for what began before it and lasts into it.
type source struct {
	known.Source
	lasting bool
}

// Choose chooses what is read: those of the sources whose streams are named, with the streams of their parts, or all if none is. timeless
// reports whether a stream of them has no time, and some whether there is anything to read.
func (p *Reader) Choose(sources []known.Source, streams, parts []string) (timeless, some bool) {
	p.timeless = slices.Clone(parts)
	for _, s := range sources {
		named := len(streams) == 0 || slices.Contains(streams, s.Stream)
		if named && len(s.Parts) > 0 && (s.Time != "" || p.Period == (Period{})) {
			p.wholes = append(p.wholes, s)
		}
		switch {
		case !named:
		case p.Period == (Period{}): // one search of all connections, as without parts
			if !slices.ContainsFunc(p.chosen, func(other known.Source) bool { return other.Stream == s.Stream }) {
				p.chosen = append(p.chosen, known.Source{Stream: s.Stream, Connection: rs.Connection{ID: p.Connection}})
			}
		case s.Time != "":
			p.chosen = append(p.chosen, s)
		case !slices.Contains(p.timeless, s.Stream):
			p.timeless = append(p.timeless, s.Stream)
		}
	}
	timeless = len(p.timeless) > 0
	return timeless, len(p.chosen) > 0 || p.Words != "" && timeless
}

// OfAnyTime is the resource server as one search of all streams sees it, of whose hits those of the period are kept.
func (p *Reader) OfAnyTime() *Reader {
	wide := *p
	wide.chosen, wide.timeless = nil, slices.Clone(p.timeless)
	for _, s := range p.chosen {
		if !slices.Contains(wide.timeless, s.Stream) {
			wide.timeless = append(wide.timeless, s.Stream)
		}
	}
	return &wide
}

// Connections is how many connections are read.
func (p *Reader) Connections() int {
	ids := map[string]bool{}
	for _, s := range p.chosen {
		ids[s.Connection.ID] = true
	}
	return len(ids)
}

// read reads a source, filtered by time; where the resource server refuses to filter what this token reads, its newest records or best
// hits, of which those in the period are kept.
func (p *Reader) read(ctx context.Context, r rs.Request, s source, from cursor, most int) (page sourcePage) {
	limited := p.Period
	if from.at != "" {
		limited.Until = from.at
	}
	f := p.conditions(s.Source, limited)
	if s.lasting {
		f = p.narrowed(append(p.Period.lasting(s, p.Zone), Period{Until: from.at}.filter(s.Time, s.Kind, p.Zone)...))
	}
	if _, refused := p.Refused.Get(p.Grant); !refused || len(p.Filter) > 0 {
		page = p.pages(ctx, r, s, f, from, min(most, maxHits), most)
		if !filterRefused(page.err) || len(p.Filter) > 0 { // what the caller filters by is not left out
			return page
		}
		p.Refused.Put(p.Grant, true)
	}
	reads := page.reads
	if s.lasting { // its records are among those that are read without a filter
		return sourcePage{all: true, response: &rs.Response{}, reads: reads}
	}
	page = p.pages(ctx, r, s, nil, from, maxHits, 0)
	page.all = true
	page.reads += reads
	page.keep(limited, p.Zone)
	return page
}

// conditions are the filter and a period on a source.
func (p *Reader) conditions(s known.Source, limited Period) filter.Filter {
	return p.narrowed(limited.filter(s.Time, s.Kind, p.Zone))
}

// narrowed is the filter with more conditions.
func (p *Reader) narrowed(conditions filter.Filter) filter.Filter {
	f := p.Filter
	for _, c := range conditions {
		f = f.Narrowed(c)
	}
	return f
}

// pages reads so many hits of a source: several pages only of a timeline, where so many have one time. Of one that goes on, those of later
// times were shown.
func (p *Reader) pages(ctx context.Context, r rs.Request, s source, f filter.Filter, from cursor, limit, most int) (page sourcePage) {
	request := sourceRequest(s.Source, r, f, limit)
	until, _ := rs.ReadTime(from.at)
	isShown := func(hit foundAt) bool { return !until.IsZero() && hit.at.After(until) } // a day has no zone, and may be in a bound before it
	for first := true; first || page.cursor != "" && p.Words == "" && !p.isEnough(page.hits, most); first = false {
		response, err := p.Doer.Do(ctx, request)
		page.take(response, err, s.Source, r, p.Zone)
		page.hits = slices.DeleteFunc(page.hits, isShown)
		request.Query.Set("cursor", page.cursor)
	}
	page.goesOn(s.Stream, request, f)
	return page
}

// isEnough reports whether so many hits are the newest. Those of a source are in the order of their times, but it sorts days as those of
// UTC, and in the zone of a search a day begins earlier or later.
func (p *Reader) isEnough(hits []foundAt, most int) bool {
	const moved = 14 * time.Hour // at most
	isDay := func(hit foundAt) bool { return written.IsDay(render.WhenOf(hit.Members)) }
	if len(hits) < most || p.Zone == nil || p.Zone == time.UTC || !slices.ContainsFunc(hits, isDay) {
		return len(hits) >= most
	}
	newest := slices.SortedFunc(slices.Values(hits), func(a, b foundAt) int { return b.at.Compare(a.at) })
	return newest[most-1].at.After(hits[len(hits)-1].at.Add(moved))
}

// readTimeless searches the streams that have no time, of which only hits that say one are kept.
func (p *Reader) readTimeless(ctx context.Context, r rs.Request) (page sourcePage) {
	if p.anyTime != nil {
		page = *p.anyTime
	} else {
		page = p.ofAnyTime(ctx, r, p.timeless)
	}
	page.parts, page.filtered = true, len(p.Filter) > 0
	page.keep(p.Period, p.Zone)
	return page
}

// filterRefused reports whether a resource server does not filter what a token reads at all.
func filterRefused(err error) bool {
	e := &rs.Error{}
	if err != nil {
		e = rs.AsError(err)
	}
	return e.Status == 400 && e.Param == "filter" && strings.Contains(e.Message, "not supported")
}
