package sample

import (
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A fact is something in the sample year, with a query that finds it.
type fact struct {
	Question string
	Query    string // a lexical search with it has the answer among its first hits
	Answer   string // the record contains this text
	Stream   string // the stream of the record
}

func readFacts(t *testing.T) (facts []fact) {
	t.Helper()
	text, err := os.ReadFile("testdata/facts.json")
	if err := errors.Join(err, json.Unmarshal(text, &facts)); err != nil {
		t.Fatal(err)
	}
	return facts
}

// searchedText returns the text of a record that lexical search reads.
func searchedText(t *testing.T, stream model.Stream, record model.Record) string {
	t.Helper()
	var data map[string]any
	if err := json.Unmarshal(record.Data, &data); err != nil {
		t.Fatal(err)
	}
	var texts []string
	for _, field := range stream.Fields {
		if text, ok := data[field.Name].(string); ok && field.Lexical {
			texts = append(texts, text)
		}
	}
	return strings.Join(texts, "\n")
}

func lowerWords(text string) []string {
	return strings.FieldsFunc(strings.ToLower(text), func(character rune) bool {
		return !unicode.IsLetter(character) && !unicode.IsNumber(character)
	})
}

// An indexedRecord is a record with the words that find it.
type indexedRecord struct {
	model.Record
	words map[string]bool
}

func indexYear(t *testing.T) []indexedRecord {
	t.Helper()
	corpus := year(t)
	var index []indexedRecord
	for _, record := range collectRecords(t, corpus) {
		stream, _ := streamOf(corpus, record)
		words := map[string]bool{}
		for _, word := range lowerWords(searchedText(t, stream, record)) {
			words[word] = true
		}
		index = append(index, indexedRecord{record, words})
	}
	return index
}

// recordsWith returns the records that have all the words of a query.
func recordsWith(index []indexedRecord, query string) []indexedRecord {
	return slices.DeleteFunc(slices.Clone(index), func(record indexedRecord) bool {
		return slices.ContainsFunc(lowerWords(query), func(word string) bool { return !record.words[word] })
	})
}

// So few records of a stream have all the words of a fact that the answer is among the first hits, however they are ranked.
func TestFactsAreFoundByTheirQueries(t *testing.T) {
	const first = 5
	index := indexYear(t)
	for _, fact := range readFacts(t) {
		t.Run(fact.Question, func(t *testing.T) {
			hits, answers, inAll := 0, 0, 0
			for _, record := range recordsWith(index, fact.Query) {
				inAll++
				if record.Stream != fact.Stream {
					continue
				}
				hits++
				if strings.Contains(string(record.Data), fact.Answer) {
					answers++
				}
			}
			if answers == 0 || hits > first {
				t.Errorf("%q: %d of %d hits in %s have %q", fact.Query, answers, hits, fact.Stream, fact.Answer)
			}
			if inAll > 3*first {
				t.Errorf("%q has %d hits in all streams", fact.Query, inAll)
			}
		})
	}
	if facts := readFacts(t); len(facts) < 12 {
		t.Errorf("%d facts", len(facts))
	}
}

func TestWordsOfTheYearAreFoundInSeveralSources(t *testing.T) {
	index := indexYear(t)
	for _, word := range []string{"invoice", "lisbon", "dentist", "router", "birthday"} {
		t.Run(word, func(t *testing.T) {
			connections := map[string]bool{}
			for _, record := range recordsWith(index, word) {
				connections[record.ConnectionID] = true
			}
			if len(connections) < 3 {
				t.Errorf("found in %v only", connections)
			}
		})
	}
}
