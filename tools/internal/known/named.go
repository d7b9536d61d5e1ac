package known

import (
	"slices"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Named are those of the sources whose streams have most of some words in their names, with the words that they have.
func Named(sources []Source, words []string) (had []string, of []Source) {
	most := 1
	for _, source := range sources {
		var own []string
		for _, word := range words {
			if written.HasWord(source.Stream, word) {
				own = append(own, word)
			}
		}
		if len(own) > most {
			had, of, most = nil, nil, len(own)
		}
		if len(own) < most {
			continue
		}
		of = append(of, source)
		for _, word := range own {
			if !slices.Contains(had, word) {
				had = append(had, word)
			}
		}
	}
	return had, of
}
