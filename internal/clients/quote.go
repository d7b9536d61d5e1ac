package clients

import (
	"slices"
	"strings"
)

const plainLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=@%+,"

// CommandLine quotes a command for the usual shell of an operating system: on Windows cmd.exe, and the way programs split their command
// line there.
func CommandLine(operatingSystem string, words []string) string {
	plain, quote, escaped := plainLetters, "'", `'\''`
	if operatingSystem == "windows" {
		plain, quote, escaped = plainLetters+`\`, `"`, `\"`
	}
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = word
		if word == "" || strings.Trim(word, plain) != "" {
			quoted[i] = quote + strings.ReplaceAll(word, quote, escaped) + quote
		}
	}
	return strings.Join(quoted, " ")
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
