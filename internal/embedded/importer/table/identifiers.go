package table

import (
	_ "embed" // identifierWords
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
)

// identifierWords has paragraphs of regular expressions, in which "_" is a space: words that end the name of an identifier ("ZIP Code"),
// things that have a number ("Kunde"), words for it ("Nr."), and names that may be those of identifiers and of phone numbers.
//
//go:embed identifiers.txt
var identifierWords string

// identifierNames match the names of identifiers in lower case, from the surest to those of which the values decide.
var identifierNames = sync.OnceValue(func() (names []*regexp.Regexp) {
	var put []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(identifierWords), "\n\n") {
		kind, some, _ := strings.Cut(paragraph, ": ")
		put = append(put, "<"+kind+">", "(?:"+strings.ReplaceAll(strings.Join(strings.Fields(some), "|"), "_", " ")+")")
	}
	for _, pattern := range [...]string{
		`(?:^| )<codes>(?: ?\d+)?$`,
		`(?:^| )(?:<things>(?:nummer|n[or]|number| <numbers>)|<numbers> (?:d[aeiou]? |del |della |dell )?<things>)$`,
		`^<alone>$|\pL ?(?:nummer|nr)$|\pL <numbers>$`,
		`^<phones>$`,
	} {
		names = append(names, regexp.MustCompile(strings.NewReplacer(put...).Replace(pattern)))
	}
	return names
})

// IsIdentifierName reports a name that is surely that of an identifier.
func IsIdentifierName(name string) bool {
	rank := identifierRank(name)
	return rank == 1 || rank == 2
}

// identifierRank returns how surely a name is that of an identifier: 1 is surest, and 0 is the rank of any other name.
func identifierRank(name string) int {
	name = strings.TrimSpace(item.Words(name))
	return 1 + slices.IndexFunc(identifierNames(), func(one *regexp.Regexp) bool { return one.MatchString(name) })
}
