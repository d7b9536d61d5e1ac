package embedded

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
)

// It compares the records found by random phrases with the records whose texts contain them.
func TestAPhraseFindsExactlyTheTextsThatContainIt(t *testing.T) {
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

// A query with a word in most records finds those, although another word of it only has a similar one.
func TestACommonWordIsFoundBesideASimilarOne(t *testing.T) {
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

// Only the first 63 words of a query are looked up individually.
func TestWordsPastThe63rd(t *testing.T) {
	var words []string
	for i := range 63 {
		words = append(words, fmt.Sprintf("word%c%c", 'a'+i/26, 'a'+i%26))
	}
	all := strings.Join(words, " ")
	r := newNotes(t, []note{
		{ID: "march", Text: all + " okapi", At: "2026-03-10"}, {ID: "april", Text: all, At: "2026-04-10"}, {ID: "quote", Text: words[0] + " a red fox"},
		{ID: "half", Text: strings.Join(words[:32], " "), At: "2026-03-11"}, {ID: "more", Text: all + " okapi zebra yesterday", At: "2026-04-11"},
		{ID: "fifty", Text: strings.Join(words[:50], " "), At: "2026-04-12"},
	})
	for _, test := range []struct{ name, q, hits string }{
		{"a time among them is that of the records that come first", strings.Join(words[:50], " ") + " in March 2026",
			"march all, fifty some, april some, more some, half some, quote some"},
		{"so is one past them, instead of the first words", all + " in March 2026",
			"march all, april some, more some, fifty some, half some, quote some"},
		{"a record without the words past them has some of the words", all + " okapi zebra",
			"more all, april some, march some, fifty some, half some, quote some"},
		{"one with the query as it is written, but of another time, comes before those", all + " okapi zebra yesterday",
			"more some, april some, march some, fifty some, half some, quote some"},
		{"a phrase past them must be there", all + ` okapi "red fox"`, "quote some"},
		{"an excluded word must not", all + " okapi zebra -fox", "more all, april some, march some, fifty some, half some"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got, hits := r.ok("tok-owner", searchFor(test.q)), []string{}
			for i := range got.list("data") {
				hits = append(hits, fmt.Sprint(got.at("data", i, "record_key"), " ", got.at("data", i, "match")))
			}
			if one := strings.Join(hits, ", "); one != test.hits || got.at("meta", "count") != float64(strings.Count(one, " all")) {
				t.Errorf("%v with all words; hits\n%s, want\n%s", got.at("meta", "count"), one, test.hits)
			}
		})
	}
}
