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
	if a.by == written.AnyMeasure && len(a.sources) < len(s.sourcesOf(source.Stream, "")) { // mail alone has a size
		a.field = s.fieldsOf(source).OnlyNumber()
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
		group = s.fieldsOf(a.sources[i]).Near(a.of, fields.Aggregates("group_by"))
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
