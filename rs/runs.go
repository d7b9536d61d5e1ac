package rs

import (
	"math/bits"
	"unicode/utf8"
)

// Answers are mostly text, so what only passes over text looks at eight bytes at a time: in a word, the first one lowest.
// Each test sets the highest bit of the first byte for which it holds, and of none before; behind it the test may err.
const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
	spaces    = everyByte * ' '
)

func word[T ~string | ~[]byte](text T, i int) uint64 {
	return uint64(text[i]) | uint64(text[i+1])<<8 | uint64(text[i+2])<<16 | uint64(text[i+3])<<24 |
		uint64(text[i+4])<<32 | uint64(text[i+5])<<40 | uint64(text[i+6])<<48 | uint64(text[i+7])<<56
}

// isOther is the test for bytes that are no printable ASCII: those that are not ASCII, DEL, and those below the space.
func isOther(word uint64) uint64 { return word | isDelete(word) | (word - spaces) }

// isDelete, isBackslash and isQuote are tests for bytes that are ASCII. Where the quote and the space change places, what is below the
// space and the quote are one range: isQuote finds all of it.
func isDelete(word uint64) uint64    { return word + everyByte }
func isBackslash(word uint64) uint64 { return (word ^ everyByte*'\\') - everyByte }
func isQuote(word uint64) uint64     { return (word ^ everyByte*('"'^' ')) - everyByte*(' '+1) }

// isZero is the test for bytes that are zero.
func isZero(word uint64) uint64 { return (word - everyByte) &^ word }

// PlainRun is how many bytes at the start of a text are letters, see [letter], and printable ASCII without quotes and
// backslashes: what stands in a JSON string as it is.
func PlainRun(text string) int {
	for rest := text; ; {
		n := 0
		for ; n < len(rest)-7; n += 8 {
			w := word(rest, n)
			if found := (w | isDelete(w) | isQuote(w) | isBackslash(w)) & highBits; found != 0 {
				n += bits.TrailingZeros64(found) / 8
				break
			}
		}
		for ; n < len(rest) && isPrintable(rest[n]) && rest[n] != '"' && rest[n] != '\\'; n++ {
		}
		rest = rest[n:]
		size := 0
		if len(rest) > 0 && rest[0] >= utf8.RuneSelf {
			size = letter(rest)
		}
		if size == 0 {
			return len(text) - len(rest)
		}
		rest = rest[size:]
	}
}

// OrdinaryRun is the same with quotes.
func OrdinaryRun[T ~string | ~[]byte](text T) int {
	for rest := text; ; {
		n := 0
		for ; n < len(rest)-7; n += 8 {
			w := word(rest, n)
			if found := (isOther(w) | isBackslash(w)) & highBits; found != 0 {
				n += bits.TrailingZeros64(found) / 8
				break
			}
		}
		for ; n < len(rest) && isPrintable(rest[n]) && rest[n] != '\\'; n++ {
		}
		rest = rest[n:]
		size := 0
		if len(rest) > 0 && rest[0] >= utf8.RuneSelf {
			size = letter(rest)
		}
		if size == 0 {
			return len(text) - len(rest)
		}
		rest = rest[size:]
	}
}

// LineRun is the same with quotes and backslashes, and without two spaces in a row, whose first ends it.
func LineRun(text string) int {
	for rest := text; ; {
		n := 0
		for ; n < len(rest)-8; n += 8 {
			w := word(rest, n)
			next := w>>8 | uint64(rest[n+8])<<56 // the word from the next byte on
			if found := (isOther(w) | isZero((w^spaces)|(next^spaces))) & highBits; found != 0 {
				n += bits.TrailingZeros64(found) / 8
				break
			}
		}
		for ; n < len(rest) && isPrintable(rest[n]) && (rest[n] != ' ' || n+1 == len(rest) || rest[n+1] != ' '); n++ {
		}
		rest = rest[n:]
		size := 0
		if len(rest) > 0 && rest[0] >= utf8.RuneSelf {
			size = letter(rest)
		}
		if size == 0 {
			return len(text) - len(rest)
		}
		rest = rest[size:]
	}
}

