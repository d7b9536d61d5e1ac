package period

import (
	"context"
	"slices"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/filter"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
)

// A hit of a stream without a time, such as the body of a message, has the time of the record that it is a part of, and is within a filter
// if that record is. A record probably has the id of its part, but only shows it where the part is expanded: so some records are read with
// their part. If all of them have its id, so has every other record of the source.

// Bounds of the reads that find the times of hits.
const (
	maxPartPages   = 5  // pages of hits in streams without a time
	maxParentLists = 4  // sources whose records of a period or a filter are listed
	maxParentPages = 5  // pages of such a list
	maxDatedHits   = 10 // hits whose record is read, one read each
	datesDeadline  = 1500 * time.Millisecond
)

// isPart reports whether the records of a stream without a time are parts of records that have one.
func (p *Reader) isPart(stream string) bool { return known.IsPart(stream, p.parents) }

// dateParts gives the untimed hits of a page the time, title and author of the record that they are a part of, and drops those of another
// time or of a record outside the filter. Hits of which this is unknown stay untimed.
func (p *Reader) dateParts(ctx context.Context, page *sourcePage) {
	ctx, cancel := context.WithTimeout(ctx, datesDeadline)
	defer cancel()
	reads := &rs.Reads{Doer: p.Doer}
	parents := p.parentsOf(page.untimed)
	read.All(ctx, min(len(parents), maxParentLists), func(ctx context.Context, i int) { parents[i].list(ctx, reads, p) })
	slices.SortStableFunc(page.untimed, func(a, b foundAt) int { return b.listed() - a.listed() })
	ordinals, share := map[*parent]int{}, max(1, maxDatedHits/max(1, len(parents)))
	for i := range page.untimed { // read some hits of each source
		hit := &page.untimed[i]
		hit.ordinal = ordinals[hit.parent]
		ordinals[hit.parent]++
	}
	slices.SortStableFunc(page.untimed, func(a, b foundAt) int { return a.ordinal/share - b.ordinal/share })
	dated := page.untimed[:min(len(page.untimed), maxDatedHits)]
	belong, differ := make([]bool, len(dated)), make([]bool, len(dated))
	read.All(ctx, len(dated), func(ctx context.Context, i int) {
		hit := &dated[i]
		if hit.parent == nil {
			return
		}
		recordFilter := p.Filter // the record is read only if it is within the filter
		if !page.filtered || hit.parent.complete || hit.listed() > 0 {
			recordFilter = nil
		}
		belong[i], differ[i] = hit.readRecord(ctx, reads, recordFilter)
		hit.within = belong[i] && (recordFilter != nil || hit.listed() > 0)
	})
	for i := range dated {
		if w := dated[i].parent; w != nil {
			w.proven, w.wrong = w.proven || belong[i], w.wrong || differ[i]
		}
	}
	for i := range page.untimed[len(dated):] {
		hit := &page.untimed[len(dated)+i]
		if w := hit.parent; hit.listed() > 0 && w.hasIDsOfParts() {
			hit.describe(w.records[hit.key()])
			hit.within = true
		}
	}
	page.reads += reads.Count()
	isElsewhere := func(hit foundAt) bool {
		isUnknown := hit.at.IsZero() || page.filtered && !hit.within
		return isUnknown && hit.parent.excludes(hit.key())
	}
	page.hits = append(page.hits, slices.DeleteFunc(page.untimed, isElsewhere)...)
	page.untimed = nil
	page.keep(p.Period, p.Zone)
}

// parentsOf returns the sources whose records some hits may be parts of, and sets them in these hits.
func (p *Reader) parentsOf(hits []foundAt) (parents []*parent) {
	for _, s := range p.parents {
		for _, part := range s.Parts {
			w := &parent{Source: s, relation: part.Name}
			for i, hit := range hits {
				if rs.ConnectionID(hit.Members) == s.Connection.ID && hit.stream() == part.Target {
					hits[i].parent = w
				}
			}
			if slices.ContainsFunc(hits, func(hit foundAt) bool { return hit.parent == w }) {
				parents = append(parents, w)
			}
		}
	}
	return parents
}

// excludes reports whether the part with an id is known to belong to no record in the list: the list is complete, and parts are known to
// have the ids of their records.
func (w *parent) excludes(id string) bool {
	return w != nil && w.complete && w.records[id] == nil && (len(w.records) == 0 || w.hasIDsOfParts())
}

// hasIDsOfParts reports whether records are known to have the ids of their parts.
func (w *parent) hasIDsOfParts() bool { return w.proven && !w.wrong }

// list reads the records in the period and within the filter.
func (w *parent) list(ctx context.Context, d rs.Doer, p *Reader) {
	var page sourcePage
	page, w.records = p.records(ctx, d, w.Source, p.conditions(w.Source, p.Period), maxHits*maxParentPages)
	w.complete = page.err == nil && !page.more
}

// records lists at least most records of a source within a filter, or the newest ones if f is nil and most is 0, in the form of hits by id.
func (p *Reader) records(ctx context.Context, d rs.Doer, s known.Source, f filter.Filter, most int) (sourcePage, map[string]rs.Object) {
	timeline, byID := *p, map[string]rs.Object{}
	timeline.Doer, timeline.Words = d, ""
	page := timeline.pages(ctx, rs.Request{}, source{Source: s}, f, cursor{}, maxHits, most)
	for _, record := range page.hits {
		byID[record.key()] = record.Members
	}
	return page, byID
}

func (hit foundAt) key() string { return hit.Members.Text("record_key", "record_id") }

// listed returns 1 if a record of the period and the filter has the id of the hit, else 0.
func (hit foundAt) listed() int {
	if hit.parent != nil && hit.parent.records[hit.key()] != nil {
		return 1
	}
	return 0
}

// readRecord reads the record that has the id of a hit, within a filter unless f is nil, and gives the hit its time, title and author.
// belongs reports that the hit is that record, or a part of it by the relation, and differs that it is not. Neither is known if the read
// fails or the record is outside the filter.
func (hit *foundAt) readRecord(ctx context.Context, d rs.Doer, f filter.Filter) (belongs, differs bool) {
	w, key := hit.parent, hit.key()
	r := read.Request(w.Connection.ID, "streams", w.Stream, "records", key)
	if f != nil {
		r = read.Request(w.Connection.ID, "streams", w.Stream, "records")
		f.Only("id", key).Write(r.Query)
		r.Query.Set("limit", "1")
	}
	fields := slices.DeleteFunc([]string{w.Time, w.Title, w.Author}, func(name string) bool { return name == "" })
	read.Set(r.Query, "fields", fields)
	read.Set(r.Query, "expand", w.relation)
	response, err := d.Do(ctx, r)
	if err != nil {
		return false, false
	}
	record := read.Record(response)
	if list, _ := response.List(); f != nil && len(list.Items) == 0 {
		return false, false
	} else if f != nil {
		record = list.Items[0].Members
	}
	found := record
	if w.relation != "" {
		found = record.Object("expanded").Object(w.relation)
	}
	if found.Text("id", "record_id") != key {
		return false, true
	}
	hit.describe(recordHit(w.Source, record))
	return true, false
}

// describe gives a hit the time, title and author of its record, which is in the form of a hit.
func (hit *foundAt) describe(record rs.Object) {
	hit.at, _ = rs.ReadTime(record.Text("authored_at"))
	for _, name := range []string{"authored_at", "authored_field", "title", "actor"} {
		if value := record.Get(name); value != "" {
			hit.Members = hit.Members.With(name, value)
		}
	}
	hit.Item = hit.Members.Item()
}
