package clean

import (
	"regexp"
	"unicode"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// ordinary has a bit for each character below 0x30000 in ranges beyond ASCII of which every character may stay, is not white space, and is
// a grapheme cluster by itself next to others of these ranges. They cover most letters, digits, punctuation and emoji, but not all. To
// search the ranges for each character of an answer would take longer than everything else.
var ordinary = func() (bits [0x30000 / 64]uint64) {
	for _, r := range []struct{ first, last rune }{
		{0xA1, 0xAC}, {0xAE, 0x2FF}, // Latin
		{0x370, 0x482}, {0x48A, 0x590}, {0x5D0, 0x5FF}, {0x620, 0x64A}, // Greek, Cyrillic, Armenian; Hebrew; Arabic
		{0x2010, 0x2027}, {0x2030, 0x205E}, {0x2100, 0x2CEE}, // dashes, quotes and bullets; symbols
		{0x3001, 0x3029}, {0x3030, 0x3098}, {0x309B, 0x3163}, {0x3165, 0xA66E}, {0xAC00, 0xD7A3}, // Chinese, Japanese and Korean
		{0x1F200, 0x1F3FA}, {0x1F400, 0x1FFFD}, {0x20000, 0x2FFFD}, // emoji; rare Chinese characters
	} {
		for c := r.first; c <= r.last; c++ {
			bits[c/64] |= 1 << (c % 64)
		}
	}
	return bits
}()

// IsOrdinary reports whether a character is in one of the ordinary ranges.
func IsOrdinary(c rune) bool {
	return c >= 0 && c < 0x30000 && ordinary[c/64]>>(c%64)&1 == 1
}

// RuneCountIndex returns the byte index after the first most runes of a text, or its length, and how many runes are before that index.
func RuneCountIndex(text string, most int) (index, runes int) {
	for index = range text {
		if runes >= most {
			return index, runes
		}
		runes++
	}
	return len(text), runes
}

func isMark(c rune) bool { return unicode.In(c, unicode.Mn, unicode.Me) }

// Shows reports whether a character of a record may reach a host.
func Shows(c rune) bool {
	return !unicode.IsControl(c) && !isBidiControl(c) && !rs.IsInvisible(c) && !isTag(c) && c != '\u2028' && c != '\u2029' && c != '\uFEFF' &&
		(c < 0xFDD0 || c > 0xFDEF) && c&0xFFFE != 0xFFFE // noncharacters
}

// maxInvisibleModifiers is how many invisible modifiers ([rs.IsInvisibleModifier]) may be in a row. Persian and old Korean have two; no
// script has more.
const maxInvisibleModifiers = 2

func isASCIILetter(c rune) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// takesSelector reports whether a variation selector can change how a character looks. That holds for symbols, the digits and signs on
// keys, and letters beyond those of Europe and the Near East; with a selector of the supplement, only for Chinese characters.
func takesSelector(c, selector rune) bool {
	switch {
	case selector >= 0xE0100:
		return unicode.Is(unicode.Han, c)
	case c <= '~':
		return c >= '0' && c <= '9' || c == '#' || c == '*'
	case c < 0x1000:
		return unicode.IsSymbol(c)
	}
	return !isMark(c) && !rs.IsInvisibleModifier(c) && !unicode.IsSpace(c)
}

// isLineBreak reports whether c breaks a line. "\r" is not among them: of "\r\n" the second character is enough.
func isLineBreak(c rune) bool {
	return c == '\n' || c == '\v' || c == '\f' || c == '\u0085' || c == '\u2028' || c == '\u2029'
}

func isBidiControl(c rune) bool {
	return c >= 0x202A && c <= 0x202E || c >= 0x2066 && c <= 0x206F // including the deprecated format characters after them
}

// isTag reports whether c is a tag, or a code point that is reserved next to the tags for more invisible characters.
func isTag(c rune) bool { return c >= 0xE0000 && c <= 0xE0FFF && !isVariationSelector(c) }

func isVariationSelector(c rune) bool { return unicode.Is(unicode.Variation_Selector, c) }

// An emoji flag of a region, such as Scotland, is a black flag, tag letters and digits, and a cancel tag (Unicode Technical Standard 51,
// ED-14a). Tag characters anywhere else are invisible text and are removed (D19).
const blackFlag, flagTags, cancelTag = '\U0001F3F4', "\U0001F3F4[\U000E0030-\U000E0039\U000E0061-\U000E007A]", "\U000E007F"

const maxFlag = 9 * utf8.UTFMax // bytes

var (
	flag     = regexp.MustCompile("^" + flagTags + "{1,7}" + cancelTag)
	openFlag = regexp.MustCompile(flagTags + "{0,7}$")
)

func flagBytes(s string) int { return len(flag.FindString(s[:min(len(s), maxFlag)])) }

// OpenFlag returns the byte index at which s ends in the beginning of an emoji flag, or its length.
func OpenFlag(s string) int { return len(s) - len(openFlag.FindString(s[max(0, len(s)-maxFlag):])) }
