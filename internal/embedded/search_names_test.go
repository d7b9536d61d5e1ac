package embedded

import (
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
