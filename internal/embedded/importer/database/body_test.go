package database

import (
	"strings"
	"testing"
	"unicode/utf8"
)

// archived is how macOS starts an archived text.
const archived = "\x04\x0bstreamtyped\x81\xe8\x03\x84\x01@\x84\x84\x84\x12NSAttributedString\x00\x84\x84\x08NSObject\x00\x85\x92\x84\x84\x84\x08NSString\x01\x94\x84\x01+"

func TestTheTextOfABodyIsRead(t *testing.T) {
	long := strings.Repeat("x", 300)
	for body, want := range map[string]string{
		archived + "\x05Hallo\x86\x84\x02iI": "Hallo", archived + "\x81\x2c\x01" + long + "\x86\x84": long, archived + "\x82\x2c\x01\x00\x00" + long + "\x86": long,
		archived + "\x07\xef\xbf\xbcHall\x86\x84": "Hall", archived + "\xff\xffab": "", archived: "", "NSString": "", "": "",
	} {
		if got := bodyText([]byte(body)); got != want {
			t.Errorf("%q: %q; want %q", body, got, want)
		}
	}
}

// The text read from a partial archive is valid UTF-8 and no longer than the archive.
func FuzzBodies(f *testing.F) {
	for _, one := range []string{archived + "\x05Hallo\x86\x84\x02iI", archived + "\x82\xff\xff\xff\xff", archived + "\x81"} {
		f.Add([]byte(one))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if text := bodyText(body); !utf8.ValidString(text) || len(text) > 3*len(body) {
			t.Errorf("%q: %q", body, text)
		}
	})
}
