package clients

import (
	"slices"
	"strings"
)

const plainLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=@%+,"

// CommandLine spells a command for the shell that people have on an operating system. On Windows it is quoted for cmd.exe and for how
// programs there split their command line.
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

// Flags are the words of those flags that have a value: names and values in turn.
func Flags(pairs ...string) (words []string) {
	for pair := range slices.Chunk(pairs, 2) {
		if pair[1] != "" {
			words = append(words, pair...)
		}
	}
	return words
}
