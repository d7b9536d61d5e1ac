package search

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Articles, prepositions and conjunctions that are written in one with the word behind them.
var (
	arabicArticles = strings.Fields("ال و ف ب ك ل وال فال بال كال لل ولل وب ول")
	hebrewArticles = strings.Fields("ה ו ב כ ל מ ש וה שה ול וב מה כש")
)

// leastRoot is how many letters a word keeps at least without its article.
const leastRoot = 3

// withArticles lists what a term of such a script may be with and without the articles of it: every form that another may stand for.
func withArticles(term string) []string {
	var articles []string
	switch r, _ := utf8.DecodeRuneInString(term); {
	case unicode.Is(unicode.Arabic, r):
		articles = arabicArticles
	case unicode.Is(unicode.Hebrew, r):
		articles = hebrewArticles
	}
	var forms []string
	add := func(form string) {
		if form != term && utf8.RuneCountInString(form) >= leastRoot && !slices.Contains(forms, form) {
			forms = append(forms, form)
		}
	}
	for _, article := range articles {
		add(article + term)
		if root, ok := strings.CutPrefix(term, article); ok {
			add(root)
			for _, other := range articles {
				if utf8.RuneCountInString(root) >= leastRoot {
					add(other + root)
				}
			}
		}
	}
	return forms
}
