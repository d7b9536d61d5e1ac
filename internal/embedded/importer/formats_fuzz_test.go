package importer

import (
	"strings"
	"testing"
)

// FuzzOwnParsers reads contacts, chats, recurring events, sheets and notes with our own parsers: none panics, and every record has an id.
func FuzzOwnParsers(f *testing.F) {
	sheet := `<worksheet><sheetData><row r="2"><c r="B2" t="s" s="1"><v>0</v></c><c r="ZZZ9"><v>1e300</v></c></row></sheetData></worksheet>`
	for _, seed := range []string{
		"BEGIN:VCARD\nN;ENCODING=QUOTED-PRINTABLE:a=\n;b;;\nFN:A\nADR:;;x\\;y;z\nEND:VCARD\n", "[15.01.26, 02:15:09] A: <attached: x.jpg>\nmore\n1/15/26, 2:15 AM - B joined\n",
		eventOf("DTSTART:20260105T090000", "RRULE:FREQ=MONTHLY;BYDAY=-1FR;BYSETPOS=1;UNTIL=20270101", "EXDATE:20260130,x", "RDATE:20260131T000000Z"),
		"<STMTTRN><TRNAMT>1<DTPOSTED>20260115021500[-5.5]</STMTTRN>", "!Type:Bank\nD1/15'26\nT1\n^\n", "<gpx><trkpt lat='1'><ele>5</ele></trkpt>", `<div class="outer-cell mdl-cell"><p>A</p><div class="content-cell b">W <a href="x">t</a><br>Jan 15, 2026</div></div>`,
		"<kml><Placemark><name>a</name>x<Placemark/></Placemark><coordinates>1,2", "<Activity Sport='a'><Lap>1<Trackpoint>2</Lap>", `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.02"><Ntry>1<Amt Ccy="EUR">2</Amt></Ntry>`,
		"<en-export><note><data x>aa</data><title>a</title></note><note>", "<!DOCTYPE NETSCAPE-Bookmark-file-1></DL><DD>a<A HREF=x ADD_DATE=99999999999999999>b<A></A><DL><H3>c", "<!DOCTYPE HealthData><HealthData><Me><a/></Me><Record value='1'><MetadataEntry/></Record><Workout>", "9\nFrom: a\n\nb",
		"---\na: &x [1]\nb: *x\n---\n# T\n[[a#b|c]] ![[d.png]]", sheet,
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		book := zipOf(t, "xl/workbook.xml", `<workbook><sheets><sheet name="a" id="r"/></sheets></workbook>`, "xl/worksheets/s.xml", string(text), "xl/sharedStrings.xml", string(text), "xl/styles.xml", string(text),
			"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r" Type="/worksheet" Target="worksheets/s.xml"/></Relationships>`)
		dir := writeFolder(t, map[string]string{"a.vcf": string(text), "b.txt": string(text), "c.ics": string(text), "d.md": string(text), "e.xlsx": book, "f.csv": "n\n1\n", "k.kml": string(text), "l.tcx": string(text), "m.xml": string(text), "n.enex": string(text), "o.html": string(text), "p.emlx": string(text), "q.json": string(text), "r.csv": string(text), "g.ofx": string(text), "h.qif": string(text), "i.gpx": string(text), "j.html": string(text), "message_1.html": string(text), "My Clippings.txt": "b\n- Note | Added on " + string(text), "_chat.txt": "[15.01.26, 02:15:09] A: \u200e" + string(text)})
		corpus, skips := openFolder(t, dir)
		for _, record := range collectRecords(t, corpus) {
			if record.ID == "" {
				t.Errorf("a record without an id: %s", record.Data)
			}
		}
		for _, skip := range skips {
			if strings.Contains(skip.Reason, "fault of this program") {
				t.Error(skip)
			}
		}
	})
}
