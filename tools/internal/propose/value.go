package propose

import (
	"cmp"
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/aggregate"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/foreign"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

const maxListedValues = 30 // of a field that are read to find the one that a query names

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
	if (a.kind == sums || a.kind == extreme) && a.whose == "" && !a.several && len(a.left) > 0 {
		s.readPayees(ctx, a)
	}
	if a.whose == "" && a.kind == most && !a.several && len(a.left) > 0 {
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
		if isAuthor := a.group != "" && a.group == a.source().Author; isAuthor { // chat has other senders than mail
			a.group = sources[0].Author
		}
		a.sources, a.where = sources, where
		if a.group != "" && len(s.suiting(a, rs.Object{{Name: a.group}})) == 0 {
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
	field := a.field
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
	isLeastKnown := func(number fields.InStream) bool { return number.Field == a.field }
	field, ofField := a.field, a.metric != "count" || a.by == written.Money &&
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
		a.where, a.largest, a.isNegative = a.where.With(field, negative(bounds).JSON()), !a.largest, true
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
		mirrored = append(mirrored, rs.Member{Name: opposite[bound.Name], Value: "-" + bound.Value})
	}
	if !mirrored.Has("lt") && !mirrored.Has("lte") {
		mirrored = append(mirrored, rs.NewMember("lt", 0))
	}
	return mirrored
}

// opposite has the operator for negative numbers for each of those of an amount.
var opposite = map[string]string{"gt": "lt", "gte": "lte", "lt": "gt", "lte": "gte"}

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

// readListed reads the word of an ask that is a flag of its stream or a value of a field with few values, and makes it a condition. A flag
// that the ask denies becomes a condition for the opposite. A value that it denies becomes a count by the field, as no filter leaves out a
// value. It returns false if no source has all fields of the conditions, or if it is unclear which of several flags is denied.
func (s *search) readListed(ctx context.Context, a *ask) bool {
	words := s.listable(a)
	field, value, word := s.listedWord(ctx, a, words)
	switch isText := strings.HasPrefix(value, `"`); {
	case a.not != "" && (field == "" || isText):
		s.readEachValue(a, field)
		return true
	case field == "":
		return true
	case a.not != "":
		value = strconv.FormatBool(value != "true")
	}
	a.says = cmp.Or(a.says, listedSentence(a, field, value, word))
	a.flag, a.where = word, a.where.With(field, value)
	if !s.readFlags(a, relax.Without(slices.Concat(words, a.left), word)) {
		return false
	}
	suiting := s.suiting(a, a.where)
	a.having = slices.DeleteFunc(a.having, func(source known.Source) bool { return !source.HasAll(a.where, s.Schema().Document) })
	if len(suiting) == 0 || a.whose != "" && len(a.having) == 0 {
		return false
	}
	a.sources = suiting
	for _, child := range a.source().Children {
		if !has(a.query, having) && fields.Calls(word, child.Target) {
			a.parts = child.Target
		}
	}
	a.explain(append(strings.Fields(word), word)...)
	a.left = slices.DeleteFunc(a.left, func(word string) bool { return written.StateWord(word) == field })
	if a.kind == sums {
		a.explain(refunds...)
	}
	return true
}

// readFlags reads the further flags that an ask names. It is false if one of several is denied, as it is not certain which.
func (s *search) readFlags(a *ask, words []string) bool {
	for {
		field, value, word := foreign.FlagNamed(a.source().Fields(s.Schema().Document), words)
		if field == "" || a.not != "" {
			return field == ""
		}
		words = relax.Without(words, word)
		a.where = a.where.With(field, value)
		a.explain(word)
	}
}

// listable returns the words of an ask that may be a flag or a value: those that are left or that say nothing else, as in mails that I have
// not read, and for records without another sign of a condition only those that no record has.
func (s *search) listable(a *ask) []string {
	words := a.left
	if a.not != "" || a.kind == counts {
		words = slices.DeleteFunc(slices.Clone(a.words), func(word string) bool {
			return !slices.Contains(a.left, word) && len(relax.Telling([]string{word})) > 0
		})
	}
	isCondition := has(s.Rest, having) || a.not != "" || len(a.amount.Bounds) > 0
	if a.kind == records && !isCondition && len(s.absent) > 0 {
		words = slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !s.isAbsent(word) })
	}
	return words
}

// mayReadValues reports whether an ask may read the values of fields to find one of some words.
func (s *search) mayReadValues(ctx context.Context, a *ask, words []string) bool {
	if a.not != "" {
		return len(a.left) > 0 && len(words) == 1
	}
	return len(a.left) > 0 && len(words) > 0 &&
		(a.kind != records || len(a.amount.Bounds) > 0 || a.whose != "" || s.findsLittle(ctx))
}

