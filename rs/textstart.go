package rs

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"
)

// TextStart returns the first max characters of a JSON string's text, which [AsText] returns whole. What follows them, maybe
// megabytes, is not looked at.
func TextStart(raw string, max int) string {
	if len(raw) <= max+len(`""`) {
		text, _ := unquote(raw)
		return text
	}
	at := len(`"`)
	for chars := 0; chars < max && at < len(raw); chars++ {
		at += characterSize(raw[at:])
	}
	start := raw[len(`"`):min(at, len(raw)-1)]
	if strings.IndexByte(start, '\\') < 0 && utf8.ValidString(start) {
		return start
	}
	return unescape(start)
}

// characterSize is how many bytes the character takes that stands first inside a JSON string.
func characterSize(raw string) int {
	if raw[0] != '\\' {
		_, size := utf8.DecodeRuneInString(raw)
		return size
	}
	unit, size := escape(raw)
	if low, more := escape(raw[size:]); utf16.DecodeRune(unit, low) != utf8.RuneError {
		size += more
	}
	return max(size, 1)
}
