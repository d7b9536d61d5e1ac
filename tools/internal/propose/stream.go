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
		return a.amount.Of == "" || len(relax.Topic(a.amount.Of)) == 0 || s.numberNamed(source, []string{a.amount.Of}, fields.HasRanges) != ""
	}
	calls := func(word string) bool {
		return slices.ContainsFunc(sources, func(source known.Source) bool { return fields.Calls(word, source.Stream) })
	}
	words := a.words
	if a.kind == extreme || a.kind == sums { // what was bought may be in any stream
		words = relax.Telling(words)
	}
	nouns := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !calls(word) })
	heads := slices.DeleteFunc(slices.Clone(nouns), func(word string) bool { return !relax.IsHead(a.query, word, nouns) })
	source, _, ok := known.SourceCalled(sources, heads, func(source known.Source) bool {
		return suits(source) && (a.kind != sums || s.numberNamed(source, relax.Telling(a.words), fields.Aggregates("sum")) != "")
	})
	if !ok {
		source, _, ok = known.SourceCalled(sources, heads, suits)
	}
	isOf := func(source known.Source) bool { return len(s.Streams) == 1 && source.Stream == s.Streams[0] }
	at := slices.IndexFunc(sources, isOf)
	if mail := fields.MailOf(a.words, s.Schema().Document); !ok && mail != "" {
		at = slices.IndexFunc(sources, func(source known.Source) bool { return source.Stream == mail })
		source, ok = sources[max(0, at)], at >= 0
	} else if !ok && at >= 0 && a.kind != byTime {
		source, ok = sources[at], true
	}
	if a.named = ok; !ok || !suits(source) {
		source = s.streamMeant(a, sources)
	}
	if source.Stream == "" {
		return false
	}
	a.sources = slices.DeleteFunc(slices.Clone(sources), func(other known.Source) bool { return other.Stream != source.Stream || !suits(other) })
	if len(a.sources) == 0 {
		return false
	}
	if slices.ContainsFunc(a.words, fields.IsMail) { // mail is not chat
		isMail := func(source known.Source) bool {
			return fields.Stream{Name: source.Stream, Fields: source.Fields(s.Schema().Document)}.IsMail()
		}
		if slices.ContainsFunc(a.sources, isMail) {
			a.sources = slices.DeleteFunc(a.sources, func(source known.Source) bool { return !isMail(source) })
		}
	}
	own := fields.Stream{Name: source.Stream, Fields: a.source().Fields(s.Schema().Document)}
	a.left = slices.DeleteFunc(a.left, func(word string) bool {
		isField := (a.kind == extreme || a.kind == byTime) && own.Field(strings.ToLower(word)) != nil // the subject of the longest thread
		return fields.Calls(word, source.Stream) || fields.IsMail(word) || isField
	})
	return true
}

// streamMeant returns the source that an ask is of although it does not name it: the one of purchases for what was paid, the mail for who
// sent the most, that of a hit for its sender.
func (s *search) streamMeant(a *ask, sources []known.Source) (source known.Source) {
	switch {
	case a.by == written.Money, a.of == "shop", a.kind == sums && has(a.query, paid):
		return s.onlyPurchases(sources)
	case a.kind == most && a.of == "who":
		mail := fields.MailOf([]string{"mail"}, s.Schema().Document)
		at := slices.IndexFunc(sources, func(source known.Source) bool { return source.Stream == mail || fields.Calls("mail", source.Stream) })
		if at >= 0 && (has(a.query, sendings) || len(a.left) == 0) {
			return sources[at]
		}
	case (a.kind == counts || a.kind == records) && has(a.query, fileKinds):
		at := slices.IndexFunc(sources, func(source known.Source) bool {
			return slices.ContainsFunc(source.Fields(s.Schema().Document), func(f rs.SchemaField) bool {
				return f.Granted && f.Exact && strings.HasSuffix("_"+written.Snake(f.Name), "_type") && source.Time == ""
			})
		})
		if at >= 0 {
			return sources[at]
		}
	case a.kind == byTime, a.kind == counts, a.kind == records:
		stream := s.senderOf()
		at := slices.IndexFunc(sources, func(source known.Source) bool { return stream != "" && source.Stream == stream })
		if at >= 0 {
			return sources[at]
		}
	}
	return source
}

// onlyPurchases returns the source of the one stream with an amount of money and a field for whom it was paid to; none if several do.
func (s *search) onlyPurchases(sources []known.Source) (only known.Source) {
	document := s.Schema().Document
	for _, source := range sources {
		switch {
		case source.Stream == only.Stream || !slices.ContainsFunc(source.Fields(document), known.IsPayee),
			fields.Measured(document, source.Stream, written.Money) == "":
		case only.Stream != "":
			return known.Source{}
		default:
			only = source
		}
	}
	return only
}

// numberNamed returns the first field of a source for a use that some words name, such as reaction_count for reactions; "" for none.
func (s *search) numberNamed(source known.Source, words []string, u fields.Use) string {
	for _, f := range source.Fields(s.Schema().Document) {
		had, _ := known.Named([]string{f.Name}, words)
		if len(had) > 0 && f.Granted && u(f) && (strings.Contains(f.Type, "number") || strings.Contains(f.Type, "integer")) {
			return f.Name
		}
	}
	return ""
}

