package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/answer"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// text returns the lead, as many records as fit, and how to continue.
func (a *recordsAnswer) text() string {
	lead, tail := a.lead(), a.tail()
	records, notes, shown := a.fitting(lead, tail)
	if shown < len(records) { // its last lines may be longer than those of the whole page
		last := a.stopped(len(a.items))
		if write.Size(last) < write.Size(tail) {
			last = tail
		}
		records, notes, shown = a.fitting(lead, last)
		if shown < len(records) {
			tail, lead[0] = a.stopped(shown), a.head(true)
		}
	}
	return strings.Join(slices.Concat(lead, records[:shown], notes, tail), "\n")
}

// fitting returns the lines of the records, and how many of these fit between the first and the last lines.
func (a *recordsAnswer) fitting(lead, last []string) (records, notes []string, shown int) {
	remaining := max(recordsText, 1024+3*write.Size(last)) // long cursors must not push everything else out
	records, notes = item.Tables(a.items, remaining-write.Size(last)-write.Size(lead))
	bytes, lines := remaining-write.Size(lead)-write.Size(notes)-write.Size(last), write.TextLines-len(lead)-len(notes)-len(last)
	shown = min(max(write.Fitting(records, bytes, lines), 1), len(records))
	if wide := slices.IndexFunc(records[:shown], item.TooWide); wide >= 0 {
		shown = wide
	}
	return records, notes, shown
}

// head returns the first line: which records the page has, how they are sorted, and whether more follow. truncated means that the text
// shows only the first of them; the last lines then say which.
func (a *recordsAnswer) head(truncated bool) string {
	one, source, follow := !spansConnections(a.items), "", ""
	if len(a.items) > 0 && one {
		source = a.items[0].Source()
	}
	switch {
	case a.more() || truncated:
		follow = "more follow"
	case a.q.ChangesSince != "":
		follow = "no more changes"
	case !a.q.Position.First() || len(a.all) > 0:
		follow = "none follow"
	}
	return clean.Name(a.q.Stream) + write.Lead(", ", source) + ": " + write.Plural(a.Total, "record") +
		write.When(a.From > 0 && a.From < a.Total && !truncated, ", shown "+a.Span(a.Total)) +
		write.When(a.l.Matches() != "", ", "+a.l.Matches()+" match in all") +
		write.When(one || a.merge.Records != nil, write.Lead(", ", a.order())) + write.Lead(", ", follow)
}

// order says how the records of a page are sorted: as requested, or by time if their times show it; else "".
func (a *recordsAnswer) order() string {
	if sort := a.q.Rest.Text("sort"); sort != "" {
		return "sorted by " + clean.Name(write.Label(sort))
	}
	direction := cmp.Or(write.When(a.q.Rest.Text("order") == "asc", "oldest first"), "newest first")
	return cmp.Or(item.Order(a.all), write.When(a.merge.Records != nil, direction))
}

func (a *recordsAnswer) lead() []string {
	warned, bookmark := a.l.WithoutLeftOut(a.l.Envelope), ""
	if len(a.pages) > 0 { // the last lines say what to do about it
		warned = warned.WithoutWarning("partial_results")
	}
	if changes := a.l.Envelope.Text("next_changes_since"); changes != "" {
		bookmark = paging.CursorLine("next_changes_since", changes) + write.When(a.more(), " ("+afterLastPage+")")
	}
	units := write.Offer("", a.l.Envelope.Text("units_in"), write.LineChars)
	extra := write.Lead("warning: ", a.Extra.Note("record", a.Continues))
	dates := answer.DatesReadAs(a.l.Envelope, len(a.all) == 0)
	return write.Clipped(write.NotEmpty(slices.Concat([]string{a.head(false)}, dates, a.q.Coverage.Lines(),
		[]string{units, answer.Noted(a.l.Envelope.Object("mixed_units")), answer.Noted(a.l.Envelope.Object("thread_head"))},
		[]string{a.apart(), a.tied(), a.q.lowered(), a.Moved, extra}, answer.MissingFields(a.l.Envelope), warned.Warnings(4),
		[]string{bookmark})...))
}

