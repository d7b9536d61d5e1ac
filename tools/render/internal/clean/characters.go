package clean

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsOrdinary reports, without a look into the tables of Unicode, most letters, digits, punctuation and emoji beyond ASCII: what is in a
// block, or a part of one, in which no character is white space or has to go, and each is a grapheme cluster beside others of them. Of the
// others some are ordinary too.
func IsOrdinary(c rune) bool {
	switch {
	case c < 0x0370: // Latin
		return c > 0xA0 && c < 0x0300 && c != 0xAD
	case c < 0x2000: // Greek, Cyrillic, Armenian; Hebrew; Arabic
		return c < 0x0483 || c > 0x0489 && c < 0x0591 || c > 0x05CF && c < 0x0600 || c > 0x061F && c < 0x064B
	case c < 0x3000: // dashes, quotes and bullets; symbols
		return c > 0x200F && c < 0x2028 || c > 0x202F && c < 0x205F || c > 0x20FF && c < 0x2CEF
	case c < 0xFB00: // Chinese, Japanese and Korean
		return c > 0x3000 && c < 0x302A || c > 0x302F && c < 0x3099 || c > 0x309A && c < 0x3164 || c > 0x3164 && c < 0xA66F || c > 0xABFF && c < 0xD7A4
	}
	return c > 0x1F1FF && c < 0x1F3FB || c > 0x1F3FF && c < 0x1FFFE || c > 0x1FFFF && c < 0x2FFFE // emoji; rare Chinese characters
}

// RuneCountIndex is where the first most runes of a text end, or its length, and how many runes stand before.
func RuneCountIndex(text string, most int) (index, runes int) {
	for index < len(text) && runes < most {
		_, size := utf8.DecodeRuneInString(text[index:])
		index += size
		runes++
	}
	return index, runes
}

func isMark(c rune) bool { return unicode.In(c, unicode.Mn, unicode.Me) }

// Shows reports whether a character of a record may reach a host.
func Shows(c rune) bool {
	return !unicode.IsControl(c) && !isBidiControl(c) && !isEmpty(c) && !isTag(c) && c != '\u2028' && c != '\u2029' && c != '\uFEFF' &&
		(c < 0xFDD0 || c > 0xFDEF) && c&0xFFFE != 0xFFFE // noncharacters
}

// isEmpty reports the characters that show nothing and change nothing that shows, and so only hide a word or a message from who reads:
// those that say where a line may or may not end (soft hyphen, zero width space, word joiner), the operators that formulas leave out, the
// fillers of old Korean encodings, and those that are reserved for more of the kind.
func isEmpty(c rune) bool {
	return c == '\u00AD' || c == '\u200B' || c >= 0x2060 && c <= 0x2065 || c == '\u3164' || c == '\uFFA0' || c >= 0xFFF0 && c <= 0xFFF8
}

// maxUnseen is how many characters that [isUnseen] reports may follow one another. Persian and old Korean have two, no script has more.
const maxUnseen = 2

// isUnseen reports the characters that show nothing and change what is beside them: joiners, directional marks, Mongolian selectors. A few
// are needed; in a row, or between two letters of ASCII, they change nothing and can spell a hidden message.
func isUnseen(c rune) bool {
	switch {
	case c < 0x180B:
		return c == 0x034F || c == 0x061C || c == 0x115F || c == 0x1160 || c == 0x17B4 || c == 0x17B5
	case c < 0x10000:
		return c <= 0x180F || c >= 0x200C && c <= 0x200F || c >= 0xFFF9 && c <= 0xFFFB
	}
	return c >= 0x1BCA0 && c <= 0x1BCA3 || c >= 0x1D173 && c <= 0x1D17A
}

func isASCIILetter(c rune) bool { return c|0x20 >= 'a' && c|0x20 <= 'z' }

// takesSelector reports whether a variation selector can change how a character looks: symbols, the digits and signs on keys, and letters
// beyond those of Europe and the Near East; for the selectors of the supplement, Chinese characters.
func takesSelector(c, selector rune) bool {
	switch {
	case selector > 0xFFFF:
		return unicode.Is(unicode.Han, c)
	case c < utf8.RuneSelf:
		return c >= '0' && c <= '9' || c == '#' || c == '*'
	case c < 0x1000:
		return unicode.IsSymbol(c)
	}
	return !isMark(c) && !isUnseen(c) && !unicode.IsSpace(c)
}

