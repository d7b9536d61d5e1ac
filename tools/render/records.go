package render

import (
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
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

// next returns the call that continues, with every argument of this one. It reports false when the call is no line that can be
// copied.
func (q RecordsQuery) next(connection, changes, cursor string) (call string, ok bool) {
	call = new(arguments).text("stream", q.Stream).text("connection_id", connection).list("fields", q.Fields).
		rest(q.Rest).number("limit", q.Limit).text("changes_since", changes).text("cursor", cursor).call("query_records")
	return call, !longerThan(call, LineChars-100) && oneLine(call) == call
}

// Records renders a page of query_records. Structured is {"data": body}; the text has count, cursors and a preview of
// as many records as fit (S0-5g, S0-7c). Each channel continues where it stopped (D23).
func Records(response *rs.Response, q RecordsQuery) (Result, error) {
	const what = "query_records"
	l, err := readListing(response, what)
	if err != nil {
		return Result{}, err
	}
	l, body, extra := boundRecords(l, l.Raw, q.Limit, q.ConnectionID)
	l, body = projectAll(l, body, q.Fields)
	items := readRecords(l.Items, q)
	all := items
	start, moved := q.Position.start(len(all), func(i int) string { return recordMark(&items[i], l.Items[i].Raw) })
	if start > 0 {
		items, l.Items = items[start:], l.Items[start:]
		body = l.With(l.Items).JSON()
	}
	next := func(shown int) string {
		return q.Position.after(start+shown, q.Limit, recordMark(&items[shown-1], l.Items[shown-1].Raw)).String()
	}
	page := fitRecords(l, body, items, next)
	if page.shown == 0 && len(items) > 0 {
		return Result{}, invalidResponse(what, "has so long a cursor, or so much else beside its records, that none of them fits")
	}
	structured := object{pair("data", page.body)}
	if len(page.long) > 0 {
		structured = append(structured, pair("content_ladder", recordLadder(page.long, StructuredHard-1000-len(page.body))))
	}
	page.extra = extra
	notes := slices.DeleteFunc([]string{extra.note("record", l.Envelope.Has("next_cursor")), moved, q.lowered()}, func(s string) bool { return s == "" })
	left := len(items) - page.shown
	if left > 0 {
		notes = append(notes, fmt.Sprintf("These are records %d-%d of the %d of this page; next_cursor goes on behind them.", start+1, start+page.shown, len(all)))
	}
	if len(notes) > 0 {
		structured = append(structured, pair("warning", encode(strings.Join(notes, " "))))
	}
	if len(q.Empty) > 0 {
		structured = append(structured, pair("conditions", explained(q.Empty)))
	}
	cuts := left + extra.over + extra.foreign
	for _, record := range page.long {
		cuts += len(record.cuts)
	}
	if q.Asked > 0 {
		cuts++ // the page is smaller than it was to be
	}
	return Result{Text: recordsPage(l, items, page, q, textStart{all, start, moved, next}), Structured: structured.AppendJSON(nil), Cuts: cuts}, nil
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

// readRecords reads the records of a page.
func readRecords(list []rs.Item, q RecordsQuery) []item {
	items, texts := make([]item, len(list)), new(texts)
	for i, record := range list {
		items[i] = readRecord(texts, record.Members, record.Members.Object("data"), q.Stream, q.ConnectionID)
		items[i].relations = readRelations(&items[i])
	}
	return items
}

// A textStart is where the text of a page begins, and how it continues.
type textStart struct {
	page  []item // all records of the page
	start int    // index of the first record that is shown
	moved string // what is not exact because the list has changed
	next  func(shown int) string
}

// recordsHead says which records these are, and of how many.
func recordsHead(l listing, items []item, q RecordsQuery, from textStart, more bool) string {
	head := name(q.Stream)
	if len(items) > 0 && !spansConnections(items) {
		if source := items[0].source(); source != "" {
			head += ", " + source
		}
	}
	head += ": " + plural(len(from.page), "record")
	if n := l.count(); n != "" {
		head += ", " + n + " match in all"
	}
	if order := recordsOrder(from.page, q); order != "" && !spansConnections(items) {
		head += ", " + order
	}
	switch {
	case more:
		head += ", more follow"
	case q.ChangesSince != "":
		head += ", no more changes"
	case q.Position != (Position{}) || len(from.page) > 0:
		head += ", none follow"
	}
	return head
}

// recordsOrder says how the records of a page are sorted: as was asked for, or by time, where their times show it; else "".
func recordsOrder(page []item, q RecordsQuery) string {
	if sort := q.Rest.Text("sort"); sort != "" {
		return "sorted by " + name(preview(sort, labelChars))
	}
	newest, oldest := len(page) > 1, len(page) > 1
	for i := 1; i < len(page); i++ {
		before, behind := &page[i-1], &page[i]
		comparable := before.authored != "" && before.timeField == behind.timeField && len(before.authored) == len(behind.authored)
		newest = newest && comparable && before.authored >= behind.authored
		oldest = oldest && comparable && before.authored <= behind.authored
	}
	switch {
	case newest && !oldest:
		return "newest first"
	case oldest && !newest:
		return "oldest first"
	}
	return ""
}

func recordsPage(l listing, items []item, page recordPage, q RecordsQuery, from textStart) string {
	cursor, changes := l.Envelope.Text("next_cursor"), l.Envelope.Text("next_changes_since")
	more := l.Envelope.Flag("has_more") || cursor != "" || page.extra.over > 0

	p := newBoundedText(recordsText)
	tail := recordsTail(l, q, from.page, more, cursor, changes)
	stopped := func(shown int) []string { return continuedPage(q, from, shown) }
	reserved := tail
	if len(items) > 0 && size(stopped(len(items))) > size(tail) {
		reserved = stopped(len(items))
	}
	p.max = max(p.max, 1024+size(reserved)*3) // long cursors must not push everything else out
	p.reserve(reserved...)
	p.add(recordsHead(l, items, q, from, more))
	for _, note := range append(append(datesReadAs(l.Envelope), freshness(l.Envelope)...), q.lowered(), from.moved) {
		if note != "" {
			p.add(note)
		}
	}
	if note := page.extra.note("record", cursor != ""); note != "" {
		p.add("warning: " + note)
	}
	if q.ChangesSince == "" && spansConnections(items) {
		p.add("limit and order hold for each connection apart; the connections follow one another.")
	}
	for _, w := range l.warnings(4) {
		p.add(w)
	}
	if changes != "" {
		p.add(cursorLine("next_changes_since", changes))
	}
	shown := recordPreviews(p, items)
	p.release(reserved...)
	if shown < len(items) {
		tail = stopped(shown)
	}
	for _, line := range tail {
		p.add(line)
	}
	return p.String()
}

// continuedPage are the last lines of a text that shows only the first of the records that are left of a page. A record that
// fits into no text is passed over.
func continuedPage(q RecordsQuery, from textStart, shown int) []string {
	line := fmt.Sprintf("Shown %d-%d of these %s.", from.start+1, from.start+shown, plural(len(from.page), "record"))
	if shown == 0 {
		shown = 1
		line = fmt.Sprintf("Record %d of these %d is left out here: its id does not fit into a line.", from.start+1, len(from.page))
	}
	cursor := from.next(shown)
	call, ok := q.next(q.ConnectionID, q.ChangesSince, cursor)
	if !ok {
		return []string{line, cursorLine("next_cursor", cursor), "next page: query_records with the same arguments and next_cursor as cursor"}
	}
	return []string{line, "next page: " + call}
}

// spansConnections reports whether records come from more than one connection.
func spansConnections(items []item) bool {
	return slices.ContainsFunc(items, func(it item) bool { return it.conn != items[0].conn })
}

// recordPreviews writes the records as tables until the page is full, and returns how many. Texts are shown as far as there is room
// for all of them.
func recordPreviews(p *boundedText, items []item) (shown int) {
	groups := groupRecords(items)
	table := recordTable{chars: mostText}
	if len(items) == 1 {
		table.chars = onlyText
	}
	const beside = 3 * LineChars / 10 // heads, and the note on how to read on
	if size, long := measure(items); long > 0 {
		table.chars = min(max(leastText+(p.left()-beside-size)/long, leastText), table.chars)
	}
	records := table.write(groups)
	note := readOnNote(&table, len(items))
	p.reserve(note)
	if len(records) > 0 { // there is always one, whatever else stands on the page
		p.max = max(p.max, p.text.Len()+len(records[0]))
	}
	for _, record := range records {
		if !p.block(record) {
			break
		}
		shown++
	}
	p.release(note)
	if len(table.cuts) > 0 && note != "" {
		p.add(note)
	}
	return shown
}

// readOnNote says how the texts are read on that cells show in part; "" when there are none, or each has its own call.
func readOnNote(table *recordTable, records int) string {
	if records < 2 {
		return ""
	}
	for _, c := range table.cuts {
		if c.unnamed() == "" {
			c.fromStart = true
			return "(+N characters): not shown; read with the id and field, as " + c.readOn()
		}
	}
	return ""
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
			return []string{cursorLine("next_cursor", cursor), "next page: query_records with the same arguments and next_cursor as cursor"}
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
	case len(items) == 0 && len(explain(q.Empty)) > 0:
		return explain(q.Empty)
	case len(items) == 0 && q.Position == (Position{}) && q.ChangesSince == "":
		return []string{"No record matches. Loosen the filter, or call " + new(arguments).text("stream", q.Stream).call("schema") + " for the fields and connections."}
	}
	return nil
}

// namedPages says how to go on when the resource server merged connections and gave no cursor: one connection after the other, each
// behind its own last record on this page. Where that stands in the list of its connection is known of the first page alone.
func namedPages(q RecordsQuery, page []item, session string) []string {
	const maxNamed = 12
	later := q.Position.Cursor != ""
	lines := []string{"This page has no cursor. To page on, name one connection:"}
	if later {
		lines[0] = "This page has no cursor. To page on, name one connection, from its first record on:"
	}
	var connections []string
	shown, last := map[string]int{}, map[string]*item{}
	for i := range page {
		conn := page[i].conn
		if conn != "" && shown[conn] == 0 {
			connections = append(connections, conn)
		}
		shown[conn], last[conn] = shown[conn]+1, &page[i]
	}
	if q.ConnectionID != "" || len(connections) == 0 {
		return []string{"This page has no cursor: ask with a higher limit (at most 100) or a narrower filter."}
	}
	for _, conn := range connections {
		cursor := ""
		if !later {
			cursor = Position{}.after(shown[conn], min(2*max(q.Limit, shown[conn]), maxLimit), last[conn].id).String()
		}
		line, ok := q.next(conn, session, cursor)
		if !ok {
			line = "query_records with the same arguments and connection_id " + name(conn)
		}
		if label := preview(last[conn].label, labelChars); label != "" {
			line += " for " + bare(label)
		}
		if len(lines) <= maxNamed && !longerThan(line, LineChars) {
			lines = append(lines, line)
		}
	}
	if left := len(connections) - (len(lines) - 1); left > 0 {
		lines = append(lines, fmt.Sprintf("%d more connections: call %s for their ids, and query_records with each as connection_id.",
			left, new(arguments).text("stream", q.Stream).call("schema")))
	}
	return lines
}
