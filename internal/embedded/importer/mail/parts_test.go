package mail

import (
	"bufio"
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

// A bad line in the header of a part, or a line end unlike the others, takes no text with it.
func TestADamagedPartLeavesTheOthers(t *testing.T) {
	const header = "From: nora@example.com\nDate: Thu, 15 Jan 2026 02:15:00 +0000\nSubject: s\nContent-Type: multipart/mixed; boundary=B\n\n"
	const first, third = "--B\nContent-Type: text/plain\n\nfirst\n", "--B\nContent-Type: text/plain\n\nthird\n--B--\n"
	const badLine = "a line in the header is invalid"
	for name, test := range map[string]struct{ parts, want, defect string }{
		"a line in a header": {first + "--B\nContent-Type: text/plain\nno header\n\nsecond\n" + third, "first\n\nsecond\n\nthird", badLine},
		"in the first one":   {"--B\nContent-Type: text/plain\nno header\n\nsecond\n" + third, "second\n\nthird", badLine},
		"line ends":          {first + "--B\r\nContent-Type: text/plain\r\n\r\nsecond\r\n" + third, "first\n\nsecond\n\nthird", ""},
		"no header":          {first + "--B\nsecond: a word\nis here\n\nmore\n" + third, "first\n\nmore\n\nthird", badLine},
		"no header at all":   {first + "--B\nsecond\n" + third, "first\n\nsecond\n\nthird", ""},
		"cut off":            {first + "--B\nContent-Type: text/plain\n\nseco", "first\n\nseco", "the last part is cut off"},
		"another boundary":   {first + "--BB\n" + third, "first\n--BB\n\nthird", ""},
		"spaces after it":    {"--B \t\n\nsecond\n" + third, "second\n\nthird", ""},
	} {
		for one, err := range NewReader(bufio.NewReader(strings.NewReader(header + test.parts))) {
			if err != nil {
				t.Fatal(name, err)
			}
			defects, _ := one.Value("defects")
			if one.String("body_text") != test.want || test.defect != "" && !strings.Contains(string(defects), test.defect) ||
				test.defect == "" && defects != nil {
				t.Errorf("%s: got %q, defects %s", name, one.String("body_text"), defects)
			}
		}
	}
	if parts, _ := split(slices.Repeat([]byte("--B\n"), 100_000), "B"); len(parts) > maxParts+1 {
		t.Errorf("%d parts are kept", len(parts))
	}
}

// A file that is attached as it is stays the same while the next message of its mailbox is read.
func TestAnAttachedFileIsNoPartOfTheBuffer(t *testing.T) {
	const from, header = "From nora@example.com Thu Jan 15 02:15:00 2026\n", "From: nora@example.com\nSubject: s\nContent-Type: multipart/mixed; boundary=B\n\n"
	const part = "--B\nContent-Type: text/csv\nContent-Disposition: attachment; filename=a.csv\n\n"
	var blobs []*model.Blob
	for one, err := range NewReader(bufio.NewReader(strings.NewReader(from + header + part + "first\n--B--\n\n" + from + header + part + "other\n--B--\n"))) {
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range one.Attached {
			blobs = append(blobs, file.Blob)
		}
	}
	if len(blobs) != 2 || string(blobs[0].Bytes) != "first" || string(blobs[1].Bytes) != "other" {
		t.Errorf("%d files: %+v", len(blobs), blobs)
	}
}
