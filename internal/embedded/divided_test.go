package embedded

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// A possessive finds its noun, with any apostrophe and in any case.
func TestAPossessiveFindsItsNoun(t *testing.T) {
	r := newNotes(t, []note{
		{ID: "card", Text: "A birthday card for Leila"}, {ID: "party", Text: "Leila's birthday"}, {ID: "mine", Text: "My birthday"},
	})
	for _, q := range []string{"Leila's birthday", "Leila’s birthday", "leila'S, birthday", "LEILA´S BIRTHDAY"} {
		got := r.ok("tok-owner", searchFor(q))
		if got.at("meta", "count") != 2.0 || got.at("meta", "recall", "missing_words") != nil {
			t.Errorf("%s: %s", q, got.text)
		}
	}
	if got := r.ok("tok-owner", searchFor("Leil's")); got.at("meta", "recall", "containing_words") != nil { // Leila contains Leil, but not Leil's
		t.Errorf("Leil's: %s", got.text)
	}
	if got := r.ok("tok-owner", searchFor(`"Leila's birthday"`)).ids("record_key"); !slices.Equal(got, []string{"party"}) {
		t.Errorf("a phrase found %q", got)
	}
}

// A hyphen or a space within a word does not keep it from being found, whether in the text or in the query.
func TestHyphensAndSpacesDoNotMatter(t *testing.T) {
	r := newNotes(t, []note{
		{ID: "standup", Text: "Team stand-up"}, {ID: "slip", Text: "pay-slip-may.pdf"}, {ID: "run", Text: "The halfmarathon"}, {ID: "mail", Text: "an e-mail"},
		{ID: "code", Text: "Invoice TW-4513 for a side table"}, {ID: "one", Text: "Invoice TW4600, sixteen 450 000"}, {ID: "ago", Text: "an hour ago"}, {ID: "checks", Text: "both check-ups"}, {ID: "weekly", Text: "One-to-one with Ann"},
	})
	for q, want := range map[string]string{
		"standup": "standup", "standups": "standup", "payslip": "slip", "payslips": "slip", "half-marathon": "run", "half-marathons": "run",
		"TW4513": "code", "tw-4600": "one", "email": "mail", "aside": "", "123450": "", "standu": "", "ago-hour": "",
		"stand-ups": "standup", "check-up": "checks", "check-ups": "checks", "one-to-ones": "weekly", "half-ups": "",
	} {
		got := r.ok("tok-owner", searchFor(q))
		found := ""
		for _, hit := range got.list("data") {
			if one := hit.(map[string]any); one["match"] == "all" {
				found += one["record_key"].(string)
				if snippet := got.at("data", 0, "snippet", "text").(string); !strings.Contains(snippet, "<mark>") {
					t.Errorf("%s marks nothing in %q", q, snippet)
				}
			}
		}
		if found != want || (want == "") != (got.at("meta", "recall", "missing_words") != nil) {
			t.Errorf("%s found %q: %s; want %q", q, found, got.text, want)
		}
	}
}

// A question in a script without spaces that occurs nowhere as a whole is searched by its parts, and says which were left out.
func TestASentenceWithoutSpacesIsSearchedByItsParts(t *testing.T) {
	r := newNotes(t, []note{
		{ID: "dentist", Text: "明日、歯医者の予約をした。"}, {ID: "key", Text: "鍵は机の中です"}, {ID: "tooth", Text: "星期五下午看牙医"}, {ID: "meeting", Text: "会议在三点"},
		{ID: "doctor", Text: "นัดหมอฟันวันศุกร์"}, {ID: "call", Text: "내일치과예약전화"}, {ID: "other", Text: "どこでもいつでもです。我的朋友"},
	})
	for q, want := range map[string]string{
		"歯医者の予約はいつですか": "dentist", "歯医者はいつですか": "dentist", "予約はいつ": "dentist", "鍵はどこですか": "key", "我什么时候看牙医": "tooth", "会议什么时候": "meeting",
		"หมอฟันเมื่อไร": "doctor", "치과예약언제": "call", "歯医者の予約": "dentist", "飛行機の切符": "", "飛行機の予約": "dentist", "我的飞机票": "",
	} {
		got := r.ok("tok-owner", searchFor(q))
		if found := strings.Join(append(got.ids("record_key"), "")[:1], ""); found != want {
			t.Errorf("%s found %q; want %q: %s", q, found, want, got.text)
		}
	}
}

