package written

import (
	"slices"
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
	if at := slices.IndexFunc(texts, func(text string) bool { return text != "" && Folded(text) == Folded(value) }); at >= 0 {
		near = texts[at]
	}
	switch {
	case len(stands) == 1:
		return stands[0]
	case near != "" && Folded(near) == Folded(value):
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

// domain is the address of a provider in the name of a file, such as that of a calendar.
var domain = Expression(`[\pL\pN-]+\.(?:com|org|net|edu|gov|[a-z]{2})(?:[^\pL\pN]|$)`)

// wordParts are the words of a name in small letters, without accents and in the singular, between whose signs no other stands in one
// list: WhatsApp_chats is whats and app, and chat.
func wordParts(name string) (all [][]string) {
	for _, chunk := range strings.FieldsFunc(name, func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) }) {
		var parts []string
		runes, from := []rune(chunk), 0
		for i := 1; i <= len(runes); i++ {
			if i < len(runes) && !startsWord(runes, i) {
				continue
			}
			parts = append(parts, tokens(Folded(string(runes[from:i])))[0])
			from = i
		}
		all = append(all, parts)
	}
	return all
}

// startsWord reports whether a word starts within others: at a large letter, or where digits begin or end.
func startsWord(runes []rune, at int) bool {
	before, c := runes[at-1], runes[at]
	switch {
	case unicode.IsDigit(before) != unicode.IsDigit(c):
		return true
	case !unicode.IsUpper(c):
		return false
	}
	return unicode.IsLower(before) || at+1 < len(runes) && unicode.IsLower(runes[at+1])
}

// Runs are the words of a name and what those make together between which no sign stands, each with its place: of LinkedInExport also
// linkedin and linkedinexport. Words of an address are none of them.
func Runs(name string) map[string]int {
	const longest = 6 // that are put together
	const fewest = 3  // letters of the end of a word such as WhatsApp, which is no word of its own
	runs, place := map[string]int{}, 0
	for _, parts := range wordParts(domain().ReplaceAllString(name, "_")) {
		for from := range parts {
			for to := from + 1; to <= min(len(parts), from+longest); to++ {
				word := tokens(strings.Join(parts[from:to], ""))[0]
				if _, known := runs[word]; !known && (from == 0 || len(word) > fewest) {
					runs[word] = place + from
				}
			}
		}
		place += len(parts)
	}
	return runs
}

// LastWord is the last word of a name that is no number, as [Runs] has it; "" for none.
func LastWord(name string) string {
	last := ""
	for _, parts := range wordParts(name) {
		for _, part := range parts {
			if !unicode.IsDigit([]rune(part)[0]) {
				last = part
			}
		}
	}
	return last
}

// WordsIn is how many words a name has that are all among those of a known one, and at which place the first of them is; 0 where one is
// not.
func WordsIn(name, known string) (place, words int) {
	runs, all := Runs(known), wordParts(name)
	if at, ok := runs[tokens(Folded(Letters(name)))[0]]; ok {
		return at, len(slices.Concat(all...))
	}
	for _, parts := range all {
		at, ok := runs[tokens(strings.Join(parts, ""))[0]]
		for i, part := range parts {
			if _, has := runs[part]; !ok && !has {
				return 0, 0
			} else if i == 0 && !ok {
				at = runs[part]
			}
		}
		if words == 0 {
			place = at
		}
		words += len(parts)
	}
	return place, words
}

// Misspells reports whether a name is one word that differs by a letter from one of a known name.
func Misspells(name, known string) bool {
	parts := wordParts(name)
	if len(parts) != 1 {
		return false
	}
	word := strings.Join(parts[0], "")
	for run := range Runs(known) {
		if len(word) > 4 && len(run) > 4 && Distance(word, run) == 1 {
			return true
		}
	}
	return false
}

// Letters are the letters and digits of a name alone, in small letters.
func Letters(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, name)
}