// stopped returns the last lines of a text that shows only the first of a.items. The continuation skips a record that fits into no text.
func (a *recordsAnswer) stopped(shown int) []string {
	line := fmt.Sprintf("Shown %s of these %s.", a.Span(a.From+shown), write.Plural(a.Total, "record"))
	if shown == 0 {
		shown = 1
		line = fmt.Sprintf("Record %d of these %d is left out here: its id does not fit into a line.", a.From+1, a.Total)
	}
	otherwise := fmt.Sprintf("To see the others, ask for %d records at a time.", shown)
	return []string{line, a.q.nextPage(a.q.ChangesSince, a.Next(shown), otherwise)}
}

func (q RecordsQuery) nextPage(changes, cursor, otherwise string) string {
	return paging.NextPage("query_records", q.call(q.ConnectionID, changes, cursor), cursor, longestCall, otherwise)
}

func (a *recordsAnswer) tail() []string {
	q, cursor, changes := a.q, a.l.Envelope.Text("next_cursor"), a.l.Envelope.Text("next_changes_since")
	switch {
	case cursor != "":
		return []string{q.nextPage(a.bookmark(), cursor, paging.AtStructured("query_records"))}
	case a.follows():
		return a.namedPages()
	case changes != "":
		call := write.Offer("", q.call(q.ConnectionID, changes, "").Call("query_records"), longestCall)
		other := "query_records with the same arguments and " + paging.CursorLine("next_changes_since", changes) + " as changes_since"
		return []string{"later changes: " + cmp.Or(call, other)}
	case len(a.all) > 0:
		return nil
	}
	if lines, _ := answer.Conditions("query_records", q.Empty); len(lines) > 0 {
		return lines
	}
	if q.Position.First() && q.ChangesSince == "" {
		schema := new(write.Object).Text("stream", q.Stream).Call("schema")
		return []string{"No record matches. Loosen the filter, or call " + schema + " for the fields and connections."}
	}
	return nil
}

func (a *recordsAnswer) namedPages() []string {
	if ends := a.endsWithoutCursor(); ends != "" {
		return []string{ends}
	}
	from := write.When(a.q.Position.Cursor != "", ", from its first record on")
	lines := []string{"This page has no cursor. To page on, name one connection" + from + ":"}
	for _, p := range a.pages {
		line := cmp.Or(write.Offer("", p.call.Call("query_records"), longestCall),
			"query_records with the same arguments and connection_id "+clean.Name(p.connection))
		line += write.Lead(" for ", clean.Bare(write.Label(p.label)))
		if len(lines) <= maxNamed && !clean.LongerThan(line, write.LineChars) {
			lines = append(lines, line)
		}
	}
	return write.NotEmpty(append(lines, a.otherConnections(len(a.pages)-(len(lines)-1)))...)
}

// endsWithoutCursor says what to do if more records follow and no call continues the page; else "".
func (a *recordsAnswer) endsWithoutCursor() string {
	ends := a.follows() && a.l.Envelope.Text("next_cursor") == "" && len(a.pages) == 0
	return write.When(ends, "This page has no cursor: ask with a higher limit (at most 100) or a narrower filter.")
}

// A connectionPage is the call that continues one of the connections that a resource server merged into a page without a cursor.
type connectionPage struct {
	connection, label string
	call              *write.Object
}

// byConnection returns a call for each connection of the page, which continues after its own last record; nil if the page has a cursor or
// nothing follows. Only on the first page is it known where that record is in the list of its connection.
func (a *recordsAnswer) byConnection() []connectionPage {
	q := a.q
	if a.l.Envelope.Text("next_cursor") != "" || q.ConnectionID != "" || !a.follows() {
		return nil
	}
	var pages []connectionPage
	shown, last := map[string]int{}, map[string]*item.Item{}
	for i := range a.all {
		conn := a.all[i].Connection
		if conn != "" && shown[conn] == 0 {
			pages = append(pages, connectionPage{connection: conn})
		}
		shown[conn], last[conn] = shown[conn]+1, &a.all[i]
	}
	for i, p := range pages {
		alone, cursor := a.under(p.connection), ""
		if q.Position.Cursor == "" {
			start, _ := paging.Position{}.In(rs.AsObject(alone.call(p.connection, a.bookmark(), "").JSON()))
			cursor = start.After(shown[p.connection], min(2*max(q.Limit, shown[p.connection]), rs.MaxLimit), last[p.connection].ID).String()
		}
		pages[i].label, pages[i].call = last[p.connection].Label, alone.call(p.connection, a.bookmark(), cursor)
	}
	return pages
}