// readNumber reads the number of the records that an ask compares or adds up, or the field by which it counts them; false if it needs one
// that is not certain.
func (s *search) readNumber(a *ask) bool {
	document, source := s.Schema().Document, a.source()
	measured := func(by written.Measure) string { return fields.Measured(document, source.Stream, by) }
	if len(a.amount.Bounds) > 0 {
		field := ""
		if of := a.amount.Of; of != "" {
			field = s.numberNamed(source, []string{of}, fields.HasRanges)
			a.explain(of)
		}
		if field == "" {
			field = measured(written.Money)
		}
		if field == "" || a.kind == sums {
			return false
		}
		for _, bound := range a.amount.Bounds {
			a.where = a.where.With(field, a.where.Object(field).With(bound.Name, bound.Value).JSON())
		}
		a.says = "Numbers in fields are not searched. Those of " + s.streamName(a) + " by " + field + ": "
	}
	switch a.kind {
	case extreme:
		return s.readExtreme(a, measured)
	case most:
		return s.readGroup(a, measured)
	case sums:
		return s.readSum(a, measured)
	case counts:
		a.sources = s.suiting(a, a.where)
		return len(a.sources) > 0
	}
	return true
}

// readExtreme reads by which number an ask compares records: that of its superlative, or the number of their parts.
func (s *search) readExtreme(a *ask, measured func(written.Measure) string) bool {
	if len(a.amount.Bounds) > 0 && a.amount.Currency == "" {
		return false
	}
	source := a.source()
	own := fields.Stream{Name: source.Stream, Fields: source.Fields(s.Schema().Document)}
	if a.by == written.AnyMeasure && len(a.sources) < len(s.sourcesOf(source.Stream, "")) { // mail alone has a size
		a.field = own.OnlyNumber()
	} else {
		a.field = measured(a.by)
	}
	if a.field != "" {
		return true
	}
	if a.by != written.OtherMeasure && a.by != written.Length || a.of != "" && !fields.Calls(a.of, source.Stream) {
		return false
	}
	for _, child := range source.Children { // the thread with the most messages, or the longest
		isPart := func(word string) bool { return fields.Calls(word, child.Target) }
		a.field = s.numberNamed(source, []string{child.Target}, fields.HasRanges)
		if a.field != "" && (a.by == written.Length || slices.ContainsFunc(a.left, isPart)) {
			a.left = slices.DeleteFunc(a.left, isPart)
			return true
		}
	}
	return false
}

// readGroup reads for whom or which an ask counts records.
func (s *search) readGroup(a *ask, measured func(written.Measure) string) bool {
	if a.by != "" && a.by != written.OtherMeasure {
		return false
	}
	source := a.source()
	if unit := written.Unit(a.of); unit != "" {
		a.granularity, a.kind = unit, counts
		a.sources = s.suiting(a, nil)
		return len(a.sources) > 0
	}
	var group []string
	for i := 0; i < len(a.sources) && len(group) == 0; i++ { // chat has other fields than mail
		own := fields.Stream{Name: source.Stream, Fields: a.sources[i].Fields(s.Schema().Document)}
		group = own.Near(a.of, fields.Aggregates("group_by"))
	}
	switch {
	case a.of == "":
		return false
	case len(group) > 0 && !fields.Calls(a.of, source.Stream):
		a.group = group[0]
	case a.of == "shop" && source.Payee != "":
		a.group = source.Payee
	case a.of == "who" && s.partsWithAuthor(a):
		return true
	default:
		return false
	}
	if s.Question.AsksSum() {
		a.metric, a.field = "sum", measured(written.Money)
	}
	a.sources = s.suiting(a, rs.Object{{Name: a.group}})
	return len(a.sources) > 0
}

// partsWithAuthor makes an ask of who is in a record, such as a channel, one of who wrote what belongs to it.
func (s *search) partsWithAuthor(a *ask) bool {
	for _, child := range a.source().Children {
		for _, source := range s.sourcesOf(child.Target, a.source().Connection.ID) {
			if source.Author != "" {
				a.sources, a.group, a.belongs = []known.Source{source}, source.Author, true
				return true
			}
		}
	}
	return false
}

// readSum reads of which number an ask wants the sum or the average: one that a word names, or money.
func (s *search) readSum(a *ask, measured func(written.Measure) string) bool {
	isPaid := func(word string) bool { return paid[strings.ToLower(word)] }
	spends := written.AnyWord(a.query, func(word string) bool { return paid[word] && !counting[word] })
	total := written.AnyWord(a.query, func(word string) bool { return counting[word] && !paid[word] })
	isAverage := has(a.query, averages)
	if a.metric = "sum"; isAverage {
		a.metric = "avg"
	}
	for _, source := range a.sources {
		field := s.numberNamed(source, relax.Telling(a.words), fields.Aggregates("sum"))
		if had, _ := known.Named([]string{field}, a.words); a.named && field != "" && (written.IsMoneyName(field) || !spends) {
			a.field = field
			a.explain(had...)
			break
		}
	}
	if a.field == "" {
		per, _ := written.Granularity(a.query)
		if isAverage && (per != "" || total) && !has(a.query, paid) {
			return false
		}
		if !a.named && per != "" { // the average of the sums
			a.metric = "sum"
		}
		a.field = measured(written.Money)
	}
	summed := fields.Numbers(s.Schema().Document, []string{a.source().Stream}, fields.Aggregates("sum"))
	isField := func(number fields.InStream) bool { return number.Field == a.field }
	a.left = slices.DeleteFunc(a.left, isPaid)
	a.sources = s.suiting(a, rs.Object{{Name: a.field}})
	return a.field != "" && slices.ContainsFunc(summed, isField) && len(a.sources) > 0
}

// suiting returns those sources of an ask that have some fields, and a time if it needs one: chat has no flags.
func (s *search) suiting(a *ask, needed rs.Object) []known.Source {
	return slices.DeleteFunc(slices.Clone(a.sources), func(source known.Source) bool {
		return (s.timed || a.granularity != "") && source.Time == "" || !source.HasAll(needed, s.Schema().Document)
	})
}
