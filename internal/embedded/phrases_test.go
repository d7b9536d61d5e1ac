package embedded

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// TestPhrases compares the records that phrases find with those in whose texts they are.
func TestPhrases(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2)) // #nosec G404 -- a test
	var notes []note
	for i := range 200 {
		words := make([]string, 12)
		for at := range words {
			words[at] = []string{"as", "ash", "bee", "cat"}[random.IntN(4)]
		}
		notes = append(notes, note{ID: fmt.Sprint("n", i), Text: strings.Join(words, " ")})
	}
	r := newNotes(t, notes)
	for _, phrase := range []string{"as ash", "ash as as", "cat cat cat", "bee as*", "bee cat as*", "as cat ash bee", "cat ash cat ash cat"} {
		want, got := []string{}, []string{}
		for _, one := range notes {
			open, ending := strings.CutSuffix(" "+phrase, "*")
			if !ending {
				open += " "
			}
			if strings.Contains(" "+one.Text+" ", open) {
				want = append(want, one.ID)
			}
		}
		answer := r.ok("tok-owner", searchFor(`"`+phrase+`"`))
		for _, hit := range answer.list("data") {
			got = append(got, hit.(map[string]any)["record_key"].(string))
		}
		slices.Sort(got)
		slices.Sort(want)
		if total := answer.at("meta", "count"); total != float64(len(want)) || len(want) <= 100 && !slices.Equal(got, want) {
			t.Errorf("%s: %v records %v, not %v", phrase, total, got, want)
		}
	}
}

// A word in most records must not give way to a guess at one that is in none.
func TestACommonWordFindsBesideAGuess(t *testing.T) {
	notes := []note{{ID: "guess", Text: "I shall send it."}}
	for i := range 124 {
		notes = append(notes, note{ID: fmt.Sprint("n", i), Text: "groceries and more"})
	}
	r := newNotes(t, notes)
	for _, q := range []string{"spend groceries", "groceries spend"} {
		got := r.ok("tok-owner", searchFor(q))
		if n := got.at("meta", "recall", "partial_count"); n != 124.0 || got.at("data", 0, "match") != "some" || got.at("meta", "recall", "nearest_count") != 1.0 {
			t.Errorf("%s: %v hits with some words, the first %v: %v", q, n, got.at("data", 0, "match"), got.at("meta", "recall"))
		}
	}
}
