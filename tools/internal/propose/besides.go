package propose

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// besides names what the calls for some streams leave out: the amounts of other streams if these calls are about what was paid, or their
// senders if they are about who wrote the most.
func (s *search) besides(a *ask, streams ...string) string {
	switch {
	case a == nil || a.named:
		return ""
	case a.isBought:
		rows := fields.RowsByName(s.Schema().Document)
		return s.leavesOut("amounts", streams, func(source known.Source) bool { return hasMoney(rows[source.Stream]) })
	case a.kind == most && a.number.group != "" && a.number.group == a.source().Author:
		return s.leavesOut("senders", streams, func(source known.Source) bool { return source.Author != "" })
	}
	return ""
}

// hasMoney reports whether rows of one stream have amounts that are certain to be money. A field called total or value may have anything.
func hasMoney(rows []rs.SchemaStream) bool {
	own := &rs.Schema{Streams: rows}
	paid, _ := fields.Sides(own, rows[0].Name)
	return slices.ContainsFunc(fields.Numbers(own, nil, fields.Aggregates("sum")), func(number fields.InStream) bool {
		return number.Field == paid || written.IsMoneyForSure(number.Field) && !written.IsLevel(number.Field)
	})
}

// leavesOut names the streams that have something, other than some streams and their parts.
func (s *search) leavesOut(what string, streams []string, has func(known.Source) bool) string {
	seen := map[string]bool{}
	for _, source := range s.Schema().Sources {
		if slices.Contains(streams, source.Stream) {
			seen[source.Stream] = true
			for _, part := range source.Children {
				seen[part.Target] = true
			}
		}
	}
	var others []string
	for _, source := range s.Schema().Sources {
		if !seen[source.Stream] && s.isSearched(source) && has(source) {
			seen[source.Stream] = true
			others = append(others, source.Stream)
		}
	}
	return quote.When(len(others) > 0, ". Left out are the "+what+" of "+quote.Names(others, maxNamedStreams))
}
