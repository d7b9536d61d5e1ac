package tools

import (
	"cmp"
	"context"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// A search may be limited to a period. Resource servers filter the search of one stream at a time, by the field of it that says when: so
// each stream of each connection is read by its own field, and what they return is merged. Without words the records themselves are
// listed, newest first: a timeline.

// Bounds of what is read for one page.
const (
	maxPeriodSources = 24
	maxPeriodHits    = 100 // of one source
)

// A period is the time that a search is limited to; the empty one limits nothing.
type period struct{ since, until string } // dates, or RFC 3339; "" for no bound

// period reads since and until.
func (a *arguments) period(zone *time.Location) period {
	p := period{a.moment("since"), a.moment("until")}
	if from, before := p.bounds(zone); a.err == nil && p.since != "" && p.until != "" && !from.Before(before) {
		a.failf("until", "Send an until that is not before since.", "since %s is after until %s.", quote(p.since), quote(p.until))
	}
	return p
}

func (a *arguments) moment(name string) string {
	value := a.text(name, maxNameBytes)
	if _, err := readInstant(value); err != nil && value != "" {
		a.failf(name, `Send a date such as "2026-06-30", or a time such as "2026-06-30T12:00:00Z".`, "%s cannot be %s.", name, quote(value))
	}
	return value
}

// bounds are the first instant of a period and the one before which it ends; zero where it has none. A date is the whole day.
func (p period) bounds(zone *time.Location) (from, before time.Time) {
	bound := func(text string, days int, beyond time.Duration) time.Time {
		t, err := readInstant(text)
		switch {
		case err != nil:
			return time.Time{}
		case isDate(text):
			return startOfDay(t.AddDate(0, 0, days), zone)
		}
		return t.Add(beyond)
	}
	return bound(p.since, 0, 0), bound(p.until, 1, 1)
}

// filter is the period as conditions on a field.
func (p period) filter(field string, kind dateKind, zone *time.Location) filter {
	var f filter
	for operator, value := range map[string]string{"gte": p.since, "lte": p.until} {
		if t, err := readInstant(value); err == nil && kind == dates && !isDate(value) {
			value = t.In(zone).Format(time.DateOnly)
		}
		if value != "" {
			f = append(f, condition{field, operator, value})
		}
	}
	f, _ = f.wholeDays(func(string) dateKind { return kind }, zone)
	return f
}

// A periodSearch is the core of a search that may have a period.
type periodSearch struct {
	schemas *schemaCache
	core    Handler
	refused *learned // to filter
}

// forward lets the core search a resource server that has nothing but the period.
func (p periodSearch) forward(ctx context.Context, call Call) (Reply, error) {
	args := call.Args.(searchArgs)
	if args.period == (period{}) {
		return p.searched(ctx, call)
	}
	known := p.schemas.fieldsOf(ctx, call.RS, rs.Scope{ConnectionID: call.Scope.ConnectionID})
	if known.err != nil {
		return Reply{Call: call}, known.err
	}
	for _, stream := range args.streams { // a package knows by itself
		if auth.PrincipalFrom(ctx).Package == nil && !slices.ContainsFunc(known.sources, func(s source) bool { return s.stream == stream }) {
			return Reply{Call: call}, noSources(call.Scope, false)
		}
	}
	r := &periodReader{doer: call.RS, args: args, refused: p.refused, grant: auth.PrincipalFrom(ctx).GrantID}
	for _, s := range known.sources {
		switch {
		case len(args.streams) > 0 && !slices.Contains(args.streams, s.stream):
		case s.time != "":
			r.sources = append(r.sources, s)
		case !slices.Contains(r.timeless, s.stream):
			r.timeless = append(r.timeless, s.stream)
		}
	}
	if len(r.sources) == 0 && (args.q == "" || len(r.timeless) == 0) {
		return Reply{Call: call}, noSources(call.Scope, len(r.timeless) > 0)
	}
	if most := maxPeriodSources; len(r.sources) > most {
		r.left, r.sources = r.sources[most:], r.sources[:most]
	}
	call.RS = r
	return p.searched(ctx, call)
}

// mayRead reports whether two more reads keep to what a repaired search may make.
func (r Reply) mayRead() bool { return r.Repair == nil || r.Repair.left > 1 }

// searched is the answer of the core, with how fresh what was searched is if nothing was found.
func (p periodSearch) searched(ctx context.Context, call Call) (Reply, error) {
	reply, err := p.core(ctx, call)
	if args := call.Args.(searchArgs); err == nil && isEmpty(reply.Response) && args.position == (render.Position{}) && reply.mayRead() {
		reads := reply.Response.Reads // one for each member of a package
		if r, ok := call.RS.(*periodReader); ok {
			call.RS, reads = r.doer, r.connections()
		}
		reply.Response = withFreshness(ctx, call, reply.Response, reads, args.streams...)
	}
	return reply, err
}

func noSources(scope rs.Scope, timeless bool) error {
	switch {
	case timeless:
		return rs.Invalid("since", "No stream of these says when its records are.", "Search without since and until, or in other streams.")
	case scope.ConnectionID != "":
		return &rs.Error{Code: rs.UnknownConnection, Param: "connection_id", Message: "no such stream or connection in this grant."}
	}
	return &rs.Error{Code: rs.UnknownStream, Param: "streams", Message: "no stream of these in this grant."}
}

// A periodReader is a resource server as a search sees it that is limited to a period.
type periodReader struct {
	doer     rs.Doer
	args     searchArgs
	sources  []source // that say when
	timeless []string // streams that do not
	left     []source // beyond the bound
	refused  *learned
	grant    string
}

// connections is how many connections are read.
func (p *periodReader) connections() int {
	ids := map[string]bool{}
	for _, s := range p.sources {
		ids[s.connection.ID] = true
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
	response *rs.Response
	reads    int
	more     bool
	all      bool // the resource server did not filter by time
	untimed  int  // hits that are left out because they do not say when they are
	err      error
}

// Do reads one page of a search.
func (p *periodReader) Do(ctx context.Context, r rs.Request) (*rs.Response, error) {
	ctx, cancel := withinDeadline(ctx)
	defer cancel()
	from, err := parsePeriodCursor(r.Query.Get("cursor"))
	if err != nil {
		return nil, err
	}
	limit, _ := strconv.Atoi(r.Query.Get("limit"))
	limit = min(cmp.Or(limit, defaultHits), maxPeriodHits-from.shown)
	words := r.Query.Get("q") != ""
	pages := make([]periodPage, len(p.sources), len(p.sources)+1)
	if words && len(p.timeless) > 0 {
		pages = append(pages, periodPage{})
	}
	for i := range pages {
		pages[i].err = &rs.Error{Code: rs.DeadlineExceeded}
	}
	_ = inParallel(ctx, len(pages), func(ctx context.Context, i int) error {
		if i == len(p.sources) {
			pages[i] = p.readTimeless(ctx, r)
		} else {
			pages[i] = p.read(ctx, r, p.sources[i], from, min(from.shown+limit+1, maxPeriodHits))
		}
		return nil
	})
	for _, page := range pages {
		if page.err == nil {
			return p.merged(r, pages, from, limit), nil
		}
	}
	return nil, pages[0].err
}

// read reads a source, filtered by time; where the resource server refuses to filter what this token reads, its newest records or best
// hits, of which those in the period are kept.
func (p *periodReader) read(ctx context.Context, r rs.Request, s source, from periodCursor, most int) (page periodPage) {
	limited := p.args.period
	if from.at != "" {
		limited.until = from.at
	}
	f := p.args.filter
	for _, c := range limited.filter(s.time, s.kind, p.args.zone) {
		f = f.narrowed(c)
	}
	if !p.refused.has(p.grant) {
		response, err := p.doer.Do(ctx, s.request(r, f, most))
		if page.take(response, err, s, r); !filterRefused(err) {
			return page
		}
		p.refused.learn(p.grant)
	}
	reads := page.reads
	page = periodPage{all: true}
	response, err := p.doer.Do(ctx, s.request(r, nil, maxPeriodHits))
	page.take(response, err, s, r)
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
	page.take(response, err, source{}, r)
	page.keep(p.args.period, p.args.zone)
	page.meta = page.meta.Without("count", "recall") // they count what is not kept
	return page
}

// take reads the answer of a source.
func (page *periodPage) take(response *rs.Response, err error, s source, r rs.Request) {
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
	page.more = list.Envelope.Has("next_cursor") || list.Envelope.Flag("has_more")
	for _, item := range list.Items {
		if r.Query.Get("q") == "" {
			item = s.hit(item.Members).Item()
		}
		at, _ := readInstant(render.WhenOf(item.Members)) // the zero time if there is none
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
			page.untimed++
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
