package propose

import (
	"cmp"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// readNumber reads the number of the records that an ask compares or adds up, or the field by which it counts them; false if it needs one
// that is not certain.
func (s *search) readNumber(a *ask) bool {
	if len(a.amount.Bounds) > 0 && !s.readAmount(a) {
		return false
	}
	switch a.kind {
	case extreme:
		return s.readExtreme(a)
	case most:
		return s.readGroup(a)
	case sums:
		return s.readSum(a) && s.readBy(a)
	case counts:
		if has(a.query, distinct) {
			return s.readDistinct(a)
		}
		return s.keepSuiting(a, a.where) && s.readBy(a)
	}
	return true
}

// readBy reads the field for each value of which an ask wants its number, as in spending by category; false if no source has it.
func (s *search) readBy(a *ask) bool {
	words, own := relax.All(a.query), s.fieldsOf(a.source())
	for i := 1; i < len(words) && a.number.group == ""; i++ {
		name := own.Spelled(words[i])
		switch asked[strings.ToLower(words[i])] {
		case "sender":
			name = cmp.Or(name, a.source().Author)
		case "shop":
			name = cmp.Or(name, a.source().Payee)
		}
		if field := own.Field(name); per[strings.ToLower(words[i-1])] && field != nil && fields.Aggregates("group_by")(*field) {
			a.number.group = name
			a.explain(words[i])
		}
	}
	return a.number.group == "" || s.keepSuiting(a, rs.Object{{Name: a.number.group}})
}

// readDistinct reads of which field an ask counts the different values.
func (s *search) readDistinct(a *ask) bool {
	field, word := s.distinctField(a, a.source())
	if field == "" {
		return false
	}
	a.number.metric, a.number.field = "count_distinct", field
	a.left = slices.DeleteFunc(a.left, func(other string) bool {
		lower := strings.ToLower(other)
		return other == word || distinct[lower] || sendings[lower]
	})
	return s.keepSuiting(a, rs.Object{{Name: field}})
}

// distinctField returns the field of a source whose different values a word calls: the author for people, or the likeliest of that name.
func (s *search) distinctField(a *ask, source known.Source) (field, word string) {
	own, use := s.fieldsOf(source), fields.Aggregates("count_distinct")
	for _, word := range relax.All(a.query) {
		name := strings.TrimSuffix(word, "s")
		switch asked[strings.ToLower(word)] {
		case "who":
			name = source.Author
		case "shop":
			name = source.Payee
		}
		if near := own.Near(name, use); name != "" && len(near) > 0 && !distinct[strings.ToLower(word)] {
			return near[0], word
		}
	}
	return "", ""
}

// readAmount reads of which number an ask names an amount: one that a word names, or money; false if that is not certain.
func (s *search) readAmount(a *ask) bool {
	field := ""
	if of := a.amount.Of; of != "" {
		field = s.numberNamed(a.source(), []string{of}, rs.SchemaField.HasBounds)
		a.explain(of)
	}
	field = cmp.Or(field, s.measured(a, written.Money))
	if field == "" || a.kind == sums {
		return false
	}
	for _, bound := range a.amount.Bounds {
		a.where = a.where.With(field, a.where.Object(field).With(bound.Name, bound.Value).JSON())
	}
	a.says = "Numbers in fields are not searched. The records of " + s.streamName(a) + " by their " + field + ": "
	return true
}

// measured returns the number by which the records of an ask are measured; "" if several may be.
func (s *search) measured(a *ask, by written.Measure) string {
	paid, received := fields.Sides(s.Schema().Document, a.source().Stream)
	switch {
	case paid == "" || by != written.Money && by != written.AnyMeasure:
		return fields.Measured(s.Schema().Document, a.source().Stream, by)
	case s.gotPaid():
		return received
	case s.isPurchase(a):
		return paid
	}
	return "" // either may be meant
}

// readExtreme reads by which number an ask compares records: that of its superlative, or the number of their parts.
func (s *search) readExtreme(a *ask) bool {
	if len(a.amount.Bounds) > 0 && a.amount.Currency == "" {
		return false
	}
	source := a.source()
	if a.superlative.By == written.AnyMeasure && len(a.sources) < len(s.sourcesOf(source.Stream, "")) { // mail alone has a size
		a.number.field = s.fieldsOf(source).OnlyNumber()
	} else {
		a.number.field = s.measured(a, a.superlative.By)
	}
	if a.number.field != "" {
		return true
	}
	if a.superlative.By != written.OtherMeasure && a.superlative.By != written.Length || a.noun != "" && !fields.Calls(a.noun, source.Stream) {
		return false
	}
	for _, child := range source.Children { // the thread with the most messages, or the longest
		isPart := func(word string) bool { return fields.Calls(word, child.Target) }
		a.number.field = s.numberNamed(source, []string{child.Target}, rs.SchemaField.HasBounds)
		if a.number.field != "" && (a.superlative.By == written.Length || slices.ContainsFunc(a.left, isPart)) {
			a.left = slices.DeleteFunc(a.left, isPart)
			return true
		}
	}
	return false
}

// readGroup reads for whom or which an ask counts records.
func (s *search) readGroup(a *ask) bool {
	source, unit := a.source(), written.Unit(a.noun)
	isNumber := a.superlative.By == "" || a.superlative.By == written.OtherMeasure
	switch {
	case unit != "" && (a.superlative.By == written.Money || isNumber && (s.Question.AsksSum() || s.isPurchase(a))):
		a.kind, a.number = sums, number{metric: "sum", field: s.measured(a, written.Money), granularity: unit}
		a.left = slices.DeleteFunc(a.left, func(word string) bool { return paid[strings.ToLower(word)] })
		return s.keepSuiting(a, rs.Object{{Name: a.number.field}})
	case !isNumber:
		return false
	case unit != "":
		a.number.granularity, a.kind = unit, counts
		return s.keepSuiting(a, nil)
	}
	var group []string
	for i := 0; i < len(a.sources) && len(group) == 0; i++ { // chat has other fields than mail
		group = s.fieldsOf(a.sources[i]).Near(a.noun, fields.Aggregates("group_by"))
	}
	switch {
	case a.noun == "" && has(a.query, mores): // did Ann or Bo write more
		if s.isPurchase(a) {
			a.number.metric, a.number.field = "sum", s.measured(a, written.Money)
		}
		return s.keepSuiting(a, nil)
	case a.noun == "":
		return false
	case len(group) > 0 && !fields.Calls(a.noun, source.Stream):
		a.number.group = group[0]
	case a.noun == "shop" && source.Payee != "":
		a.number.group = source.Payee
	case a.noun == "who" && s.countWriters(a):
		return true
	default:
		return false
	}
	if s.Question.AsksSum() || a.number.metric == "sum" {
		a.number.metric, a.number.field = "sum", s.measured(a, written.Money)
	}
	return s.keepSuiting(a, rs.Object{{Name: a.number.group}})
}

// countWriters turns the question who is in a record, such as a channel, into how much each person wrote in it. It returns false if what
// belongs to the record has no author.
func (s *search) countWriters(a *ask) bool {
	for _, child := range a.source().Children {
		for _, source := range s.sourcesOf(child.Target, a.source().Connection.ID) {
			if source.Author != "" {
				a.sources, a.number.group, a.belongs = []known.Source{source}, source.Author, true
				return true
			}
		}
	}
	return false
}

// readSum reads of which number an ask wants the sum or the average: one that a word names, or money.
func (s *search) readSum(a *ask) bool {
	isPaid := func(word string) bool { return paid[strings.ToLower(word)] }
	spends := written.AnyWord(a.query, func(word string) bool { return paid[word] && !counting[word] })
	total := written.AnyWord(a.query, func(word string) bool { return counting[word] && !paid[word] })
	isAverage := has(a.query, averages)
	if a.number.metric = "sum"; isAverage {
		a.number.metric = "avg"
	}
	for _, source := range a.sources {
		field := s.numberNamed(source, relax.Telling(a.words), fields.Aggregates("sum"))
		if had, _ := known.Named([]string{field}, a.words); a.named && field != "" && (written.IsMoneyName(field) || !spends) {
			a.number.field = field
			a.explain(had...)
			break
		}
	}
	if a.number.field == "" {
		per, _ := written.Granularity(a.query)
		if isAverage && (per != "" || total) && !has(a.query, paid) {
			return false
		}
		if !a.named && per != "" { // the average of the sums
			a.number.metric = "sum"
		}
		a.number.field = s.measured(a, written.Money)
	}
	summed := fields.Numbers(s.Schema().Document, []string{a.source().Stream}, fields.Aggregates("sum"))
	isField := func(number fields.InStream) bool { return number.Field == a.number.field }
	a.left = slices.DeleteFunc(a.left, isPaid)
	return a.number.field != "" && slices.ContainsFunc(summed, isField) && s.keepSuiting(a, rs.Object{{Name: a.number.field}})
}
