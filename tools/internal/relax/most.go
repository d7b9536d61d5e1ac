package relax

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/lexicon"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Words of questions for who sent something to whom, and for who or which has the most of something.
var (
	sent       = lexicon.Of("sent")
	sendings   = lexicon.Of("sending")
	recipients = lexicon.Of("before-recipient")
	asked      = lexicon.Meanings("asked")
	froms      = lexicon.Of("from")
	selves     = lexicon.Of("self")
)

// SentOneself reports whether a query is about what oneself has sent.
func SentOneself(query string) bool { return hasOne(query, sent) && hasOne(query, selves) }

func hasOne(query string, words map[string]bool) bool {
	terms, _ := split(query)
	return slices.ContainsFunc(terms, func(t term) bool { return words[t.folded] })
}

// Recipient returns the first word of the name of the person to whom something was sent, as in mails to Grace; "" if the query names
// nobody. The word has a capital or is a known name. It follows a word such as to, with only common words and names between these and a
// word for sending. Without to, it follows the verb, as in did I email Grace, or oneself, as in habe ich Grace geschrieben.
func Recipient(query string, isName func(word string) bool) string {
	terms, _ := split(query)
	stop := stopWords(terms)
	named := func(t term) bool {
		return !stop[t.folded] && (unicode.IsUpper([]rune(t.text)[0]) || isName(t.folded))
	}
	sends := func(near []term) bool {
		at := slices.IndexFunc(near, func(t term) bool { return sendings[t.folded] || !stop[t.folded] && !named(t) && !occasions[t.folded] })
		return at >= 0 && sendings[near[at].folded]
	}
	for i, t := range terms {
		name := i + 1
		for name < len(terms)-1 && stop[terms[name].folded] { // to the council
			name++
		}
		before := slices.Clone(terms[:i])
		slices.Reverse(before)
		if name == len(terms) || !named(terms[name]) {
			continue
		}
		follows := sends(terms[name+1:])
		isObject := name == i+1 && (selves[t.folded] && follows || sendings[t.folded] && !follows && hasOne(query, selves))
		if isObject || recipients[t.folded] && (sends(before) || follows) {
			return terms[name].text
		}
	}
	return ""
}

// Asked returns, in English, what a query asks for, and the word of the query that says it. What it asks for is "who", "to" (the recipient
// of what oneself sends), "where", or the word after which. Both are "" for any other query.
func Asked(query string) (of, word string) {
	terms, _ := split(query)
	at := slices.IndexFunc(terms, func(t term) bool { kind := asked[t.folded]; return kind != "" && kind != "shop" && kind != "sender" })
	if at < 0 {
		return "", ""
	}
	of, word = asked[terms[at].folded], terms[at].text
	switch {
	case of == "which" && at+1 < len(terms):
		word = terms[at+1].text
		if of = cmp.Or(asked[terms[at+1].folded], terms[at+1].folded); of == "sender" {
			of = "who"
		}
	case hasOne(query, froms), of == "to" && !hasOne(query, sendings):
		of = "who"
	case of == "who" && hasOne(query, sendings) && (hasOne(query, selves) || at > 0 && recipients[terms[at-1].folded]):
		of = "to"
	}
	return of, word
}

var (
	tops    = lexicon.Meanings("top") // before a number
	newests = lexicon.Of("newest")
	oldests = lexicon.Of("oldest")
	spans   = lexicon.Of("beside-newest") // day and the like
)

// isRank reports whether some words, and not fewer, ask for the newest or the largest of something, as most expensive does.
func isRank(words []string) bool {
	superlative := written.SuperlativeOf(strings.Join(words, " "))
	last := strings.ToLower(strings.Trim(words[len(words)-1], ".,;?!"))
	isByTime := (newests[last] || oldests[last]) && len(superlative.Words) == len(words)-1
	return isByTime || len(superlative.Words) == len(words) && superlative.By != written.OtherMeasure
}

// HowMany returns how many records a query asks for, as in my three latest orders, and the query for one of them; 0 and the same query
// without such a number. A number of days and the like is of these.
func HowMany(query string) (n int, rest string) {
	fields := strings.Fields(query)
	word := func(at int) string {
		if at < 0 || at >= len(fields) {
			return ""
		}
		return strings.ToLower(strings.Trim(fields[at], ".,;?!¿¡"))
	}
	ranks := func(from, words int) bool {
		return from >= 0 && from+words <= len(fields) && isRank(fields[from:from+words])
	}
	for i := range fields {
		count, of, top := written.Count(word(i)), i+1, tops[word(i-1)]
		isCommon := func(language map[string]bool) bool { return language[word(i-1)] }
		opens := i == 0 || top != "" || slices.ContainsFunc(languages, isCommon) // Firmware 4 is a name
		switch {
		case count == 0:
			continue
		case opens && ranks(i+1, 1):
			of, top = i+2, ""
		case opens && ranks(i+1, 2):
			of, top = i+3, ""
		case top != "", ranks(i-1, 1), ranks(i-2, 2), opens && (ranks(i+2, 2) || ranks(i+3, 2)): // tres pedidos más caros
		default:
			continue
		}
		if before := fields[:i]; !spans[word(of)] {
			if tops[word(i-1)] != "" {
				before = append(slices.Clone(fields[:i-1]), strings.Fields(top)...)
			}
			return count, strings.Join(slices.Concat(before, fields[i+1:]), " ")
		}
	}
	return 0, query
}

// The words by which one asks whether somebody has time, without accents: what is planned answers that, whether or not it has these words.
var (
	free  = lexicon.Of("free")
	spare = lexicon.Of("spare-time")
	haves = lexicon.Of("have")
)

// AsksFree reports whether a question is whether somebody is free or busy, or has time. A free ticket is something else, as is the time of
// something.
func AsksFree(query string) bool {
	terms, _ := split(query)
	terms = append(append([]term{{}}, terms...), term{})
	topic, has := Topic(query), false
	says := func(t term) bool { // what is free
		word := written.Folded(t.text)
		return slices.Contains(topic, t.text) && !free[word] && !spare[word] && !haves[word]
	}
	for i, t := range terms[1 : len(terms)-1] {
		before, after, word := terms[i], terms[i+2], written.Folded(t.text)
		has = has || haves[word]
		isName := before.text != before.folded // is Ida free
		if (free[word] || spare[word] && has && !beforeOccasions[before.folded]) && !says(after) && (isName || !says(before)) {
			return true
		}
	}
	return false
}
