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

// Ranked returns the source of the record that a superlative names, such as the cheapest order, with the arguments that list it by the
// number that it compares, or the filter for the records with more or less than an amount, and says what that is. others are words that say
// more. bounds are since and until of the time of the record, if any; may tells which sources are meant. The stream is "" if the query
// names none or its number is not certain. The schema is read only for such words.
func Ranked(
	schema func() Stream, query string, bounds rs.Object, may func(Source) bool,
) (says string, source Source, records, filter rs.Object, others []string) {
	by, most, ranks := written.Superlative(query)
	operator, amount, rest := written.MoreOrLess(query)
	if ranks == nil && operator == "" {
		return "", source, nil, nil, nil
	}
	if operator != "" {
		by, query = cmp.Or(by, written.Money), rest
	}
	all := schema()
	words, name := relax.Telling(relax.Without(relax.Topic(query), ranks...)), "that stream"
	source, others, ok := SourceCalled(all.Sources, words, may)
	if !ok && by == written.Money {
		source, others, ok = onlyPurchases(all, may), words, true
		name = quote.Names([]string{source.Stream}, 1)
	}
	field := ""
	if ok && source.Stream != "" && (len(bounds) == 0 || source.Time != "") {
		field = fields.Measured(all.Document, source.Stream, by)
	}
	if field == "" {
		return "", Source{}, nil, nil, nil
	}
	if ranks != nil {
		says = "The " + strings.Join(ranks, " ") + " of " + name + " by " + field + ": "
		records = rs.Object{rs.NewMember("sort", map[bool]string{true: "-"}[most]+field), rs.NewMember("limit", 1)}
	} else {
		says = "Numbers in fields are not searched. Those of " + name + " by " + field + ": "
	}
	if operator != "" {
		filter = rs.Object{{Name: field, Value: rs.Object{{Name: operator, Value: amount}}.JSON()}}
	}
	return says, source, records, source.Within(filter, bounds), others
}

// Paid returns the stream of which a query asks how much was paid, in all or on average, with its field of money, the metric, and the words
// that say more. The stream is one that a word names, or else, if a word says that something was paid, the one stream of purchases. The
// field is "" if none is certain.
func Paid(all Stream, query string, may func(Source) bool) (source Source, field, metric string, others []string) {
	has := func(some map[string]bool) func(word string) bool {
		return func(word string) bool { return some[strings.Trim(strings.ToLower(word), ".,;?!¿¡")] }
	}
	words := relax.Telling(relax.Words(query))
	source, others, ok := SourceCalled(all.Sources, words, may)
	if !ok && all.Document != nil && slices.ContainsFunc(strings.Fields(query), has(paid)) {
		source, others = onlyPurchases(all, may), words
	}
	if source.Stream == "" {
		return source, "", "", nil
	}
	if metric = "sum"; slices.ContainsFunc(words, has(averages)) {
		metric = "avg"
	}
	others = slices.DeleteFunc(slices.DeleteFunc(slices.Clone(others), has(paid)), has(averages))
	if field = fields.Measured(all.Document, source.Stream, written.Money); !isSummed(all.Document, source, field) {
		field = ""
	}
	return source, field, metric, others
}

func isSummed(document *rs.Schema, of Source, field string) bool {
	return slices.ContainsFunc(of.Fields(document), func(f rs.SchemaField) bool {
		return f.Name == field && slices.Contains(f.Aggregates, "sum")
	})
}

// HasAll reports whether a source has the fields of all conditions of a filter.
func (s Source) HasAll(filter rs.Object, document *rs.Schema) bool {
	own := s.Fields(document)
	return !slices.ContainsFunc(filter, func(condition rs.Member) bool {
		return !slices.ContainsFunc(own, func(f rs.SchemaField) bool { return f.Name == condition.Name })
	})
}

// Words of queries for what was paid, and for an average.
//
//nolint:misspell // they are not all English
var (
	paid = written.Set("spend spent spending pay paid cost costs money sum total altogether value amount price ausgegeben bezahlt gezahlt " +
		"gekostet geld summe insgesamt wert betrag preis dépensé dépensée dépensés dépensées payé argent somme montant prix gasté gastado pagado " +
		"pagué dinero suma importe precio speso pagato soldi somma importo prezzo uitgegeven betaald totaal bedrag prijs gasto gastei paguei " +
		"dinheiro soma preço valor")
	averages = written.Set("average averages avg durchschnitt durchschnittlich durchschnittliche durchschnittlicher moyenne promedio media " +
		"medio médio média gemiddeld gemiddelde")
)

// AsksAverage reports whether a query has a word for an average.
func AsksAverage(query string) bool {
	return slices.ContainsFunc(relax.Words(query), func(word string) bool { return averages[strings.ToLower(word)] })
}

// onlyPurchases returns the source of the one stream with an amount of money and a field for whom it was paid to; none if several do.
func onlyPurchases(all Stream, may func(Source) bool) (only Source) {
	for _, source := range all.Sources {
		isPayee := func(f rs.SchemaField) bool { return f.Granted && payee().MatchString(written.Snake(f.Name)) }
		switch {
		case source.Stream == only.Stream || !slices.ContainsFunc(source.Fields(all.Document), isPayee) || !may(source) || fields.Measured(all.Document, source.Stream, written.Money) == "":
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
