package propose

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/argument"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A query may ask for a number that no hit has: how many records there are, or how much was paid.

// total returns a hint with the call that adds up what was paid, or another number that the query names, such as the totals of orders from
// the merchant that it names, with the status and in the time that it names; "" for any other query.
func (s *search) total(ctx context.Context) string {
	asks := s.Question.AsksSum() || known.AsksAverage(s.Rest) || s.Compared != "" && known.AsksPaid(s.Rest)
	if !asks || s.Unread != "" || s.inPeriod() || len(s.Filter) > 0 {
		return ""
	}
	stream, field, metric, others := known.Amount(s.Schema(), s.Rest, s.isSearched)
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

// spent returns the filter for what was paid: if a field of money has negative amounts, these. It makes one read, and is false if that
// fails.
func (s *search) spent(ctx context.Context, stream, field string) (where rs.Object, ok bool) {
	if !written.IsMoneyName(field) {
		return nil, true
	}
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	scope := s.Scope
	scope.Stream = stream
	least := aggregate.Read(ctx, s.RS, scope, aggregate.Args{Metric: "min", Field: field}).Get("value")
	if strings.HasPrefix(least, "-") && !relax.PaysOneself(s.Rest) {
		where = rs.Object{{Name: field, Value: `{"lt":0}`}}
	}
	return where, least != ""
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
	case granularity != "" && known.AsksAverage(s.Rest) && args.Text("metric") != "avg":
		says = "To take the average of: "
	}
	call := func(source known.Source, args, where rs.Object) string {
		if granularity != "" {
			args = args.With("group_by_time", rs.EncodeJSON(source.Time)).With("granularity", rs.EncodeJSON(granularity))
		}
		if where = source.Within(where, s.bounds()); len(where) > 0 {
			args = args.With("filter", where.JSON())
		}
		return correct.Call{Tool: "aggregate", Arguments: args}.String()
	}
	switch filters := s.timed || len(where) > 0 || len(others) > 0; {
	case filters && s.Unfiltered:
		return ""
	case len(others) == 0:
		return says + call(sources[0], args, where)
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
		calls = append(calls, lead+call(source, args.With("connection_id", rs.EncodeJSON(source.Connection.ID)), where))
	}
	return says + strings.Join(calls, ", ")
}

// rankedRecord returns the call for the record that a superlative names, such as the cheapest order, for those of more or less than an
// amount, or for who has the most of them, also of a sender or merchant that the query names; "" for any other query.
func (s *search) rankedRecord(ctx context.Context) string {
	if s.inPeriod() || len(s.Filter) > 0 || s.Unfiltered { // then it sorts as little
		return ""
	}
	r := known.Ranked(s.Schema, s.Rest, s.bounds(), s.Question.AsksSum(), s.isSearched)
	if r.Tool == "" {
		return ""
	}
	if field := r.Args.Text("field"); field != "" {
		where, ok := s.spent(ctx, r.Source.Stream, field)
		if r.Filter = where.WithAll(r.Filter); !ok {
			return ""
		}
	}
	if len(r.Others) > 0 {
		value, having := s.valueNamed(ctx, s.sourcesOf(r.Source.Stream, ""), r.Others)
		if len(having) != 1 || len(relax.Without(r.Others, strings.Fields(value)...)) > 0 {
			return ""
		}
		r.Filter = rs.Object{rs.NewMember(having[0].Whose(), value)}.WithAll(r.Filter)
		r.Args = append(rs.Object{rs.NewMember("connection_id", having[0].Connection.ID)}, r.Args...)
	}
	if !r.Args.Has("sort") && r.Tool == "query_records" && s.Question.AsksNumber() && !s.Question.AsksSum() {
		r.Tool, r.Args = "aggregate", append(rs.Object{rs.NewMember("metric", "count")}, r.Args...)
	}
	if len(r.Filter) > 0 {
		r.Args = append(r.Args, rs.Member{Name: "filter", Value: r.Filter.JSON()})
	}
	args := argument.InConnection(s.Arguments, "stream", r.Source.Stream).WithAll(r.Args)
	return r.Says + correct.Call{Tool: r.Tool, Arguments: args}.String()
}
