package render

import "unicode/utf8"

// Answers are mostly ordinary characters: what only passes over text does not look each up in the tables of Unicode.

// plainPrefix is how many bytes at the start of a text are printable ASCII without quotes and backslashes: what stands in a
// JSON string as it is.
func plainPrefix(text string) int {
	i := 0
	for i < len(text) && isPrintable(text[i]) && text[i] != '"' && text[i] != '\\' {
		i++
	}
	return i
}

// ordinaryPrefix is how many bytes at the start of a text are printable ASCII without backslashes, or other ordinary characters.
func ordinaryPrefix[T ~string | ~[]byte](text T) int {
	for i := 0; ; {
		for i < len(text) && isPrintable(text[i]) && text[i] != '\\' {
			i++
		}
		size := ordinaryBytes(text[i:])
		if size == 0 {
			return i
		}
		i += size
	}
}

// linePrefix is how many bytes at the start of a text are printable ASCII or other ordinary characters, up to the first of two
// spaces in a row.
func linePrefix(text string) int {
	for i := 0; ; {
		for i < len(text) && isPrintable(text[i]) && (text[i] != ' ' || i+1 == len(text) || text[i+1] != ' ') {
			i++
		}
		size := ordinaryBytes(text[i:])
		if size == 0 {
			return i
		}
		i += size
	}
}

// ordinaryBytes is how many bytes an ordinary character beyond ASCII has with which a text starts; 0 where it starts with another.
func ordinaryBytes[T ~string | ~[]byte](text T) int {
	if len(text) == 0 || text[0] < utf8.RuneSelf {
		return 0
	}
	c, size := utf8.DecodeRuneInString(string(text[:min(utf8.UTFMax, len(text))]))
	if !isOrdinary(c) {
		return 0
	}
	return size
}

func isPrintable(c byte) bool { return c >= ' ' && c <= '~' }

// isOrdinary reports most letters, digits, punctuation and emoji beyond ASCII: what is in a block, or a part of one, in which no
// character is white space or has to go, and each is a grapheme cluster beside others of them. Of the others some are ordinary too.
func isOrdinary(c rune) bool {
	switch {
	case c < 0x0370: // Latin
		return c > 0xA0 && c < 0x0300 && c != 0xAD
	case c < 0x2000: // Greek, Cyrillic, Armenian; Hebrew; Arabic
		return c < 0x0483 || c > 0x0489 && c < 0x0591 || c > 0x05CF && c < 0x0600 || c > 0x061F && c < 0x064B
	case c < 0x3000: // dashes, quotes and bullets; symbols
		return c > 0x200F && c < 0x2028 || c > 0x202F && c < 0x205F || c > 0x20FF && c < 0x2CEF
	case c < 0xFB00: // Chinese, Japanese and Korean
		return c > 0x3000 && c < 0x302A || c > 0x302F && c < 0x3099 || c > 0x309A && c < 0xA66F || c > 0xABFF && c < 0xD7A4
	}
	return c > 0x1F1FF && c < 0x1F3FB || c > 0x1F3FF && c < 0x1FFFE || c > 0x1FFFF && c < 0x2FFFE // emoji; rare Chinese characters
}

// runeCountIndex is where the first most runes of a text end, or its length, and how many runes stand before.
func runeCountIndex(text string, most int) (index, runes int) {
	for index < len(text) && runes < most {
		_, size := utf8.DecodeRuneInString(text[index:])
		index += size
		runes++
	}
	return index, runes
}