// isLineBreak reports the line breaks beside "\n"; of "\r\n" the second character is enough.
func isLineBreak(c rune) bool {
	return c == '\n' || c == '\v' || c == '\f' || c == '\u0085' || c == '\u2028' || c == '\u2029'
}

func isBidiControl(c rune) bool {
	return c >= 0x202A && c <= 0x202E || c >= 0x2066 && c <= 0x206F // with the deprecated format characters behind them
}

// isTag reports the tags, and what is reserved beside them for more that shows nothing.
func isTag(c rune) bool { return c >= 0xE0000 && c <= 0xE0FFF && !isVariationSelector(c) }

func isVariationSelector(c rune) bool {
	return c >= 0xFE00 && c <= 0xFE0F || c >= 0xE0100 && c <= 0xE01EF
}

const (
	escapeCharacter = '\x1b'
	bell            = '\a'
	stringEnd       = '\u009c'
	maxSequence     = 64   // bytes of a control sequence
	maxString       = 4096 // bytes of a control string, such as a hyperlink's address
)

// escapeBytes is the length of the terminal sequence that s starts with, or 0. A sequence that does not end is none:
// its first character is removed as any control, and no text is lost.
func escapeBytes(s string) int {
	c, at := utf8.DecodeRuneInString(s)
	sevenBit := c == escapeCharacter && len(s) > 1 && s[1] >= 0x40 && s[1] <= 0x5F
	switch {
	case sevenBit: // stands for a C1 control
		c, at = rune(s[1])+0x40, 2
	case c == escapeCharacter && len(s) > 1:
		return finalByte(s, 1, 0x20, 0x2F, 0x30)
	}
	switch c {
	case 0x9B: // control sequence introducer
		return finalByte(s, at, 0x20, 0x3F, 0x40)
	case 0x90, 0x98, 0x9D, 0x9E, 0x9F: // device control, start of string, operating system command, privacy message, program command
		return controlString(s, at)
	}
	if sevenBit {
		return at
	}
	return 0
}

// finalByte returns where a sequence ends that goes on with bytes from low to high and ends with one from final to '~'.
func finalByte(s string, at int, low, high, final byte) int {
	for at < len(s) && at < maxSequence && s[at] >= low && s[at] <= high {
		at++
	}
	if at < len(s) && s[at] >= final && s[at] <= '~' {
		return at + 1
	}
	return 0
}

// controlString returns where a control string ends.
func controlString(s string, at int) int {
	for i, c := range s[at:min(len(s), at+maxString)] {
		switch {
		case c == bell:
			return at + i + 1
		case c == stringEnd:
			return at + i + len(string(stringEnd))
		case c == escapeCharacter && strings.HasPrefix(s[at+i+1:], `\`):
			return at + i + 2
		case unicode.IsControl(c):
			return 0
		}
	}
	return 0
}

// The parts of an emoji flag of a region, such as Scotland: a black flag, tag letters and digits, a cancel tag
// (Unicode Technical Standard 51, ED-14a). Tag characters anywhere else are invisible text and are not shown (D19).
const (
	blackFlag = '\U0001F3F4'
	cancelTag = '\U000E007F'
)

// flagBytes returns the length in bytes of the emoji flag that s starts with, or 0.
func flagBytes(s string) int {
	length, whole := flagStart(s)
	if !whole {
		return 0
	}
	return length
}

// flagStart returns how many bytes at the start of s belong to an emoji flag, and whether the flag ends there.
func flagStart(s string) (length int, whole bool) {
	const most = 8 // a region's code has at most six characters
	for i, c := range s {
		switch {
		case i == 0 && c != blackFlag, length > most*4:
			return 0, false
		case i == 0 || c >= 0xE0030 && c <= 0xE0039 || c >= 0xE0061 && c <= 0xE007A:
			length = i + utf8.RuneLen(c)
		case c == cancelTag && length > 4:
			return i + utf8.RuneLen(c), true
		default:
			return 0, false
		}
	}
	return length, false
}

// OpenFlag returns the byte index at which s ends in the beginning of an emoji flag, or its length.
func OpenFlag(s string) int {
	if i := strings.LastIndex(s, string(blackFlag)); i >= 0 {
		if length, whole := flagStart(s[i:]); !whole && length > 0 && i+length == len(s) {
			return i
		}
	}
	return len(s)
}
