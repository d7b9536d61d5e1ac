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
		name := strings.TrimSuffix(strings.TrimSuffix(source.Stream, "_rest"), "_around")
		if !slices.ContainsFunc(sources, func(other Source) bool { return other.Stream == name }) {
			name = source.Stream
		}
		known := written.WordsOf(name)
		own := slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !written.WordsOf(word).Name(known) })
		if len(own) > most {
			had, of, most = nil, nil, len(own)
		}
		if len(own) == most {
			had, of = append(had, own...), append(of, source)
		}
	}
	return slices.DeleteFunc(slices.Clone(words), func(word string) bool { return !slices.Contains(had, word) }), of
}
