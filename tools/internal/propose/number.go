package propose

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A query may ask for a number that no hit has: how many records there are, or how much was paid.

// total returns a hint with the call that adds up what was paid, or another number that the query names, such as the totals of orders from
// the merchant that it names, with the status and in the time that it names; "" for any other query.
func (s *search) total(ctx context.Context) string {
	asks := s.Question.AsksSum() || s.asksAverage() || s.Compared != "" && s.asksPaid()
	if !asks || s.Unread != "" || s.inPeriod() || len(s.Filter) > 0 {
		return ""
	}
	stream, field, metric, others := s.amount()
	if field == "" {
		return ""
	}
	where, ok := s.spent(ctx, stream, field)
	if !ok {
		return ""
	}
	says := map[string]string{"sum": "The sum", "avg": "The average"}[metric] + " of " + quote.Names([]string{field}, 1) + " of " +
		quote.Names([]string{stream}, 1) + ": "
	number := rs.Object{rs.NewMember("metric", metric), rs.NewMember("field", field)}
	if hint := s.number(ctx, stream, says, number, where, others); hint != "" || len(others) == 0 || s.Unfiltered {
		return hint
	}
	name, value, word := s.listedWord(ctx, stream, others, true)
	if name == "" {
		return ""
	}
	return s.number(ctx, stream, says, number, where.With(name, value), relax.Without(others, append(refunds, word)...))
}

// refunds say nothing more about returned orders.
var refunds = lexicon.Phrases("refund")

// amount returns the stream of which a query asks for the sum or the average of a number, with its field, the metric, and the words that
// say more. A word names the stream, and others may name the field, as in size of attachments. Without these it is money, also, if a word
// says that something was paid, of the one stream of purchases. The field is "" if none is certain, and for an average number of records.
func (s *search) amount() (stream, field, metric string, others []string) {
	all, words := s.Schema(), relax.Telling(relax.Words(s.Rest))
	if all.Document == nil {
		return "", "", "", nil
	}
	if metric = "sum"; s.asksAverage() {
		metric = "avg"
	}
	spends, sums := s.has(paid, counting), fields.Aggregates("sum")
	for _, source := range all.Sources {
		field, had := source.NamedField(words, sums, all.Document)
		others := relax.Without(words, had...)
		calls := func(word string) bool { return fields.Calls(word, source.Stream) }
		isHead := func(word string) bool { return calls(word) && relax.IsHead(s.Rest, word, others) }
		if field != "" && s.isSearched(source) && slices.ContainsFunc(others, isHead) && (written.IsMoneyName(field) || !spends) {
			others = slices.DeleteFunc(others, func(word string) bool { return isPaid(word) || calls(word) })
			return source.Stream, field, metric, beyondNumber(others)
		}
	}
	granularity, _ := written.Granularity(s.Rest)
	source, others, ok := known.SourceCalled(all.Sources, words, s.isSearched)
	switch asksPaid := s.asksPaid(); {
	case metric == "avg" && (granularity != "" || s.has(counting, paid)) && !asksPaid:
		return "", "", "", nil
	case !ok && asksPaid:
		source, others = s.onlyPurchases(all), words
		if granularity != "" { // the average of the sums
			metric = "sum"
		}
	}
	field = fields.Measured(all.Document, source.Stream, written.Money)
	numbers := fields.Numbers(all.Document, []string{source.Stream}, sums)
	if !slices.Contains(numbers, fields.InStream{Stream: source.Stream, Field: field}) {
		return "", "", "", nil
	}
	return source.Stream, field, metric, slices.DeleteFunc(beyondNumber(others), isPaid)
}

// number returns a hint with the call for a number of the records of a stream within a filter and the time of the query, with the fields of
// the connection that the query names, or else of the first that has all of them. What oneself sent is counted by sender. If other words of
// the query are the sender or the title of records, there is a call for each connection that has such records. It is "" if words are left
// that say more.
func (s *search) number(ctx context.Context, stream, says string, number, where rs.Object, others []string) string {
	granularity, words := written.Granularity(s.Rest)
	granularity, others = cmp.Or(granularity, s.Compared), relax.Without(others, words...)
	args := append(argument.InConnection(s.Arguments, "stream", stream), number...)
	had, in := known.NamedConnections(s.Schema().Sources, relax.Words(s.Rest))
	if len(in) == 1 && !args.Has("connection_id") {
		args = args.With("connection_id", rs.EncodeJSON(in[0].ID))
	}
	needed := where
	if field := number.Text("field"); field != "" {
		needed = where.With(field, "")
	}
	sources := slices.DeleteFunc(s.sourcesOf(stream, args.Text("connection_id")), func(source known.Source) bool {
		isUntimed := (s.timed || granularity != "") && source.Time == ""
		return isUntimed || !source.HasAll(needed, s.Schema().Document) // chat has no flags
	})
	if len(sources) == 0 {
		return ""
	}
	isOther := func(source known.Source) bool { return !slices.Contains(in, source.Connection) }
	if !slices.ContainsFunc(sources, isOther) {
		others = relax.Without(others, had...) // all attachments are of mail
	}
	switch author := sources[0].Author; {
	case args.Text("metric") == "count" && relax.SentOneself(s.Rest) && author != "":
		if granularity != "" { // no groups have both
			return ""
		}
		args, says = args.With("group_by", rs.EncodeJSON(author)), "By sender, of whom one is meant: "
	case granularity != "" && s.asksAverage() && args.Text("metric") != "avg":
		says = "To take the average of: "
	}
	switch filters := s.timed || len(where) > 0 || len(others) > 0; {
	case filters && s.Unfiltered:
		return ""
	case len(others) == 0:
		return says + s.numberCall(sources[0], granularity, args, where)
	}
	value, having := s.valueNamed(ctx, sources, others)
	if value == "" || len(relax.Without(others, strings.Fields(value)...)) > 0 {
		return ""
	}
	var calls []string
	for _, source := range having {
		where := rs.Object{rs.NewMember(source.Whose(), value)}.WithAll(where)
		lead := ""
		if len(having) > 1 { // mail is not chat
			lead = quote.Names([]string{source.Connection.DisplayName}, 1) + ": "
		}
		inConnection := args.With("connection_id", rs.EncodeJSON(source.Connection.ID))
		calls = append(calls, lead+s.numberCall(source, granularity, inConnection, where))
	}
	return says + strings.Join(calls, ", ")
}

// numberCall returns the aggregation with some arguments of the records of a source within a filter and the time of the query, by the
// granularity unless that is "".
func (s *search) numberCall(source known.Source, granularity string, args, where rs.Object) string {
	if granularity != "" {
		args = args.With("group_by_time", rs.EncodeJSON(source.Time)).With("granularity", rs.EncodeJSON(granularity))
	}
	if where = source.Within(where, s.bounds()); len(where) > 0 {
		args = args.With("filter", where.JSON())
	}
	return correct.Call{Tool: "aggregate", Arguments: args}.String()
}
