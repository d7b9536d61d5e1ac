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
		"Quand est mon rendez-vous chez le dentiste ?":     "rendez|dentiste",
		"Où est l'école de Ida":                            "école|Ida",
		"the firmware 4.3, v2.10.1 (3.4)?":                 `firmware|"4.3"|"v2.10.1"|"3.4"`,
		"invoice 06.05.2026":                               "invoice|06|05|2026",
		"invoice -draft 2026-03":                           "invoice|2026|03",
		"last time I went to the dentist":                  "dentist",
		"when did I last see Dr Anand":                     "Dr|Anand",
		"how many times did we swim":                       "swim",
		"time flies":                                       "time|flies",
		"quand facture":                                    "facture",
		"cuándo factura":                                   "factura",
		"letzte Rechnung":                                  "Rechnung",
		"when is my next One-to-one with Marcus?":          "next|One-to-one|Marcus",
		"suis-je chez Anna":                                "Anna",
		"Combien de messages Ines a-t-elle lus en mai ?":   "messages|Ines|lus|mai",
		"das letzte Mal beim Zahnarzt":                     "Zahnarzt",
		"facture de Paul":                                  "facture|Paul",
		"tulips of De Boer":                                "tulips|De|Boer",
		"la dernière fois chez Anna":                       "Anna",
		"letzte Bestellung bei Thread and Needle":          "Bestellung|Thread|and|Needle",
		"ultimo ordine da Towpath":                         "ordine|Towpath",
		"laatste bestelling bij Towpath":                   "bestelling|Towpath",
		"último pedido na Towpath":                         "pedido|Towpath",
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

func TestWhichQuestionsAskWhetherSomebodyIsFree(t *testing.T) {
	for query, want := range map[string]bool{
		"am I free at lunch": true, "when is Ida free": true, "do I have any time": true, "how busy was I": true, "bin ich frei": true, "habe ich Zeit": true,
		"suis-je libre": true, "ai-je le temps": true, "¿tengo tiempo?": true, "sono libero": true, "heb ik tijd": true, "estou livre": true, "tenho tempo": true,
		"free tickets": false, "what time do I have the dentist": false, "time sheets": false, "entrée libre": false, "lunch": false,
	} {
		if got := AsksFree(query); got != want {
			t.Errorf("%q: %t", query, got)
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
