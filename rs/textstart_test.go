package rs

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// TextStart returns the text, or the requested number of its first characters.
func TestTextStart(t *testing.T) {
	for name, raw := range map[string]string{
		"an empty text":                    `""`,
		"a plain text":                     `"the start of a text"`,
		"letters of several bytes":         `"é한🚀é한🚀é"`,
		"escapes":                          `"\n\"\\\/\u00e9\n\n\n"`,
		"escapes of one character in two":  `"\ud83d\ude80\ud83d\ude80x\ud83d\ude80"`,
		"halves of characters":             `"\ud83d\ud83d\ude80\ude80x\ud83d"`,
		"half a character before a letter": `"\ud83dé\ud83d\u00e9"`,
		"bytes that are no UTF-8":          "\"a\xff\xffb\xe2\x82\"",
	} {
		t.Run(name, func(t *testing.T) {
			whole, _ := AsText(raw)
			for max := range 12 {
				start := TextStart(raw, max)
				if want := min(max, utf8.RuneCountInString(whole)); !strings.HasPrefix(whole, start) || utf8.RuneCountInString(start) != want {
					t.Errorf("%q is not the first %d characters of %q", start, want, whole)
				}
			}
		})
	}
}
