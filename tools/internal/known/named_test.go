package known

import (
	"slices"
	"testing"
)

// Streams whose names have most of the words are returned. A suffix after the complete name of another stream, such as _around, is not a
// word.
func TestNamedStreamsHaveMostOfTheWords(t *testing.T) {
	all := []string{"trip", "trip_rest", "bank_2025", "bank_2025_around", "Night_rest", "Night_bank"}
	for _, row := range []struct{ words, had, of []string }{
		{[]string{"rest"}, []string{"rest"}, []string{"Night_rest"}},
		{[]string{"around"}, nil, nil},
		{[]string{"trip", "rest"}, []string{"trip", "rest"}, []string{"trip", "trip_rest", "Night_rest"}},
		{[]string{"bank", "night", "papa"}, []string{"bank", "night"}, []string{"Night_bank"}},
		{[]string{"banks"}, []string{"banks"}, []string{"bank_2025", "bank_2025_around", "Night_bank"}},
		{nil, nil, nil},
	} {
		had, at := Named(all, row.words)
		var names []string
		for _, i := range at {
			names = append(names, all[i])
		}
		if !slices.Equal(had, row.had) || !slices.Equal(names, row.of) {
			t.Errorf("%q: %q in %q", row.words, had, names)
		}
	}
}
