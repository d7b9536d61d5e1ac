package render

import (
	"fmt"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A RecordsQuery is the call that a page of records answers.
type RecordsQuery struct {
	Stream       string
	ConnectionID string
	Limit        int
	Asked        int  // the limit that was asked for, where a page of it would have been too large; else 0
	small        bool // the page leaves half of its room
	Cursor       string
	ChangesSince string
	Fields       []string
	// Rest are the other arguments as they were sent (filter, sort, expand …): a cursor is good only beside them.
	Rest object
}

// next returns the call that continues, with every argument of this one. A limit that was lowered doubles, up to what
// was asked for, after a page that leaves room for it: further on more may fit again. It reports false when the call is no line that can be copied.
func (q RecordsQuery) next(connection, changes, cursor string) (call string, ok bool) {
	limit := q.Limit
	if q.Asked > 0 {
		limit = q.Limit
		if q.small {
			limit = min(q.Asked, 2*q.Limit)
		}
	}
	call = new(arguments).text("stream", q.Stream).text("connection_id", connection).list("fields", q.Fields).
		rest(q.Rest).number("limit", limit).text("changes_since", changes).text("cursor", cursor).call("query_records")
	return call, !longerThan(call, LineChars-100) && oneLine(call) == call
}

// Records renders a page of query_records. Structured is {"data": body}; the text has count, cursors and a preview of
// as many records as fit (S0-5g, S0-7c).
func Records(response *rs.Response, q RecordsQuery) (Result, error) {
	const what = "query_records"
	l, err := readListing(response, what)
	if err != nil {
		return Result{}, err
	}
	l, body, extra := boundRecords(l, l.raw, q.Limit, q.ConnectionID)
	l, body = projectAll(l, body, q.Fields)
	items := readRecords(l.Items, q)
	page := fitRecords(l, body, items)
	if page.left > 0 && page.left == len(items) {
		return Result{}, invalidResponse(what, "has so long a cursor, or so much else beside its records, that none of them fits")
	}
	q.small = len(page.body) < pageJSON/2
	structured := object{pair("data", page.body)}
	if len(page.long) > 0 {
		structured = append(structured, pair("content_ladder", recordLadder(page.long)))
	}
	page.extra = extra
	if note := page.leftNote(l.Envelope.Has("next_cursor")); note != "" {
		structured = append(structured, pair("warning", encode(note)))
	}
	cuts := page.left + extra.over + extra.foreign
	for _, record := range page.long {
		cuts += len(record.cuts)
	}
	if q.Asked > 0 {
		cuts++ // the page is smaller than it was to be
	}
	return Result{Text: recordsPage(l, items[:len(items)-page.left], page, q), Structured: structured.AppendJSON(nil), Cuts: cuts}, nil
}

// readRecords reads the records of a page.
func readRecords(list []string, q RecordsQuery) []item {
	items, texts := make([]item, len(list)), new(texts)
	for i, raw := range list {
		record := rs.AsObject(raw)
		items[i] = readRecord(texts, record, record.Object("data"), q.Stream, q.ConnectionID)
	}
	return items
}

func recordsPage(l listing, items []item, page recordPage, q RecordsQuery) string {
	cursor, changes := l.Envelope.Text("next_cursor"), l.Envelope.Text("next_changes_since")
	more := l.Envelope.Flag("has_more") || cursor != "" || page.extra.over > 0

	p := newPage(recordsText)
	head := name(q.Stream) + ": " + plural(len(items), "record")
	if n := l.count(); n != "" {
		head += ", " + n + " match in all"
	}
	switch {
	case more:
		head += ", more follow"
	case q.ChangesSince != "":
		head += ", no more changes"
	case q.Cursor != "" || len(items) > 0:
		head += ", none follow"
	}
	p.add(head)
	tail := recordsTail(l, q, items, more, cursor, changes)
	p.max = max(p.max, 1024+len(strings.Join(tail, "\n"))*3) // long cursors must not push everything else out
	p.reserve(tail...)
	if cursor != "" {
		p.add(cursorLine("next_cursor", cursor))
	}
	if changes != "" {
		p.add(cursorLine("next_changes_since", changes))
	}
	if q.Asked > 0 {
		p.add(fmt.Sprintf("limit lowered from %d to %d: more would be too large for one answer; name fields for more at a time.", q.Asked, q.Limit))
	}
	if note := page.leftNote(cursor != ""); note != "" {
		p.add("warning: " + note)
	}
	if q.ChangesSince == "" && spansConnections(items) {
		p.add("limit and order hold for each connection apart; the connections follow one another.")
	}
	for _, w := range l.warnings(4) {
		p.add(w)
	}
	cutLines(p, page)
	recordPreviews(p, items, q)
	p.release(tail...)
	for _, line := range tail {
		p.add(line)
	}
	return p.String()
}

// cutLines name the fields that structured output holds only in part, with the calls that read them.
func cutLines(p *page, records recordPage) {
	const maxNamed = 5
	named, others := 0, 0
	for _, record := range records.long {
		for _, c := range record.cuts {
			if c.complete() {
				continue
			}
			if named == maxNamed || !p.whole(fmt.Sprintf("%s of %s is cut in structured output, %d of %d characters; read it: %s", shownName(c.field.Name), record.item.id, c.shown, c.total(), c.readOn())) {
				others++
				continue
			}
			named++
		}
	}
	if others > 0 {
		p.add(fmt.Sprintf("%d more fields are cut; read each with read_record_field, or name fewer fields.", others))
	}
}

// spansConnections reports whether records come from more than one connection.
func spansConnections(items []item) bool {
	return slices.ContainsFunc(items, func(it item) bool { return it.conn != items[0].conn })
}

// recordPreviews writes a line per record while there is room.
func recordPreviews(p *page, items []item, q RecordsQuery) {
	if len(items) == 0 {
		return
	}
	const (
		cutNote   = `Values that end in … are cut; fetch {"id":"…"} with a record's id as shown reads on.`
		countNote = "Shown 0000 of 0000 records in text; all are in structured output, and a limit of 0000 shows as many."
	)
	expandNote := expandedNote(items, q)
	p.reserve(cutNote, countNote, expandNote)
	room := min(max(p.left()/len(items), 180), 700)
	shown, cut := 0, false
	line := make([]byte, 0, room)
	for i := range items {
		var short bool
		if line, short = appendRecord(line[:0], &items[i], room); len(line) > LineChars && utf8.RuneCount(line) > LineChars {
			if items[i].id != "" {
				break
			}
			line = []byte(clip(string(line), LineChars))
		}
		if !p.block(append(line, '\n')) {
			break
		}
		shown++
		cut = cut || short
	}
	p.release(cutNote, countNote, expandNote)
	if cut {
		p.add(cutNote)
	}
	if expandNote != "" {
		p.add(expandNote)
	}
	if shown < len(items) {
		note := fmt.Sprintf("Shown %d of %d records in text; all are in structured output", shown, len(items))
		if spansConnections(items) || shown == 0 {
			p.add(note + ", and a lower limit shows all.")
		} else {
			p.add(note + fmt.Sprintf(", and a limit of %d shows as many.", shown))
		}
	}
}

// expandedNote says where related records stand, which a line only counts; "" when there are none.
func expandedNote(items []item, q RecordsQuery) string {
	if !slices.ContainsFunc(items, func(it item) bool { return len(it.expanded) > 0 }) {
		return ""
	}
	note := `Expanded records stand in structured output, or in fetch with a record's id`
	if expand := q.Rest.Get("expand"); expand != "" && len(expand) < 200 {
		note += ` and "expand":` + oneLine(expand)
	}
	return note + "."
}

// recordsTail are the last lines: how to go on, with the cursor once more.
func recordsTail(l listing, q RecordsQuery, items []item, more bool, cursor, changes string) []string {
	session := ""
	if q.ChangesSince != "" {
		session = q.ChangesSince
		if changes != "" {
			session = changes
		}
	}
	switch {
	case cursor != "":
		call, ok := q.next(q.ConnectionID, session, cursor)
		if !ok {
			return []string{"next page: query_records with the same arguments and " + cursorLine("next_cursor", cursor) + " as cursor"}
		}
		return []string{"next page: " + call}
	case more || l.warned("partial_results"):
		return namedPages(q, items, session)
	case changes != "":
		call, ok := q.next(q.ConnectionID, changes, "")
		if !ok {
			return []string{"later changes: query_records with the same arguments and " + cursorLine("next_changes_since", changes) + " as changes_since"}
		}
		return []string{"later changes: " + call}
	case len(items) == 0 && q.Cursor == "" && q.ChangesSince == "":
		return []string{"No record matches. Loosen the filter, or call " + new(arguments).text("stream", q.Stream).call("schema") + " for the fields and connections."}
	}
	return nil
}

// namedPages says how to page when the resource server merged connections and gave no cursor.
func namedPages(q RecordsQuery, items []item, session string) []string {
	const maxNamed = 12
	lines := []string{"This page has no cursor. To page on, name one connection:"}
	seen := map[string]bool{}
	for i := range items {
		conn := items[i].conn
		if conn == "" || seen[conn] || len(seen) == maxNamed {
			continue
		}
		seen[conn] = true
		line, ok := q.next(conn, session, "")
		if !ok {
			line = "query_records with the same arguments and connection_id " + name(conn)
		}
		if label := preview(items[i].label, labelChars); label != "" {
			line += " for " + bare(label)
		}
		if !longerThan(line, LineChars) {
			lines = append(lines, line)
		}
	}
	if q.ConnectionID != "" || len(lines) == 1 {
		return []string{"This page has no cursor: ask with a higher limit (at most 100) or a narrower filter."}
	}
	return lines
}
