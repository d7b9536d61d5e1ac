package propose

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// readStream reads of which stream an ask is, and under which connections; false if it is of none that is known.
func (s *search) readStream(a *ask) bool {
	all := s.Schema()
	if all.Document == nil {
		return false
	}
	isOther := func(source known.Source) bool {
		return !s.isSearched(source) || s.timed && source.Time == "" && a.kind != records
	}
	sources := slices.DeleteFunc(slices.Clone(all.Sources), isOther)
	had, of := known.NamedConnections(all.Sources, slices.DeleteFunc(slices.Clone(a.words), func(word string) bool {
		isStream := func(s known.Source) bool { return strings.HasPrefix(s.Stream, strings.ToLower(word)) }
		return slices.ContainsFunc(all.Sources, isStream) || a.kind == byTime && s.Question.AsksOf(word)
	}))
	in := slices.DeleteFunc(slices.Clone(sources), func(source known.Source) bool { return !slices.Contains(of, source.Connection) })
	if s.streamIn(a, in) {
		a.explain(had...)
		if len(of) == 1 && s.Scope.ConnectionID == "" {
			a.connection = of[0].ID
		}
		return true
	}
	return s.streamIn(a, sources)
}

// streamIn reads of which stream of some sources an ask is.
func (s *search) streamIn(a *ask, sources []known.Source) bool {
	if len(sources) == 0 {
		return false
	}
	suits := func(source known.Source) bool {
		return a.amount.Of == "" || len(relax.Topic(a.amount.Of)) == 0 || s.numberNamed(source, []string{a.amount.Of}, rs.SchemaField.HasBounds) != ""
	}
	source, named := s.streamNamed(a, sources, suits)
	if a.named = named; !named || !suits(source) {
		source = s.streamMeant(a, sources)
	}
	isOther := func(other known.Source) bool { return other.Stream != source.Stream || !suits(other) }
	a.sources = slices.DeleteFunc(slices.Clone(sources), isOther)
	if len(a.sources) == 0 {
		return false
	}
	if slices.ContainsFunc(a.words, fields.IsMail) {
		isChat := func(source known.Source) bool { return !s.fieldsOf(source).IsMail() }
		if mails := slices.DeleteFunc(slices.Clone(a.sources), isChat); len(mails) > 0 {
			a.sources = mails
		}
	}
	own := s.fieldsOf(a.source())
	a.left = slices.DeleteFunc(a.left, func(word string) bool {
		isField := (a.kind == extreme || a.kind == byTime) && own.Spelled(word) != "" // the subject of the longest thread
		saysPaid := purchases[strings.ToLower(word)] || slices.Contains(gotPaid, strings.ToLower(word))
		isPurchase := saysPaid && a.kind != byTime && source.Payee != ""
		return fields.Calls(word, source.Stream) || fields.IsMail(word) || isField || isPurchase
	})
	return true
}

// streamNamed returns the first of some sources that suits an ask and whose stream its words name; else the mail, if they name that, or the
// one stream that is searched.
func (s *search) streamNamed(a *ask, sources []known.Source, suits func(known.Source) bool) (source known.Source, named bool) {
	words := a.words
	if a.kind == extreme || a.kind == sums { // what was bought may be in any stream
		words = relax.Telling(words)
	}
	nouns := slices.DeleteFunc(slices.Clone(words), func(word string) bool {
		return !slices.ContainsFunc(sources, func(source known.Source) bool { return fields.Calls(word, source.Stream) })
	})
	heads := slices.DeleteFunc(slices.Clone(nouns), func(word string) bool { return !relax.IsHead(a.query, word, nouns) })
	if a.kind == sums {
		hasSum := func(source known.Source) bool {
			return suits(source) && s.numberNamed(source, relax.Telling(a.words), fields.Aggregates("sum")) != ""
		}
		if source, _, named = known.SourceCalled(sources, heads, hasSum); named {
			return source, true
		}
	}
	if source, _, named = known.SourceCalled(sources, heads, suits); named {
		return source, true
	}
	stream := fields.MailOf(a.words, s.Schema().Document)
	if stream == "" && a.kind == byTime && has(a.query, sendings) && !has(a.query, received) && !relax.SentOneself(s.Rest) {
		a.wrote = true // who wrote to me last
		stream = fields.MailOf([]string{"mail"}, s.Schema().Document)
	}
	if stream == "" && len(s.Streams) == 1 && a.kind != byTime {
		stream = s.Streams[0]
	}
	return first(sources, func(source known.Source) bool { return source.Stream == stream })
}

