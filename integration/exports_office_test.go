package integration

import (
	"database/sql"
	"maps"
	"os"
	"path/filepath"
	"testing"

	_ "modernc.org/sqlite" // the database/sql driver "sqlite"
)

// databaseExport is a database with a log that was not yet merged into it, one with definitions that must not run, and files that are not
// databases.
func databaseExport(t *testing.T) export {
	chat := sqliteFile(t, "chat.db", "PRAGMA journal_mode = WAL", "CREATE TABLE people (id INTEGER PRIMARY KEY, name TEXT)", "CREATE TABLE messages (id INTEGER PRIMARY KEY, person INTEGER REFERENCES people, sent DATETIME, text TEXT, photo BLOB, cost REAL)",
		"INSERT INTO people VALUES (1, 'Nora'), (2, 'Bo')", "INSERT INTO messages VALUES (10, 1, '2026-01-15', 'in the log', x'00ff', 1.5), (11, 1, '2026-01-16 02:15:00', 'again', NULL, 2.5), (12, 2, NULL, 'hm', NULL, NULL)")
	files := sqliteFile(t, "evil.sqlite", "CREATE TABLE plain (a, b AS (a + 1))", "INSERT INTO plain VALUES (7)", "CREATE VIEW seen AS SELECT load_extension('x')", "CREATE VIRTUAL TABLE words USING fts5(t)", "CREATE TABLE \"odd \"\" name\" (\"a;b\" TEXT)", "INSERT INTO \"odd \"\" name\" VALUES ('x')")
	files = merged(files, chat)
	files["false.db"], files["cut.db"] = "SQLite format 3\x00 no", files["evil.sqlite"][:5000]
	return export{folder: "databases", files: files, truths: []truth{
		counts("databases_chat_messages", "3"), sums("databases_chat_messages", "cost", "4"), finds("in the log", "databases_chat_messages:10"),
		lists(`{"stream":"databases_chat_people","expand":["messages"],"filter":{"name":"Nora"}}`, "in the log", "again"),
		counts("databases_evil_plain", "1"), counts("databases_evil_odd_name", "1"),
	}, skips: []string{"false.db: cannot be read", "cut.db: cannot be read"}}
}

// sqliteFile returns a database and the files beside it, as an active program leaves them.
func sqliteFile(t *testing.T, name string, statements ...string) map[string]string {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, name))
	check(t, err)
	for _, statement := range statements {
		_, err := db.ExecContext(t.Context(), statement)
		check(t, err)
	}
	files := map[string]string{}
	for _, ending := range []string{"", "-wal", "-shm"} {
		if text, err := os.ReadFile(filepath.Join(dir, name+ending)); err == nil {
			files[name+ending] = string(text)
		}
	}
	check(t, db.Close())
	return files
}

// merged returns the files of several exports.
func merged(all ...map[string]string) map[string]string {
	files := map[string]string{}
	for _, some := range all {
		maps.Copy(files, some)
	}
	return files
}

