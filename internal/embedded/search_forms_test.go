package embedded

import "testing"

func TestIrregularFormsOfAWordAreFound(t *testing.T) {
	r := newNotes(t, []note{
		{ID: "table", Text: "Then we bought an oak table."},
		{ID: "thief", Text: "Somebody stole the camera from the car."},
		{ID: "tooth", Text: "She lost two teeth this summer."},
		{ID: "fahrrad", Text: "Jemand hat das alte Fahrrad in der Nacht aus dem Hof gestohlen."},
		{ID: "brief", Text: "Den Brief schrieb sie mit der Hand, und er war nicht lang."},
		{ID: "buyer", Text: "A table in the hall."},
	})
	for _, test := range []struct{ q, first string }{
		{"what did you buy", "table"},
		{"when are they buying the table", "table"},
		{"which camera was stolen", "thief"},
		{"stealing", "thief"},
		{"losing a tooth", "tooth"},
		{"wer stiehlt ein Fahrrad", "fahrrad"},
		{"wer hat den Brief geschrieben", "brief"},
	} {
		got := r.ok("tok-owner", searchFor(test.q))
		if keys := got.ids("record_key"); len(keys) == 0 || keys[0] != test.first {
			t.Errorf("%s finds %v, and %v", test.q, keys, got.at("meta"))
		}
		for _, none := range []string{"missing_words", "inexact_words"} {
			if words := got.at("meta", "recall", none); words != nil {
				t.Errorf("%s has %s %v", test.q, none, words)
			}
		}
	}
}