// streamsOf returns the streams of some sources.
func streamsOf(sources []known.Source) (streams []string) {
	for _, source := range sources {
		if !slices.Contains(streams, source.Stream) {
			streams = append(streams, source.Stream)
		}
	}
	return streams
}

// first returns the first of some sources for which a condition is true.
func first(sources []known.Source, is func(known.Source) bool) (source known.Source, found bool) {
	if at := slices.IndexFunc(sources, is); at >= 0 {
		return sources[at], true
	}
	return source, false
}

// streamMeant returns the source that an ask is of although it does not name it: the one of purchases for what was paid, the mail for who
// sent the most, that of a hit for its sender.
func (s *search) streamMeant(a *ask, sources []known.Source) (source known.Source) {
	isNumber := a.kind == sums || a.kind == extreme || a.kind == counts || a.kind == most && a.noun != "who" || a.amount.Bounds != nil
	switch {
	case a.superlative.By == written.Money, a.noun == "shop", isNumber && s.isPurchase(a),
		a.kind == sums && (has(a.query, paid) || len(a.left) > 0):
		a.isBought = true
		return s.onlyPurchases(sources)
	case a.kind == counts && has(a.query, distinct):
		source, _ = first(sources, func(source known.Source) bool {
			field, _ := s.distinctField(a, source)
			return field != ""
		})
	case a.kind == most && a.noun == "who":
		mail := fields.MailOf([]string{"mail"}, s.Schema().Document)
		if has(a.query, sendings) || len(a.left) == 0 {
			source, _ = first(sources, func(source known.Source) bool { return source.Stream == mail || fields.Calls("mail", source.Stream) })
		}
	case (a.kind == counts || a.kind == records) && has(a.query, fileKinds):
		isType := func(f rs.SchemaField) bool {
			return f.Granted && f.Exact && strings.HasSuffix("_"+written.Snake(f.Name), "_type")
		}
		source, _ = first(sources, func(source known.Source) bool {
			return source.Time == "" && slices.ContainsFunc(source.Fields(s.Schema().Document), isType)
		})
	case a.kind == byTime, a.kind == counts, a.kind == records:
		stream := s.senderOf()
		source, _ = first(sources, func(source known.Source) bool { return source.Stream == stream })
	}
	return source
}

// onlyPurchases returns the source of the only stream with an amount of money and a field whose name says who was paid. If no stream has
// such a field, it returns that of the only one with an amount and a text that says it. If several streams fit, it returns no source and
// keeps their names in s.purchases, for [search.ofPurchases].
func (s *search) onlyPurchases(sources []known.Source) known.Source {
	document := s.Schema().Document
	isNamed := func(source known.Source) bool { return slices.ContainsFunc(source.Fields(document), known.IsPayee) }
	rows, priced := fields.RowsByName(document), map[string]bool{} // many connections may have a stream of one name
	isPriced := func(stream string) bool {
		if _, known := priced[stream]; !known {
			own := &rs.Schema{Streams: rows[stream]}
			paid, _ := fields.Sides(own, stream)
			priced[stream] = paid != "" || fields.Measured(own, stream, written.Money) != ""
		}
		return priced[stream]
	}
	fit := slices.DeleteFunc(slices.Clone(sources), func(source known.Source) bool {
		return source.Payee == "" && !isNamed(source) || !isPriced(source.Stream)
	})
	if slices.ContainsFunc(fit, isNamed) {
		fit = slices.DeleteFunc(fit, func(source known.Source) bool { return !isNamed(source) })
	}
	if len(fit) == 0 || slices.ContainsFunc(fit, func(source known.Source) bool { return source.Stream != fit[0].Stream }) {
		s.purchases = streamsOf(fit)
		return known.Source{}
	}
	return fit[0]
}
