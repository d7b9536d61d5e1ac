package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// text is what stands before the records, as many of them as fit, and how to go on.
func (a *recordsAnswer) text() string {
	lead, tail := a.lead(), a.tail()
	last := tail
	if n := len(a.items); n > 0 {
		if stopped := a.stopped(n); write.Size(stopped) > write.Size(tail) {
			last = stopped
		}
	}
	remaining := max(recordsText, 1024+3*write.Size(last)) // long cursors must not push everything else out
	records, notes := item.Tables(a.items, remaining-write.Size(last)-write.Size(lead))
	bytes, lines := remaining-write.Size(lead)-write.Size(notes)-write.Size(last), write.TextLines-len(lead)-len(notes)-len(last)
	shown := 0
	for ; shown < len(records); shown++ {
		bytes, lines = bytes-len(records[shown])-1, lines-1-strings.Count(records[shown], "\n")
		if (bytes < 0 || lines < 0) && shown > 0 || item.TooWide(records[shown]) {
			tail, lead[0] = a.stopped(shown), a.head(true)
			break
		}
	}
	return strings.Join(slices.Concat(lead, records[:shown], notes, tail), "\n")
}

func (a *recordsAnswer) head(stops bool) string {
	one, source, follow := !spansConnections(a.items), "", ""
	if len(a.items) > 0 && one {
		source = a.items[0].Source()
	}
	switch {
	case a.more() || stops:
		follow = "more follow"
	case a.q.ChangesSince != "":
		follow = "no more changes"
	case !a.q.Position.First() || len(a.all) > 0:
		follow = "none follow"
	}
	return clean.Name(a.q.Stream) + write.Lead(", ", source) + ": " + write.Plural(a.Total, "record") +
		write.When(a.From > 0 && a.From < a.Total && !stops, ", shown "+a.Span(a.Total)) +
		write.When(a.l.count() != "", ", "+a.l.count()+" match in all") +
		write.When(one || a.merge.Records != nil, write.Lead(", ", a.order())) + write.Lead(", ", follow)
}

// order says how the records of a page are sorted: as was asked for, or by time, where their times show it; else "". What has no common
// name of a time may be in order by chance: it is said of three records and more alone, by the field, and in the direction of the list.
func (a *recordsAnswer) order() string {
	if sort := a.q.Rest.Text("sort"); sort != "" {
		return "sorted by " + clean.Name(write.Label(sort))
	}
	direction := cmp.Or(write.When(a.q.Rest.Text("order") == "asc", "oldest first"), "newest first")
	order := cmp.Or(item.Order(a.all), write.When(a.merge.Records != nil, direction))
	for i := 0; order == "" && len(a.all) > 2 && i < len(a.all[0].Data); i++ {
		name := a.all[0].Data[i].Name
		text := func(it *item.Item) string { return it.Data.Text(name) }
		if write.Day(text(&a.all[0])) != "" && item.OrderBy(a.all, text) == direction {
			order = direction + " by " + clean.Name(write.Label(name))
		}
	}
	return order
}

func (a *recordsAnswer) lead() []string {
	warned, bookmark := a.l.withoutLeftOut(a.l.Envelope), ""
	if len(a.byConnection()) > 0 { // the last lines say what to do about it
		warned = warned.withoutWarning("partial_results")
	}
	if changes := a.l.Envelope.Text("next_changes_since"); changes != "" {
		bookmark = paging.CursorLine("next_changes_since", changes) + write.When(a.more(), " ("+afterLastPage+")")
	}
	units := write.Offer("", a.l.Envelope.Text("units_in"), write.LineChars)
	extra := write.Lead("warning: ", a.Extra.Note("record", a.Continues))
	return write.Clipped(write.NotEmpty(slices.Concat([]string{a.head(false)}, datesReadAs(a.l.Envelope), a.q.Coverage.lines(),
		[]string{units, noted(a.l.Envelope.Object("mixed_units"))},
		[]string{a.apart(), a.tied(), a.q.lowered(), a.Moved, extra}, missingFields(a.l.Envelope), warned.warnings(4), []string{bookmark})...))
}

// stopped are the last lines of a text that shows only the first of the records that are left of a page. A record that
// fits into no text is passed over.
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
	if lines, _ := conditions("query_records", q.Empty); len(lines) > 0 {
		return lines
	}
	if q.Position.First() && q.ChangesSince == "" {
		schema := new(write.Object).Text("stream", q.Stream).Call("schema")
		return []string{"No record matches. Loosen the filter, or call " + schema + " for the fields and connections."}
	}
	return nil
}

func (a *recordsAnswer) namedPages() []string {
	pages := a.byConnection()
	if len(pages) == 0 {
		return []string{"This page has no cursor: ask with a higher limit (at most 100) or a narrower filter."}
	}
	lines := []string{"This page has no cursor. To page on, name one connection:"}
	if a.q.Position.Cursor != "" {
		lines[0] = "This page has no cursor. To page on, name one connection, from its first record on:"
	}
	for _, p := range pages {
		line := cmp.Or(write.Offer("", p.call.Call("query_records"), longestCall),
			"query_records with the same arguments and connection_id "+clean.Name(p.connection))
		line += write.Lead(" for ", clean.Bare(write.Label(p.label)))
		if len(lines) <= maxNamed && !clean.LongerThan(line, write.LineChars) {
			lines = append(lines, line)
		}
	}
	return write.NotEmpty(append(lines, a.otherConnections(len(pages)-(len(lines)-1)))...)
}