func isPrintable(c byte) bool { return c >= ' ' && c <= '~' }

// letter is how many bytes the letter or sign takes that a text starts with, if it is one of the commonest beyond ASCII, told
// by its first bytes (RFC 3629), and 0 if not. Each prints and stands for itself: none is white space, or a part of another.
func letter[T ~string | ~[]byte](text T) int {
	if len(text) < 2 || !continues(text[1]) {
		return 0
	}
	switch first := text[0]; {
	case first >= 0xC3 && first <= 0xCB, first >= 0xCF && first <= 0xD1, first == 0xCE && text[1] >= 0xA3, // Latin, Greek, Cyrillic
		first == 0xC2 && text[1] > 0xA0 && text[1] != 0xAD: // signs of Latin-1
		return 2
	case first == 0xE2: // dashes, quotation marks, the ellipsis
		if len(text) > 2 && text[1] == 0x80 && text[2] >= 0x90 && text[2] <= 0xA7 {
			return 3
		}
	case first >= 0xE4 && first <= 0xE9, first == 0xEB, first == 0xEC, // Han, Hangul
		first == 0xEA && text[1] >= 0xB0, first == 0xED && text[1] < 0x9E:
		if len(text) > 2 && continues(text[2]) {
			return 3
		}
	case first == 0xE3: // kana
		if len(text) > 2 && continues(text[2]) && (text[1] == 0x81 && text[2] > 0x80 || text[1] == 0x82 && (text[2] < 0x97 || text[2] > 0xA0) || text[1] == 0x83 && text[2] < 0xBB) {
			return 3
		}
	case first == 0xF0: // emoji, but not those among the skin tones
		if len(text) > 3 && text[1] == 0x9F && (text[2] >= 0x8C && text[2] <= 0x9A && text[2] != 0x8F || text[2] >= 0xA4 && text[2] <= 0xA7) && continues(text[3]) {
			return 4
		}
	}
	return 0
}

// continues reports what is no first byte of a character.
func continues(c byte) bool { return c >= 0x80 && c <= 0xBF }

// textRun is how many bytes of a JSON string come before a quote, a backslash or a control character, and whether they are
// sure to be ASCII.
func textRun(text string) (run int, ascii bool) {
	i, all := 0, uint64(0)
	for ; i < len(text)-7; i += 8 {
		w := word(text, i)
		all |= w
		if found := (isQuote(w) | isBackslash(w)) &^ w & highBits; found != 0 {
			return i + bits.TrailingZeros64(found)/8, all&highBits == 0
		}
	}
	for ; i < len(text) && text[i] >= ' ' && text[i] != '"' && text[i] != '\\'; i++ {
		all |= uint64(text[i])
	}
	return i, all&highBits == 0
}

// nearQuote is where the next quote stands from a place on if it is near, as most are: so near that [strings.IndexByte] is not
// worth its call. Else it is a place before it, or the length.
func nearQuote(text string, from int) int {
	const near = 128
	for end := from + near; from < len(text)-7 && from < end; from += 8 {
		if found := isZero(word(text, from)^everyByte*'"') & highBits; found != 0 {
			return from + bits.TrailingZeros64(found)/8
		}
	}
	return from
}

// RuneIndex is where the runes at the start of a text end of which there are so many, or fewer, and how many there are.
func RuneIndex(text string, most int) (index, runes int) {
	for ; most-runes >= 8 && index < len(text)-7; index += 8 {
		w := word(text, index)
		continued := w >> 7 &^ (w >> 6) & everyByte // the bytes that start no rune
		runes += 8 - bits.OnesCount64(continued)
	}
	for ; index < len(text); index++ {
		if continues(text[index]) {
			continue
		}
		if runes >= most {
			break
		}
		runes++
	}
	return index, runes
}
