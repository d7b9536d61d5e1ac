package embedded

import (
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/sample"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// The suggested words of a search, and their order, depend only on granted records: each suggestion finds a record, and of similar ones
// the more frequent comes first.
func TestSuggestedWordsAreWithinTheGrant(t *testing.T) {
	year, err := sample.Year(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = all.Close() }()
	if err := all.Load(t.Context(), year, "sample", nil); err != nil {
		t.Fatal(err)
	}
	r := newRigOver(t, all, Options{})
	const narrow = "tok-narrow"
	search := func(q string) answer { return r.ok(narrow, "/v1/search?limit=1&q="+url.QueryEscape(q)) }
	counts := map[string]float64{}
	count := func(word string) float64 {
		if _, ok := counts[word]; !ok {
			counts[word], _ = search(`"`+word+`"`).at("meta", "count").(float64)
		}
		return counts[word]
	}
	words := map[string]bool{}
	for cursor := ""; ; {
		page := r.ok(narrow, "/v1/streams/messages/records?limit=100"+cursor)
		records, _ := page.at("data").([]any)
		for _, record := range records {
			subject := strings.ToLower(text(walk(record, "data", "subject")))
			for word := range strings.FieldsFuncSeq(subject, func(c rune) bool { return !unicode.IsLetter(c) }) {
				words[word] = len(word) > 3
			}
		}
		next := text(page.at("next_cursor"))
		if next == "" {
			break
		}
		cursor = "&cursor=" + next
	}
	named := 0
	for word, long := range words {
		if !long {
			continue
		}
		for _, q := range []string{word, word[:len(word)-1], word[:2] + word[3:], word[1:]} {
			for _, kind := range []string{"word_forms", "nearest_words", "containing_words"} {
				groups, _ := search(q).at("meta", "recall", kind).([]any)
				for _, group := range groups {
					as, _ := walk(group, "as").([]any)
					before := as
					for i, other := range as {
						named++
						first, second := text(before[max(i-1, 0)]), text(other)
						begin := strings.HasPrefix(first, q) == strings.HasPrefix(second, q)
						if count(second) == 0 || begin && count(first) < count(second) {
							t.Errorf("%s of %s: %v, of which %s is in %v records and %s in %v", kind, q, as, first, count(first), second, count(second))
						}
					}
				}
			}
		}
	}
	if named < 100 || len(words) < 50 || !slices.ContainsFunc([]string{"meeting", "battery"}, func(w string) bool { return words[w] }) {
		t.Errorf("only %d words were named for %d", named, len(words))
	}
}

// A cursor does not reveal its position in the store, which counts records outside the grant.
func TestACursorDoesNotRevealItsPosition(t *testing.T) {
	store, err := testStore()
	if err != nil {
		t.Fatal(err)
	}
	c := &call{catalog: store.Catalog()}
	few := c.sealCursor(cursor{Kind: cursorBookmark, Bound: "abcdefghijkl", After: 505, Issued: 1780000000})
	many := c.sealCursor(cursor{Kind: cursorBookmark, Bound: "abcdefghijkl", After: 55_969, Issued: 1780000000})
	if len(few) != len(many) {
		t.Errorf("of 505 %d bytes, of 55,969 %d", len(few), len(many))
	}
	same := 0
	for i := range min(len(few), len(many)) {
		if few[i] == many[i] {
			same++
		}
	}
	if raw, err := base64.RawURLEncoding.DecodeString(few); err != nil || strings.Contains(string(raw), "505") || same > len(few)/4 {
		t.Errorf("%q reveals its position, or resembles another cursor: %d characters are the same (%v)", raw, same, err)
	}
}
