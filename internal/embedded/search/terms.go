package search

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// The index, queries and highlighting fold text with the same function: what is found is what is marked. Scripts that are written without
// spaces are split into characters, so that a word inside a sentence is found as a phrase of its characters.

// A Term is one searchable word or character, and where it is in the text, in bytes.
type Term struct {
	Text       string
	pairs      string // with two letters for each of äöüåø, as in Moeller for Möller; "" if it has none of these
	start, end int
}

// is reports whether a term is a word of a query.
func (t Term) is(word string) bool { return t.Text == word || t.pairs == word && word != "" }

// Terms splits a text into terms. If the text is only a number in groups, such as a phone number, its joined digits are an additional last
// term; if it is words without spaces, such as StepCount, each of these is.
func Terms(text string) []Term {
	terms := words(text)
	if len(terms) == 1 && len(text) <= longestCapitals && areCapitalized.MatchString(text) {
		for spaces, word := range words(wordStart.ReplaceAllString(text, "$1 $2")) {
			terms = append(terms, Term{word.Text, word.pairs, word.start - spaces, word.end - spaces})
		}
		return terms
	}
	if together := digitsTogether(text); together != "" {
		terms = append(terms, Term{Text: together, start: terms[0].start, end: terms[len(terms)-1].end})
	}
	return terms
}

// areCapitalized matches words without spaces, each of at least three letters: shorter ones make a code. longestCapitals is in bytes.
var (
	areCapitalized = regexp.MustCompile(`^(?:\p{Ll}{3,}|\p{Lu}+\p{Ll}{2,})(?:\p{Lu}\p{Ll}{2,})+$`)
	wordStart      = regexp.MustCompile(`(\p{Ll})(\p{Lu})`)
)

const longestCapitals = 64

// Digits of a phone number, with or without country code, and its greatest length with separators, in bytes.
const fewestDigits, mostDigits, longestNumber = 9, 15, 24

// groupsOfDigits matches digits with separators, at least one of them behind a digit.
var groupsOfDigits = regexp.MustCompile(`^\+?[ ./()-]*\d+[ ./()-][ ./()\d-]*$`)

// digitsTogether returns the joined digits of a number that is written in groups, such as a phone number; "" for any other text.
func digitsTogether(text string) string {
	if len(text) > longestNumber || !groupsOfDigits.MatchString(text) {
		return ""
	}
	digits := strings.Map(func(r rune) rune {
		if unicode.IsDigit(r) {
			return r
		}
		return -1
	}, text)
	if len(digits) < fewestDigits || len(digits) > mostDigits {
		return ""
	}
	return digits
}

func words(text string) []Term {
	terms := make([]Term, 0, len(text)/6+1)
	var word strings.Builder
	start, end, paired := 0, 0, false
	flush := func() {
		if word.Len() > 0 {
			t := Term{Text: word.String(), start: start, end: end}
			if paired {
				t.pairs = inPairs(text[start:end], t.Text)
			}
			terms = append(terms, t)
			word.Reset()
			paired = false
		}
	}
	for at := 0; at < len(text); {
		if word.Len() == 0 {
			if next := asciiWord(text, at); next > at { // fast path for most words: no runes are decoded
				terms = append(terms, Term{Text: strings.ToLower(text[at:next]), start: at, end: next})
				at = next
				continue
			}
		}
		r, size := utf8.DecodeRuneInString(text[at:])
		next := at + size
		switch {
		case r < utf8.RuneSelf && !isASCIIWord(text[at]):
			flush()
		case isDropped(r):
			if word.Len() > 0 {
				end, paired = next, paired || r == 0x308 || r == 0x30A
			} else if len(terms) > 0 && terms[len(terms)-1].end == at {
				terms[len(terms)-1].end = next // a mark on a term of one character
			}
		case isUnspaced(r) || unicode.Is(unicode.So, r): // a symbol, such as an emoji, is a separate word
			flush()
			terms = append(terms, Term{Text: foldRune(r), start: at, end: next})
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			if word.Len() == 0 {
				start = at
			}
			word.WriteString(foldRune(r))
			end, paired = next, paired || strings.ContainsRune("äöüåøÄÖÜÅØ", r)
		default:
			flush()
		}
		at = next
	}
	flush()
	return terms
}

// asciiWord returns the end of the word that begins at index at, if it has only ASCII letters and digits; else at.
func asciiWord(text string, at int) int {
	end := at
	for end < len(text) && isASCIIWord(text[end]) {
		end++
	}
	if end < len(text) && text[end] >= utf8.RuneSelf {
		return at // the next character may belong to it
	}
	return end
}

func isASCIIWord(b byte) bool {
	return b >= 'a' && b <= 'z' || b >= 'A' && b <= 'Z' || b >= '0' && b <= '9'
}

func textsOf(terms []Term) []string {
	texts := make([]string, len(terms))
	for i, t := range terms {
		texts[i] = t.Text
	}
	return texts
}

// isUnspaced reports whether r is of a script without spaces between words or, for Hangul, with particles attached to words.
func isUnspaced(r rune) bool {
	if r < 0x0E00 {
		return false
	}
	if r >= 0x3040 && r <= 0x30FF { // Hiragana and Katakana with their signs
		return unicode.IsLetter(r)
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul,
		unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && unicode.IsLetter(r)
}

// isDropped reports whether r does not distinguish words: combining Latin accents, Arabic vowel signs and tatweel.
func isDropped(r rune) bool {
	return r >= 0x0300 && r <= 0x036F || r >= 0x064B && r <= 0x065F || r == 0x0640 || r == 0x0670
}

// folds are letters that Unicode does not decompose into a base letter and an accent.
var folds = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ħ': "h", 'ł': "l", 'ŧ': "t", 'ı': "i", 'ŀ': "l", 'ŉ': "n", 'ς': "σ", 'ٱ': "ا",
}

// inPairs returns a word, which folds to a term, folded with two letters for each that some keyboards lack; "" if it has none.
func inPairs(word, term string) string {
	var folded strings.Builder
	for _, r := range pairs.Replace(strings.ToLower(norm.NFC.String(word))) {
		if !isDropped(r) {
			folded.WriteString(foldRune(r))
		}
	}
	if folded.String() == term {
		return ""
	}
	return folded.String()
}

var pairs = strings.NewReplacer("ä", "ae", "ö", "oe", "ü", "ue", "å", "aa", "ø", "oe")

// foldRune lowercases a letter, and removes its accent if it is Latin or an Arabic alef.
func foldRune(r rune) string {
	r = unicode.ToLower(r)
	if r < utf8.RuneSelf {
		return string(r)
	}
	if fold, ok := folds[r]; ok {
		return fold
	}
	switch {
	case r >= 0xFF01 && r <= 0xFF5E: // full-width forms
		r -= 0xFEE0
	case r >= 0x00C0 && r <= 0x024F, r >= 0x1E00 && r <= 0x1EFF, r >= 0x0622 && r <= 0x0625:
		r, _ = utf8.DecodeRuneInString(norm.NFD.String(string(r)))
	}
	return string(unicode.ToLower(r))
}
