package known

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A Ranking is the call for what a query ranks records by, without the filter and the words that say more.
type Ranking struct {
	Says, Tool   string
	Source       Source // with its stream
	Args, Filter rs.Object
	Others       []string
}

// Ranked returns the call for the record which a superlative names, such as the cheapest order, by the number that it compares, for the
// records with more or less than an amount, or for who or which has the most records, and what that is; with sums, for whom money adds up to
// the most. bounds are since and until of the time of the records, if any; may tells which sources are meant. The tool is "" for a query
// that names no stream, or if its field is not certain. The schema is read only for such words.
func Ranked(schema func() Stream, query string, bounds rs.Object, sums bool, may func(Source) bool) Ranking {
	by, most, ranks := written.Superlative(query)
	operator, amount, counted, rest := written.MoreOrLess(query)
	if ranks == nil && operator == "" || ranks != nil && counted != "" {
		return Ranking{}
	}
	if query = rest; operator != "" && counted == "" {
		by = cmp.Or(by, written.Money)
	}
	of, asked := "", ""
	if by == written.OtherMeasure {
		of, asked = relax.Asked(query)
	}
	if of == "where" {
		of = map[bool]string{true: "shop", false: "location"}[sums]
	}
	all := schema()
	words, name := relax.Telling(relax.Without(relax.Topic(query), append(ranks, asked)...)), "that stream"
	had, in := NamedConnections(all.Sources, slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return slices.ContainsFunc(all.Sources, func(s Source) bool { return strings.HasPrefix(s.Stream, strings.ToLower(word)) })
	}))
	if len(in) == 1 { // chat is not mail
		isOther := func(source Source) bool { return source.Connection.ID != in[0].ID }
		all.Sources = slices.DeleteFunc(slices.Clone(all.Sources), isOther)
	}
	countIn := func(source Source) string {
		field, _ := source.named([]string{counted}, fields.HasRanges, all.Document)
		return field
	}
	source, others, ok := SourceCalled(all.Sources, words, func(source Source) bool {
		return may(source) && (counted == "" || countIn(source) != "")
	})
	switch {
	case !ok && (by == written.Money || of == "shop"):
		source, others = onlyPurchases(all, may), words
		name = quote.Names([]string{source.Stream}, 1)
	case !ok && of == "who":
		source, others, _ = SourceAsked(func() Stream { return all }, []string{"mail"}, nil)
		others = relax.Telling(append(others, words...))
	}
	if source.Stream == "" || len(bounds) > 0 && source.Time == "" {
		return Ranking{}
	}
	r, field := Ranking{Tool: "query_records", Source: source, Others: others}, fields.Measured(all.Document, source.Stream, by)
	own := fields.Read(source.Stream, all.Document)
	if len(in) == 1 {
		own.Fields, r.Others = source.Fields(all.Document), relax.Without(others, had...)
	}
	if counted != "" {
		field = countIn(source)
	}
	group := own.Near(of, fields.Aggregates("group_by"))
	if len(group) == 0 && of == "shop" && source.Payee != "" {
		group = []string{source.Payee}
	}
	switch {
	case of != "" && len(group) > 0 && !fields.Calls(of, source.Stream):
		note := map[bool]string{true: ", the owner's own included"}[group[0] == source.Author]
		r.Tool, r.Says = "aggregate", "By "+group[0]+note+": "
		r.Args = rs.Object{rs.NewMember("metric", "count"), rs.NewMember("group_by", group[0])}
		if sums {
			r.Args = r.Args.With("metric", `"sum"`).With("field", rs.EncodeJSON(fields.Measured(all.Document, source.Stream, written.Money)))
		}
	case field == "":
		return Ranking{}
	case ranks != nil:
		r.Says = "The " + map[bool]string{true: "largest", false: "smallest"}[most] + " of " + name + " by " + field + ": "
		r.Args = rs.Object{rs.NewMember("sort", map[bool]string{true: "-"}[most]+field), rs.NewMember("limit", 1)}
	default:
		r.Says = "Numbers in fields are not searched. Those of " + name + " by " + field + ": "
	}
	if operator != "" {
		r.Filter = rs.Object{{Name: field, Value: rs.Object{{Name: operator, Value: amount}}.JSON()}}
	}
	if len(in) == 1 {
		r.Args = r.Args.With("connection_id", rs.EncodeJSON(in[0].ID))
	}
	r.Filter = source.Within(r.Filter, bounds)
	return r
}

