package question

import "testing"

// A question for the newest or oldest of something is distinguished from one that names a time, in the languages whose common words
// search knows.
func TestWhichQueriesAskForTheNewestOrOldest(t *testing.T) {
	for want, queries := range map[string][]string{
		"newest": {
			"last time I went to the dentist", "wann war das letzte Mal", "la última vez", "la dernière fois",
			"last mail from Tom", "when did Ida last swim", "Latest invoice?", "newest photo", "most recent order", "my last dentist appointment", "the last one",
			"letzte Rechnung", "Wann war ich zuletzt beim Zahnarzt?", "neueste Nachricht von Jörg", "jüngster Eintrag",
			"dernier message de Paul", "ma dernière facture", "le plus récent", "último correo", "la última factura", "más reciente",
		},
		"oldest": {
			"first mail from Tom", "when did I first meet Ida", "earliest invoice", "oldest note", "erste Nachricht", "älteste Rechnung", "wann zuerst",
			"premier message", "la plus ancienne", "primera factura", "el más antiguo",
		},
		"": {
			"dentist", "last week dentist", "events that last longer than an hour", "invoice of last March", "last 3 days", "report last year", "letzte Woche", "letzten Monat", "la semaine dernière", "l'an dernier",
			"le mois dernier", "la última semana", "el año último", "first aid kit", "first name", "a letzterer translatestt", "blast furnace", "",
		},
	} {
		for _, q := range queries {
			got := ""
			if newest, oldest := New(q, nil).AsksByTime(); newest {
				got = "newest"
			} else if oldest {
				got = "oldest"
			}
			if got != want {
				t.Errorf("%q asks for %q, want %q", q, got, want)
			}
		}
	}
}

// A query with the word number may mean the number of something, such as a phone number, and not a count.
func TestWhichQueriesAskForANumber(t *testing.T) {
	for query, want := range map[string]bool{
		"number of orders": true, "what is the number of orders?": true, "how many orders": true, "total number of mails": true,
		"phone number of Jorg Moller": false, "what is the account number of my bank": false, "the house number of Ida": false,
	} {
		if got := New(query, nil).AsksNumber(); got != want {
			t.Errorf("%q: %t; want %v", query, got, want)
		}
	}
}
