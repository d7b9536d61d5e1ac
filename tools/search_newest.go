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

// newestRecord is the search of the stream that a query for the newest or oldest names, as "latest order" does: its records need not have
// the word. It is none for any other query. The schema may be read for it.
func (p periodSearch) newestRecord(ctx context.Context, call Call) render.InStream {
	args := call.Args.(searchArgs)
	newest, oldest := render.AsksByTime(args.q)
	if !newest && !oldest || !args.position.First() || args.period != (period.Period{}) || len(args.filter) > 0 {
		return render.InStream{}
	}
	words := slices.DeleteFunc(relax.Words(args.q), render.IsSuperlative)
	stated := p.schemas.Of(ctx, call.RS, rs.Scope{ConnectionID: call.Scope.ConnectionID})
	var source *known.Source
	for i := range stated.Sources {
		if s := &stated.Sources[i]; len(args.streams) == 0 || slices.Contains(args.streams, s.Stream) {
			if slices.ContainsFunc(words, func(word string) bool { return names(word, s.Stream) }) {
				source = s
				break
			}
		}
	}
	if source == nil {
		return render.InStream{}
	}
	others := render.WordsBeside(slices.DeleteFunc(words, func(word string) bool { return names(word, source.Stream) }), "")
	superlative := "newest"
	if oldest {
		superlative = "oldest"
	}
	found := render.InStream{Stream: source.Stream, Says: "The " + superlative + " of that stream: "}
	arguments := rs.Object{}
	if id := rs.AsObject(string(call.Raw)).Get("connection_id"); id != "" {
		arguments = arguments.With("connection_id", id)
	}
	streams := rs.Member{Name: "streams", Value: rs.EncodeJSON([]string{source.Stream})}
	switch {
	case len(others) > 0 && len(args.streams) == 1: // it is the search at hand
		return render.InStream{}
	case len(others) > 0:
		found.Says = "In that stream alone: "
		arguments = rs.Object{{Name: "q", Value: rs.EncodeJSON(superlative + " " + strings.Join(others, " "))}, streams}.WithAll(arguments)
		found.Says += correct.Call{Tool: "search", Arguments: arguments}.String()
	case newest && source.Time != "": // of all connections that have it
		arguments = rs.Object{{Name: "since", Value: `"1970-01-01"`}, streams}.WithAll(arguments)
		found.Says += correct.Call{Tool: "search", Arguments: arguments.With("limit", "1")}.String()
	default:
		arguments = rs.Object{{Name: "stream", Value: rs.EncodeJSON(source.Stream)}}.WithAll(arguments)
		if oldest {
			arguments = arguments.With("order", `"asc"`)
		}
		found.Says += correct.Call{Tool: "query_records", Arguments: arguments.With("limit", "1")}.String()
	}
	return found
}

// names reports whether a word is what the records of a stream are called.
func names(word, stream string) bool {
	word = strings.ToLower(word)
	return slices.Contains([]string{word, word + "s", strings.TrimSuffix(word, "y") + "ies", correct.StreamOf(word)}, stream)
}
