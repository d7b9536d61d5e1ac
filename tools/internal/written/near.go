package written

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Meant returns the one of some texts that is meant by a value which equals none of them: one that it stands for, such as the code of a
// currency, or application/pdf for pdf, or one that it misspells; "" if there is no such text. A value that differs in more than case and
// accents is not a misspelling if several texts contain it, if it is so short that it resembles any text, or if it is in the text only
// after a letter, as Anna is in Hannah.
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
	case strings.HasPrefix(value, "!"), having > 1, utf8.RuneCountInString(value) < fewLetters: // "!" means any other
		return ""
	}
	before, _, found := strings.Cut(strings.ToLower(near), lower)
	last, _ := utf8.DecodeLastRuneInString(before)
	if found && unicode.IsLetter(last) && !strings.Contains(strings.ToLower(near), " "+lower) {
		return ""
	}
	return near
}

// domain matches the domain of a provider in the name of a file, such as that of a calendar.
var domain = Expression(`[\pL\pN-]+\.(?:com|org|net|edu|gov|[a-z]{2})(?:[^\pL\pN]|$)`)

// wordParts returns the words of a name in lower case without accents, in one list for each part between signs: WhatsApp_chats gives
// [whats app] and [chats].
func wordParts(name string) (all [][]string) {
	isSign := func(c rune) bool { return !unicode.IsLetter(c) && !unicode.IsDigit(c) && !unicode.IsMark(c) }
	for _, chunk := range strings.FieldsFunc(name, isSign) {
		var parts []string
		runes, from := []rune(chunk), 0
		for i := 1; i <= len(runes); i++ {
			if i < len(runes) && !startsWord(runes, i) {
				continue
			}
			if part := Folded(string(runes[from:i])); part != "" { // it is for a lone accent
				parts = append(parts, part)
			}
			from = i
		}
		if len(parts) > 0 {
			all = append(all, parts)
		}
	}
	return all
}

// startsWord reports whether a word starts within a chunk: at a capital letter, or where digits begin or end.
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

// Words are the words of a name, in lower case, without accents and in the singular.
type Words struct {
	parts   [][]string
	places  map[string]int
	letters string
}

// WordsOf returns the words of a name. Adjacent words without a sign between them are also one word: LinkedInExport is also linkedin and
// linkedinexport. Words of a domain are left out.
func WordsOf(name string) Words {
	const longest = 6 // words that are joined
	const fewest = 3  // letters of the end of a word such as WhatsApp, which alone is not a word
	own := name
	if strings.Contains(name, ".") {
		own = domain().ReplaceAllString(name, "_")
	}
	w, place := Words{wordParts(own), map[string]int{}, singular(Folded(Letters(name)))}, 0
	for _, parts := range w.parts {
		for from := range parts {
			for to := from + 1; to <= min(len(parts), from+longest); to++ {
				word := singular(parts[from:to]...)
				if !w.Has(word) && (from == 0 || len(word) > fewest) {
					w.places[word] = place + from
				}
			}
		}
		place += len(parts)
	}
	return w
}

// Has reports whether a word is one of these.
func (w Words) Has(word string) bool { _, ok := w.places[word]; return ok }

// Last returns the last word that is not a number; "" for none.
func (w Words) Last() string {
	last := ""
	for _, part := range slices.Concat(w.parts...) {
		if !unicode.IsDigit([]rune(part)[0]) {
			last = part
		}
	}
	return singular(last)
}

// Any reports whether is returns true for any of the words.
func (w Words) Any(is func(word string) bool) bool {
	for word := range w.places {
		if is(word) {
			return true
		}
	}
	return false
}

// In returns how many words these are if all are among those of another name, and the place of the first there; 0 if one is not.
func (w Words) In(known Words) (place, words int) {
	if at, ok := known.places[w.letters]; ok {
		return at, len(slices.Concat(w.parts...))
	}
	for _, parts := range w.parts {
		at, ok := known.places[singular(parts...)]
		for i, part := range parts {
			if !ok && !known.Has(singular(part)) {
				return 0, 0
			} else if i == 0 && !ok {
				at = known.places[singular(part)]
			}
		}
		if words == 0 {
			place = at
		}
		words += len(parts)
	}
	return place, words
}

// Name reports whether all of these words are among those of a name.
func (w Words) Name(known Words) bool { _, words := w.In(known); return words > 0 }

// Misspell reports whether these are one word that differs by one letter from a word of a known name.
func (w Words) Misspell(known Words) bool {
	if len(w.parts) != 1 || len(w.letters) < 5 {
		return false
	}
	return known.Any(func(word string) bool {
		return len(word) > 4 && max(len(word)-len(w.letters), len(w.letters)-len(word)) < 2 && Distance(w.letters, word) == 1
	})
}

// Letters returns only the letters and digits of a name, in lower case.
func Letters(name string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsLetter(c) || unicode.IsDigit(c) {
			return unicode.ToLower(c)
		}
		return -1
	}, name)
}

// IsForm reports whether a word is the value of a field, or the value with another ending or spelling, as cancel and canceled are of
// cancelled. stem is the word without its ending.
func IsForm(word, stem, value string) bool {
	const least = 4 // letters that both share at the start
	switch {
	case word == value:
		return true
	case len(word) < least || len(value) < least || strings.ContainsAny(value, " "):
		return false
	}
	return strings.HasPrefix(value, word) || strings.HasPrefix(word, value) || len(stem) >= least && strings.HasPrefix(value, stem) ||
		len(word) > 2*least-2 && Distance(word, value) == 1
}
