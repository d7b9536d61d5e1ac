package clients

import (
	"regexp"
	"slices"
	"strings"
)

const plainLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=@%+,"

// beforeQuote matches what Windows needs escaped within quotes: a quote with the backslashes before it, and those at the end.
var beforeQuote = regexp.MustCompile(`(\\*)("|$)`)

// CommandLine quotes a command for the usual shell of an operating system: on Windows cmd.exe, and the way programs split their command
// line there.
func CommandLine(operatingSystem string, words []string) string {
	plain, quoted := plainLetters, func(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
	if operatingSystem == "windows" {
		plain, quoted = plainLetters+`\`, func(word string) string {
			return `"` + strings.ReplaceAll(beforeQuote.ReplaceAllString(word, `$1$1$2`), `"`, `\"`) + `"`
		}
	}
	words = slices.Clone(words)
	for i, word := range words {
		if word == "" || strings.Trim(word, plain) != "" {
			words[i] = quoted(word)
		}
	}
	return strings.Join(words, " ")
}

// Flags returns the words of a command line for flags with a value. pairs are names and values in turn; an empty value drops its flag.
func Flags(pairs ...string) (words []string) {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			words = append(words, pair...)
		}
	}
	return words
}