// listedSentence returns that a word is a condition, by a field with a value.
func listedSentence(a *ask, field, value, word string) string {
	field, stream := quote.Names([]string{field}, 1), quote.Names([]string{a.source().Stream}, 1)
	if strings.HasPrefix(value, `"`) {
		text, _ := rs.AsText(value) // the value, as the word may be another form of it: cancelled for storniert
		return quote.Text(text) + " is a value of " + field + " in " + stream + ": "
	}
	if a.not != "" {
		return quote.Text(word) + " is denied, so " + field + " of " + stream + " must be " + value + ": "
	}
	return quote.Text(word) + " is what " + field + " of " + stream + " says: "
}

// listedWord finds the word that is a flag of the stream of an ask or, if it may read, a value, or a form of a value, of one of the first
// fields of it that may have a closed list of values.
func (s *search) listedWord(ctx context.Context, a *ask, words []string) (field, value, word string) {
	var all []rs.SchemaField
	for _, source := range a.sources {
		all = append(all, source.Fields(s.Schema().Document)...)
	}
	if field, value, word = foreign.FlagNamed(all, words); field != "" {
		return field, value, word
	}
	for _, f := range all { // all-day, of which each word is a common one
		stated := strings.TrimPrefix(strings.TrimPrefix(written.Snake(f.Name), "is_"), "has_")
		phrase := strings.ReplaceAll(stated, "_", " ")
		isFlag := f.Granted && f.Exact && strings.HasPrefix(f.Type, "boolean")
		if isFlag && phrase != stated && strings.Contains("_"+written.Snake(a.query)+"_", "_"+stated+"_") {
			return f.Name, "true", phrase
		}
	}
	if !s.mayReadValues(ctx, a, words) {
		return "", "", ""
	}
	names := known.ListedFields(all, false, maxListedFields)
	if len(names) < maxListedFields && a.kind != records && a.kind != byTime { // a search finds the records by their words, but no number of them
		names = append(names, known.ListedFields(all, true, maxListedFields-len(names))...)
	}
	isName := func(field string) bool { // of a sender or a merchant, which is read as one
		return slices.ContainsFunc(a.sources, func(source known.Source) bool { return field == source.Author || field == source.Payee })
	}
	return s.valueWord(ctx, a, slices.DeleteFunc(names, isName), words)
}

// valueWord reads the values of some fields of the stream of an ask and finds the word that is a form of one.
func (s *search) valueWord(ctx context.Context, a *ask, names, words []string) (field, value, word string) {
	scope := rs.Scope{Stream: a.source().Stream, ConnectionID: cmp.Or(a.connection, s.Scope.ConnectionID)}
	if len(a.sources) == 1 {
		scope.ConnectionID = cmp.Or(scope.ConnectionID, a.source().Connection.ID)
	}
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	values := make([][]aggregate.Group, len(names))
	read.All(ctx, len(names), func(ctx context.Context, i int) {
		values[i], _ = aggregate.GroupsOf(ctx, s.RS, scope, names[i], maxListedValues)
	})
	for i, field := range names {
		for _, g := range values[i] {
			text, isText := g.Text()
			at := slices.IndexFunc(words, func(word string) bool { return isForm(word, text) })
			if isText && at >= 0 {
				return field, g.Key, words[at]
			}
			said := strings.Fields(text) // several, such as Eating Out
			if isText && len(relax.Without(said, words...)) < len(said) && strings.Contains(between(a.query), between(text)) {
				return field, g.Key, text
			}
		}
	}
	return "", "", ""
}

// isForm reports whether a word is a form of a value: a state in another language, a language or a currency by its name, the end of a kind
// of files, such as PDFs for application/pdf, or the infinitive of a state.
func isForm(word, value string) bool {
	const infinitive, ending = 4, 3 // letters of a verb, and those that it may lack
	lower, state := written.StateWord(word), written.StateWord(value)
	kind := value[strings.LastIndexByte(value, '/')+1:]
	isVerb := len(lower) >= infinitive && strings.HasPrefix(state, lower) && strings.HasSuffix(state, "ed")
	isInfinitive := isVerb && len(state)-len(lower) <= ending
	return written.IsForm(lower, relax.OtherForm(lower), state) || isInfinitive || written.Code(word) == value ||
		kind != value && strings.TrimSuffix(lower, "s") == kind
}
