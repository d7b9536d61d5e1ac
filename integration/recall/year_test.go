package main

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/sample"
)

// Every third question is kept from those who tune the search: it counts, and is never looked at.
func TestTheYearsQuestionsNameRecordsOfTheYear(t *testing.T) {
	questions, err := readQuestions("testdata/year.jsonl", "")
	if err != nil || len(questions) < 120 {
		t.Fatalf("%d questions, %v", len(questions), err)
	}
	year, err := sample.Year(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]bool{}
	for r, err := range year.Records {
		if err != nil {
			t.Fatal(err)
		}
		known[r.ConnectionID+"/"+r.Stream+":"+r.ID] = true
	}
	for i, q := range questions {
		if (i%3 == 2) != (q.Part == "kept") || (len(q.Gold) == 0) != (q.Kind == "negative") {
			t.Errorf("question %d is of part %s and kind %s: %s", i, q.Part, q.Kind, q.Q)
		}
		for _, gold := range q.Gold {
			for one := range strings.SplitSeq(gold, "|") {
				if !known[one] {
					t.Errorf("question %d has evidence that does not exist: %s", i, one)
				}
			}
		}
	}
}
