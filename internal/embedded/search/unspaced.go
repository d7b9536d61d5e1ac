package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of a sentence in a script without spaces that is divided, in characters: each costs a few reads of the index.
const (
	shortestSentence = 4
	longestSentence  = 60
)

// asking are Chinese and Thai words of questions, of one that begins with another the longer first. The Japanese ones are in Hiragana, as
// are its particles.
var asking = strings.Fields("什么时候 什麼時候 为什么 為什麼 什么 什麼 时候 時候 怎么 怎麼 哪里 哪裡 多少 何時 何日 何処 我的 我 你 的 了 吗 嗎 呢 เมื่อไหร่ เมื่อไร อะไร ที่ไหน")

// divideSentences replaces each sentence in a script without spaces that occurs nowhere as a whole by its parts: the longest beginning that
// occurs in scope, then that of the rest, and so on. Words of questions, Hiragana and other single characters are light. Nothing is
// replaced if no part occurs.
func (s *searcher) divideSentences() {
	var all []*unit
	for _, u := range s.query.units {
		parts, isOther := []*unit{u}, len(u.phrase) < shortestSentence || len(u.phrase) > longestSentence
		if !u.quoted && !isOther && !slices.ContainsFunc(u.phrase, isSpaced) && len(s.postings(u.phrase, 0)) == 0 {
			parts = s.partsOf(u.phrase)
		}
		if !slices.ContainsFunc(parts, func(part *unit) bool { return !part.light && len(s.postings(part.phrase, 0)) > 0 }) {
			parts = []*unit{u}
		}
		for _, part := range parts {
			if !slices.ContainsFunc(all, func(u *unit) bool { return u.text == part.text && u.quoted == part.quoted }) {
				all = append(all, part)
			}
		}
	}
	s.query.units = all
}

// partsOf divides a sentence. Adjacent Han characters that occur only alone are one part, which occurs nowhere.
func (s *searcher) partsOf(sentence phrase) (parts []*unit) {
	apart := false // the last part has only such characters
	for from := 0; from < len(sentence); {
		to := from + 1
		rest := strings.Join(sentence[from:], "")
		asks := slices.IndexFunc(asking, func(word string) bool { return strings.HasPrefix(rest, word) })
		belongs := func() bool { // the next character
			if asks >= 0 {
				return len(strings.Join(sentence[from:to], "")) < len(asking[asks])
			}
			return (!isHiragana(sentence[from]) || isHiragana(sentence[to])) && len(s.postings(sentence[from:to+1], 0)) > 0
		}
		for to < len(sentence) && belongs() {
			to++
		}
		isHan := asks < 0 && to == from+1 && strings.ContainsFunc(sentence[from], func(r rune) bool { return unicode.Is(unicode.Han, r) })
		if apart && isHan {
			from -= len(parts[len(parts)-1].phrase)
			parts = parts[:len(parts)-1]
		}
		text := strings.Join(sentence[from:to], "")
		light := asks >= 0 || isHiragana(text) || to == from+1 && !isHan
		parts = append(parts, &unit{text: text, phrase: sentence[from:to], written: sentence[from:to], light: light})
		from, apart = to, isHan
	}
	return parts
}

func isHiragana(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.Is(unicode.Hiragana, r) })
}

// isSpaced reports whether a term is of a script with spaces between words.
func isSpaced(term string) bool {
	r, _ := utf8.DecodeRuneInString(term)
	return !isUnspaced(r) && !unicode.IsMark(r)
}
