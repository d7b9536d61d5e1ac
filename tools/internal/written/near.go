package written

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Meant returns the text that a value means which is not among them: one that stands for it, as the code of a currency or application/pdf
// for pdf, or the one that it may be a misspelling of; "" if there is no such text. It is not a misspelling if several texts contain it, if
// it is so short that it resembles any text, unless it differs in case or accents alone, or if it is in the text only behind a letter, as
// Anna is in Hannah.
func Meant(value string, texts []string) string {
	const fewLetters = 4
	lower, code, having := strings.ToLower(value), Code(value), 0
	var stands []string
	for _, text := range texts {
		_, kind, _ := strings.Cut(text, "/")
		if strings.EqualFold(text, code) || strings.EqualFold(kind, value) {
			stands = append(stands, text)
		}
		if strings.Contains(strings.ToLower(text), lower) {
			having++
		}
	}
	near := append(Nearest(value, texts, 1), "")[0]
	switch {
	case len(stands) == 1:
		return stands[0]
	case Folded(near) == Folded(value):
		return near
	case strings.HasPrefix(value, "!"), having > 1, utf8.RuneCountInString(value) < fewLetters: // what is meant is any other
		return ""
	}
	before, _, found := strings.Cut(strings.ToLower(near), lower)
	last, _ := utf8.DecodeLastRuneInString(before)
	if found && unicode.IsLetter(last) && !strings.Contains(strings.ToLower(near), " "+lower) {
		return ""
	}
	return near
}
