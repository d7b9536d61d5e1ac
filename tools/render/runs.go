package render

import "unicode/utf8"

// Answers are mostly printable ASCII: what only passes over text does that without decoding characters.

// plainPrefix is how many bytes at the start of a text are printable ASCII without quotes and backslashes: what stands in a
// JSON string as it is.
func plainPrefix(text string) int {
	i := 0
	for i < len(text) && isPrintable(text[i]) && text[i] != '"' && text[i] != '\\' {
		i++
	}
	return i
}

// ordinaryPrefix is how many bytes at the start of a text are printable ASCII without backslashes.
func ordinaryPrefix[T ~string | ~[]byte](text T) int {
	i := 0
	for i < len(text) && isPrintable(text[i]) && text[i] != '\\' {
		i++
	}
	return i
}

// linePrefix is how many bytes at the start of a text are printable ASCII, up to the first of two spaces in a row.
func linePrefix(text string) int {
	i := 0
	for i < len(text) && isPrintable(text[i]) && (text[i] != ' ' || i+1 == len(text) || text[i+1] != ' ') {
		i++
	}
	return i
}

func isPrintable(c byte) bool { return c >= ' ' && c <= '~' }

// runeCountIndex is where the first most runes of a text end, or its length, and how many runes stand before.
func runeCountIndex(text string, most int) (index, runes int) {
	for index < len(text) && runes < most {
		_, size := utf8.DecodeRuneInString(text[index:])
		index += size
		runes++
	}
	return index, runes
}
