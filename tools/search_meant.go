package tools

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/period"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// fieldForm is a condition as other searches read it, such as merchant:Towpath: a name, a colon and a value without space. That of an
// address is none.
var fieldForm = written.Expression(`(?:^|\s)([\pL_][\pL\pN_.]*):("[^"]+"|[^\s":/][^\s"]*)`)

// fieldConditions returns the conditions in a query, as names with their text, and its other words.
func fieldConditions(q string) (found rs.Object, rest string) {
	last := 0
	var others strings.Builder
	for _, at := range fieldForm().FindAllStringSubmatchIndex(q, -1) {
		if strings.Count(q[:at[2]], `"`)%2 != 0 { // within a phrase
			continue
		}
		found = append(found, rs.Member{Name: q[at[2]:at[3]], Value: strings.Trim(q[at[4]:at[5]], `"`)})
		others.WriteString(q[last:at[0]] + " ")
		last = at[1]
	}
	return found, strings.Join(strings.Fields(others.String()+q[last:]), " ")
}

// unreadFields is the call that is meant by a search with conditions that found nothing for them, as search reads words alone: the filter of a
// stream that has the fields, else the search for the words. It is "" for any other search. The schema may be read for it.
func unreadFields(ctx context.Context, call Call, answer Answer) string {
	args := call.Args.(searchArgs)
	found, rest := fieldConditions(args.q)
	if len(found) == 0 {
		return ""
	}
	list, _ := answer.Response.List()
	missing := list.Envelope.Object("meta").Object("recall").Array("missing_words")
	if answer.Repair == nil && len(list.Items) > 0 && !slices.ContainsFunc(missing, func(word string) bool { return strings.Contains(word, ":") }) {
		return ""
	}
	sent := call.Arguments.Without("q", "query", "limit", "cursor")
	stated := call.known(ctx, "")
	if stated.Document != nil {
		for i := range stated.Document.Streams {
			row := &stated.Document.Streams[i]
			filter := conditionsOf(row, found)
			if filter == nil || len(args.streams) > 0 && !slices.Contains(args.streams, row.Name) {
				continue
			}
			filter = filter.WithAll(sent.Object("filter"))
			if rest == "" && args.period == (period.Period{}) {
				return correct.Call{Tool: "query_records", Arguments: inConnection(call, "stream", row.Name).With("filter", filter.JSON())}.String()
			}
			narrowed := sent.With("streams", rs.EncodeJSON([]string{row.Name})).With("filter", filter.JSON())
			return searchFor(rest, narrowed)
		}
	}
	words := strings.Fields(rest)
	for _, c := range found {
		words = append(words, c.Name, c.Value)
	}
	return searchFor(strings.Join(words, " "), sent)
}

func searchFor(q string, others rs.Object) string {
	return correct.Call{Tool: "search", Arguments: withWords(q, others)}.String()
}

// conditionsOf is the filter that conditions mean in a stream; nil where it lacks one of the fields.
func conditionsOf(row *rs.SchemaStream, found rs.Object) (filter rs.Object) {
	fields := row.Fields()
	for _, c := range found {
		at := slices.IndexFunc(fields, func(f rs.SchemaField) bool { return f.Granted && f.Exact && strings.EqualFold(f.Name, c.Name) })
		if at < 0 {
			return nil
		}
		value := rs.EncodeJSON(c.Value)
		if kind := fields[at].Type; kind != "string" && kind != "text" && json.Valid([]byte(c.Value)) {
			value = c.Value
		}
		filter = filter.With(fields[at].Name, value)
	}
	return filter
}

// newestRecord is the search of the stream that a query for the newest or oldest names, as "latest order" does: its records need not have
// the word. It is none for any other query. The schema may be read for it.
func newestRecord(ctx context.Context, call Call, q *render.Question) render.InStream {
	args := call.Args.(searchArgs)
	newest, oldest := q.AsksByTime()
	if args.q == "" || !newest && !oldest || args.period != (period.Period{}) || len(args.filter) > 0 {
		return render.InStream{}
	}
	stated := call.known(ctx, "")
	at := slices.IndexFunc(stated.Sources, func(s known.Source) bool {
		named := slices.ContainsFunc(q.Words(), func(word string) bool { return isCalled(word, s.Stream) })
		return named && (len(args.streams) == 0 || slices.Contains(args.streams, s.Stream))
	})
	if at < 0 {
		return render.InStream{}
	}
	source := stated.Sources[at]
	others := slices.DeleteFunc(q.Beside(""), func(word string) bool { return isCalled(word, source.Stream) })
	superlative := "newest"
	if oldest {
		superlative = "oldest"
	}
	found := render.InStream{Stream: source.Stream, Says: "The " + superlative + " of that stream: "}
	within := inConnection(call, "streams", []string{source.Stream})
	switch {
	case len(others) > 0 && len(args.streams) == 1: // it is the search at hand
		return render.InStream{}
	case len(others) > 0:
		found.Says = "In that stream alone: " + searchFor(superlative+" "+strings.Join(others, " "), within)
	case newest && source.Time != "": // of all connections that have it
		found.Says += searchFor("", append(rs.Object{{Name: "since", Value: `"1970-01-01"`}}, within...).With("limit", "1"))
	default:
		records := inConnection(call, "stream", source.Stream)
		if oldest {
			records = records.With("order", `"asc"`)
		}
		found.Says += correct.Call{Tool: "query_records", Arguments: records.With("limit", "1")}.String()
	}
	return found
}

// isCalled reports whether a word is what the records of a stream are called.
func isCalled(word, stream string) bool {
	word = strings.ToLower(word)
	return slices.Contains([]string{word, word + "s", strings.TrimSuffix(word, "y") + "ies", correct.StreamOf(word)}, stream)
}

// streamsOf are the streams with a time whose records some words of a search name; false where a word of them names none. The schema may
// be read for it.
func streamsOf(ctx context.Context, call Call, words []string) (streams []string, all bool) {
	if len(words) == 0 {
		return nil, true
	}
	sources := call.known(ctx, "").Sources
	for _, word := range words {
		at := slices.IndexFunc(sources, func(s known.Source) bool { return s.Time != "" && isCalled(word, s.Stream) })
		if at < 0 && correct.StreamOf(word) == "" {
			return nil, false
		}
		if at >= 0 && !slices.Contains(streams, sources[at].Stream) {
			streams = append(streams, sources[at].Stream)
		}
	}
	return streams, true
}
