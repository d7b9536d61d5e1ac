package known

import (
	"slices"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/tools/internal/written"
)

// Named are those of the sources whose streams have most of some words in their names, with the words that they have. An ending that says
// what is beside the records of another stream, as trip_rest does of those of trip, is no word of a name.
func Named(sources []Source, words []string) (had []string, of []Source) {
	most := 1
	for _, source := range sources {
		var own []string
		name := strings.TrimSuffix(strings.TrimSuffix(source.Stream, "_rest"), "_around")
		if name != source.Stream && !slices.ContainsFunc(sources, func(other Source) bool { return other.Stream == name }) {
			name = source.Stream
		}
		for _, word := range words {
			if written.HasWord(name, word) {
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