// under returns the query of one connection, without the fields and relations that it lacks, because it would refuse them. A page of
// several connections shows its records without them, in its own order.
func (a *recordsAnswer) under(connection string) RecordsQuery {
	q := a.q
	var lacks []string
	for _, raw := range a.l.Envelope.Array("missing_fields") {
		if o := rs.AsObject(raw); o.Text("connection_id") == connection {
			lacks = write.Words(o, "fields")
		}
	}
	lacking := func(field string) bool { return slices.Contains(lacks, strings.TrimPrefix(field, "-")) }
	q.Fields = slices.DeleteFunc(slices.Clone(q.Fields), lacking)
	if sort := q.Rest.Text("sort"); lacking(sort) {
		q.Rest = q.Rest.Without("sort")
		own := slices.DeleteFunc(slices.Clone(a.all), func(it item.Item) bool { return it.Connection != connection })
		if cmp.Or(item.Order(own), write.When(!strings.HasPrefix(sort, "-"), item.OldestFirst)) == item.OldestFirst {
			q.Rest = q.Rest.With("order", `"asc"`)
		}
	}
	if !q.Rest.Has("expand") {
		return q
	}
	relations := slices.DeleteFunc(write.Words(q.Rest, "expand"), func(relation string) bool {
		return !slices.ContainsFunc(a.all, func(it item.Item) bool { return it.Connection == connection && it.Expanded.Has(relation) })
	})
	if len(relations) == 0 {
		q.Rest = q.Rest.Without("expand", "expand_limit")
	} else {
		q.Rest = q.Rest.With("expand", write.JSON(relations))
	}
	return q
}

const maxNamed = 12

func (a *recordsAnswer) otherConnections(n int) string {
	schema := new(write.Object).Text("stream", a.q.Stream).Call("schema")
	return write.When(n > 0, write.Plural(n, "more connection")+": call "+schema+" for their ids, and query_records with each as connection_id.")
}

// apart says how a page of several connections is ordered and limited; "" for a page of one.
func (a *recordsAnswer) apart() string {
	if a.q.ChangesSince != "" || !spansConnections(a.items) {
		return ""
	}
	sort := strings.TrimPrefix(a.q.Rest.Text("sort"), "-")
	lacks := func(raw string) bool { // for a descending sort, which begins with -, no field is lacking
		return slices.Contains(write.Words(rs.AsObject(raw), "fields"), a.q.Rest.Text("sort"))
	}
	switch {
	case a.merge.Records == nil:
		return "limit and order hold for each connection apart; the connections follow one another." +
			write.When(sort != "", " Compare the first records of each for the first of all by "+write.ShownName(sort)+".") +
			write.When(slices.ContainsFunc(a.l.Envelope.Array("missing_fields"), lacks), " What has none is oldest first.")
	case !a.follows():
		return "The connections are merged."
	}
	last := item.Read(a.merge.Last.Members, nil, a.q.Stream, "")
	value, _ := clean.Cell(a.merge.Value, write.LabelChars)
	return "The connections are merged; limit holds for each. Every record that belongs above the first row with " + value + " is here; " +
		"below that, more of " + cmp.Or(last.Source(), clean.Name(last.Connection)) + ", and maybe of others, are not on this page."
}

// follows reports whether a connection of the page has records that are not on it.
func (a *recordsAnswer) follows() bool { return a.more() || a.l.Warned("partial_results") }

func severalConnections(records []rs.Item) bool {
	return slices.ContainsFunc(records, func(record rs.Item) bool {
		return rs.ConnectionID(record.Members) != rs.ConnectionID(records[0].Members)
	})
}

func spansConnections(items []item.Item) bool {
	return slices.ContainsFunc(items, func(it item.Item) bool { return it.Connection != items[0].Connection })
}
