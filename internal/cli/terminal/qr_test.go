package terminal

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"
)

// The QR code in testdata was verified with an independent decoder (gozxing 0.1.1), so an identical drawing encodes the same link.
func TestAQRCodeIsDrawnIfItFits(t *testing.T) {
	const link = "https://as.example/oauth/approve?request_uri=urn%3Aietf%3Aparams%3Aoauth%3Arequest_uri%3Areq_0123456789abcdef0123456789abcdef"
	drawn := qrText(link, "", 200, 100)
	want, err := os.ReadFile(filepath.Join("testdata", "qr.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if drawn != string(want) {
		t.Errorf("it is drawn as\n%s", drawn)
	}
	rows := strings.Split(strings.TrimSuffix(drawn, "\n"), "\n")
	columns := utf8.RuneCountInString(strings.TrimSuffix(strings.TrimPrefix(rows[0], "\x1b[97;40m"), "\x1b[0m"))
	following := "Waiting.\n" + strings.Repeat("x", 2*columns+1) + "\nStill waiting." // five lines
	for name, size := range map[string]struct {
		columns, lines int
		drawn          bool
	}{
		"just enough":        {columns, len(rows) + 5, true},
		"a column too few":   {columns - 1, 100, false},
		"a line too few":     {columns, len(rows) + 4, false},
		"no terminal at all": {0, 0, false},
	} {
		if got := qrText(link, following, size.columns, size.lines); (got != "") != size.drawn {
			t.Errorf("%s: %q", name, got)
		}
	}
	if got := qrText(strings.Repeat("x", 4000), "", 1000, 1000); got != "" {
		t.Errorf("a link too long for a code: %q", got)
	}
	var out bytes.Buffer
	if DrawQR(&out, link, ""); out.Len() != 0 {
		t.Errorf("without a terminal: %q", out.String())
	}
}
