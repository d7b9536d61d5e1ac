package table

import (
	_ "embed" // identifierWords
	"regexp"
	"strconv"
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
var identifierNames = sync.OnceValue(func() (names [4]*regexp.Regexp) {
	var put []string
	for paragraph := range strings.SplitSeq(strings.TrimSpace(identifierWords), "\n\n") {
		kind, some, _ := strings.Cut(paragraph, ": ")
		put = append(put, "<"+kind+">", "(?:"+strings.ReplaceAll(strings.Join(strings.Fields(some), "|"), "_", " ")+")")
	}
	for index, pattern := range [...]string{
		`(?:^| )<codes>(?: ?\d+)?$`,
		`(?:^| )(?:<things>(?:nummer|n[or]|number| <numbers>)|<numbers> (?:d[aeiou]? |del |della |dell )?<things>)$`,
		`^<alone>$|\pL ?(?:nummer|nr)$|\pL <numbers>$`,
		`^<phones>$`,
	} {
		names[index] = regexp.MustCompile(strings.NewReplacer(put...).Replace(pattern))
	}
	return names
})

// IsIdentifierName reports a name that is surely that of an identifier.
func IsIdentifierName(name string) bool {
	surely := identifierName(name)
	return surely == 1 || surely == 2
}

// identifierName returns how surely a name is that of an identifier: 1 is surest, and 0 means that it is none.
func identifierName(name string) int {
	name = strings.TrimSpace(item.Words(name))
	for index, names := range identifierNames() {
		if names.MatchString(name) {
			return index + 1
		}
	}
	return 0
}

// IsIdentifier reports whole numbers that identify something, such as postcodes and account numbers, as their name and number of digits
// show. Nobody adds them up.
func (c *Column) IsIdentifier() bool {
	if c.identifier == 0 || c.whole == 0 || c.lowest < 0 && c.highest > 0 {
		return false
	}
	shortest, longest := digitsOf(c.lowest), digitsOf(c.highest)
	switch c.identifier {
	case 1, 2:
		return max(shortest, longest) > 2 // a smaller number rather counts
	case 4:
		return min(shortest, longest) > 7
	}
	return min(shortest, longest) > 4 || shortest == longest && shortest > 3 && c.zeros == 0
}

func digitsOf(number int64) int { return len(strings.TrimPrefix(strconv.FormatInt(number, 10), "-")) }
