package render

import (
	"cmp"
	"fmt"
	"math"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// Limits of a page, in bytes.
const (
	recordsText   = 9 << 10                                            // its text
	followUpsJSON = 5 << 10                                            // in structured output: the calls that read long fields
	warningJSON   = 1000                                               // warnings and notes
	pageJSON      = write.StructuredHard - followUpsJSON - warningJSON // the page itself
	leastRecord   = 400                                                // the least of a record that can still be recognized
	leastFollowUp = 400                                                // the calls for one record
)

// A RecordsQuery is the call that a page of records answers.
type RecordsQuery struct {
	Stream       string
	ConnectionID string
	Limit        int             // of the page that was read; 0 is the resource server's default
	Asked        int             // the limit that was requested, if the answer to it was too large; else 0
	Position     paging.Position // where the answer starts
	ChangesSince string
	Fields       []string
	Coverage     Coverage     // of an answer without records
	Tied         int          // how many records after the page have the same sort value as its last record
	Empty        []EmptyField // why the filter matches no records, if known
	// Rest has the other arguments as sent (filter, sort, expand …). A cursor is valid only together with them.
	Rest object
}

// Records renders a page of query_records. Structured is {"data": body}; the text has the count, the cursors and as many records as fit
// (S0-5g, S0-7c). Each channel continues where it stopped (D23).
func Records(response *rs.Response, q RecordsQuery) (Result, error) {
	const what = "query_records"
	l, err := answer.ReadList(response, what, q.Position.Cursor)
	if err != nil {
		return Result{}, err
	}
	a := newRecordsAnswer(l, q)
	out, shown := a.structured()
	if len(shown) == 0 && len(a.items) > 0 {
		return Result{}, answer.Invalid(what, "has so long a cursor, or so much else beside its records, that none of them fits")
	}
	cuts := len(a.items) - len(shown) + a.Extra.Over + a.Extra.Foreign
	for _, record := range shown {
		cuts += len(record.Cuts)
	}
	if q.Asked > 0 {
		cuts++ // the page is smaller than requested
	}
	return Result{Text: a.text(), Structured: out, Cuts: cuts}, nil
}

// A recordsAnswer has the data from which both channels of a page of records are rendered.
type recordsAnswer struct {
	paging.ByCursor
	q     RecordsQuery
	l     answer.List // with only the records that no earlier answer has shown
	items []item.Item // these records
	all   []item.Item // all records of the page
	merge item.Merge  // of several connections in one order; zero if they are not merged
	pages []connectionPage
}

func newRecordsAnswer(l answer.List, q RecordsQuery) *recordsAnswer {
	var merge item.Merge
	if q.ChangesSince == "" && severalConnections(l.Items) {
		var ok bool
		if merge, ok = item.MergeConnections(l.Items, q.Rest.Text("sort"), q.Rest.Text("order") == "asc"); ok {
			l = l.Keep(merge.Records)
		}
	}
	l, extra := ownRecords(l, q)
	a := &recordsAnswer{q: q, l: l, merge: merge, all: make([]item.Item, len(l.Items))}
	for i, record := range l.Items {
		a.all[i] = item.Read(record.Members, record.Data, q.Stream, q.ConnectionID)
		a.all[i].Relations = item.Relations(&a.all[i])
	}
	key := func(i int) string { return cmp.Or(a.all[i].ID, l.Items[i].Raw) }
	a.ByCursor = paging.ByCursor{
		Pager: paging.Pager{Noun: "record", Total: len(a.all)},
		At:    q.Position, Limit: q.Limit, Key: key, Extra: extra, Continues: l.Envelope.Has("next_cursor"),
	}.Begin()
	if a.items = a.all[a.From:]; a.From > 0 {
		a.l = l.Keep(l.Items[a.From:])
	}
	a.pages = a.byConnection()
	return a
}

// ownRecords keeps the requested records: those of the named connection, and at most limit per connection. It reduces each to the requested
// fields, under the names of the contract. A list that needs no change stays as received.
func ownRecords(l answer.List, q RecordsQuery) (answer.List, paging.Excess) {
	e := paging.Excess{Limit: q.Limit}
	kept, changed := make([]rs.Item, 0, len(l.Items)), false
	counts := map[string]int{} // of each connection
	for _, record := range l.Items {
		if item.OtherConnection(record.Members, q.ConnectionID) {
			e.Foreign++
			continue
		}
		conn := cmp.Or(rs.ConnectionID(record.Members), q.ConnectionID)
		if counts[conn]++; q.Limit > 0 && counts[conn] > q.Limit {
			e.Over, e.Most = e.Over+1, max(e.Most, counts[conn])
			continue
		}
		own, foreign := item.OwnRelated(record.Members, q.ConnectionID)
		own, narrowed := projectRecord(own, q.Fields)
		own, renamed := item.Canonical(own)
		if e.Foreign += foreign; foreign > 0 || narrowed || renamed {
			record, changed = own.Item(), true
		}
		kept = append(kept, record)
	}
	if !changed && len(kept) == len(l.Items) {
		return l, e
	}
	return l.Keep(kept), e
}

// projectRecord drops the fields of a record that were not requested, and reports whether there were any. It keeps the envelope: identity
// and what paging needs. It drops emitted_at unless that is requested: without the record's own times, it would be taken for one of them.
func projectRecord(record object, fields []string) (narrow object, changed bool) {
	if len(fields) == 0 {
		return record, false
	}
	for _, m := range record {
		if data := rs.AsObject(m.Value); m.Name == "data" && data != nil {
			if kept := item.Project(data, fields); len(kept) < len(data) {
				m.Value, changed = kept.JSON(), true
			}
		} else if !item.Wanted(m.Name, fields) && (m.Name == "emitted_at" || m.Name != "data" && !item.Wanted(m.Name, item.EnvelopeFields)) {
			changed = true
			continue
		}
		narrow = append(narrow, m)
	}
	return narrow, changed
}

// warning returns, for structured output, how the page differs from what was requested.
func (a *recordsAnswer) warning(shown int) string {
	early := a.l.Envelope.Has("next_changes_since") && (a.more() || shown < len(a.items))
	return paging.Sentences(a.apart(), a.tied(), a.Warning(shown), a.q.lowered(),
		write.When(shown == len(a.items), a.endsWithoutCursor()), write.When(early, "next_changes_since: "+afterLastPage+"."))
}

// lowered says that the page has a smaller limit than was requested, or returns "".
func (q RecordsQuery) lowered() string {
	if q.Asked == 0 {
		return ""
	}
	return fmt.Sprintf("limit lowered from %d to %d: more would be too large for one answer; name fields for more at a time.", q.Asked, q.Limit)
}

// tied says how many records after a sorted page have the same sort value as the last one that has any; "" if that is unknown.
func (a *recordsAnswer) tied() string {
	n, field := a.q.Tied, strings.TrimPrefix(a.q.Rest.Text("sort"), "-")
	last := "as the last" + write.When(len(a.all) > 0 && !a.all[len(a.all)-1].Data.Includes(field), " that has it")
	return write.When(n > 0, fmt.Sprintf("%s after these %s the same %s %s.", write.Plural(n, "record"), write.Have(n), write.ShownName(field), last))
}

// more reports whether the resource server has records after this page.
func (a *recordsAnswer) more() bool {
	return a.l.Envelope.Flag("has_more") || a.Continues || a.Extra.Over > 0
}

// structured returns the page as received if it fits, and the records that it shows. Otherwise it truncates the long texts of several
// records, then shows fewer records. It shrinks a record only if that fills a page alone. If no record fits, it returns nil.
func (a *recordsAnswer) structured() (out string, shown []item.Shown) {
	records := make([]item.Shown, len(a.items))
	for i := range a.items {
		records[i] = item.Received(a.l.Items[i], &a.items[i])
	}
	if len(a.l.Raw) <= pageJSON {
		if out := a.wrapped(a.l.Raw, records, write.StructuredHard-warningJSON-len(a.l.Raw)); write.FitsStructured(out) {
			return out, records
		}
	}
	envelope := write.TruncateEnvelope(a.l.Envelope, write.EnvelopeJSON)
	if len(a.items) == 0 {
		return a.wrapped(a.list(envelope, nil), nil, 0), nil
	}
	remaining := pageJSON - len(envelope.JSON()) - len(a.Next(len(a.items)))
	if remaining < leastRecord {
		return "", nil
	}
	if len(a.items) > 1 {
		for i := range a.items {
			records[i] = item.Truncated(a.l.Items[i], &a.items[i])
		}
		out, n := write.Fullest(len(records), func(n int) string {
			return a.wrapped(a.list(envelope, records[:n]), records[:n], math.MaxInt)
		}, write.FitsStructured)
		if write.FitsStructured(out) {
			return out, records[:n]
		}
	}
	one := []item.Shown{item.Shrunk(a.l.Items[0], &a.items[0], remaining)}
	return a.wrapped(a.list(envelope, one), one, followUpsJSON), one
}

// list returns the page with only some of its first records.
func (a *recordsAnswer) list(envelope object, records []item.Shown) string {
	if shown := len(records); shown < len(a.items) {
		envelope = envelope.With("has_more", "true").With("next_cursor", write.JSON(a.Next(shown)))
		if links := envelope.Object("links"); links.Has("next") { // the resource server's next page skips the records left out
			envelope = envelope.With("links", links.With("next", "null").JSON())
		}
	}
	list := write.Each(records, func(record item.Shown) string { return record.Raw })
	return append(envelope[:len(envelope):len(envelope)], write.Pair(a.l.Name(), rs.JoinArray(list))).JSON()
}

// wrapped returns the structured output around a page (data). Its content_ladder lists the long texts of the records, each with the call
// that reads it (S1-1a), in about remaining bytes, and the number of records with long texts that it does not list.
func (a *recordsAnswer) wrapped(data string, records []item.Shown, remaining int) string {
	w := new(write.Object).Optional("warning", a.warning(len(records))).Put("data", data) // the warning comes before the data that it is about
	var followUps []string
	more := 0
	for _, record := range records {
		if len(record.Cuts) == 0 {
			continue
		}
		id := record.Item.ID
		if more > 0 || remaining < len(id)+leastFollowUp {
			more++
			continue
		}
		followUp := item.AddTruncations(new(write.Object).Plain("id", id), "long_fields",
			record.Cuts, record.Item, remaining-len(id)-leastFollowUp/2).JSON()
		followUps, remaining = append(followUps, followUp), remaining-len(followUp)
	}
	if len(followUps)+more > 0 {
		w.Open("content_ladder", '{').Array("records", followUps).Number("more_records", more).Close('}')
	}
	if len(records) == len(a.items) {
		calls := write.EachOf(a.pages, maxNamed, func(p connectionPage) string {
			return write.When(len(p.call.JSON()) <= longestCall, write.ToolCall("query_records", p.call.JSON()))
		})
		w.Put("next_by_connection", write.When(len(calls) > 0, rs.JoinArray(calls)))
		w.Optional("other_connections", a.otherConnections(len(a.pages)-len(calls)))
	}
	_, why := answer.Conditions("query_records", a.q.Empty)
	return w.Put("conditions", why).JSON()
}

// call returns the arguments that continue, with every argument of this call.
func (q RecordsQuery) call(connection, changes, cursor string) *write.Object {
	return new(write.Object).Text("stream", q.Stream).Text("connection_id", connection).List("fields", q.Fields).
		Rest(q.Rest).Number("limit", q.Limit).Text("changes_since", changes).Text("cursor", cursor)
}

const longestCall = write.LineChars - 100 // characters of a call that continues

// bookmark returns the changes_since that reads the following pages; "" for a page of records instead of changes.
func (a *recordsAnswer) bookmark() string {
	return write.When(a.q.ChangesSince != "", cmp.Or(a.l.Envelope.Text("next_changes_since"), a.q.ChangesSince))
}

// afterLastPage says when a bookmark of changes may be used: pages have one before the list has ended.
const afterLastPage = "use it after the last page; before, it skips what follows here"
