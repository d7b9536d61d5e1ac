package rs

import "math/bits"

// Answers are mostly text, so what only passes over text looks at eight bytes at a time: in a word, the first one lowest. Each test sets the highest bit of the first byte for which it holds, and of
// none before; behind it the test may err.
const (
	everyByte = 0x0101010101010101
	highBits  = 0x8080808080808080
)

func word[T ~string | ~[]byte](text T) uint64 {
	_ = text[7]
	return uint64(text[0]) | uint64(text[1])<<8 | uint64(text[2])<<16 | uint64(text[3])<<24 |
		uint64(text[4])<<32 | uint64(text[5])<<40 | uint64(text[6])<<48 | uint64(text[7])<<56
}

// isZero is the test for bytes that are zero, and isControl for those below the space.
func isZero(word uint64) uint64    { return (word - everyByte) &^ word }
func isControl(word uint64) uint64 { return (word - everyByte*' ') &^ word }

// PlainRun is how many bytes at the start of a text are printable ASCII, and neither this nor that.
func PlainRun[T ~string | ~[]byte](text T, this, that byte) int {
	these, those := everyByte*uint64(this), everyByte*uint64(that)
	i := 0
	for ; i+8 <= len(text); i += 8 {
		w := word(text[i:])
		// Of a byte that is ASCII the sum and each difference has the highest bit only where it is one to stop at.
		if found := (w | (w + everyByte) | (w - everyByte*' ') | ((w ^ these) - everyByte) | ((w ^ those) - everyByte)) & highBits; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(text) && text[i] >= ' ' && text[i] < 0x7F && text[i] != this && text[i] != that; i++ {
	}
	return i
}

// LineRun is how many bytes at the start of a text are printable ASCII without two spaces in a row: it stops at the first of
// these.
func LineRun(text string) int {
	const spaces = everyByte * ' '
	i := 0
	for ; i+9 <= len(text); i += 8 {
		w, next := word(text[i:]), word(text[i+1:])
		if found := (w | (w + everyByte) | (w - spaces) | isZero((w^spaces)|(next^spaces))) & highBits; found != 0 {
			return i + bits.TrailingZeros64(found)/8
		}
	}
	for ; i < len(text) && text[i] >= ' ' && text[i] < 0x7F && (text[i] != ' ' || i+1 == len(text) || text[i+1] != ' '); i++ {
	}
	return i
}

// textRun is how many bytes of a JSON string come before a quote, a backslash or a control character, and whether they are
// sure to be ASCII.
func textRun(text string) (run int, ascii bool) {
	i, all := 0, uint64(0)
	for ; i+8 <= len(text); i += 8 {
		w := word(text[i:])
		all |= w
		if found := (isControl(w) | isZero(w^everyByte*'"') | isZero(w^everyByte*'\\')) & highBits; found != 0 {
			return i + bits.TrailingZeros64(found)/8, all&highBits == 0
		}
	}
	for ; i < len(text) && text[i] >= ' ' && text[i] != '"' && text[i] != '\\'; i++ {
		all |= uint64(text[i])
	}
	return i, all&highBits == 0
}
