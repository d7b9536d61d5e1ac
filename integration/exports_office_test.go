package integration

import "testing"

// officeExports are files that people write themselves, or that their programs do.
func officeExports(t *testing.T) []export {
	word := `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Lease of the </w:t></w:r><w:r><w:t>boathouse</w:t></w:r></w:p><w:p><w:r><w:delText>deleted</w:delText><w:t>until 2027</w:t></w:r></w:p></w:body></w:document>`
	odt := `<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text><text:h>Minutes</text:h><text:p>The <text:span>roof</text:span> leaks</text:p></office:text></office:body></office:document-content>`
	return []export{{
		folder: "vault",
		files: map[string]string{
			"Garden.md":          "---\ntags: [home, plants]\ndate: 2026-04-01\nrating: 4\n---\n# The garden\nSee [[Tools/Spade|the spade]] and [[Compost]] and ![[plan.png]].\n",
			"Tools/Spade.md":     "Made of steel. Back to [[Garden#Beds]].\n",
			"Compost.md":         "no links",
			".obsidian/app.json": "{}",
			"broken matter.md":   "---\n: [\n---\ntext stays",
		},
		truths: []truth{
			counts("vault", "4"), counts("vault_links", "4"),
			lists(`{"stream":"vault","expand":["links"],"filter":{"title":"The garden"}}`, "Tools/Spade", "plan.png", "2026-04-01"),
			lists(`{"stream":"vault_links","filter":{"target_id":"Garden"}}`, "Beds", "Tools/Spade"),
			lists(`{"stream":"vault_links","filter":{"kind":"attachment"}}`, "plan.png"),
			{"fetch", `{"id":"cin_files/vault:Garden"}`, []string{"plants", "See [[Tools/Spade"}}, finds("text stays", "vault/broken%20matter"),
		},
	}, {
		folder: "papers",
		files: map[string]string{
			"lease.docx":  packed(t, map[string]string{"word/document.xml": word, "docProps/core.xml": `<c:coreProperties xmlns:c="c" xmlns:dc="d" xmlns:dcterms="t"><dc:title>The lease</dc:title><dcterms:created>2026-01-15T02:15:00Z</dcterms:created></c:coreProperties>`}),
			"minutes.odt": packed(t, map[string]string{"content.xml": odt, "mimetype": "x"}), "page.html": "<title>A page &amp; more</title><style>p{}</style><p>about <b>herons</b></p>",
			"scan.pdf": "%PDF-1.7\n\x00",
		},
		truths: []truth{
			counts("papers_documents", "3"), finds("boathouse", "papers_documents:lease.docx"), finds("roof leaks", "minutes.odt"), finds("herons", "page.html"),
			lists(`{"stream":"papers_documents"}`, "The lease", "2026-01-15T02:15:00Z", "minutes", "A page & more"),
		},
		skips: []string{"scan.pdf: a PDF, which is not read"},
	}, {
		folder: "maildir",
		files: map[string]string{
			"cur/1768443300.M1P1.host:2,S": "Message-ID: <s1@x>\nSubject: Seen\nDate: Thu, 15 Jan 2026 02:15:00 +0000\n\nThe ferry is late\n", "new/1768443301.M2P1.host": "Message-ID: <s2@x>\nSubject: New\nIn-Reply-To: <s1@x>\nReferences: <s1@x>\n\nAgain\n", "tmp/x": "",
		},
		truths: []truth{counts("maildir", "2"), lists(`{"stream":"maildir","filter":{"thread_id":"s1@x"}}`, "Seen", "New"), finds("ferry", "maildir:s1@x")},
	}}
}

// hostileExports are broken, false or meant to harm.
func hostileExports(t *testing.T) []export {
	return []export{{
		folder: "zips",
		files: map[string]string{
			"out.zip": packed(t, map[string]string{"../../../evil.csv": "n\n1\n", "good.csv": "n\n2\n"}), "not.zip": "PK no", "lies.docx": "PK\x03\x04 no", "empty.odt": packed(t, map[string]string{"x": "y"}),
		},
		truths: []truth{counts("zips_out_evil", "1"), counts("zips_out_good", "1")},
		skips:  []string{"not.zip: cannot be read: not a zip archive", "lies.docx: not a document that can be read", "empty.odt: not a document that can be read: there is no content.xml"},
	}, {
		folder: "laughs",
		files: map[string]string{
			"bomb.docx": packed(t, map[string]string{"word/document.xml": `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><w:p xmlns:w="w"><w:t>&b;</w:t></w:p>`}),
			"note.md":   "---\na: &a [x,x]\nb: [*a,*a]\n---\nfine", "x.js": "window.YTD.tweets.part0 = oops", "chat.txt": "[99.99.99, 99:99:99] A: x\n", "card.vcf": "BEGIN:VCARD\nFN:A\nBEGIN:VCARD\nFN:B\nEND:VCARD\n",
		},
		truths: []truth{counts("laughs", "1"), counts("laughs_card", "1")},
		skips:  []string{"bomb.docx: not a document that can be read", "x.js: not JSON", "chat.txt:1: a message whose date cannot be read", "card.vcf:1: a card that does not end"},
	}}
}
