package importer

import (
	"strings"
	"testing"
)

// A birthday is found by the word for it and its month in each of seven languages, as a search reads texts and not the names of fields.
func TestABirthdayIsFoundByItsWord(t *testing.T) {
	records, _ := loaded(t, "c.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:Jonas\nBDAY:--05-19\nEND:VCARD\nBEGIN:VCARD\nVERSION:3.0\nFN:Lena\nANNIVERSARY:2010-05-19\nEND:VCARD\n")
	words, _ := records["c"][0]["birthday_words"].(string)
	for _, word := range []string{"birthday", "Geburtstag", "anniversaire", "cumpleaños", "compleanno", "aniversário", "verjaardag", "19 May", "Mai", "mayo"} {
		if !strings.Contains(words, word) {
			t.Errorf("%q lacks %s", words, word)
		}
	}
	records, _ = loaded(t, "d.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:Ada\nBDAY:1985-03-14\nEND:VCARD\n")
	if words, _ := records["d"][0]["birthday_words"].(string); !strings.HasPrefix(words, "14 March 1985; März, ") {
		t.Error(words)
	}
	records, _ = loaded(t, "c.vcf", "BEGIN:VCARD\nVERSION:3.0\nFN:Jonas\nEND:VCARD\nBEGIN:VCARD\nVERSION:3.0\nFN:Lena\nANNIVERSARY:2010-05-19\nEND:VCARD\n")
	if other := records["c"][1]["birthday_words"]; other != nil {
		t.Errorf("a card without a birthday has %v", other)
	}
}
