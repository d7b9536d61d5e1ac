package browse

import (
	"context"
	"strings"

	g "maragu.dev/gomponents"
	h "maragu.dev/gomponents/html"

	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// search shows a search form and the hits, from a call of search.
func (v *view) search(ctx context.Context) g.Node {
	v.title = "Search"
	asked, streams := len(v.values) > 0, append([]string{""}, v.streamNames(ctx, "")...)
	var found rs.Object
	if asked && v.failure == nil {
		var within []string
		if stream := v.Get("stream"); stream != "" {
			within = []string{stream}
		}
		found = v.callForData(ctx, "search", arguments(
			"q", v.Get("q"), "streams", within, "since", v.Get("since"), "until", v.Get("until"), "limit", 20, "cursor", v.Get("cursor"),
		))
	}
	typed := func(name, kind, label string) g.Node {
		return page.Field(name, label, h.Input(h.ID(name), h.Name(name), h.Type(kind), h.Value(v.Get(name)), h.AutoComplete("off")))
	}
	return g.Group{
		h.H1(g.Text(v.title)),
		asks("search", nil, page.Class("tools"), h.Role("search"), h.Div(
			page.Class("row"), typed("q", "search", "Words or a question"),
			choose("stream", "stream", "In", v.Get("stream"), streams, map[string]string{"": "all streams"}),
			typed("since", "date", "Since"), typed("until", "date", "Until"), submit("Search"),
		)),
		v.said(),
		g.If(asked && v.failure == nil, g.Group{hits(found), v.turns(found.Object("data").Text("next_cursor"))}),
	}
}

func hits(found rs.Object) g.Node {
	results, said := objects(found, "results"), "Nothing found"
	if count := found.Object("data").Object("meta").Text("count"); len(results) > 0 && count != "" {
		said = grouped(count) + " found"
	} else if len(results) > 0 {
		said = "Found"
	}
	return g.Group{h.H2(g.Text(said)), h.Ol(page.Class("hits"), g.Map(results, func(hit rs.Object) g.Node {
		evidence := hit.Object("evidence")
		return h.Li(
			h.H3(page.Link(link("record", "id", hit.Text("id")), hit.Text("title", "id"))),
			page.P(page.Class("quiet"), g.Text(hit.Text("display_name")+", "+hit.Text("stream")), authored(hit.Text("authored_at"))),
			g.If(len(evidence) > 0, page.P(page.Class("excerpt"), marked(evidence.Text("text")), small("in "+evidence.Text("field")))),
		)
	}))}
}

func marked(excerpt string) g.Node {
	var all g.Group
	for excerpt != "" {
		var text, match string
		text, excerpt, _ = strings.Cut(excerpt, "<mark>")
		match, excerpt, _ = strings.Cut(excerpt, "</mark>")
		all = append(all, g.Text(text), g.If(match != "", h.Mark(g.Text(match))))
	}
	return all
}