// A compound of common words counts if a record has it.
func TestACompoundOfCommonWordsCounts(t *testing.T) {
	r := newNotes(t, []note{{ID: "talk", Text: "One-to-one with Marcus"}, {ID: "other", Text: "Marcus, with cake"}})
	for q, want := range map[string]string{
		"when is my one-to-one with Marcus": "[when is my with]", "when is the how-to with Marcus": "[when is the how-to with]",
	} {
		got := r.ok("tok-owner", searchFor(q))
		if leftOut := fmt.Sprint(got.at("meta", "recall", "left_out_words")); leftOut != want {
			t.Errorf("%s leaves out %s: %s", q, leftOut, got.text)
		}
	}
}

// For a misspelt word, each hit names the similar words that it has itself.
func TestAHitNamesItsOwnNearestWord(t *testing.T) {
	r := newNotes(t, []note{{ID: "a", Text: "the password"}, {ID: "b", Text: "the passport"}, {ID: "both", Text: "password and passport"}})
	for _, hit := range r.ok("tok-owner", searchFor("passwort")).list("data") {
		one := hit.(map[string]any)
		want := map[string]string{"a": "[password]", "b": "[passport]", "both": "[passport password]"}[one["record_key"].(string)]
		if got := fmt.Sprint(one["nearest_words"]); got != want {
			t.Errorf("%v has %s instead of %s", one["record_key"], got, want)
		}
	}
}

// A short word with another letter, or with an accent, is another word: it is not replaced. A name is, and so are letters that are swapped,
// doubled or lacking, as these are typing errors.
func TestAShortWordIsReplacedOnlyForATypingError(t *testing.T) {
	r := newNotes(t, []note{{ID: "a", Text: "leave by the gate after the order of Grace"}, {ID: "b", Text: "email in april, a scone"}})
	for q, want := range map[string]string{
		"llave": "", "gasté": "", "gatéx": "", "älter": "", "older": "", "avril": "", "stone": "", "ordre": "[order]", "emial": "[email]",
		"scon": "", "oder": "", "afterr": "[after]", "Grece": "[grace]", "grece": "", "orrder": "[order]",
	} {
		got := r.ok("tok-owner", searchFor(q))
		says := fmt.Sprint(got.at("meta", "recall", "nearest_words", 0, "as"))
		if says == "<nil>" {
			says = ""
		}
		if says != want {
			t.Errorf("%s is replaced by %q instead of %q", q, says, want)
		}
	}
}

// If half of the other words of a query occur nowhere, a short common word of another language makes it a query in that language, and is
// left out.
func TestAShortCommonWordIsLeftOutOfAForeignQuery(t *testing.T) {
	notes := []note{{ID: "name", Text: "Pieter de Wit"}, {ID: "bill", Text: "Fernlink bill"}, {ID: "car", Text: "The car is here"}}
	for i := range 10 {
		notes = append(notes, note{ID: fmt.Sprint(i), Text: "There is the cake that they have made for us all."})
	}
	r := newNotes(t, notes)
	for q, want := range map[string]string{
		"facturas de Fernlink": "[bill]", "¿Cuántas facturas de Fernlink en marzo?": "[bill]", "Pieter de Wit": "[name]", "car insurance policy": "[car]",
	} {
		if got := fmt.Sprint(r.ok("tok-owner", searchFor(q)).ids("record_key")); got != want {
			t.Errorf("%s found %s instead of %s", q, got, want)
		}
	}
	if got := r.ok("tok-owner", searchFor("Pieter de Wit")); got.at("meta", "recall", "left_out_words") != nil {
		t.Error(got.text)
	}
}

// A word that occurs only as forms that may be other words is reported as inexact; one that occurs with another ending is not.
func TestAWordThatOccursOnlyInOtherForms(t *testing.T) {
	r := newNotes(t, []note{{ID: "gate", Text: "The gate is in terminal one and the cake is here."}, {ID: "mail", Text: "mail and stand-up"}})
	for q, want := range map[string]any{"termine": "terminal", "terminals": nil, "mails": nil, "standup": nil, "mailing": nil} {
		if got := r.ok("tok-owner", searchFor(q)); got.at("meta", "count") != 1.0 || got.at("meta", "recall", "inexact_words", 0, "as", 0) != want {
			t.Errorf("%s: %s; want %q", q, got.text, want)
		}
	}
}

