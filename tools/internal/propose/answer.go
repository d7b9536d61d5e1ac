package propose

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/read"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// answer returns the call that answers the query, with what it finds: newest for the newest or oldest record, hint for any other, and the
// metric of its aggregate. All are "" if no call is certain to.
func (s *search) answer(ctx context.Context) (newest, hint, metric string) {
	denies := written.Negation(s.Q) != "" && has(s.Q, answered)
	if (denies || has(s.Q, unanswered)) && slices.ContainsFunc(relax.All(s.Q), fields.IsMail) {
		return "", "No field says whether a mail was answered: the messages of its thread show it.", ""
	}
	if says, is := s.memberCount(ctx); is {
		return "", says, ""
	}
	for _, k := range s.kinds(ctx) {
		a := s.read(ctx, k)
		if sender := s.senderOf(); k == byTime && sender != "" && (a == nil || a.party.name == "") && has(s.Rest, sendings) {
			one := *s // a message of somebody need not be in the stream of messages
			one.only = sender
			if other := one.read(ctx, k); other != nil && other.party.name != "" {
				a = other
			}
		}
		if a == nil {
			if says, metric := s.ofPurchases(ctx, k); says != "" {
				return "", says, metric
			}
			continue
		}
		if says, metric := s.call(a); says != "" && k == byTime {
			return says + s.elsewhere(ctx, a), "", ""
		} else if says != "" {
			return "", says + s.elsewhere(ctx, a) + s.besides(a, a.source().Stream), metric
		}
	}
	if newest, oldest := s.Question.AsksByTime(); oldest && !newest && s.Q != "" && !s.timed && len(s.Filter) == 0 && !s.several {
		return s.withoutFirst(), "", ""
	}
	return "", "", ""
}

// kinds returns what the query may ask for, the likeliest first. It reads nothing but, for a query that finds little, the schema.
func (s *search) kinds(ctx context.Context) (all []kind) {
	switch {
	case s.Q == "" || len(s.Filter) > 0 || s.inHours:
		return nil
	case (s.hourly || s.weekly && s.tallies()) && !s.inPeriod() && s.Unread == "": // the newest, or another number, would be of all days
		return []kind{counts}
	case s.weekly, s.hourly:
		return nil
	}
	newest, oldest := s.Question.AsksByTime()
	if (newest || oldest) && (!s.Unfiltered || len(s.bounds()) == 0) {
		all = append(all, byTime)
	}
	isTopic := len(s.absent) == 0 && !strings.Contains(s.Q, " ") // one word that records have asks for nothing else
	if isTopic || s.inPeriod() || s.lacksTime() {
		return all
	}
	return append(all, s.kindsOfSeveral(ctx)...)
}

// kindsOfSeveral returns what a query of several words, or of one that no record has, may ask for, other than the newest or the oldest.
func (s *search) kindsOfSeveral(ctx context.Context) (all []kind) {
	amount := written.AmountOf(s.Rest)
	ranks := written.SuperlativeOf(amount.Rest).Words // nil for "at most 200", which limits an amount
	of, _ := relax.Asked(s.Rest)
	granularity, _ := written.Granularity(s.Rest)
	isMore, isAverage := has(s.Rest, mores), has(s.Rest, averages)
	switch {
	case s.Unfiltered: // then it sorts as little
	case rankedUnit(s.Rest, ranks) != "": // the most expensive month
		all = append(all, most)
	case ranks != nil:
		all = append(all, extreme, most)
	case of == "who", isMore && s.Compared == "":
		all = append(all, most)
	}
	if s.Unread == "" && (ranks == nil || s.Compared != "") && (s.Question.AsksSum() || isAverage || s.Compared != "" && has(s.Rest, paid)) {
		all = append(all, sums)
	}
	if has(s.Rest, per) && !s.Question.AsksNumber() && ranks == nil { // orders by status
		all = append(all, counts)
	}
	switch {
	case s.Question.AsksNumber(), isAverage && granularity != "", isMore && s.Compared != "":
		all = append(all, counts)
	case ranks != nil, s.Unfiltered:
	case written.Negation(s.Q) != "", amount.Bounds != nil, s.asksRecords(ctx, of):
		all = append(all, records)
	}
	return all
}

