package render

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/item"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/paging"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A connectionPage is the call that continues in one of the connections that a resource server merged into a page without a cursor.
type connectionPage struct {
	connection, label string
	call              *write.Object
}

// byConnection are those calls, for each connection of the page behind its own last record; nil where the page has a cursor, or nothing
// follows. Where that record is in the list of its connection is known of the first page alone.
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
		here, cursor := a.under(p.connection), ""
		if q.Position.Cursor == "" {
			start, _ := paging.Position{}.In(rs.AsObject(here.call(p.connection, a.bookmark(), "").JSON()))
			cursor = start.After(shown[p.connection], min(2*max(q.Limit, shown[p.connection]), paging.MaxLimit), last[p.connection].ID).String()
		}
		pages[i].label, pages[i].call = last[p.connection].Label, here.call(p.connection, a.bookmark(), cursor)
	}
	return pages
}

// under is the same query of one connection alone, which refuses the fields and relations that it lacks: over several, its records are
// shown without them, in its own order.
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
	if lacking(q.Rest.Text("sort")) {
		q.Rest = q.Rest.Without("sort")
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
	return write.When(n > 0, fmt.Sprintf("%d more connections: call %s for their ids, and query_records with each as connection_id.",
		n, new(write.Object).Text("stream", a.q.Stream).Call("schema")))
}

// apart says what a page of several connections is; "" for any other.
func (a *recordsAnswer) apart() string {
	if a.q.ChangesSince != "" || !spansConnections(a.items) {
		return ""
	}
	sort := strings.TrimPrefix(a.q.Rest.Text("sort"), "-")
	switch {
	case a.merge.Records == nil:
		return "limit and order hold for each connection apart; the connections follow one another." +
			write.When(sort != "", " Compare the first records of each for the first of all by "+write.ShownName(sort)+".")
	case !a.follows():
		return "The connections are merged."
	}
	last := item.Read(a.merge.Last.Members, nil, a.q.Stream, "")
	value, _ := clean.Cell(a.merge.Value, write.LabelChars)
	return "The connections are merged; limit holds for each. Complete as far as " + value + ": after that, more records of " +
		cmp.Or(last.Source(), clean.Name(last.Connection)) + " exist that are not on this page."
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
