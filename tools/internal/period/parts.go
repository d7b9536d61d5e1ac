package period

import (
	"context"
	"net/url"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
)

// Hits of a stream that has no time, such as the bodies of messages, have that of the record they are a part of, and are within a filter
// where that record is. A record says which part it has where the part is expanded in it; that its id is the part's is only likely, so it
// is read of each that is returned.

// Bounds of what is read to learn when hits are.
const (
	maxWholeLists = 4  // lists of the records of a period or a filter, one for each source
	maxDatedHits  = 10 // that are read, one read each
	datesDeadline = 1500 * time.Millisecond
)

// A whole is a source whose records have parts that were found.
type whole struct {
	known.Source
	relation string
	ids      map[string]bool // of its records in the period and within the filter
	complete bool            // these are all
	proven   int             // parts that have the id of their record
	wrong    bool            // a part has not
}

// dateParts gives untimed hits of a page the time, title and author of the record that they are a part of, and leaves out those of another
// time or of a record that the filter does not leave. What is not known then stays untimed.
func (p *Reader) dateParts(ctx context.Context, page *sourcePage) {
	ctx, cancel := context.WithTimeout(ctx, datesDeadline)
	defer cancel()
	reads := &rs.Reads{Doer: p.Doer}
	var wholes []*whole
	of := map[string]*whole{} // by the source of its parts
	partsOf := func(hit foundAt) string {
		return rs.ConnectionID(hit.Members) + "/" + hit.Members.Text("stream", "stream_name")
	}
	wholeOf := func(hit foundAt) *whole { return of[partsOf(hit)] }
	for _, s := range p.wholes {
		for _, part := range s.Parts {
			key := s.Connection.ID + "/" + part.Target
			if slices.ContainsFunc(page.untimed, func(hit foundAt) bool { return partsOf(hit) == key }) {
				of[key] = &whole{Source: s, relation: part.Name}
				wholes = append(wholes, of[key])
			}
		}
	}
	_ = read.Parallel(ctx, min(len(wholes), maxWholeLists), func(ctx context.Context, i int) error {
		wholes[i].list(ctx, reads, p)
		return nil
	})
	slices.SortStableFunc(page.untimed, func(a, b foundAt) int { return wholeOf(b).has(b) - wholeOf(a).has(a) })
	most := maxDatedHits
	if page.filtered && !slices.ContainsFunc(wholes, func(w *whole) bool { return !w.complete }) { // what is in no list is within no filter
		others := slices.IndexFunc(page.untimed, func(hit foundAt) bool { return wholeOf(hit).has(hit) == 0 })
		most = min(most, max(others, 1)) // but for one, for whether ids are shared at all
		if others < 0 {
			most = maxDatedHits
		}
	}
	proven := make([]int, min(len(page.untimed), most))
	_ = read.Parallel(ctx, len(proven), func(ctx context.Context, i int) error {
		w := wholeOf(page.untimed[i])
		if w == nil {
			return nil
		}
		known := w.has(page.untimed[i]) > 0 || w.complete
		if page.filtered && !known { // it is read as the filter leaves it
			proven[i] = w.date(ctx, reads, &page.untimed[i], p.Filter)
			page.untimed[i].within = proven[i] > 0
			return nil
		}
		proven[i] = w.date(ctx, reads, &page.untimed[i], nil)
		page.untimed[i].within = proven[i] > 0 && w.has(page.untimed[i]) > 0
		return nil
	})
	for i, is := range proven {
		if w := wholeOf(page.untimed[i]); w != nil {
			w.proven, w.wrong = w.proven+max(is, 0), w.wrong || is < 0
		}
	}
	page.reads += reads.Count()
	page.hits = append(page.hits, slices.DeleteFunc(page.untimed, func(hit foundAt) bool {
		w := wholeOf(hit)
		return (hit.at.IsZero() || page.filtered && !hit.within) && w.has(hit) == 0 && w != nil && w.complete &&
			(len(w.ids) == 0 || w.proven > 0 && !w.wrong)
	})...)
	page.untimed = nil
	page.keep(p.Period, p.Zone)
}

// list reads the ids of the records in the period and within the filter.
func (w *whole) list(ctx context.Context, d rs.Doer, p *Reader) {
	response, err := d.Do(ctx, sourceRequest(w.Source, rs.Request{Query: url.Values{}}, p.conditions(w.Source, p.Period), maxHits))
	if err != nil {
		return
	}
	list, ok := response.List()
	w.ids, w.complete = map[string]bool{}, ok && !list.Envelope.Has("next_cursor") && !list.Envelope.Flag("has_more")
	for _, item := range list.Items {
		w.ids[item.Members.Text("id", "record_id")] = true
	}
}

// has is 1 where a record of the period has the id of a hit.
func (w *whole) has(hit foundAt) int {
	if w != nil && w.ids[hit.Members.Text("record_key", "record_id")] {
		return 1
	}
	return 0
}

// date reads the record that has the id of a hit, as far as a filter leaves it: 1 where the hit is a part of it, -1 where it is not, 0
// where that was not answered, and where the filter leaves none.
func (w *whole) date(ctx context.Context, d rs.Doer, hit *foundAt, f filter.Filter) int {
	key := hit.Members.Text("record_key", "record_id")
	r := read.Request(w.Connection.ID, "streams", w.Stream, "records", key)
	if f != nil {
		r = read.Request(w.Connection.ID, "streams", w.Stream, "records")
		f.Only("id", key).Write(r.Query)
		r.Query.Set("limit", "1")
	}
	for _, name := range []string{w.Time, w.Title, w.Author} {
		if name != "" {
			r.Query.Add("fields", name)
		}
	}
	r.Query.Set("expand", w.relation)
	response, err := d.Do(ctx, r)
	if err != nil {
		return 0
	}
	record := response.Object()
	if f != nil {
		list, _ := response.List()
		if len(list.Items) == 0 {
			return 0
		}
		record = list.Items[0].Members
	}
	if inner := record.Object("data"); inner.Has("data") {
		record = inner
	}
	if record.Object("expanded").Object(w.relation).Text("id", "record_id") != key {
		return -1
	}
	found := recordHit(w.Source, record)
	hit.at, _ = rs.ReadTime(found.Text("authored_at"))
	for _, name := range []string{"authored_at", "authored_field", "title", "actor"} {
		if value := found.Get(name); value != "" {
			hit.Members = hit.Members.With(name, value)
		}
	}
	hit.Item = hit.Members.Item()
	return 1
}
