package known

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Ranked returns the stream and the arguments that list the record which a superlative names, such as the cheapest order, by the number
// that it compares, or the records with more or less than an amount, and what that is. bounds are since and until of the time of the
// record, if any; may tells which sources are meant. The stream is "" for a query that says more than the stream, or if its number is
// not certain. The schema is read only for such words.
func Ranked(schema func() Stream, query string, bounds rs.Object, may func(Source) bool) (says, stream string, records rs.Object) {
	by, most, ranks := written.Superlative(query)
	operator, amount, rest := written.MoreOrLess(query)
	if ranks == nil && operator == "" {
		return "", "", nil
	}
	if operator != "" {
		by, query = cmp.Or(by, written.Money), rest
	}
	all := schema()
	words, name := relax.Without(relax.Topic(query), ranks...), "that stream"
	source, others, ok := SourceCalled(all.Sources, words, may)
	if !ok && by == written.Money {
		source, others, ok = onlyPurchases(all, may), words, true
		name = quote.Names([]string{source.Stream}, 1)
	}
	if !ok || source.Stream == "" || len(relax.Telling(others)) > 0 || len(bounds) > 0 && source.Time == "" {
		return "", "", nil
	}
	field := fields.Measured(all.Document, source.Stream, by)
	if field == "" {
		return "", "", nil
	}
	var filter rs.Object
	if ranks != nil {
		says = "The " + strings.Join(ranks, " ") + " of " + name + " by " + field + ": "
		records = rs.Object{rs.NewMember("sort", map[bool]string{true: "-"}[most]+field), rs.NewMember("limit", 1)}
	} else {
		says = "Numbers in fields are not searched. Those of " + name + " by " + field + ": "
	}
	if operator != "" {
		filter = rs.Object{{Name: field, Value: rs.Object{{Name: operator, Value: amount}}.JSON()}}
	}
	if filter = source.Within(filter, bounds); len(filter) > 0 {
		records = append(records, rs.Member{Name: "filter", Value: filter.JSON()})
	}
	return says, source.Stream, records
}

// Paid returns the stream of which a query for a sum asks, with its field of money, and the words that say more: a stream that a word
// names, or else, if a word says that something was paid, the one stream of purchases. The field is "" if none is certain.
func Paid(all Stream, query string, may func(Source) bool) (source Source, field string, others []string) {
	isPaid := func(word string) bool { return paid[strings.Trim(strings.ToLower(word), ".,;?!¿¡")] }
	words := relax.Telling(relax.Words(query))
	source, others, ok := SourceCalled(all.Sources, words, may)
	if !ok && all.Document != nil && slices.ContainsFunc(strings.Fields(query), isPaid) {
		source, others = onlyPurchases(all, may), words
	}
	if source.Stream == "" {
		return source, "", nil
	}
	return source, fields.Measured(all.Document, source.Stream, written.Money), slices.DeleteFunc(slices.Clone(others), isPaid)
}

// paid has words of queries for what was paid.
//
//nolint:misspell // they are not all English
var paid = written.Set("spend spent spending pay paid cost costs money sum total altogether ausgegeben bezahlt gezahlt gekostet geld summe " +
	"insgesamt dépensé dépensée dépensés dépensées payé argent somme gasté gastado pagado pagué dinero suma speso pagato soldi somma " +
	"uitgegeven betaald totaal gasto gastei paguei dinheiro soma")

// onlyPurchases returns the source of the one stream with an amount of money and a field for whom it was paid to; none if several do.
func onlyPurchases(all Stream, may func(Source) bool) (only Source) {
	for _, source := range all.Sources {
		isPayee := func(f rs.SchemaField) bool { return f.Granted && payee().MatchString(written.Snake(f.Name)) }
		row := slices.IndexFunc(all.Document.Streams, func(row rs.SchemaStream) bool {
			return row.Name == source.Stream && slices.ContainsFunc(row.Fields(), isPayee)
		})
		switch {
		case source.Stream == only.Stream || row < 0 || !may(source) || fields.Measured(all.Document, source.Stream, written.Money) == "":
		case only.Stream != "":
			return Source{}
		default:
			only = source
		}
	}
	return only
}

var payee = written.Expression(`merchant|shop|store|seller|vendor|supplier|payee|retailer|` +
	`h[aä]e?ndler|verk[aä]e?ufer|empf[aä]e?nger|comercio|vendedor|marchand|vendeur|negozio`)

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

// MayPlan reports whether some streams of a connection may have records of what is to come: those with a start, or a day on which they are
// due. No streams and "" are any.
func MayPlan(sources []Source, streams []string, connection string) bool {
	return slices.ContainsFunc(sources, func(s Source) bool {
		name := strings.ToLower(s.Time)
		plans := s.End != "" || MayStart(name) || slices.ContainsFunc(dueNames, func(part string) bool { return strings.Contains(name, part) })
		return plans && (len(streams) == 0 || slices.Contains(streams, s.Stream)) && (connection == "" || connection == s.Connection.ID)
	})
}

var dueNames = []string{"due", "deadline", "scheduled", "faellig", "fällig", "termin", "echeance", "vencimiento", "scadenza", "vervaldatum"}
