package browse

import (
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

type searchView struct {
	common
	Words, Stream, Since, Until string
	Streams                     []string
	Asked                       bool
	Count                       string
	Hits                        []hit
	First, Next                 string
}

type hit struct {
	Title, Link, Source, Time, Field string
	Excerpt                          []span
}

// A span is a part of an excerpt, marked where it matches.
type span struct {
	Text   string
	Marked bool
}

type searchArguments struct {
	Words   string   `json:"q,omitempty"`
	Streams []string `json:"streams,omitempty"`
	Since   string   `json:"since,omitempty"`
	Until   string   `json:"until,omitempty"`
	Limit   int      `json:"limit"`
	Cursor  string   `json:"cursor,omitempty"`
}

// search finds records, as search answers it.
func (p *Pages) search(ctx context.Context, q query) any {
	v := &searchView{
		common: common{Title: "Search", View: "search"},
		Words:  q.get("q"), Stream: q.get("stream"), Since: q.get("since"), Until: q.get("until"),
	}
	for _, raw := range p.ask(ctx, &v.common, false, "schema", schemaArguments{}).Object("data").Array("connections") {
		for _, raw := range rs.AsObject(raw).Array("streams") {
			if name := rs.AsObject(raw).Text("name"); !slices.Contains(v.Streams, name) {
				v.Streams = append(v.Streams, name)
			}
		}
	}
	if v.Asked = len(q.values) > 0; !v.Asked || v.Failure != nil {
		return v
	}
	arguments := searchArguments{Words: v.Words, Since: v.Since, Until: v.Until, Limit: 20, Cursor: q.get("cursor")}
	if v.Stream != "" {
		arguments.Streams = []string{v.Stream}
	}
	answer := p.ask(ctx, &v.common, true, "search", arguments)
	for _, raw := range answer.Array("results") {
		v.Hits = append(v.Hits, newHit(rs.AsObject(raw)))
	}
	data := answer.Object("data")
	v.Count = grouped(data.Object("meta").Text("count"))
	if cursor := data.Text("next_cursor"); cursor != "" {
		v.Next = q.with("cursor", cursor).link()
	}
	if q.get("cursor") != "" {
		v.First = q.with("cursor", "").link()
	}
	return v
}

func newHit(found rs.Object) hit {
	evidence := found.Object("evidence")
	h := hit{
		Title: found.Text("title", "id"), Link: link("record", "id", found.Text("id")), Time: found.Text("authored_at"),
		Source: found.Text("display_name") + ", " + found.Text("stream"), Field: evidence.Text("field"),
	}
	for part := range strings.SplitSeq(evidence.Text("text"), "<mark>") {
		marked, rest, found := strings.Cut(part, "</mark>")
		if !found {
			marked, rest = "", part
		}
		h.Excerpt = append(h.Excerpt, span{marked, true}, span{rest, false})
	}
	return h
}
