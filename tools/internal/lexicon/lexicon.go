// Package lexicon has the words by which people ask for records, in the languages that they ask in. They are in the text files of this
// package, so that a word or a language is added there alone:
//
//	# a comment
//	bound/since: en since | de seit ab | fr depuis
//	habit:
//		en usual usually
//		de gewöhnlich immer
//
// A line names a role, perhaps with what its words mean, and then has for each language its code and the words, on the same line or on
// further ones that begin with a tab. "other" is for signs, and for languages with few words.
package lexicon

import (
	"embed"
	"slices"
	"strings"
)

//go:embed *.txt
var files embed.FS

// A list has the words of one language for a role and a meaning.
type list struct {
	meaning, language string
	words             []string
}

// roles has the lists of each role, in the order of the files.
var roles = read()

func read() map[string][]list {
	all := map[string][]list{}
	entries, _ := files.ReadDir(".") // it fails only for a folder that does not exist
	for _, entry := range entries {
		text, _ := files.ReadFile(entry.Name())
		role, meaning := "", ""
		for line := range strings.Lines(string(text)) {
			named, rest, _ := strings.Cut(line, ":")
			switch {
			case strings.HasPrefix(line, "#"):
				continue
			case strings.HasPrefix(line, "\t"):
				rest = line
			default:
				role, meaning, _ = strings.Cut(named, "/")
			}
			for part := range strings.SplitSeq(rest, "|") {
				if words := strings.Fields(part); len(words) > 0 {
					all[role] = append(all[role], list{meaning, words[0], words[1:]})
				}
			}
		}
	}
	return all
}

// listsOf returns the lists of a role. It panics for a name that the files do not have, which is a mistake in the program.
func listsOf(role string) []list {
	lists := roles[role]
	if lists == nil {
		panic("no words of the role " + role)
	}
	return lists
}

// Of returns the words of a role in all languages. It is not inlined, which would make the program larger.
//
//go:noinline
func Of(role string) map[string]bool {
	all := map[string]bool{}
	for _, l := range listsOf(role) {
		for _, word := range l.words {
			all[word] = true
		}
	}
	return all
}

// Meanings returns what each word of a role means.
func Meanings(role string) map[string]string {
	all := map[string]string{}
	for _, l := range listsOf(role) {
		for _, word := range l.words {
			all[word] = l.meaning
		}
	}
	return all
}

// Phrases returns the words and phrases of a role in the order of the files.
func Phrases(role string) (phrases []string) {
	for _, l := range listsOf(role) {
		for _, word := range l.words {
			phrases = append(phrases, strings.ReplaceAll(word, "_", " "))
		}
	}
	return phrases
}

// Pattern returns the part of a regular expression that matches any word or phrase of a role.
func Pattern(role string) string { return "(?:" + strings.Join(Phrases(role), "|") + ")" }

// ByLanguage returns the words of a role in each language, in the order of the files, where English is the first.
func ByLanguage(role string) (sets []map[string]bool) {
	var languages []string
	for _, l := range listsOf(role) {
		at := slices.Index(languages, l.language)
		if at < 0 {
			at, languages, sets = len(languages), append(languages, l.language), append(sets, map[string]bool{})
		}
		for _, word := range l.words {
			sets[at][word] = true
		}
	}
	return sets
}
