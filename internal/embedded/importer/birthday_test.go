package importer

import (
	"strings"
	"testing"
)

// A birthday is found by the word for it in each of seven languages, as a search reads texts and not the names of fields.
func TestABirthdayIsFoundByItsWord(t *testing.T) {
	records, _ := loaded(t, "c.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:Jonas\nBDAY:--05-19\nEND:VCARD\nBEGIN:VCARD\nVERSION:3.0\nFN:Lena\nANNIVERSARY:2010-05-19\nEND:VCARD\n")
	words, _ := records["c"][0]["birthday_words"].(string)
	for _, word := range []string{"birthday", "Geburtstag", "anniversaire", "cumpleaños", "compleanno", "aniversário", "verjaardag"} {
		if !strings.Contains(words, word) {
			t.Errorf("%q lacks %s", words, word)
		}
	}
	if other := records["c"][1]["birthday_words"]; other != nil {
		t.Errorf("a card without a birthday has %v", other)
	}
}
