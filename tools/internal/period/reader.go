package period

import (
	"context"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// sourceRequest returns the read of a source: a search if there are words, else a list of its records, newest first.
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
		for _, name := range []string{s.Time, s.Title, s.Author, s.Text, s.Status} {
			if name != "" && !s.Untitled() && !slices.Contains(query["fields"], name) { // an untitled record needs all
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

// recordHit returns a record in the form of a search hit.
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
		{Name: "title", Value: titleOf(s, data)}, {Name: "actor", Value: data.Text(s.Author)}, {Name: "snippet", Value: data.Text(s.Text)},
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

// titleOf returns the title of a record. That of a cancelled event says so: a timeline without it would announce the event.
func titleOf(s known.Source, data rs.Object) string {
	title := data.Text(s.Title)
	if status := strings.ToLower(data.Text(s.Status)); title != "" && (status == "cancelled" || status == "canceled") {
		return "Cancelled: " + title
	}
	return title
}

// name returns the name of a source in a message.
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
	maxReads = 32          // reads of sources; one that is also read for what lasts into the period takes two
	maxHits  = rs.MaxLimit // hits of one source
	maxWords = 500         // missing words; a query has fewer

	maxUnfilteredPages = 4 // of the newest records of a source, if the resource server does not filter
)

// A Reader answers the searches of a call from a resource server, limited to a period.
type Reader struct {
	Doer    rs.Doer
	Words   string // the words to search for; "" lists the records themselves
	Filter  filter.Filter
	Period  Period
	Zone    *time.Location  // of dates
	Refused *known.Refusals // grants for which the resource server refuses to filter
	Grant   string          // the key of the grant that is read
	// Connection is the one that the search names; "" for all.
	Connection string
	// Listed has the newest records of sources that the resource server does not filter, once they were read.
	Listed *sync.Map
	// Unavailable has the connections of a package that cannot be read.
	Unavailable []rs.UnavailableConnection

	chosen   []known.Source // the sources that are read one by one; with a period, those with a time
	timeless []string       // the streams that are searched together: those without one
	parents  []known.Source // the sources whose records have parts in the timeless streams
	anyTime  *sourcePage    // the search of the timeless streams, if it has been made already
}

// A source is read for the records whose time is in a period or, if lasting is set, for those that began before it and last into it.
type source struct {
	known.Source
	lasting bool
}

// Choose selects what is read: the sources whose streams are named, or all if none is named, and the streams in parts. timeless reports
// whether one of these streams has no time, and some whether there is anything to read.
func (p *Reader) Choose(sources []known.Source, streams, parts []string) (timeless, some bool) {
	p.timeless = slices.Clone(parts)
	for _, s := range sources {
		if s.Time == "" && len(s.Unmarked) > 0 {
			s.Title, s.Time = render.UsualNames(s.Unmarked)
		}
		named := len(streams) == 0 || slices.Contains(streams, s.Stream)
		isPart := func(stream string) bool { return known.IsPart(stream, []known.Source{s}) }
		isParent := named && len(s.Parts) > 0
		if p.Period == (Period{}) && isParent || p.Period != (Period{}) && s.Time != "" && (isParent || slices.ContainsFunc(streams, isPart)) {
			p.parents = append(p.parents, s)
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

// OfAnyTime returns a Reader that makes one search of all streams for any time, and keeps the hits in the period.
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

// Connections returns the number of connections that are read.
func (p *Reader) Connections() int {
	ids := map[string]bool{}
	for _, s := range p.chosen {
		ids[s.Connection.ID] = true
	}
	return len(ids)
}

// read reads a source, filtered by time. If the resource server refuses to filter what this token reads, it reads the newest records or
// best hits of the source, and keeps those in the period.
func (p *Reader) read(ctx context.Context, r rs.Request, s source, from cursor, most int) (page sourcePage) {
	limited := p.Period
	if !from.at.IsZero() {
		limited.Until = from.at
	}
	f := p.conditions(s.Source, limited)
	if s.lasting {
		f = p.narrowed(append(p.Period.lasting(s, p.Zone), Period{Until: from.at}.filter(s.Time, s.Kind, p.Zone)...))
	}
	if _, refused := p.Refused.Get(p.Grant); !refused || len(p.Filter) > 0 {
		page = p.pages(ctx, r, s, f, from, min(most, maxHits), most)
		refused, isGuess := rs.RefusesFilters(page.err), len(s.Unmarked) > 0 && page.err != nil && rs.AsError(page.err).Status == 400
		if !refused && !isGuess || len(p.Filter) > 0 { // the caller's filter is never dropped
			return page
		}
		if refused {
			p.Refused.Put(p.Grant, true)
		}
	}
	reads := page.reads
	if s.lasting { // the unfiltered read of the source has these records
		return sourcePage{all: true, response: &rs.Response{}, reads: reads}
	}
	page = p.pages(ctx, r, s, nil, from, maxHits, 0)
	page.all = true
	page.reads += reads
	p.dateByRecords(ctx, &page, s)
	page.keep(limited, p.Zone)
	return page
}

// conditions returns the filter with a period on a source.
func (p *Reader) conditions(s known.Source, limited Period) filter.Filter {
	return p.narrowed(limited.filter(s.Time, s.Kind, p.Zone))
}

// narrowed returns the filter with more conditions.
func (p *Reader) narrowed(conditions filter.Filter) filter.Filter {
	f := p.Filter
	for _, c := range conditions {
		f = f.Narrowed(c)
	}
	return f
}

// pages reads the hits of a source: one page, but of a timeline as many pages as it takes to know the newest most hits or, if most is 0, to
// reach a record before the period, up to maxUnfilteredPages. It drops the hits later than from, which have been shown.
func (p *Reader) pages(ctx context.Context, r rs.Request, s source, f filter.Filter, from cursor, limit, most int) (page sourcePage) {
	request := sourceRequest(s.Source, r, f, limit)
	until, _ := from.at.Instant()
	isShown := func(hit foundAt) bool { return !until.IsZero() && hit.at.After(until) } // the filter may not exclude a date: it has no zone
	for n := 0; n == 0 || p.Words == "" && !p.isEnough(&page, most) && page.cursor != "" && (most > 0 || n < maxUnfilteredPages); n++ {
		response, err := p.Doer.Do(ctx, request)
		page.take(response, err, s.Source, r, p.Zone)
		page.hits = slices.DeleteFunc(page.hits, isShown)
		request.Query.Set("cursor", page.cursor)
	}
	page.setNext(s.Stream, request, f)
	return page
}

// dateByRecords gives the hits of an unfiltered page that do not say their time that of their records: the newest of the source are listed
// for it, once. It drops a hit of which this shows that its record is older than the period.
func (p *Reader) dateByRecords(ctx context.Context, page *sourcePage, s source) {
	isUndated := func(hit foundAt) bool { return hit.at.IsZero() }
	if p.Words == "" || !slices.ContainsFunc(page.hits, isUndated) {
		return
	}
	once, isListed := p.Listed.LoadOrStore([2]string{s.Stream, s.Connection.ID}, sync.OnceValues(func() (sourcePage, map[string]rs.Object) {
		return p.records(ctx, p.Doer, s.Source, nil, 0)
	}))
	listed, records := once.(func() (sourcePage, map[string]rs.Object))()
	if !isListed {
		page.reads += listed.reads
	}
	isOlder := listed.err == nil && !listed.more
	page.hits = slices.DeleteFunc(page.hits, func(hit foundAt) bool { return isOlder && isUndated(hit) && records[hit.key()] == nil })
	for i := range page.hits {
		if record := records[page.hits[i].key()]; record != nil && isUndated(page.hits[i]) {
			page.hits[i].describe(record)
		}
	}
}

// isEnough reports whether the hits of a page include the newest most or, if most is 0, all of the period: records that are newest first
// reach beyond its start. A source returns hits in the order of their times, but sorts dates as days of UTC, and in the zone of the search a
// day begins earlier or later.
func (p *Reader) isEnough(page *sourcePage, most int) bool {
	const moved = 14 * time.Hour // the largest such difference
	hits := page.hits
	if most == 0 {
		page.reached = time.Time{}
		if n := len(hits); n > 0 && slices.IsSortedFunc(hits, func(a, b foundAt) int { return b.at.Compare(a.at) }) {
			page.reached = hits[n-1].at
		}
		from, _ := p.Period.Bounds(p.Zone)
		if page.reached.Add(moved).Before(from) && !page.reached.IsZero() {
			page.more, page.cursor = false, ""
		}
		return !page.more
	}
	isDay := func(hit foundAt) bool { return written.IsDay(render.WhenOf(hit.Members)) }
	if len(hits) < most || p.Zone == nil || p.Zone == time.UTC || !slices.ContainsFunc(hits, isDay) {
		return len(hits) >= most
	}
	newest := slices.SortedFunc(slices.Values(hits), func(a, b foundAt) int { return b.at.Compare(a.at) })
	return newest[most-1].at.After(hits[len(hits)-1].at.Add(moved))
}

// readTimeless searches the streams that have no time, and keeps only the hits that have one.
func (p *Reader) readTimeless(ctx context.Context, r rs.Request) (page sourcePage) {
	if p.anyTime != nil {
		page = *p.anyTime
	} else {
		pages := maxPartPages
		if r.OneRound { // a repair makes many reads already
			pages = 1
		}
		page = p.readAnyTime(ctx, r, p.timeless, pages)
	}
	page.parts, page.filtered = true, len(p.Filter) > 0
	page.keep(p.Period, p.Zone)
	return page
}
