package tools

import (
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/period"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// newestRecord is the call for the newest or oldest record of the stream that a query names and nothing else, as "latest order" does: its
// records need not have the word. It is "" for any other query. The schema may be read for it.
func (p periodSearch) newestRecord(ctx context.Context, call Call) string {
	args := call.Args.(searchArgs)
	newest, oldest := render.AsksByTime(args.q)
	if !newest && !oldest || !args.position.First() || args.period != (period.Period{}) || len(args.filter) > 0 {
		return ""
	}
	words := slices.DeleteFunc(relax.Words(args.q), render.IsSuperlative)
	if len(words) != 1 {
		return ""
	}
	word := strings.ToLower(words[0])
	names := []string{word, word + "s", strings.TrimSuffix(word, "y") + "ies", correct.StreamOf(word)}
	stated := p.schemas.Of(ctx, call.RS, rs.Scope{ConnectionID: call.Scope.ConnectionID})
	at := slices.IndexFunc(stated.Sources, func(s known.Source) bool {
		return slices.Contains(names, s.Stream) && (len(args.streams) == 0 || slices.Contains(args.streams, s.Stream))
	})
	if at < 0 {
		return ""
	}
	source := stated.Sources[at]
	only := rs.Object{}
	if id := rs.AsObject(string(call.Raw)).Get("connection_id"); id != "" {
		only = only.With("connection_id", id)
	}
	if newest && source.Time != "" { // of all connections that have it
		timeline := rs.Object{{Name: "since", Value: `"1970-01-01"`}, {Name: "streams", Value: rs.EncodeJSON([]string{source.Stream})}}.WithAll(only)
		return correct.Call{Tool: "search", Arguments: timeline.With("limit", "1")}.String()
	}
	records := rs.Object{{Name: "stream", Value: rs.EncodeJSON(source.Stream)}}.WithAll(only)
	if oldest {
		records = records.With("order", `"asc"`)
	}
	return correct.Call{Tool: "query_records", Arguments: records.With("limit", "1")}.String()
}
