package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/unicode"
)

// Files in UTF-16 or in a national charset, as Windows programs write them, are read like those in UTF-8.
func TestFilesInOtherCharsetsAreRead(t *testing.T) {
	calendar := eventOf("UID:1", "SUMMARY:Dvořák a kůň", "DTSTART:20260115T101500Z")
	for name, text := range map[string]string{
		"t.csv": "a,b\n1,Dvořák a kůň\n", "t.json": `[{"a":"Dvořák a kůň"}]`, "t.jsonl": "{\"a\":\"Dvořák a kůň\"}\n{\"a\":\"x\"}\n", "t.md": "# Dvořák a kůň\n", "t.html": "<p>Dvořák a kůň</p>\n",
		"t.vcf": "BEGIN:VCARD\nVERSION:3.0\nFN:Dvořák a kůň\nEND:VCARD\n", "t.ics": calendar, "_chat.txt": "15/01/2026, 02:15 - Nora: Dvořák a kůň\n",
	} {
		want, _ := loaded(t, name, text)
		wide, err := unicode.UTF16(unicode.LittleEndian, unicode.UseBOM).NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		got, skips := loaded(t, name, wide)
		if diff := cmp.Diff(want, got); diff != "" || len(want) == 0 || len(skips) > 0 {
			t.Errorf("%s in UTF-16 (-want +got)\n%s\n%v", name, diff, skips)
		}
		if name == "t.json" || name == "t.jsonl" { // JSON is always Unicode
			continue
		}
		narrow, err := charmap.Windows1250.NewEncoder().String(text)
		if err != nil {
			t.Fatal(err)
		}
		got, skips = loaded(t, name, narrow)
		if diff := cmp.Diff(want, got); diff != "" || len(skips) > 0 {
			t.Errorf("%s in Windows-1250 (-want +got)\n%s\n%v", name, diff, skips)
		}
	}
}
