package search

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Search folds text in Go, once for the index and once for the query, and highlights with the same function: what
// is found is what is marked. Scripts that are written without spaces are split into characters, so that a word
// inside a sentence is found as a phrase of its characters.

// A Term is one searchable word or character, and where it is in the text, in bytes.
type Term struct {
	Text       string
	start, end int
}

// Terms splits a text into terms. One that is nothing but a number in groups, as that of a phone, has its digits together as a last term.
func Terms(text string) []Term {
	terms := words(text)
	if together := digitsTogether(text); together != "" {
		terms = append(terms, Term{Text: together, start: terms[0].start, end: terms[len(terms)-1].end})
	}
	return terms
}

// How many digits the number of a phone has, with its country or without, and how long it is with what stands between them.
const fewestDigits, mostDigits, longestNumber = 9, 15, 24

// digitsTogether are the digits of a number that is written in groups, as that of a phone: "" for any other text.
func digitsTogether(text string) string {
	if len(text) > longestNumber || len(text) <= fewestDigits || text[0] > '9' {
		return ""
	}
	var together [mostDigits]byte
	digits, apart := 0, false
	for at := range len(text) {
		switch one := text[at]; {
		case one >= '0' && one <= '9':
			if digits == mostDigits {
				return ""
			}
			together[digits] = one
			digits++
		case one == '+' && at == 0:
		case strings.IndexByte(" -./()", one) >= 0:
			apart = apart || digits > 0
		default:
			return ""
		}
	}
	if digits < fewestDigits || !apart {
		return ""
	}
	return string(together[:digits])
}

func words(text string) []Term {
	terms := make([]Term, 0, len(text)/6+1)
	var word strings.Builder
	start, end := 0, 0
	flush := func() {
		if word.Len() > 0 {
			terms = append(terms, Term{Text: word.String(), start: start, end: end})
			word.Reset()
		}
	}
	for at := 0; at < len(text); {
		if word.Len() == 0 {
			if next := asciiWord(text, at); next > at { // most words of most archives: no rune needs a look
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
				end = next
			} else if len(terms) > 0 && terms[len(terms)-1].end == at {
				terms[len(terms)-1].end = next // a mark on a character that stands alone
			}
		case isUnspaced(r) || unicode.Is(unicode.So, r): // a symbol, such as an emoji, is a word of its own
			flush()
			terms = append(terms, Term{Text: foldRune(r), start: at, end: next})
		case unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r):
			if word.Len() == 0 {
				start = at
			}
			word.WriteString(foldRune(r))
			end = next
		default:
			flush()
		}
		at = next
	}
	flush()
	return terms
}

// asciiWord returns where the word that begins at a place ends, if it has only ASCII letters and digits; else the place itself.
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

// isUnspaced reports a character of a script that puts no spaces between words, or, for Hangul, hangs particles on them.
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

// isDropped reports a sign that does not tell words apart: Latin accents written apart, Arabic vowel signs and tatweel.
func isDropped(r rune) bool {
	return r >= 0x0300 && r <= 0x036F || r >= 0x064B && r <= 0x065F || r == 0x0640 || r == 0x0670
}

// folds are letters whose accent or form is a part of them for Unicode.
var folds = map[rune]string{
	'ß': "ss", 'æ': "ae", 'œ': "oe", 'ø': "o", 'đ': "d", 'ħ': "h", 'ł': "l", 'ŧ': "t", 'ı': "i", 'ŀ': "l", 'ŉ': "n", 'ς': "σ", 'ٱ': "ا",
}

// foldRune lowers a letter and takes its accent off, if it is of the Latin script or an Arabic alef.
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
