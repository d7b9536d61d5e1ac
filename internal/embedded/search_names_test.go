package embedded

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestANameCountsTheSameInAShortRecord(t *testing.T) {
	long := strings.Repeat("an hour at the wheel and the head is empty ", 5)
	r := newNotes(t, []note{
		{ID: "short", Text: "Never.", Author: "Mara", At: "2026-03-01"},
		{ID: "long", Text: long, Author: "Mara", At: "2026-03-02"},
		{ID: "longer", Text: "Mara " + long, Author: "Owen", At: "2026-03-04"},
	})
	got := r.ok("tok-owner", searchFor("Mara")).ids("record_key")
	if want := []string{"long", "short", "longer"}; !slices.Equal(got, want) {
		t.Errorf("hits %v, want %v", got, want)
	}
}

func TestAMatchLendsMoreToWhatFollowsIt(t *testing.T) {
	r := newNotes(t, []note{
		{ID: "before@talk", Text: "The garden is lovely today."},
		{ID: "question@talk", Text: "So where is the lantern?"},
		{ID: "answer@talk", Text: "On the wall at the end of the garden."},
		{ID: "one", Text: "Rain."},
		{ID: "two", Text: "Wind and hail."},
		{ID: "three", Text: "Bread, cheese and wine."},
	})
	got := r.ok("tok-owner", searchFor("garden lantern")).ids("record_key")
	if want := []string{"answer", "before"}; !slices.Equal(slices.DeleteFunc(got, func(id string) bool { return id == "question" }), want) {
		t.Errorf("hits %v, want %v", got, want)
	}
}

func TestACommonNameFindsTheAnswerBesideAQuestion(t *testing.T) {
	talk := []note{
		{ID: "ask@talk", Text: "How do you manage the stress?", Author: "Nils"},
		{ID: "answer@talk", Text: "Pottery.", Author: "Mara"},
		{ID: "reply@talk", Text: "I should try that.", Author: "Nils"},
	}
	for i := range 110 {
		talk = append(talk, note{ID: fmt.Sprintf("m%d@talk", i), Text: "Fair enough.", Author: "Mara"},
			note{ID: fmt.Sprintf("n%d@talk", i), Text: "Let us see.", Author: "Nils"})
	}
	got := newNotes(t, talk).ok("tok-owner", searchFor("how does Mara deal with stress"))
	if keys := got.ids("record_key"); !slices.Contains(keys[:min(len(keys), 2)], "answer") {
		t.Errorf("hits %v", keys)
	}
	if some := got.at("meta", "recall", "partial_count").(float64); some > 4 {
		t.Errorf("%v records with some words: %v", some, got.at("meta"))
	}
}

// Ben is a common word in Dutch, and Will in English. With a capital within a query they are names.
func TestANameIsNoCommonWord(t *testing.T) {
	r := newNotes(t, []note{
		{ID: "notice", Text: "Messages and calls are encrypted."},
		{ID: "ben", Text: "See you at noon.", Author: "Ben Moss"},
		{ID: "will", Text: "The usual place.", Author: "Will Hart"},
		{ID: "sie", Text: "Wann kommen Sie?", Author: "Otto"},
	})
	for query, want := range map[string]string{"messages of Ben": "ben", "messages from Will": "will", "kitchen notes. What of Ben": "ben"} {
		if got := r.ok("tok-owner", searchFor(query)).ids("record_key"); !slices.Contains(got, want) {
			t.Errorf("%q: hits %v, want also %s", query, got, want)
		}
	}
	for _, query := range []string{"Which Messages Are From Will", "wann kommen Sie an den Bahnhof", "the notice. What was it"} {
		left := fmt.Sprint(r.ok("tok-owner", searchFor(query)).at("meta", "recall", "left_out_words"))
		if common := map[string]string{"Which": "Are From Will", "wann": "Sie", "the": "What"}[strings.Fields(query)[0]]; !strings.Contains(left, common) {
			t.Errorf("%q: left out %s", query, left)
		}
	}
}
