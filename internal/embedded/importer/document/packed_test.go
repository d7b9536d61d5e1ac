package document

import (
	"archive/zip"
	"bytes"
	"io"
	"io/fs"
	"testing"
	"testing/fstest"
)

// packedFile returns a zip archive of parts.
func packedFile(t *testing.T, parts map[string]string) fs.File {
	t.Helper()
	var packed bytes.Buffer
	archive := zip.NewWriter(&packed)
	for name, text := range parts {
		part, err := archive.Create(name)
		if err == nil {
			_, err = io.WriteString(part, text)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	file, err := fstest.MapFS{"file": {Data: packed.Bytes()}}.Open("file")
	if err != nil {
		t.Fatal(err)
	}
	return file
}

// The list of relations names the files with the texts and styles of a workbook: some programs write "SharedStrings.xml".
func TestAWorkbookNamesItsParts(t *testing.T) {
	book, err := OpenWorkbook(packedFile(t, map[string]string{
		"xl/_rels/workbook.xml.rels": `<r><Relationship Id="a" Type="http://x/worksheet" Target="sheet.xml"/>` +
			`<Relationship Type="http://x/sharedStrings" Target="SharedStrings.xml"/><Relationship Type="http://x/styles" Target="/xl/s/styles.xml"/></r>`,
		"xl/workbook.xml":      `<w><sheets><sheet name="S" id="a"/></sheets></w>`,
		"xl/SharedStrings.xml": `<sst><si><t>Nora</t></si></sst>`,
		"xl/s/styles.xml":      `<s><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></s>`,
		"xl/sheet.xml":         `<s><row><c t="s"><v>0</v></c><c s="1"><v>46037</v></c></row></s>`,
	}))
	if err != nil {
		t.Fatal(err)
	}
	rows, err := book.Read("S")
	if err != nil {
		t.Fatal(err)
	}
	if got, err := io.ReadAll(rows); err != nil || string(got) != "\"Nora\",\"2026-01-15\"\n" {
		t.Errorf("got %q, %v", got, err)
	}
}

// A document shows each text once, with its hyphens and without the layout of tabs.
func TestADocumentShowsItsTextOnce(t *testing.T) {
	for name, test := range map[string]struct{ body, want string }{
		"a hyphen":   {`<p><r><t>co</t><noBreakHyphen/><t>author</t></r></p>`, "co-author"},
		"tabs":       {`<p><r><t>a</t><tab/><t>b</t></r></p><p><pPr><tabs><tab/><tab/></tabs></pPr><r><t>c</t></r></p>`, "a\tb\nc"},
		"moved":      {`<p><moveFrom><r><t>moved</t></r></moveFrom><r><t>on</t></r></p><p><moveTo><r><t>moved</t></r></moveTo></p>`, "on\nmoved"},
		"a text box": {`<p><Choice><p><t>box</t></p></Choice><Fallback><p><t>box</t></p></Fallback></p>`, "box"},
	} {
		for one, err := range Office(packedFile(t, map[string]string{"word/document.xml": "<body>" + test.body + "</body>"}), "a.docx") {
			if err != nil || one.String("text") != test.want {
				t.Errorf("%s: got %q, %v", name, one.String("text"), err)
			}
		}
	}
}
