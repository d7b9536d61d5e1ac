package written

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// IsNearOne reports whether a value that is none of some texts may be a misspelling of one. It is not if several texts contain it, or if it
// is so short that it resembles any text, unless it differs from one in case or accents alone.
func IsNearOne(value string, texts []string) bool {
	const fewLetters = 4
	having := 0
	for _, text := range texts {
		if Folded(text) == Folded(value) {
			return true
		}
		if strings.Contains(strings.ToLower(text), strings.ToLower(value)) {
			having++
		}
	}
	return having < 2 && utf8.RuneCountInString(value) >= fewLetters
}

// WordOfOne is the one of some texts that means a value without being like it: the code of a currency or a language, or the kind of a
// file, as application/pdf is pdf; "" for none.
func WordOfOne(value string, texts []string) (found string) {
	code := Code(value)
	for _, text := range texts {
		_, kind, _ := strings.Cut(text, "/")
		switch {
		case !strings.EqualFold(text, code) && !strings.EqualFold(kind, value):
		case found != "":
			return ""
		default:
			found = text
		}
	}
	return found
}

// InsideWord reports whether a text has another only behind a letter, as Hannah has Anna.
func InsideWord(text, part string) bool {
	text, part = strings.ToLower(text), strings.ToLower(part)
	before, _, found := strings.Cut(text, part)
	last, _ := utf8.DecodeLastRuneInString(before)
	return found && unicode.IsLetter(last) && !strings.Contains(text, " "+part)
}