// Amount returns the stream of which a query asks for the sum or the average of a number, with its field, the metric, and the words that
// say more. A word names the stream, and others may name the field, as in size of attachments. Without these it is money, also, if a word
// says that something was paid, of the one stream of purchases. The field is "" if none is certain, and for an average number of records.
func Amount(all Stream, query string, may func(Source) bool) (stream, field, metric string, others []string) {
	if all.Document == nil {
		return "", "", "", nil
	}
	isPaid := func(word string) bool { return paid[strings.ToLower(word)] }
	spends := written.AnyWord(query, func(word string) bool { return paid[word] && !counting[word] })
	counts := written.AnyWord(query, func(word string) bool { return counting[word] && !paid[word] })
	words := relax.Telling(relax.Words(query))
	if metric = "sum"; AsksAverage(query) {
		metric = "avg"
	}
	for _, source := range all.Sources {
		field, had := source.named(words, fields.Aggregates("sum"), all.Document)
		others := relax.Without(words, had...)
		isHead := func(word string) bool { return fields.Calls(word, source.Stream) && relax.IsHead(query, word, others) }
		if field != "" && may(source) && slices.ContainsFunc(others, isHead) && (written.IsMoneyName(field) || !spends) {
			others = slices.DeleteFunc(others, func(word string) bool { return isPaid(word) || fields.Calls(word, source.Stream) })
			return source.Stream, field, metric, Beyond(others)
		}
	}
	granularity, _ := written.Granularity(query)
	source, others, ok := SourceCalled(all.Sources, words, may)
	switch {
	case metric == "avg" && (granularity != "" || counts) && !AsksPaid(query):
		return "", "", "", nil
	case !ok && AsksPaid(query):
		source, others = onlyPurchases(all, may), words
		if granularity != "" { // the average of the sums
			metric = "sum"
		}
	}
	field = fields.Measured(all.Document, source.Stream, written.Money)
	numbers := fields.Numbers(all.Document, []string{source.Stream}, fields.Aggregates("sum"))
	if !slices.Contains(numbers, fields.InStream{Stream: source.Stream, Field: field}) {
		return "", "", "", nil
	}
	return source.Stream, field, metric, slices.DeleteFunc(Beyond(others), isPaid)
}

// named returns the first field of a source for a use that some words name, such as reaction_count for reactions, and these words; "" for
// none.
func (s Source) named(words []string, u fields.Use, document *rs.Schema) (field string, had []string) {
	for _, f := range s.Fields(document) {
		if had, _ = Named([]Source{{Stream: f.Name}}, words); len(had) > 0 && f.Granted && u(f) {
			return f.Name, had
		}
	}
	return "", nil
}

// HasAll reports whether a source has the fields of all conditions of a filter.
func (s Source) HasAll(filter rs.Object, document *rs.Schema) bool {
	own := s.Fields(document)
	return !slices.ContainsFunc(filter, func(condition rs.Member) bool {
		return !slices.ContainsFunc(own, func(f rs.SchemaField) bool { return f.Name == condition.Name })
	})
}

// Words of queries for what was paid, for an average, and for a number of all.
var (
	paid     = lexicon.Of("paid")
	averages = lexicon.Of("average")
	counting = lexicon.Of("counting")
)

// AsksPaid reports whether a query has a word for what was paid.
func AsksPaid(query string) bool {
	return written.AnyWord(query, func(word string) bool { return paid[word] })
}

// AsksAverage reports whether a query has a word for an average.
func AsksAverage(query string) bool {
	return written.AnyWord(query, func(word string) bool { return averages[word] })
}

// Beyond returns words of a query for a number without those that say that it is of all or an average.
func Beyond(words []string) []string {
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		word = strings.ToLower(word)
		return averages[word] || counting[word]
	})
}

// onlyPurchases returns the source of the one stream with an amount of money and a field for whom it was paid to; none if several do.
func onlyPurchases(all Stream, may func(Source) bool) (only Source) {
	for _, source := range all.Sources {
		switch {
		case source.Stream == only.Stream || !slices.ContainsFunc(source.Fields(all.Document), isPayee) || !may(source),
			fields.Measured(all.Document, source.Stream, written.Money) == "":
		case only.Stream != "":
			return Source{}
		default:
			only = source
		}
	}
	return only
}

func isPayee(f rs.SchemaField) bool { return f.Granted && payee().MatchString(written.Snake(f.Name)) }

var payee = written.Expression(lexicon.Pattern("payee"))

// Within returns a filter limited to the time between the bounds since and until of a search, if any.
func (s Source) Within(filter, bounds rs.Object) rs.Object {
	var within rs.Object
	for _, bound := range bounds {
		within = within.With(map[string]string{"since": "gte", "until": "lte"}[bound.Name], bound.Value)
	}
	if len(within) == 0 {
		return filter
	}
	return filter.With(s.Time, within.JSON())
}

// Planned returns the sources of some streams of a connection that may have records of what is to come: those with a start, or a day on
// which they are due. No streams and "" are any.
func Planned(sources []Source, streams []string, connection string) []Source {
	return slices.DeleteFunc(slices.Clone(sources), func(s Source) bool {
		name := strings.ToLower(s.Time)
		plans := s.End != "" || MayStart(name) || slices.ContainsFunc(dueNames, func(part string) bool { return strings.Contains(name, part) })
		return !plans || len(streams) > 0 && !slices.Contains(streams, s.Stream) || connection != "" && connection != s.Connection.ID
	})
}

var dueNames = lexicon.Phrases("due")