// A word with one of äöüåøß is found however it is written, also next to records with the other spelling, and within a phrase.
func TestUmlautsAreFoundInBothSpellings(t *testing.T) {
	r := newNotes(t, []note{
		{ID: "a", Text: "Herr Möller kommt"}, {ID: "b", Text: "jan.moeller@example.org"}, {ID: "c", Text: "Mo\u0308llers Haus in der Straße"},
		{ID: "d", Text: "Århus, Søren"}, {ID: "e", Text: "Aarhus, Soeren"}, {ID: "f", Text: "a gust of wind"}, {ID: "g", Text: "a guest, naïve"},
	})
	for q, want := range map[string]string{
		"Möller": "a b c", "moeller": "a b c", "Mo\u0308ller": "a b c", "Herr Moeller": "a", `"herr moeller kommt"`: "a", "Strasse": "c",
		"aarhus": "d e", "Århus": "d e", "Sören": "d e", "soeren": "d e", "guest": "g", "gust": "f", "naive": "g", "moell*": "a b c",
	} {
		got := r.ok("tok-owner", searchFor(q))
		var found []string
		for _, hit := range got.list("data") {
			if one := hit.(map[string]any); one["match"] == "all" {
				found = append(found, one["record_key"].(string))
				if !strings.Contains(one["snippet"].(map[string]any)["text"].(string), "<mark>") {
					t.Errorf("%s marks nothing in %v", q, one["snippet"])
				}
			}
		}
		if slices.Sort(found); strings.Join(found, " ") != want {
			t.Errorf("%s finds %q instead of %q", q, found, want)
		}
	}
}

// The right spelling of a misspelt rare word ranks above records with only a commoner word of the query, unless it may be another word.
func TestTheRightSpellingOfARareWordComesFirst(t *testing.T) {
	notes := []note{{ID: "right", Text: "Ribeira Pantry"}, {ID: "other", Text: "send it"}}
	for i := range 20 {
		notes = append(notes, note{ID: fmt.Sprint("n", i), Text: "a tile"})
	}
	r := newNotes(t, notes)
	for q, want := range map[string]string{"Ribiera tile": "right nearest", "tile ribeirra": "right nearest", "spend tile": "n0 some"} {
		got := r.ok("tok-owner", searchFor(q))
		if first := fmt.Sprint(got.at("data", 0, "record_key"), " ", got.at("data", 0, "match")); first != want && want != "n0 some" ||
			strings.HasSuffix(first, "some") != strings.HasSuffix(want, "some") {
			t.Errorf("%s: first %s, not %s", q, first, want)
		}
		if n := got.at("meta", "recall", "nearest_count"); n != 1.0 {
			t.Errorf("%s: %v near records", q, n)
		}
	}
}

// A compound that occurs nowhere is replaced by the words of which it is composed, if these are long enough, and the answer says so.
func TestACompoundFindsItsParts(t *testing.T) {
	r := newNotes(t, []note{
		{ID: "tooth", Text: "Zahnarzt Dr. Anand"}, {ID: "birthday", Text: "Geburtstag von Ida"}, {ID: "party", Text: "das Fest im Garten"},
		{ID: "short", Text: "pass the port under the arch"}, {ID: "doctor", Text: "Arzt"}, {ID: "date", Text: "Termin"},
	})
	for q, want := range map[string]string{
		"Zahnarzttermin": "date tooth", "Kinderzahnarzt": "tooth", "Geburtstagsfest": "birthday party", "Arzttermin": "date doctor",
		"passports": "", "underachiever": "", "Zahnarzthelferin": "tooth",
	} {
		got := r.ok("tok-owner", searchFor(q))
		var found []string
		for _, hit := range got.list("data") {
			found = append(found, hit.(map[string]any)["record_key"].(string))
		}
		slices.Sort(found)
		if says := got.at("meta", "recall", "nearest_words"); strings.Join(found, " ") != want || (says == nil) != (want == "") {
			t.Errorf("%s finds %q instead of %q: %v", q, found, want, says)
		}
	}
}

// A word that occurs only within compounds finds these, as nearest words.
func TestAWordWithinCompoundsIsFound(t *testing.T) {
	r := newNotes(t, []note{
		{ID: "sweep", Text: "Der Bezirksschornsteinfegermeister kommt am 19. Februar."}, {ID: "cellar", Text: "Das Kinderfahrrad steht im Keller."},
		{ID: "keys", Text: "Die Schlüssel liegen im Schuppen."},
	})
	for q, want := range map[string]string{"wann kommt der Schornsteinfeger": "sweep", "Fahrrad": "cellar", "uppen": ""} {
		got := r.ok("tok-owner", searchFor(q))
		if keys := strings.Join(got.ids("record_key"), " "); keys != want || got.at("meta", "recall", "missing_words") == nil {
			t.Errorf("%s finds %q, want %q: %s", q, keys, want, got.text)
		}
		if want != "" && got.at("data", 0, "match") != "nearest" {
			t.Errorf("%s: %s", q, got.text)
		}
	}
}