// officeExports are files that people or their programs write.
func officeExports(t *testing.T) []export {
	word := `<w:document xmlns:w="w"><w:body><w:p><w:r><w:t>Lease of the </w:t></w:r><w:r><w:t>boathouse</w:t></w:r></w:p><w:p><w:r><w:delText>deleted</w:delText><w:t>until 2027</w:t></w:r></w:p></w:body></w:document>`
	odt := `<office:document-content xmlns:office="o" xmlns:text="t"><office:body><office:text><text:h>Minutes</text:h><text:p>The <text:span>roof</text:span> leaks</text:p></office:text></office:body></office:document-content>`
	return []export{databaseExport(t), {
		folder: "sheets",
		files: map[string]string{"budget.xlsx": packed(t, map[string]string{
			"xl/workbook.xml":            `<workbook xmlns:r="r"><sheets><sheet name="Plan 2026" r:id="rId1"/><sheet name="People" r:id="rId2"/></sheets></workbook>`,
			"xl/_rels/workbook.xml.rels": `<Relationships><Relationship Id="rId1" Type="x/worksheet" Target="worksheets/sheet1.xml"/><Relationship Id="rId2" Type="x/worksheet" Target="/xl/worksheets/sheet2.xml"/></Relationships>`,
			"xl/sharedStrings.xml":       `<sst><si><t>Item</t></si><si><t>Cost; net</t></si><si><r><t>Gar</t></r><r><t>den</t></r><rPh><t>x</t></rPh></si><si><t>When</t></si></sst>`,
			"xl/styles.xml":              `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="yyyy\-mm\-dd hh:mm"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/></cellXfs></styleSheet>`,
			"xl/worksheets/sheet1.xml": `<worksheet><sheetData><row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="s"><v>1</v></c><c r="C1" t="s"><v>3</v></c></row>` +
				`<row r="3"><c r="A3" t="s"><v>2</v></c><c r="B3"><v>1200.5</v></c><c r="C3" s="1"><v>46037</v></c></row><row r="4"><c r="A4" t="inlineStr"><is><t>Roof "new"</t></is></c><c r="B4"><v>99.5</v></c><c r="C4" s="2"><v>46037.09375</v></c></row></sheetData></worksheet>`,
			"xl/worksheets/sheet2.xml": `<worksheet><sheetData><row><c t="inlineStr"><is><t>Name</t></is></c><c t="inlineStr"><is><t>Active</t></is></c></row><row><c t="inlineStr"><is><t>Bo</t></is></c><c t="b"><v>1</v></c></row></sheetData></worksheet>`,
		}), "false.xlsx": packed(t, map[string]string{"x": "y"})},
		truths: []truth{
			sums("sheets_budget_Plan_2026", "Cost__net", "1300"), lists(`{"stream":"sheets_budget_Plan_2026"}`, "Garden", `Roof \"new\"`, "2026-01-15T02:15:00"), counts("sheets_budget_People", "1"),
		},
		skips: []string{"false.xlsx: cannot be read: not a workbook that can be read"},
	}, {
		folder: "bank",
		files: map[string]string{
			"giro.csv":     "\xef\xbb\xbfKonto;DE00 1234\r\nSaldo;1,00 €\r\n\r\nBuchungstag;Valuta;Empfänger;Betrag\r\n15.01.2026;16.01.2026;Café Blau;-12,50 €\r\n31.01.2026;01.02.2026;Arbeitgeber;2.500,00 €\r\n",
			"paypal.csv":   "\"Date\",\"Time\",\"Name\",\"Gross\",\"Fee\"\n\"01/31/2026\",\"02:15:00\",\"A Shop\",\"$1,200.00\",\"1.5%\"\n\"02/01/2026\",\"03:15:00\",\"B Shop\",\"-$200.00\",\"2.5%\"\n",
			"repeated.csv": "id,amount\n" + repeat(100, "%[1]d,%[1]d\n"), "sensor.csv": "timestamp,celsius\n" + repeat(48, "17684%02d300,20.5\n"),
			"outlook.csv": "Start;Ende;Betreff\n2026-01-15 02:15;2026-01-15 03:15;Essen\n2026-01-16 02:15 +0100;2026-01-16 03:15 +0100;Sport\n",
		},
		truths: []truth{
			sums("bank_giro", "Betrag", "2487.5"), finds("Saldo", "</mark> 1,00 €"), lists(`{"stream":"bank_giro","filter":{"Buchungstag":{"lt":"2026-01-20"}}}`, "Café Blau", "-12.5", "€"),
			{"aggregate", `{"stream":"bank_giro","metric":"count","group_by_time":"Buchungstag","granularity":"month"}`, []string{"2026-01", "2"}},
			sums("bank_paypal", "Gross", "1000"), sums("bank_paypal", "Fee", "4"), sums("bank_repeated", "amount", "4950"), counts("bank_sensor", "48"),
			lists(`{"stream":"bank_sensor","filter":{"timestamp":{"lt":"2026-01-12"}},"limit":1}`, "2026-01-"), lists(`{"stream":"bank_outlook"}`, "2026-01-16T02:15:00+01:00", "2026-01-15T02:15:00"),
		},
	}, {
		folder: "calendars",
		files: map[string]string{
			"team.ics": "BEGIN:VCALENDAR\r\nBEGIN:VEVENT\r\nUID:standup\r\nSUMMARY:Standup\r\nDTSTART;TZID=Europe/Berlin:20260302T090000\r\nDTEND;TZID=Europe/Berlin:20260302T091500\r\n" +
				"RRULE:FREQ=WEEKLY;BYDAY=MO;COUNT=8\r\nEXDATE;TZID=Europe/Berlin:20260309T090000\r\nEND:VEVENT\r\nBEGIN:VEVENT\r\nUID:standup\r\nRECURRENCE-ID;TZID=Europe/Berlin:20260316T090000\r\n" +
				"SUMMARY:Standup in the park\r\nDTSTART;TZID=Europe/Berlin:20260317T100000\r\nEND:VEVENT\r\nEND:VCALENDAR\r\n",
			"birthdays.ics": "BEGIN:VCALENDAR\nBEGIN:VEVENT\nUID:ann\nSUMMARY:Ann's birthday\nDTSTART;VALUE=DATE:20200515\nRRULE:FREQ=YEARLY\nEND:VEVENT\nBEGIN:VEVENT\nUID:x\nSUMMARY:Trip\nDTSTART;VALUE=DATE:20240101\nEND:VEVENT\nEND:VCALENDAR\n",
		},
		truths: []truth{
			counts("calendars_team", "7"), lists(`{"stream":"calendars_team","filter":{"starts_at":{"gte":"2026-03-30"}},"sort":"starts_at"}`, "2026-03-30T09:00:00+02:00", "2026-03-30T09:15:00+02:00"),
			lists(`{"stream":"calendars_team","filter":{"starts_at":{"gte":"2026-03-09","lt":"2026-03-20"}}}`, "1 record", "Standup in the park", "2026-03-17T10:00:00+01:00"),
			lists(`{"stream":"calendars_birthdays","filter":{"series_id":"ann"},"count":"exact"}`, "2026-05-15", "2020-05-15", "7"),
		},
	}, {
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

// hostileExports are broken, misleading or malicious.
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
