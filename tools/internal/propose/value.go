package propose

import (
	"context"
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// readConditions reads the conditions of an ask other than its amount: the record that its records belong to, such as a channel, the
// currency of an amount, a sender or a merchant, and flags and values of fields. It is false if no records can have them.
func (s *search) readConditions(ctx context.Context, a *ask) bool {
	if !s.readBelonging(ctx, a) {
		return false
	}
	s.readCurrency(a)
	if !s.readSign(ctx, a) {
		return false
	}
	isNumber := a.kind == counts || a.kind == sums || a.kind == most
	if slices.ContainsFunc(a.left, s.Question.AsksOf) || isNumber && a.joins(a.left) {
		s.readParents(a)
		if !s.readWhose(ctx, a) {
			return false
		}
	}
	if !s.readListed(ctx, a) {
		return false
	}
	if (a.kind == sums || a.kind == extreme) && a.party.name == "" && !a.party.isSeveral && len(a.left) > 0 {
		s.readPayees(ctx, a)
	}
	if a.party.name == "" && a.kind == most && !a.party.isSeveral && len(a.left) > 0 {
		s.readCompared(ctx, a)
	}
	return true
}

// readBelonging reads the record to which the wanted records belong, such as a channel. If the ask is of the stream of that record, as in
// what was said in the lantern channel, it becomes one of the stream of what belongs to it. It returns false if an ask needs such a record
// and names none, or if what belongs to it lacks the field that the ask counts by.
func (s *search) readBelonging(ctx context.Context, a *ask) bool {
	if a.kind == extreme || a.kind == sums {
		return true
	}
	streams := []string{a.source().Stream}
	if s.timed || a.kind == most || a.kind == byTime || len(s.Question.Mentioned()) > 0 {
		for _, child := range a.source().Children {
			streams = append(streams, child.Target)
		}
	}
	for _, stream := range streams {
		whole := known.Belonging(ctx, s.RS, s.Schema(), stream, s.Rest)
		if whole.Called == "" || s.Unfiltered {
			continue
		}
		field := whole.OfItsParts.Name
		where := a.where.With(field, whole.OfItsParts.Value)
		isOther := func(source known.Source) bool { return !source.HasAll(where, s.Schema().Document) }
		sources := slices.DeleteFunc(s.sourcesOf(stream, ""), isOther)
		if len(sources) == 0 {
			continue
		}
		if isAuthor := a.number.group != "" && a.number.group == a.source().Author; isAuthor { // chat has other senders than mail
			a.number.group = sources[0].Author
		}
		a.sources, a.where = sources, where
		if a.number.group != "" && len(s.suiting(a, rs.Object{{Name: a.number.group}})) == 0 {
			return false
		}
		a.explain(whole.Said...)
		a.says = quote.Text(whole.Called) + " is named by " + quote.Names([]string{field}, 1) + " of " + quote.Names([]string{stream}, 1) + ": "
		return true
	}
	return !a.belongs
}

// readCurrency reads the currency of an amount, if a field has it.
func (s *search) readCurrency(a *ask) {
	field := a.number.field
	if field == "" && len(a.where) > 0 && len(a.amount.Bounds) > 0 {
		field = a.where[0].Name
	}
	isCode := func(word string) bool { return len(written.Code(word)) == len("EUR") }
	code := a.amount.Currency
	at := slices.IndexFunc(a.left, isCode)
	if code == "" && at >= 0 {
		code = written.Code(a.left[at])
	}
	if code == "" || !written.IsMoneyName(field) {
		return
	}
	scope := rs.Scope{Stream: a.source().Stream}
	unit := known.ReadStream(s.Schema().Document, scope).UnitOf(field)
	isUnit := func(f rs.SchemaField) bool { return f.Name == unit && f.Exact }
	if unit != "" && slices.ContainsFunc(known.FieldsOf(s.Schema().Document, scope), isUnit) {
		a.where = a.where.With(unit, rs.EncodeJSON(code))
		a.left = slices.DeleteFunc(a.left, isCode)
	}
}

// readSign finds out, with one read, whether a field of money has what was paid as negative amounts, as a bank's statement does. The largest
// payment is then the lowest amount. It returns false if a sum has no field, if the read fails, or if an ask is for money received and the
// field has only what oneself paid.
func (s *search) readSign(ctx context.Context, a *ask) bool {
	isLeastKnown := func(number fields.InStream) bool { return number.Field == a.number.field }
	field, ofField := a.number.field, a.number.metric != "count" || a.superlative.By == written.Money &&
		slices.ContainsFunc(fields.Numbers(s.Schema().Document, []string{a.source().Stream}, fields.Aggregates("min")), isLeastKnown)
	switch {
	case len(a.amount.Bounds) > 0 && len(a.where) > 0:
		field = a.where[0].Name
	case a.kind == counts && s.isPurchase(a):
		field = s.measured(a, written.Money)
	}
	paid, received := fields.Sides(s.Schema().Document, a.source().Stream)
	isSide := field != "" && (field == paid || field == received)
	if !isSide && !written.IsMoneyName(field) || !ofField && !s.isPurchase(a) {
		return !ofField || field != ""
	}
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	scope := s.Scope
	scope.Stream = a.source().Stream
	least := aggregate.Read(ctx, s.RS, scope, aggregate.Args{Metric: "min", Field: field}).Get("value")
	bounds := a.where.Object(field)
	switch isNegative := strings.HasPrefix(least, "-"); {
	case isNegative && !s.gotPaid():
		a.where, a.superlative.Most, a.number.isNegative = a.where.With(field, negative(bounds).JSON()), !a.superlative.Most, true
	case isNegative || isSide:
		if !bounds.Has("gt") && !bounds.Has("gte") {
			a.where = a.where.With(field, append(bounds, rs.NewMember("gt", 0)).JSON())
		}
	case s.gotPaid() && !a.named: // these amounts are what oneself paid
		return false
	}
	return least != ""
}

// negative returns the bounds of negative amounts for those of what was paid: below -50 for over 50.
func negative(bounds rs.Object) rs.Object {
	mirrored := rs.Object{}
	for _, bound := range bounds {
		mirrored = append(mirrored, rs.Member{Name: mirroredOperators[bound.Name], Value: "-" + bound.Value})
	}
	if !mirrored.Has("lt") && !mirrored.Has("lte") {
		mirrored = append(mirrored, rs.NewMember("lt", 0))
	}
	return mirrored
}

// mirroredOperators has the operator for negative numbers for each of those of an amount.
var mirroredOperators = map[string]string{"gt": "lt", "gte": "lte", "lt": "gt", "lte": "gte"}

// readParents changes an ask for what somebody sent, if its stream has no senders, into one for the records that it is a part of: for the
// files that somebody sent, the mails with attachments.
func (s *search) readParents(a *ask) {
	stream := a.source().Stream
	if a.source().Author != "" || a.source().Payee != "" || a.kind != records && a.kind != counts {
		return
	}
	for _, parent := range s.Schema().Sources {
		isRelation := func(r rs.Relation) bool { return r.Target == stream }
		flag, value, _ := foreign.FlagNamed(parent.Fields(s.Schema().Document), []string{stream})
		where, sources := rs.Object{{Name: flag, Value: value}}, s.sourcesOf(parent.Stream, a.connection)
		sources = slices.DeleteFunc(sources, func(source known.Source) bool { return !source.HasAll(where, s.Schema().Document) })
		if parent.Author == "" || flag == "" || len(sources) == 0 || !slices.ContainsFunc(parent.Children, isRelation) {
			continue
		}
		a.sources, a.parts, a.where = sources, stream, where
		a.left = slices.DeleteFunc(a.left, func(word string) bool { return fileKinds[strings.ToLower(word)] })
		a.says = "In " + a.holding(stream) + ", of any kind: "
		return
	}
}
