package propose

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/known"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/quote"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// A kind is what sort of answer a question asks for.
type kind int

const (
	records   kind = iota // those with some conditions
	byTime                // the newest or the oldest
	extreme               // the one with the largest or smallest number
	most                  // for whom or which there are the most
	eachValue             // how many there are with each value of a field
	sums                  // a sum or an average of a field
	counts                // how many there are
)

// An ask is what a question asks for. Each part is read by one function from the words and from what is known of the schema, and removes
// the words that it explains from those that are left.
type ask struct {
	kind kind
	wording
	superlative written.Superlative
	noun        string // for whom or which it is asked, such as who, shop or a unit of time
	amount      written.Amount
	number      number
	place
	narrowing
	party party
	topic topic
}

// A wording is the words of an ask.
type wording struct {
	query string   // without its time and its amount
	words []string // that it is about
	left  []string // those of them that no part explains
	not   string   // the word by which it denies something
}

// A number is what is computed from the records: a metric of a field, by group and by time.
type number struct {
	metric      string
	field       string
	group       string
	granularity string
	isNegative  bool // what was paid is negative amounts
}

// A place is where the records are.
type place struct {
	sources    []known.Source // the stream that the ask is about, under the connections that may be meant
	named      bool           // words name the stream
	isBought   bool           // it is one with amounts of money because the ask is about what was paid
	connection string         // the id of the one connection that it names
	wrote      bool           // a verb says that somebody wrote them
}

// A narrowing is the conditions of the records, without the time and the party.
type narrowing struct {
	where   rs.Object
	says    string // which word is a condition
	flag    string // the word that is
	belongs bool   // the records must belong to one that the ask names
	parts   string // the stream of what is requested if the records only have it, as mails have attachments
}

// A party is a sender or a merchant whose records are asked for.
type party struct {
	name      string
	isSeveral bool           // several are named, so the number is for each; name is ""
	payees    []string       // several, for each of which there is a call: the branches of a shop
	sources   []known.Source // those of the place that have records of it
}

// A topic is where the words that are left are.
type topic struct {
	stream string // whose records have them
	none   bool   // a read has shown that none has, although words name its stream and what is sought
}

func (a *ask) source() known.Source { return a.sources[0] }

// narrowed returns the conditions and the connection of the records that are asked for.
func (a *ask) narrowed() (where rs.Object, connection string) {
	if a.party.name == "" {
		return a.where, a.connection
	}
	return a.conditions(a.party.sources[0]), a.party.sources[0].Connection.ID
}

// conditions returns the conditions in a source, without the time.
func (a *ask) conditions(source known.Source) rs.Object {
	if a.party.name == "" {
		return a.where
	}
	return rs.Object{rs.NewMember(source.Whose(), a.party.name)}.WithAll(a.where)
}

// holding returns what the records of an ask are that have those of another stream as parts: messages with attachments.
func (a *ask) holding(parts string) string {
	return quote.Names([]string{a.source().Stream}, 1) + " with " + quote.Names([]string{parts}, 1)
}

// countsAll reports whether all records of a sender are counted, which the word that is left only names, as bills does.
func (a *ask) countsAll() bool {
	return a.kind == counts && a.party.name != "" && !a.named && len(a.left) == 1
}

// explain removes words from those that are left.
func (w *wording) explain(words ...string) { w.left = relax.Without(w.left, words...) }

// isPurchase reports whether an ask is about what was paid, by oneself or to oneself.
func (s *search) isPurchase(a *ask) bool { return has(a.query, purchases) || says(s.Rest, gotPaid) }

// gotPaid reports whether a query about what was paid is about what somebody paid to oneself.
func (s *search) gotPaid() bool { return says(s.Rest, gotPaid) || has(s.Rest, oneself) }

// suiting returns those sources of an ask that have some fields, and a time if it needs one: chat has no flags.
func (s *search) suiting(a *ask, needed rs.Object) []known.Source {
	return slices.DeleteFunc(slices.Clone(a.sources), func(source known.Source) bool {
		return (s.timed || a.number.granularity != "") && source.Time == "" || !source.HasAll(needed, s.Schema().Document)
	})
}

// keepSuiting leaves an ask those of its sources that have some fields, and a time if it needs one; false if there are none.
func (s *search) keepSuiting(a *ask, needed rs.Object) bool {
	a.sources = s.suiting(a, needed)
	return len(a.sources) > 0
}

var (
	distinct   = lexicon.Of("distinct")
	having     = lexicon.Of("having") // before the name of a flag
	mores      = lexicon.Of("more")
	averages   = lexicon.Of("average")
	counting   = lexicon.Of("counting")
	per        = lexicon.Of("per")
	paid       = lexicon.Of("paid")
	purchases  = lexicon.Of("purchase")
	gotPaid    = lexicon.Phrases("got-paid")
	oneself    = lexicon.Of("oneself")
	accounts   = lexicon.Of("account")
	received   = lexicon.Of("received")
	refunds    = lexicon.Phrases("refund") // they say nothing more about returned orders
	hours      = lexicon.Phrases("asks-hour")
	weekdays   = lexicon.Phrases("asks-weekday")
	fewest     = lexicon.Of("fewest")
	answered   = lexicon.Of("answered")
	fileKinds  = lexicon.Of("file-kind")
	unanswered = lexicon.Of("unanswered")
	sendings   = lexicon.Of("sending")
	asked      = lexicon.Meanings("asked")
	posted     = lexicon.Of("sent")
	members    = lexicon.Of("member")
)

func has(query string, words map[string]bool) bool {
	return written.AnyWord(query, func(word string) bool { return words[word] })
}

// says reports whether a query has one of some words or phrases.
func says(query string, phrases []string) bool {
	query = " " + strings.ToLower(strings.Join(relax.All(query), " ")) + " "
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(query, " "+phrase+" ") })
}

// asksWhich reports whether the query asks for which of some units of time there are the most records.
func (s *search) asksWhich(units []string) bool {
	return written.SuperlativeOf(s.Q).By == written.OtherMeasure && says(s.Q, units)
}

// tallies reports whether the query asks for a number of records, or on which days of the week there are the most.
func (s *search) tallies() bool { return s.Question.AsksNumber() || s.asksWhich(weekdays) }

// streamName returns how a sentence names the stream of an ask: by its name if the query does not.
func (s *search) streamName(a *ask) string {
	if a.named {
		return "that stream"
	}
	return quote.Names([]string{a.source().Stream}, 1)
}

// readEachValue turns an ask that denies a value, or that names a state without a field of its own, into the count for each value of the
// field that has such values.
func (s *search) readEachValue(a *ask, field string) {
	if len(a.left) != 1 {
		return
	}
	own := s.fieldsOf(a.source())
	for _, name := range []string{field, written.StateWord(a.left[0]), a.source().Status} {
		if f := own.Field(name); f != nil && slices.Contains(f.Aggregates, "group_by") {
			a.kind, a.number.group, a.left = eachValue, name, nil
			return
		}
	}
}

// between returns the words of a text in lower case, with _ around each.
func between(text string) string {
	isMark := func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }
	return "_" + strings.Join(strings.FieldsFunc(strings.ToLower(text), isMark), "_") + "_"
}