// asksRecords reports whether the query may ask for records with some conditions: it has with, or which and a plural, a time and what, the
// sender of a hit, or finds little.
func (s *search) asksRecords(ctx context.Context, of string) bool {
	isPlural := len(s.Streams) == 1 || slices.ContainsFunc(relax.Words(s.Rest), fields.MayCall)
	isAbout := len(s.Question.Mentioned()) > 0 || fields.MayCall(of)
	isOf := s.timed && (of != "" || isPlural && slices.ContainsFunc(relax.Words(s.Rest), s.Question.AsksOf))
	return has(s.Rest, having) || isOf || isPlural && isAbout || s.senderOf() != "" ||
		(isPlural || len(s.absent) > 0) && s.findsLittle(ctx)
}

// read reads what is asked for as one kind of answer; nil if its words do not say so, or if no call is certain to answer it.
func (s *search) read(ctx context.Context, k kind) *ask {
	a := &ask{kind: k, wording: wording{query: s.Rest}, number: number{metric: "count"}}
	if a.amount = written.AmountOf(s.Rest); a.amount.Bounds != nil {
		a.query = a.amount.Rest
	}
	if s.Unread != "" {
		a.not = written.Negation(s.Q)
	}
	a.words = relax.Without(relax.Words(a.query), a.not)
	a.left = slices.DeleteFunc(relax.Telling(a.words), func(word string) bool { return having[strings.ToLower(word)] })
	s.readMeasure(a)
	if !s.readStream(a) || !s.readNumber(a) || !s.readConditions(ctx, a) {
		return nil
	}
	if k == byTime && a.party.name != "" { // the newest message of somebody need not have that word
		a.left = slices.DeleteFunc(a.left, func(word string) bool { return sendings[strings.ToLower(word)] })
	}
	isCount := s.tallies() || s.hourly || s.Compared != "" || has(s.Rest, averages)
	if isTable := a.named && (a.number.group != "" || a.number.granularity != ""); k == counts && !isCount && !isTable {
		return nil
	}
	if k == most && a.superlative.Words == nil && !has(s.Rest, mores) && a.where == nil { // who wrote it is no question for numbers
		return nil
	}
	if k == most && a.number.group == "" && a.number.granularity == "" && !a.party.isSeveral || !s.readTopic(ctx, a) {
		return nil
	}
	return a
}

// readMeasure reads from the words alone by what the records are counted, added up or compared.
func (s *search) readMeasure(a *ask) {
	isMeasure := func(word string) bool { return averages[strings.ToLower(word)] || counting[strings.ToLower(word)] }
	var words []string
	switch a.kind {
	case byTime:
		a.left = slices.DeleteFunc(a.left, func(word string) bool {
			return !slices.Contains(s.Question.TopicWords(), word) || asked[strings.ToLower(word)] == "who" // the last person who wrote
		})
	case extreme, most:
		a.superlative = written.SuperlativeOf(a.query)
		a.explain(a.superlative.Words...)
		if a.superlative.By == written.OtherMeasure || a.kind == most {
			s.readAsked(a)
		}
		if a.superlative.By == written.OtherMeasure {
			a.superlative.Most = !has(a.query, fewest)
		}
		a.left = slices.DeleteFunc(a.left, func(word string) bool { return a.kind == most && isMeasure(word) })
	case sums, counts:
		a.number.granularity, words = written.Granularity(a.query)
		a.explain(words...)
		a.left = slices.DeleteFunc(a.left, func(word string) bool {
			return isMeasure(word) || a.kind == counts && accounts[strings.ToLower(word)]
		})
		if a.number.granularity == "" {
			a.number.granularity = s.Compared
		}
		if s.weekly || s.hourly {
			if a.number.granularity = "day"; s.hourly {
				a.number.granularity = "hour"
			}
			a.explain(append(strings.Fields(strings.Join(slices.Concat(weekdays, hours), " ")), written.SuperlativeOf(a.query).Words...)...)
		}
	}
}

// rankedUnit returns the word for a unit of time behind the words of a superlative, as in most expensive month; "" for none.
func rankedUnit(query string, ranks []string) string {
	if len(ranks) == 0 {
		return ""
	}
	words := relax.All(query)
	for i := 1; i < len(words); i++ {
		if strings.EqualFold(words[i-1], ranks[len(ranks)-1]) && written.Unit(words[i]) != "" {
			return words[i]
		}
	}
	return ""
}

