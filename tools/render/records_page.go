package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
)

// A RecordsQuery is the call that a page of records answers.
type RecordsQuery struct {
	Stream       string
	ConnectionID string
	Limit        int      // of the page that was read
	Asked        int      // the limit that was asked for, where the answer to it was too large; else 0
	Position     Position // where the answer starts
	ChangesSince string
	Fields       []string
	Empty        []EmptyField // why the filter leaves no records, where that was found out
	// Rest are the other arguments as they were sent (filter, sort, expand …): a cursor is good only beside them.
	Rest object
}

// A recordsAnswer is a page of records with what both channels say of it.
type recordsAnswer struct {
	q     RecordsQuery
	l     listing // with those of its records that are left
	items []item  // the same
	all   []item  // all records of the page
	start int     // where in all items begins
	moved string  // what is not exact because the list has changed
	extra excess  // what the resource server sent beyond what was asked for
}

// readRecords reads the records of a page.
func readRecords(list []rs.Item, q RecordsQuery) []item {
	items := make([]item, len(list))
	for i, record := range list {
		items[i] = readRecord(record.Members, record.Members.Object("data"), q.Stream, q.ConnectionID)
		items[i].relations = readRelations(&items[i])
	}
	return items
}

// boundRecords keeps the records that were asked for: of the named connection only, and at most limit of each connection.
func boundRecords(l listing, limit int, connection string) (listing, excess) {
	e := excess{limit: limit}
	if connection == "" && (limit == 0 || len(l.Items) <= limit) {
		return l, e
	}
	kept := make([]rs.Item, 0, len(l.Items))
	counts := map[string]int{}
	for _, record := range l.Items {
		o := record.Members
		if otherConnection(o, connection) {
			e.foreign++
			continue
		}
		conn := cmp.Or(rs.ConnectionID(o), connection)
		if counts[conn]++; limit > 0 && counts[conn] > limit {
			e.over, e.most = e.over+1, max(e.most, counts[conn])
			continue
		}
		if own, foreign := ownRelated(o, connection); foreign > 0 {
			e.foreign, record = e.foreign+foreign, own.Item()
		}
		kept = append(kept, record)
	}
	if e.over+e.foreign == 0 {
		return l, e
	}
	return l.keep(kept), e
}

// projectAll narrows every record of a list, leaving it as received when nothing was too much.
func projectAll(l listing, fields []string) listing {
	if len(fields) == 0 {
		return l
	}
	changed := false
	items := make([]rs.Item, len(l.Items))
	for i, record := range l.Items {
		narrow, cut := projectRecord(record, fields)
		items[i], changed = narrow, changed || cut
	}
	if !changed {
		return l
	}
	return l.keep(items)
}

// projectRecord narrows one record of a list and reports whether there was anything to drop.
// Its envelope stays: identity and what paging needs.
func projectRecord(record rs.Item, fields []string) (rs.Item, bool) {
	var narrow object
	changed := false
	for _, m := range record.Members {
		if data := rs.AsObject(m.Value); m.Name == "data" && data != nil {
			if kept := project(data, fields); len(kept) < len(data) {
				m.Value, changed = kept.JSON(), true
			}
		} else if m.Name != "data" && !wanted(m.Name, envelopeFields) && !wanted(m.Name, fields) {
			changed = true
			continue
		}
		narrow = append(narrow, m)
	}
	if !changed {
		return record, false
	}
	return narrow.Item(), true
}

// canonicalAll gives all records of a list the names of the contract.
func canonicalAll(l listing) listing {
	isOther := func(m member) bool { return m.Name == "connector_instance_id" || m.Name == "connector_id" }
	if !slices.ContainsFunc(l.Items, func(record rs.Item) bool { return slices.ContainsFunc(record.Members, isOther) }) {
		return l
	}
	named := make([]rs.Item, len(l.Items))
	for i, record := range l.Items {
		named[i] = record
		if record.Members != nil {
			named[i] = canonical(record.Members).Item()
		}
	}
	return l.keep(named)
}

// next returns the call that continues, with every argument of this one. It reports false when the call is no line that can be
// copied.
func (q RecordsQuery) next(connection, changes, cursor string) (call string, ok bool) {
	call = new(arguments).text("stream", q.Stream).text("connection_id", connection).list("fields", q.Fields).
		rest(q.Rest).number("limit", q.Limit).text("changes_since", changes).text("cursor", cursor).call("query_records")
	return call, !clean.LongerThan(call, lineChars-100) && clean.Line(call) == call
}

// next is the cursor that goes on behind the first shown records.
func (a *recordsAnswer) next(shown int) string {
	return a.q.Position.after(a.start+shown, a.q.Limit, recordMark(&a.items[shown-1], a.l.Items[shown-1].Raw)).String()
}

// warning says in structured output what is not as it was asked for.
func (a *recordsAnswer) warning(shown int) string {
	notes := []string{a.extra.note("record", a.l.Envelope.Has("next_cursor")), a.moved, a.q.lowered()}
	if shown < len(a.items) {
		notes = append(notes, fmt.Sprintf("These are records %d-%d of the %d of this page; next_cursor goes on behind them.", a.start+1, a.start+shown, len(a.all)))
	}
	return strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), " ")
}

// lowered says that the page has a smaller limit than the one that was asked for, or "".
func (q RecordsQuery) lowered() string {
	if q.Asked == 0 {
		return ""
	}
	return fmt.Sprintf("limit lowered from %d to %d: more would be too large for one answer; name fields for more at a time.", q.Asked, q.Limit)
}

// recordMark is what tells a record from the others of its page.
func recordMark(it *item, raw string) string {
	if it.id != "" {
		return it.id
	}
	return raw
}

// more reports whether the resource server has records behind this page.
func (a *recordsAnswer) more() bool {
	return a.l.Envelope.Flag("has_more") || a.l.Envelope.Has("next_cursor") || a.extra.over > 0
}
