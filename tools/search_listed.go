package tools

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/period"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Bounds of what is read for whether a word of a query is a value of a field, such as a status, which no search reads.
const (
	fewHits         = 3 // with all words, beside which another call is proposed
	maxListedFields = 3
	maxListedValues = 30 // a field of more has no closed list
)

// listedValue says which word of a query that finds little is a value of a field of the stream that it is about, with the call that filters
// by it; "" for none. The schema may be read for it, and the values of a few fields.
func listedValue(ctx context.Context, call Call, answer Answer) string {
	args := call.Args.(searchArgs)
	list, _ := answer.Response.List()
	absent := absentWords(list, answer.Repair)
	meta := list.Envelope.Object("meta")
	found, counted := meta.Number("count")
	if !counted {
		found = len(list.Items)
	}
	exact := len(args.filter) > 0 || args.mode != "" && args.mode != "lexical" || strings.Contains(args.q, `"`) ||
		args.period != (period.Period{})
	repaired := answer.Repair != nil && answer.Repair.Reads > relax.MaxReads-maxListedFields-1 // with the schema
	// Members of a package would be asked that lack the stream.
	members := answer.Response.Reads > maxCountedMembers || auth.PrincipalFrom(ctx).Package != nil
	if args.q == "" || exact || repaired || members ||
		len(args.streams) > 1 || len(absent) == 0 && found > fewHits {
		return ""
	}
	since, until, rest, timed := written.NamedPeriod(args.q, time.Now().UTC())
	if !timed {
		rest = args.q
	}
	words := relax.Words(rest)
	if len(args.streams) == 0 && !slices.ContainsFunc(words, mayBeStream) {
		return ""
	}
	stated := call.known(ctx, "")
	at := slices.IndexFunc(stated.Sources, func(s known.Source) bool {
		named := slices.ContainsFunc(words, func(word string) bool { return isCalled(word, s.Stream) })
		return slices.Contains(args.streams, s.Stream) || len(args.streams) == 0 && named
	})
	if at < 0 {
		return ""
	}
	stream := stated.Sources[at].Stream
	others := slices.DeleteFunc(words, func(word string) bool { return isCalled(word, stream) })
	call.Scope.Stream = stream
	field, value, word := listedWord(ctx, call, listedFields(stated.Document, call.Scope), others, absent)
	if field == "" {
		return ""
	}
	others = slices.DeleteFunc(others, func(other string) bool { return other == word || absent[strings.ToLower(other)] })
	filter := rs.Object{{Name: field, Value: value}}.JSON()
	says := fmt.Sprintf("%s is a value of %s in %s: ", quote.Text(word), quote.Names([]string{field}, 1), quote.Names([]string{stream}, 1))
	if len(others) == 0 && !timed {
		return says + correct.Call{Tool: "query_records", Arguments: inConnection(call, "stream", stream).With("filter", filter)}.String()
	}
	within := call.Arguments.Without("q", "query", "mode", "limit", "cursor").
		With("streams", rs.EncodeJSON([]string{stream})).With("filter", filter)
	for _, bound := range []rs.Member{{Name: "since", Value: since}, {Name: "until", Value: until}} {
		if bound.Value != "" {
			within = within.With(bound.Name, rs.EncodeJSON(bound.Value))
		}
	}
	return says + searchFor(strings.Join(others, " "), within)
}

// mayBeStream reports whether a word may be the name of a stream, which is in the plural: the schema is not read to know of any other.
func mayBeStream(word string) bool {
	const least = 4 // letters, of such as bills
	return len(word) >= least && strings.HasSuffix(strings.ToLower(word), "s") || correct.StreamOf(word) != ""
}

// listedFields are the first fields of a stream that may have a closed list of values: texts that can be filtered by and counted, and that
// no search reads.
func listedFields(schema *rs.Schema, scope rs.Scope) (fields []string) {
	for i := range schema.Streams {
		row := &schema.Streams[i]
		if row.Name != scope.Stream || !known.HasConnection(row, scope.ConnectionID) {
			continue
		}
		for _, f := range row.Fields() {
			closed := f.Granted && f.Exact && !f.Lexical && slices.Contains(f.Aggregates, "group_by") && strings.Contains(f.Type, "string")
			if closed && f.Name != "id" && !strings.HasSuffix(f.Name, "_id") && !slices.Contains(fields, f.Name) && len(fields) < maxListedFields {
				fields = append(fields, f.Name)
			}
		}
	}
	return fields
}

// listedWord finds the word that is a value of one of some fields, or a form of it: one that is nowhere, where there are such words.
func listedWord(ctx context.Context, call Call, fields, words []string, absent map[string]bool) (field, value, word string) {
	ctx, cancel := context.WithTimeout(ctx, besideDeadline)
	defer cancel()
	values := make([][]string, len(fields))
	_ = read.Parallel(ctx, len(fields), func(ctx context.Context, i int) error {
		q := aggregate.Args{Metric: "count", GroupBy: fields[i], Limit: maxListedValues}
		for _, raw := range aggregated(ctx, call, q).Array("groups") {
			values[i] = append(values[i], rs.AsObject(raw).Get("key"))
		}
		return nil
	})
	for i, field := range fields {
		for _, raw := range values[i] {
			text, isText := rs.AsText(raw)
			at := slices.IndexFunc(words, func(word string) bool {
				return (len(absent) == 0 || absent[strings.ToLower(word)]) && isFormOf(strings.ToLower(word), strings.ToLower(text))
			})
			if isText && at >= 0 {
				return field, raw, words[at]
			}
		}
	}
	return "", "", ""
}

// isFormOf reports whether a word is the value of a field, or is it with another ending or spelling, as cancel and canceled are cancelled.
func isFormOf(word, value string) bool {
	const least = 4 // letters that both begin with
	stem := relax.OtherForm(word)
	switch {
	case word == value:
		return true
	case len(word) < least || len(value) < least || strings.ContainsAny(value, " "):
		return false
	}
	return strings.HasPrefix(value, word) || strings.HasPrefix(word, value) || len(stem) >= least && strings.HasPrefix(value, stem) ||
		len(word) > 2*least-2 && written.Distance(word, value) == 1
}
