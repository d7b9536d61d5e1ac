// Package question recognizes what a search query asks for if it is phrased as one would ask a person.
package question

import (
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
)

// A Question is a query phrased as one would ask a person: for the newest of something, for a number, for what somebody sent.
type Question struct {
	lower string          // its words in lower case, a space around each
	words []string        // those that say what it is about; nil until they are needed
	read  func() []string // reads words
}

// New returns the question that a query asks. The function words returns those of its words that say what it is about; nil means all.
func New(query string, words func() []string) *Question {
	q := &Question{lower: spaced(query), read: words}
	if words == nil {
		q.words = strings.Fields(q.lower)
	}
	return q
}

// spaced returns the words of a text in lower case with a space around each, so that a search for a word does not find a part of another.
func spaced(text string) string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) })
	return " " + strings.Join(words, " ") + " "
}

// Has reports whether a text contains a word or a phrase, as whole words and in any case.
func Has(text, phrase string) bool { return strings.Contains(spaced(text), spaced(phrase)) }

func (q *Question) hasOne(phrases []string) bool {
	return slices.ContainsFunc(phrases, func(phrase string) bool { return strings.Contains(q.lower, " "+phrase+" ") })
}

// Words returns the words that say what the question is about.
func (q *Question) Words() []string {
	if q.words == nil {
		q.words = q.read()
	}
	return q.words
}

// Words of questions that no ranking by words answers, in the languages whose common words are known.
var (
	numberPhrases = lexicon.Phrases("asks-number")
	numberStarts  = lexicon.Phrases("starts-number")
	sumPhrases    = lexicon.Phrases("asks-sum")
	mentions      = lexicon.Of("mention")
	excludes      = lexicon.Of("excludes")
	notAlways     = lexicon.Of("excludes-as-written")
	newest        = lexicon.Of("newest")
	oldest        = lexicon.Of("oldest")

	// spans are words next to which last and the like name a time, as in last week and l'an dernier, or something else, as in first aid.
	spans = lexicon.Of("beside-newest")

	// beforeSender are words before the name of a sender, afterSender verbs after it. beforeRecipient are words before another name. sent
	// are words which say that something was sent, or when.
	beforeSender    = lexicon.Of("before-sender")
	afterSender     = lexicon.Of("after-sender")
	beforeRecipient = lexicon.Of("before-other-name")

	sent = lexicon.Of("says-sent")

	// sendings are what somebody has sent, as in Ann's last mail.
	sendings = lexicon.Of("sending")
)

// AsksNumber reports whether it asks how many there are.
func (q *Question) AsksNumber() bool {
	starts := func(phrase string) bool { return strings.HasPrefix(q.lower, " "+phrase+" ") } // elsewhere it may be a phone number of somebody
	return q.hasOne(numberPhrases) || slices.ContainsFunc(numberStarts, starts)
}

// AsksSum reports whether it asks for a total amount.
func (q *Question) AsksSum() bool { return q.hasOne(sumPhrases) }

// Mentioned returns the words that the requested records must contain: those of Words that follow a word such as mention; none if one of
// them is excluded.
func (q *Question) Mentioned() []string {
	words := strings.Fields(q.lower)
	at := slices.IndexFunc(words, func(word string) bool { return mentions[word] })
	if at <= 0 || slices.ContainsFunc(words[at:], func(word string) bool { return excludes[word] || notAlways[word] }) {
		return nil
	}
	behind := strings.Join(words[at+1:], " ")
	return slices.DeleteFunc(slices.Clone(q.Words()), func(word string) bool { return !Has(behind, word) })
}

// AsksByTime reports whether it asks for the newest or the oldest of something. Words such as last and first do not count next to a span of
// time or a number. A question for both counts as one for the newest.
func (q *Question) AsksByTime() (isNewest, isOldest bool) {
	words := strings.Fields(q.lower)
	span := func(i int) bool {
		return i >= 0 && i < len(words) && (spans[words[i]] || strings.Trim(words[i], "0123456789") == "")
	}
	for i, word := range words {
		if !span(i-1) && !span(i+1) {
			isNewest, isOldest = isNewest || newest[word], isOldest || oldest[word]
		}
	}
	return isNewest, isOldest && !isNewest
}

// TimeWord returns the first of its words that asks for the newest or the oldest, in lower case; "" for none.
func (q *Question) TimeWord() string {
	words := strings.Fields(q.lower)
	if at := slices.IndexFunc(words, func(word string) bool { return newest[word] || oldest[word] }); at >= 0 {
		return words[at]
	}
	return ""
}

// TopicWords returns the words that say more about a record than that somebody sent it, and when.
func (q *Question) TopicWords() []string {
	return slices.DeleteFunc(slices.Clone(q.Words()), func(word string) bool {
		lower := strings.ToLower(word)
		return newest[lower] || oldest[lower] || sent[lower]
	})
}

// AsksOf reports whether it asks for what somebody sent, by a whole name or by the first word of it: after a word such as from, or before a
// verb, as in the mail that Ann wrote, or as in Ann's mail.
func (q *Question) AsksOf(name string) bool {
	first, _, _ := strings.Cut(name, " ")
	return slices.ContainsFunc([]string{name, first}, func(name string) bool {
		before, after, named := strings.Cut(q.lower, strings.TrimSuffix(strings.TrimSuffix(spaced(name), " "), " s")+" ")
		last := before[strings.LastIndexByte(before, ' ')+1:]
		next := append(strings.Fields(after), "", "", "")
		owns := next[0] == "s" && (sendings[next[1]] || sendings[next[2]])
		return named && len(name) > 2 &&
			(beforeSender[last] || owns || afterSender[next[0]] && !beforeRecipient[last])
	})
}

// Names returns the one of some values that it names as the sender: by the whole value, or else by its first word alone. It returns "" if
// the first words of none or of several fit. words are those that say more than that something was sent.
func (q *Question) Names(values, words []string) string {
	var byFirst []string
	for _, value := range values {
		first, _, _ := strings.Cut(value, " ")
		isOther := func(word string) bool { return !Has(value, word) && Has(q.lower, first+" "+word) } // another with that first name
		switch {
		case !q.AsksOf(value):
		case Has(q.lower, value):
			return value
		case !slices.ContainsFunc(words, isOther):
			byFirst = append(byFirst, value)
		}
	}
	if len(byFirst) != 1 {
		return ""
	}
	return byFirst[0]
}
