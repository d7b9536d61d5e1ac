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
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// rankedRecord returns the call for the record that a superlative names, such as the cheapest order, for those of more or less than an
// amount, or for who has the most of them, also of a sender or merchant that the query names; "" for any other query.
func (s *search) rankedRecord(ctx context.Context) string {
	if s.inPeriod() || len(s.Filter) > 0 || s.Unfiltered { // then it sorts as little
		return ""
	}
	r, ok := s.comparison()
	if !ok || !r.choose(s) {
		return ""
	}
	if field := r.args.Text("field"); field != "" {
		where, ok := s.spent(ctx, r.source.Stream, field)
		if r.filter = where.WithAll(r.filter); !ok {
			return ""
		}
	}
	if len(r.others) > 0 {
		value, having := s.valueNamed(ctx, s.sourcesOf(r.source.Stream, ""), r.others)
		if len(having) != 1 || len(relax.Without(r.others, strings.Fields(value)...)) > 0 {
			return ""
		}
		r.filter = rs.Object{rs.NewMember(having[0].Whose(), value)}.WithAll(r.filter)
		r.args = append(rs.Object{rs.NewMember("connection_id", having[0].Connection.ID)}, r.args...)
	}
	if !r.args.Has("sort") && r.tool == "query_records" && s.Question.AsksNumber() && !s.Question.AsksSum() {
		r.tool, r.args = "aggregate", append(rs.Object{rs.NewMember("metric", "count")}, r.args...)
	}
	if len(r.filter) > 0 {
		r.args = append(r.args, rs.Member{Name: "filter", Value: r.filter.JSON()})
	}
	args := argument.InConnection(s.Arguments, "stream", r.source.Stream).WithAll(r.args)
	return r.says + correct.Call{Tool: r.tool, Arguments: args}.String()
}

// A ranking is what a query compares records by, with a superlative or a bound such as over 100, and the call for that.
type ranking struct {
	by    written.Measure
	most  bool
	ranks []string // the words of the superlative

	operator, amount string // of the bound
	counted          string // what the bound counts, such as items; "" for money
	of               string // for whom or what records are counted or added up, such as who; "" for a record
	words            []string

	source       known.Source
	others       []string        // the words that say more
	connections  []rs.Connection // those that the query names
	says, tool   string
	args, filter rs.Object
}

// comparison returns what a query compares records by; false if it does not.
func (s *search) comparison() (r ranking, ok bool) {
	r.by, r.most, r.ranks = written.Superlative(s.Rest)
	query, asked := "", ""
	r.operator, r.amount, r.counted, query = written.MoreOrLess(s.Rest)
	if r.ranks == nil && r.operator == "" || r.ranks != nil && r.counted != "" {
		return r, false
	}
	if r.operator != "" && r.counted == "" {
		r.by = cmp.Or(r.by, written.Money)
	}
	if r.by == written.OtherMeasure {
		r.of, asked = relax.Asked(query)
	}
	if r.of == "where" {
		r.of = map[bool]string{true: "shop", false: "location"}[s.Question.AsksSum()]
	}
	r.words = relax.Telling(relax.Without(relax.Topic(query), append(r.ranks, asked)...))
	return r, true
}

// choose chooses the source and the call: for who or which has the most records or, of money, for whom it adds up to the most; for the
// record with the most or the least; or for the records within the bound. It is false if the query names no stream, or if the field is not
// certain.
func (r *ranking) choose(s *search) bool {
	all := s.Schema()
	name, bounds := r.chooseSource(s, all), s.bounds()
	if r.source.Stream == "" || len(bounds) > 0 && r.source.Time == "" {
		return false
	}
	own := fields.Read(r.source.Stream, all.Document)
	if len(r.connections) == 1 {
		own.Fields = r.source.Fields(all.Document)
	}
	field := fields.Measured(all.Document, r.source.Stream, r.by)
	if r.counted != "" {
		field = r.countIn(r.source, all)
	}
	group := own.Near(r.of, fields.Aggregates("group_by"))
	if len(group) == 0 && r.of == "shop" && r.source.Payee != "" {
		group = []string{r.source.Payee}
	}
	r.tool = "query_records"
	switch {
	case r.of != "" && len(group) > 0 && !fields.Calls(r.of, r.source.Stream):
		note := map[bool]string{true: ", the owner's own included"}[group[0] == r.source.Author]
		r.tool, r.says = "aggregate", "By "+group[0]+note+": "
		r.args = rs.Object{rs.NewMember("metric", "count"), rs.NewMember("group_by", group[0])}
		if s.Question.AsksSum() {
			money := fields.Measured(all.Document, r.source.Stream, written.Money)
			r.args = r.args.With("metric", `"sum"`).With("field", rs.EncodeJSON(money))
		}
	case field == "":
		return false
	case r.ranks != nil:
		r.says = "The " + map[bool]string{true: "largest", false: "smallest"}[r.most] + " of " + name + " by " + field + ": "
		r.args = rs.Object{rs.NewMember("sort", map[bool]string{true: "-"}[r.most]+field), rs.NewMember("limit", 1)}
	default:
		r.says = "Numbers in fields are not searched. Those of " + name + " by " + field + ": "
	}
	if r.operator != "" {
		r.filter = rs.Object{{Name: field, Value: rs.Object{{Name: r.operator, Value: r.amount}}.JSON()}}
	}
	if len(r.connections) == 1 {
		r.args = r.args.With("connection_id", rs.EncodeJSON(r.connections[0].ID))
	}
	r.filter = r.source.Within(r.filter, bounds)
	return true
}

// chooseSource sets the source that the query names, or else that of purchases for money or that of mail for who, and the words that say
// more. It returns how a sentence names that source.
func (r *ranking) chooseSource(s *search, all known.Stream) (name string) {
	isStream := func(word string) bool {
		return slices.ContainsFunc(all.Sources, func(s known.Source) bool { return strings.HasPrefix(s.Stream, strings.ToLower(word)) })
	}
	had, in := known.NamedConnections(all.Sources, slices.DeleteFunc(slices.Clone(r.words), isStream))
	if r.connections = in; len(in) == 1 { // chat is not mail
		isOther := func(source known.Source) bool { return source.Connection.ID != in[0].ID }
		all.Sources = slices.DeleteFunc(slices.Clone(all.Sources), isOther)
	}
	ok, name := false, "that stream"
	r.source, r.others, ok = known.SourceCalled(all.Sources, r.words, func(source known.Source) bool {
		return s.isSearched(source) && (r.counted == "" || r.countIn(source, all) != "")
	})
	switch {
	case !ok && (r.by == written.Money || r.of == "shop"):
		r.source, r.others = s.onlyPurchases(all), r.words
		name = quote.Names([]string{r.source.Stream}, 1)
	case !ok && r.of == "who":
		r.source, r.others, _ = known.SourceAsked(func() known.Stream { return all }, []string{"mail"}, nil)
		r.others = relax.Telling(append(r.others, r.words...))
	}
	if len(in) == 1 {
		r.others = relax.Without(r.others, had...)
	}
	return name
}

// countIn returns the field of a source that has the number of what the bound counts; "" for none.
func (r *ranking) countIn(source known.Source, all known.Stream) string {
	field, _ := source.NamedField([]string{r.counted}, fields.HasRanges, all.Document)
	return field
}
