package relax

import (
	"strings"
	"unicode/utf8"
)

// OtherForm returns another form of a word, such as the singular of a plural, for a resource server that knows only the form that
// is written; "" if no rule gives one. Phrases, numbers and short words have none.
func OtherForm(word string) string {
	if utf8.RuneCountInString(word) < 4 || strings.ContainsAny(word, "\"0123456789") || !latin(word) {
		return ""
	}
	lower := strings.ToLower(word)
	for _, rule := range []struct {
		ending, instead string
		stem            int // characters that are left at least
	}{
		{"ies", "y", 3}, {"sses", "ss", 2}, {"ches", "ch", 2}, {"shes", "sh", 2}, {"xes", "x", 2}, {"ungen", "ung", 3}, {"ss", "sses", 2},
		{"us", "", 99}, {"is", "", 99}, {"s", "", 3}, {"ying", "y", 3}, {"ing", "", 4}, {"ied", "y", 3}, {"ed", "", 4}, {"ung", "ungen", 3}, {"y", "ies", 3},
	} {
		stem, ok := strings.CutSuffix(lower, rule.ending)
		switch {
		case !ok:
		case utf8.RuneCountInString(stem) < rule.stem:
			return ""
		default:
			return undouble(stem, rule.ending) + rule.instead
		}
	}
	return lower + "s"
}

// undouble makes plan of plann, for endings that double the consonant before them.
func undouble(stem, ending string) string {
	if n := len(stem); (ending == "ing" || ending == "ed") && n > 3 && stem[n-1] == stem[n-2] && !strings.ContainsRune("lsz", rune(stem[n-1])) {
		return stem[:n-1]
	}
	return stem
}

// latin reports whether a word is written in Latin letters, which the rules are about.
func latin(word string) bool {
	return !strings.ContainsFunc(word, func(r rune) bool { return r > 0x24f })
}
