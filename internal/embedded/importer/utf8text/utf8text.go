// Package utf8text makes text of bytes that may be anything.
package utf8text

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
)

// Mend mends a text that should be UTF-8 and is not. One with more good characters beyond ASCII than bad bytes is UTF-8 that was cut
// somewhere; any other is of the charset that [Guess] finds, or of Windows-1252, in which western programs wrote.
func Mend(text string) string {
	if utf8.ValidString(text) {
		return text
	}
	good, bad, first := 0, 0, -1
	for at := 0; at < len(text); {
		one, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case one == utf8.RuneError && size == 1:
			bad++
			if first < 0 {
				first = max(at-1, 0)
			}
		case size > 1:
			good++
		}
		at += size
	}
	var charset encoding.Encoding = charmap.Windows1252
	if guessed := Guess([]byte(text[first:min(len(text), first+sampleBytes)])); guessed != nil {
		charset = guessed
	}
	decoded, err := charset.NewDecoder().String(text)
	if good > bad || err != nil {
		return strings.ToValidUTF8(text, "\ufffd")
	}
	return decoded
}

// OneLine makes a text fit for a line of a report.
func OneLine(text string) string { return shorten(strings.ToValidUTF8(text, "\ufffd"), 80) }

// shorten cuts a text to at most limit characters, at a space where there is one.
func shorten(text string, limit int) string {
	text = strings.Join(strings.Fields(text), " ")
	characters := []rune(text)
	if len(characters) <= limit {
		return text
	}
	cut := string(characters[:limit])
	if space := strings.LastIndexByte(cut, ' '); space > 0 {
		cut = cut[:space]
	}
	return cut + "…"
}

// FirstLine is the first line that is not empty.
func FirstLine(start []byte) []byte {
	line, _, _ := bytes.Cut(bytes.TrimLeft(start, "\r\n"), []byte("\n"))
	return bytes.TrimRight(line, "\r")
}
