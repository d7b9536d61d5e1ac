package relax

import (
	"strings"
	"testing"
)

func TestTheWordsOfAQuestion(t *testing.T) {
	for query, want := range map[string]string{
		"When is my next dentist appointment?":             "next|dentist|appointment",
		"What’s the status of Nora's “green valley” order": `status|Nora|"green valley"|order`,
		"Wann ist mein Zahnarzttermin?":                    "Zahnarzttermin",
		"Quand est mon rendez-vous chez le dentiste ?":     "rendez|chez|dentiste",
		"Où est l'école de Ida":                            "école|Ida",
		"invoice -draft 2026-03":                           "invoice|2026|03",
		"last time I went to the dentist":                  "dentist",
		"when did I last see Dr Anand":                     "Dr|Anand",
		"how many times did we swim":                       "swim",
		"time flies":                                       "time|flies",
		"quand facture":                                    "facture",
		"cuándo factura":                                   "factura",
		"letzte Rechnung":                                  "Rechnung",
		"das letzte Mal beim Zahnarzt":                     "Zahnarzt",
		"facture de Paul":                                  "facture|Paul",
		"tulips of De Boer":                                "tulips|De|Boer",
		"la dernière fois chez Anna":                       "chez|Anna",
		"hat":                                              "hat",
		"to be or not to be":                               "to|be|or|not",
		"Invoice invoice INVOICE":                          "Invoice",
		"歯医者の予約":                                           "歯医者の予約",
		"? ! …":                                            "",
		"":                                                 "",
	} {
		if got := strings.Join(Words(query), "|"); got != want {
			t.Errorf("%q is about %q, not %q", query, got, want)
		}
	}
}

func TestLongWordsAreSearchedFirst(t *testing.T) {
	words := []string{"a", "longest", `"x y"`, "longer", "b", "longish"}
	if got := strings.Join(Choose(words, 4), "|"); got != `"x y"|longest|longish|longer` {
		t.Errorf("searched for %s", got)
	}
	if words[0] != "a" || len(Choose(nil, 4)) != 0 {
		t.Error("the words were modified, or no words gave some")
	}
}
