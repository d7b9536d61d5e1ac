package relax

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
)

// readsOf builds reads from bytes: each byte is a record, or starts the next read.
func readsOf(script []byte) (reads []Read, near []Hit) {
	next := func() { reads = append(reads, Read{Word: fmt.Sprint("w", len(reads)), Count: len(reads) * 7}) }
	for _, b := range script {
		hit := Hit{Key: fmt.Sprint(b % 16), Value: fmt.Sprint(len(reads), "/", b%16)}
		switch {
		case b >= 224 && len(reads) < MaxWords:
			next()
		case b >= 192:
			near = append(near, hit)
		case len(reads) > 0:
			last := &reads[len(reads)-1]
			last.Hits, last.Count = append(last.Hits, hit), last.Count+1
		}
	}
	return reads, near
}

// FuzzMerge checks the properties of a merged list.
func FuzzMerge(f *testing.F) {
	f.Add([]byte{224, 1, 2, 3, 224, 2, 3, 4, 224, 3, 3, 200, 201})
	f.Add([]byte{200, 200, 224, 224, 8})
	f.Add([]byte{})
	f.Fuzz(func(t *testing.T, script []byte) {
		reads, near := readsOf(script)
		found := Merge(reads, near)
		if !reflect.DeepEqual(found, Merge(reads, near)) {
			t.Fatal("the same reads are merged in two ways")
		}
		returned := slices.Clone(near)
		for _, r := range reads {
			returned = append(returned, r.Hits...)
		}
		seen := map[string]bool{}
		fewer := false
		for _, h := range found {
			if seen[h.Key] {
				t.Fatalf("%s occurs twice", h.Key)
			}
			seen[h.Key] = true
			if !slices.Contains(returned, h.Hit) {
				t.Fatalf("no read has returned %v", h.Hit)
			}
			var words []string
			for _, r := range reads {
				if slices.ContainsFunc(r.Hits, func(one Hit) bool { return one.Key == h.Key }) {
					words = append(words, r.Word)
				}
			}
			if !slices.Equal(words, h.Words) {
				t.Fatalf("%s has %v, not %v", h.Key, words, h.Words)
			}
			if len(words) < len(reads) {
				fewer = true
			} else if fewer && len(reads) > 0 {
				t.Fatalf("%s has all words and comes after a hit with fewer", h.Key)
			}
		}
		for _, h := range returned {
			if !seen[h.Key] {
				t.Fatalf("%s is left out", h.Key)
			}
		}
	})
}

// FuzzWords checks the properties of the words of a query.
func FuzzWords(f *testing.F) {
	for _, q := range []string{"when is my dentist appointment", `"a b" -c d`, "’’ '' -", "l'école", "歯医者", "\xff"} {
		f.Add(q)
	}
	f.Fuzz(func(t *testing.T, query string) {
		words := Words(query)
		chosen := Choose(words, MaxWords)
		if len(chosen) > MaxWords || !slices.Equal(words, Words(query)) {
			t.Fatalf("%q: %q, %q", query, words, chosen)
		}
		for i, word := range words {
			if word == "" || slices.Contains(words[:i], word) {
				t.Fatalf("%q has the word %q twice, or an empty one: %q", query, word, words)
			}
			if form := OtherForm(word); form == word {
				t.Fatalf("the other form of %q is the same", word)
			}
		}
		for _, word := range chosen {
			if !slices.Contains(words, word) {
				t.Fatalf("%q is not a word of %q", word, query)
			}
		}
		_, _ = Phrase(query), Excluded(query)
	})
}

func TestRecordsWithMoreAndRarerWordsComeFirst(t *testing.T) {
	found := Merge([]Read{
		{Word: "common", Count: 900, Hits: []Hit{{"a", "a1"}, {"b", "b1"}, {"c", "c1"}}},
		{Word: "rare", Count: 2, Hits: []Hit{{"d", "d2"}, {"c", "c2"}}},
		{Word: "nowhere"},
	}, nil)
	got := ""
	for _, h := range found {
		got += fmt.Sprintf("%s %s %v; ", h.Key, h.Value, h.Words)
	}
	if got != "c c2 [common rare]; d d2 [rare]; a a1 [common]; b b1 [common]; " {
		t.Error(got)
	}
}

func TestWordsThatAreCommonInTheLanguageOfTheQueryAreLeftOut(t *testing.T) {
	for query, want := range map[string]string{
		"son school": "son school", "my car": "car", "wann ist der Termin": "Termin", "when is the meeting": "meeting", "the": "the",
	} {
		if got := strings.Join(Words(query), " "); got != want {
			t.Errorf("%s: %q, not %q", query, got, want)
		}
	}
}

func TestReadsAreBounded(t *testing.T) {
	for cost := range 60 {
		for _, each := range []int{1, cost} {
			left := ReadsLeft(cost, each)
			all := max(1, cost) + max(1, each)*left
			if cost <= 1 && all != MaxReads || cost > 1 && cost <= MaxPackageReads && all > MaxPackageReads || left > MaxReads-1 || left < 0 {
				t.Errorf("a search that costs %d is followed by %d that cost %d, %d reads in all", cost, left, each, all)
			}
		}
	}
}

func TestTheOtherFormOfAWord(t *testing.T) {
	for word, want := range map[string]string{
		"dentists": "dentist", "dentist": "dentists", "planning": "plan", "repaired": "repair", "parties": "party", "party": "parties", "Boxes": "box",
		"Rechnung": "rechnungen", "Rechnungen": "rechnung", "glass": "glasses", "calling": "call", "car": "", "2026": "", `"a phrase"`: "", "歯医者の予約": "", "Wi-Fi": "wi-fis",
	} {
		if got := OtherForm(word); got != want {
			t.Errorf("%s: %q, not %q", word, got, want)
		}
	}
}
