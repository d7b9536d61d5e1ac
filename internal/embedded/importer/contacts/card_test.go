package contacts

import (
	"bufio"
	"strings"
	"testing"
)

// A line of a card that cannot be read, such as one of a note with bare line breaks, is reported.
func TestALineThatIsLeftOutIsReported(t *testing.T) {
	const card = "BEGIN:VCARD\nPHOTO;BASE64:AAAA\nAAAA\nFN:Nora\nNOTE:likes tea\nand cake\nand more\nEMAIL:nora@example.com\nEND:VCARD\n"
	for one, err := range NewReader(bufio.NewReader(strings.NewReader(card))) {
		emails, _ := one.Value("emails")
		if err != nil || one.Note != "line 6 is left out: not a property: and cake" || string(emails) != `["nora@example.com"]` {
			t.Errorf("got %s, %q, %v", emails, one.Note, err)
		}
	}
}
