package integration

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
)

// factsOfTheYear returns the facts of the sample year, with the words that find them.
func factsOfTheYear(t *testing.T) (facts []struct{ Question, Query, Answer, Stream string }) {
	t.Helper()
	text, err := os.ReadFile("../internal/embedded/sample/testdata/facts.json")
	if err := errors.Join(err, json.Unmarshal(text, &facts)); err != nil {
		t.Fatal(err)
	}
	return facts
}

// searchedQuestions are those that a search answers: every third of those used to measure recall, unseen by those who tune it, and the
// facts of the sample year.
func searchedQuestions(t *testing.T) []question {
	t.Helper()
	asked, err := os.ReadFile("recall/testdata/year.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	answers, err := os.ReadFile("testdata/questions.txt")
	if err != nil {
		t.Fatal(err)
	}
	var wanted []string
	for line := range strings.Lines(string(answers)) {
		if !strings.HasPrefix(line, "#") {
			wanted = append(wanted, strings.TrimSpace(line))
		}
	}
	var all []question
	for i, line := range bytes.Split(bytes.TrimSpace(asked), []byte("\n")) {
		var q struct{ Q string }
		if err := json.Unmarshal(line, &q); err != nil {
			t.Fatal(err)
		}
		if i%3 == 0 {
			all = append(all, question{asks: q.Q, want: wanted[i/3]})
		}
	}
	if len(all) != len(wanted) {
		t.Fatalf("%d questions, %d answers", len(all), len(wanted))
	}
	for _, fact := range factsOfTheYear(t) {
		all = append(all, question{asks: fact.Question, want: fact.Answer})
	}
	for i := range all {
		all[i].walk = func(c *client) string { return searchFor(c, all[i].asks, all[i].want) }
	}
	return all
}

// searchFor searches for a question unchanged and fetches the best hits until the answer is seen; then the best of the next page.
func searchFor(c *client, asks, want string) string {
	asked := call{"search", map[string]any{"q": asks}}
	seen := ""
	var fetched []string
	for range 3 {
		shown := c.get(asked)
		seen += shown
		found := c.hits(asked, shown)
		best := 0
		for _, id := range found.ids {
			if isAnswered(seen, want) || best == 4 {
				break
			}
			if slices.Contains(fetched, id) {
				continue
			}
			fetched, best = append(fetched, id), best+1
			one, _ := c.ask(call{"fetch", map[string]any{"id": id}})
			seen += one
		}
		if found.next == nil || isAnswered(seen, want) {
			break
		}
		asked = *found.next
	}
	return seen
}

var withoutMarks = strings.NewReplacer("<mark>", "", "</mark>", "", `\"`, `"`)

// isAnswered reports whether every part of an answer was seen in one of its forms.
func isAnswered(seen, want string) bool {
	seen = withoutMarks.Replace(seen)
	for part := range strings.SplitSeq(want, " & ") {
		if !slices.ContainsFunc(strings.Split(part, "|"), func(form string) bool { return strings.Contains(seen, form) }) {
			return false
		}
	}
	return true
}

// S4-R4: a person's question finds its answer on each channel alone.
func TestSearchedQuestions(t *testing.T) {
	for name, row := range map[string]struct {
		channelLimit
		open []string
	}{
		"text":       {channelLimit{contentOnly{}, 5000}, []string{"Wann ist mein Vortrag in Oslo?"}}, // nothing is in German: 83 records have only Oslo
		"structured": {channelLimit{structuredOnly{}, 12_000}, nil},
	} {
		t.Run(name, func(t *testing.T) { askAll(t, searchedQuestions(t), row.channelLimit, row.open) })
	}
}