// readAsked reads for whom or which the most is asked: a person, a shop, a place, a unit of time or a noun.
func (s *search) readAsked(a *ask) {
	of, word := relax.Asked(a.query)
	if unit := rankedUnit(a.query, a.superlative.Words); unit != "" {
		of, word = written.Unit(unit), unit
	}
	calls := func(word string) bool {
		_, _, ok := known.SourceCalled(s.Schema().Sources, []string{word}, s.isSearched)
		return ok
	}
	if at := slices.Index(a.words, word) + 1; at > 0 && at < len(a.words) && strings.Contains(a.query, word+" "+a.words[at]) &&
		calls(word) && calls(a.words[at]) { // chat channel
		word = a.words[at]
		of = strings.ToLower(word)
	}
	isThing := of != "" && of != "where" && written.Unit(of) == "" && len(relax.Topic(of)) == 0
	if a.superlative.Words != nil && isThing && has(a.query, purchases) { // what did I spend the most on
		of, a.number.metric = "shop", "sum"
	}
	if of == "where" {
		if of = "location"; s.Question.AsksSum() {
			of = "shop"
		}
	}
	a.noun = of
	a.explain(word)
	if a.words = relax.Without(a.words, word); a.kind == extreme { // which thread has the most messages
		a.words = []string{word}
	}
}

// maxSenderStreams is the most other streams in which a sender is looked for.
const maxSenderStreams = 8

// elsewhere returns the calls for an ask about a sender in the other streams that have somebody of that name, such as another chat: the
// newest message of one chat need not be the newest of the person. It says of how many streams it read no senders, because there are too
// many, or a read failed or took too long. It is "" if the query names the stream or needs fields that others lack.
func (s *search) elsewhere(ctx context.Context, a *ask) string {
	if a.party.name == "" || a.named || a.connection != "" || a.source().Author == "" || a.number.group != "" || a.number.field != "" {
		return ""
	}
	isOther := func(source known.Source) bool {
		needsTime := s.timed || a.kind == byTime || a.number.granularity != ""
		return source.Stream != a.source().Stream && source.Author != "" && s.isSearched(source) && (source.Time != "" || !needsTime) &&
			source.HasAll(a.where, s.Schema().Document)
	}
	others := slices.DeleteFunc(slices.Clone(s.Schema().Sources), func(source known.Source) bool { return !isOther(source) })
	calls, unread := make([]string, min(len(others), maxSenderStreams)), atomic.Int64{}
	unread.Store(int64(len(others)))
	ctx, cancel := context.WithTimeout(ctx, read.OptionalDeadline)
	defer cancel()
	read.All(ctx, len(calls), func(ctx context.Context, i int) {
		if senders := s.valuesOf(ctx, others[i], others[i].Author); len(senders) > 0 {
			unread.Add(-1)
			calls[i] = s.senderIn(ctx, *a, others[i], senders)
		}
	})
	var says strings.Builder
	for _, call := range calls {
		says.WriteString(quote.When(call != "", ". Also: ") + call)
	}
	if n := unread.Load(); n > 0 {
		fmt.Fprintf(&says, ". Streams whose senders were not read: %d", n)
	}
	return says.String()
}

// maxPurchases is the most streams with amounts for which there is a call each.
const maxPurchases = 4

// ofPurchases returns the calls for a kind of answer in the streams of s.purchases, such as the statements of two banks, at most
// maxPurchases. It is "" if no stream has the answer.
func (s *search) ofPurchases(ctx context.Context, k kind) (says, metric string) {
	var of []string
	var last *ask
	for _, stream := range s.purchases[:min(len(s.purchases), maxPurchases)] {
		one := *s
		one.only, one.purchases = stream, nil
		a := one.read(ctx, k)
		if a == nil || a.topic.none {
			continue
		}
		if call, by := one.call(a); call != "" {
			says, metric, of, last = says+quote.When(says != "", ". Also: ")+call, by, append(of, stream), a
		}
	}
	s.purchases = nil
	return says + s.besides(last, of...), metric
}

// senderIn returns the call for an ask about a sender in another source; "" if that has nobody whom the query names, or no record with the
// words that are left.
func (s *search) senderIn(ctx context.Context, a ask, source known.Source, senders []string) string {
	name := s.Question.Names(senders, relax.Telling(relax.Words(a.query)))
	if name == "" {
		return ""
	}
	a.sources, a.party = []known.Source{source}, party{name: name, sources: []known.Source{source}}
	if a.topic.stream != "" {
		if a.topic.stream, _, _ = s.streamWith(ctx, &a); a.topic.stream == "" {
			return ""
		}
	}
	says, _ := s.call(&a)
	return says
}
