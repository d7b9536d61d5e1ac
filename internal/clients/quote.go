package clients

import "strings"

// quoter quotes a word for the shell that people have on an operating system.
func quoter(operatingSystem string) func(string) string {
	if operatingSystem == "windows" {
		return quoteWindows
	}
	return quotePOSIX
}

// CommandLine spells a command for the shell that people have on an operating system.
func CommandLine(operatingSystem string, words []string) string {
	return joinQuoted(quoter(operatingSystem), words)
}

const plainLetters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_./:=@%+,"

func isPlain(word, alsoPlain string) bool {
	return word != "" && strings.Trim(word, plainLetters+alsoPlain) == ""
}

func quotePOSIX(word string) string {
	if isPlain(word, "") {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// quoteWindows quotes for cmd.exe and for how programs there split their command line.
func quoteWindows(word string) string {
	if isPlain(word, `\`) {
		return word
	}
	return `"` + strings.ReplaceAll(word, `"`, `\"`) + `"`
}

func joinQuoted(quote func(string) string, words []string) string {
	quoted := make([]string, len(words))
	for i, word := range words {
		quoted[i] = quote(word)
	}
	return strings.Join(quoted, " ")
}

// quoteAll is the command of a local server.
func quoteAll(quote func(string) string, s Server) string {
	return joinQuoted(quote, append([]string{s.Command}, s.Arguments...))
}
