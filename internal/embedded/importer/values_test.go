package importer

import (
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sheetOf returns a workbook with one sheet of these rows, with the styles number, date, time, duration, and date with time.
func sheetOf(t *testing.T, rows string) string {
	t.Helper()
	return zipOf(t, "xl/workbook.xml", `<workbook><sheets><sheet name="a" id="r"/></sheets></workbook>`, "xl/worksheets/s.xml", "<worksheet><sheetData>"+rows+"</sheetData></worksheet>",
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[h]:mm:ss;@"/><numFmt numFmtId="165" formatCode="hh:mm"/><numFmt numFmtId="166" formatCode="yyyy\-mm\-dd\ hh:mm"/></numFmts>`+
			`<numFmt numFmtId="167" formatCode="mmm"/><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="165"/><xf numFmtId="164"/><xf numFmtId="166"/><xf numFmtId="167"/></cellXfs></styleSheet>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r" Type="/worksheet" Target="worksheets/s.xml"/></Relationships>`)
}

// Records have the values that their files state, whatever program wrote them.
func TestValuesOfFiles(t *testing.T) {
	type row = map[string]any
	text := func(cell string) string { return `<c t="inlineStr"><is><t>` + cell + `</t></is></c>` }
	number := func(style int, value string) string { return fmt.Sprintf(`<c s="%d"><v>%s</v></c>`, style, value) }
	people := func(days ...string) (cards string) {
		for _, day := range days {
			cards += "BEGIN:VCARD\nVERSION:4.0\nFN:Bo\n" + day + "\nEND:VCARD\n"
		}
		return cards
	}
	for _, test := range []struct {
		name, file, text string
		want             []row // the fields of each record that are checked
	}{
		{"times and durations in a sheet", "a.xlsx", sheetOf(t, "<row>"+text("day")+text("clock")+text("took")+text("when")+"</row><row>"+number(1, "46037")+number(2, "0")+number(3, "1.5")+number(4, "46037.09375")+"</row><row>"+
			number(1, "59")+number(2, "0.5")+number(3, "0.25")+number(4, "46038")+"</row><row>"+number(1, "0")+number(2, "1.5")+number(3, "0")+number(4, "46038.5")+"</row>"), []row{
			{"day": "2026-01-15", "clock": "00:00:00", "took": "36:00:00", "when": "2026-01-15T02:15:00"}, {"day": "1900-02-28", "clock": "12:00:00", "took": "6:00:00", "when": "2026-01-16"},
			{"day": nil, "clock": "36:00:00", "took": "0:00:00", "when": "2026-01-16T12:00:00"}}},
		{"a date of which a sheet shows only the month", "a.xlsx", sheetOf(t, "<row>"+text("a")+"</row><row>"+number(5, "46037")+"</row>"), []row{{"a": "2026-01-15"}}},
		{"numbers in a sheet", "a.xlsx", sheetOf(t, "<row>"+text("n")+text("m")+"</row><row>"+number(0, "0.30000000000000004")+number(0, "123456789012345678")+"</row><row>"+number(0, "1234.5600000000001")+number(0, "-7")+"</row>"), []row{{"n": 0.3}, {"n": 1234.56}}},
		{"Apple's times since 2001, and nanoseconds", "a.csv", "visit_time,date,endTimeNanos,n\n790136100.5,790136100123456789,1768443300123456789,790136100.5\n790136101.25,790136101000000000,1768443301000000000,1\n", []row{
			{"visit_time": "2026-01-15T02:15:00.5Z", "date": "2026-01-15T02:15:00.123456789Z", "endTimeNanos": "2026-01-15T02:15:00.123456789Z", "n": 790136100.5}, {"visit_time": "2026-01-15T02:15:01.25Z"}}},
		{"a colon in quotation marks, and several categories", "a.vcf", "BEGIN:VCARD\nVERSION:4.0\nFN:Bo\nADR;LABEL=\"X, Y: z\":;;1 St;City;ST;1;US\nCATEGORIES:friend,work\\, old\nTEL;VALUE=uri:tel:+1-555\nNOTE;X=\":open\nEND:VCARD\n", []row{
			{"addresses": []any{"1 St, City, ST, 1, US"}, "categories": []any{"friend", "work, old"}, "phones": []any{"+1-555"}, "note": "open"}}},
		{"all notes of a card, a role and how to send messages", "a.vcf", "BEGIN:VCARD\nVERSION:4.0\nFN:Bo\nNOTE:one\nNOTE:two\nROLE:Editor\nIMPP:xmpp:bo@x.example\nIMPP:sip:bo@x.example\nEND:VCARD\n", []row{
			{"note": "one\ntwo", "role": "Editor", "instant_messages": []any{"xmpp:bo@x.example", "sip:bo@x.example"}}}},
		{"days of people, of every year and of one", "a.vcf", people("BDAY:1985-03-14", "BDAY:19850314", "BDAY:--03-14", "BDAY:--0229", "BDAY:1604-03-14", "BDAY:1985-03-14T00:00:00Z", "BDAY;VALUE=text:circa 1800", "BDAY:1985-02-30", "ANNIVERSARY:20100606"), []row{
			{"birthday": "1985-03-14", "birthday_month": 3.0, "birthday_day": 14.0}, {"birthday": "1985-03-14"}, {"birthday": "--03-14", "birthday_month": 3.0, "birthday_day": 14.0}, {"birthday": "--02-29"}, {"birthday": "--03-14"}, {"birthday": "1985-03-14"},
			{"birthday": "circa 1800", "birthday_month": nil}, {"birthday": "1985-02-30", "birthday_day": nil}, {"anniversary": "2010-06-06", "anniversary_month": 6.0}}},
		{"a comma in a category", "a.ics", eventOf("DTSTART:20260101T100000Z", `CATEGORIES:A\,B,C`, `SUMMARY:\\\\server\\new\, a`), []row{{"summary": `\\server\new, a`, "categories": []any{"A,B", "C"}}}},
		{"an event while clocks go forward", "a.ics", eventOf("DTSTART;TZID=Europe/Berlin:20260328T023000", "DTEND;TZID=Europe/Berlin:20260328T033000", "RRULE:FREQ=DAILY;COUNT=2"), []row{{"starts_at": "2026-03-28T02:30:00+01:00", "ends_at": "2026-03-28T03:30:00+01:00"}, {"starts_at": "2026-03-29T03:30:00+02:00", "ends_at": "2026-03-29T04:30:00+02:00"}}},
		{"a further day that has an end", "a.ics", eventOf("DTSTART:20260101T100000Z", "RDATE;VALUE=PERIOD:20260110T100000Z/PT2H"), []row{{"starts_at": "2026-01-01T10:00:00Z", "ends_at": "2026-01-01T10:00:00Z"}, {"starts_at": "2026-01-10T10:00:00Z", "ends_at": "2026-01-10T12:00:00Z"}}},
		{"further days with their ends, and one in another zone", "a.ics", eventOf("DTSTART;TZID=Europe/Berlin:20260105T090000", "DURATION:PT1H", "RDATE;TZID=Europe/Berlin;VALUE=PERIOD:20260706T090000/20260706T120000,20260105T090000/PT5H", "RDATE:20260708T090000Z"), []row{
			{"starts_at": "2026-01-05T09:00:00+01:00", "ends_at": "2026-01-05T10:00:00+01:00"}, {"starts_at": "2026-07-06T09:00:00+02:00", "ends_at": "2026-07-06T12:00:00+02:00"}, {"starts_at": "2026-07-08T11:00:00+02:00", "ends_at": "2026-07-08T12:00:00+02:00"}}},
		{"a comma in a label", "a.mbox", messageOf(`X-Gmail-Labels: Inbox,"Work, big",x`, "", "x"), []row{{"labels": []any{"Inbox", "Work, big", "x"}}}},
		{"numbers of a note that begin with 0", "a.md", "---\ncode: 0123\nn: 12\n---\nx\n", []row{{"code": "0123", "n": 12.0}}},
		{"characters written as their bytes", "your_posts.json", `[{"timestamp":1768443300,"title":"J\u00c3\u00b6rg","data":[{"post":"\u00f0\u009f\u0098\u0080"}]},{"timestamp":1768443300,"title":"\u00e4\u00c3"}]`, []row{
			{"title": "Jörg", "data.post": "😀"}, {"title": "äÃ"}}},
		{"a post and when it was changed", "your_posts_1.json", `[{"timestamp":1768443300,"data":[{"post":"Hello"},{"update_timestamp":1768443301}]},{"timestamp":1768443300,"data":[]},{"timestamp":1768443302,"data":[{"update_timestamp":1768443303},{}]}]`, []row{
			{"data.post": "Hello", "data.update_timestamp": "2026-01-15T02:15:01Z", "data": nil}, {"data.post": nil, "data": nil}, {"data.update_timestamp": "2026-01-15T02:15:03Z", "data": nil}}},
		{"a list of similar objects", "events.json", `[{"timestamp":1768443300,"data":[{"n":"a"},{"n":"b"}]},{"timestamp":1768443300,"data":[{"n":"a","m":1}]},{"timestamp":1768443300,"data":[{"n":"a"}]}]`, []row{
			{"data": []any{row{"n": "a"}, row{"n": "b"}}}, {"data": []any{row{"n": "a", "m": 1.0}}}, {"data": []any{row{"n": "a"}}}}},
		{"invalid dates of passages", "My Clippings.txt", "B\n- Note | Added on 2024年13月45日 下午9:12:45\n\nx\n==========\nB\n- Note | Добавлено: вторник, 5 xxx 2024 г. в 10:00:00\n\ny\n==========\n", []row{
			{"created_at": "2024年13月45日 下午9:12:45"}, {"created_at": "вторник, 5 xxx 2024 г. в 10:00:00"}}},
		{"a list of messages for each friend", "chat_history.json", `{"ann":[{"From":"ann","Content":"a"}],"none":[],"bo":[{"From":"bo","Content":"b"},{"From":"me","Content":"c"}]}`, []row{
			{"list": "ann", "From": "ann", "Content": "a"}, {"list": "bo", "From": "bo", "Content": "b"}, {"list": "bo", "From": "me", "Content": "c"}}},
		{"Apple's measurements, once, with totals of a workout and a day", "export.xml", `<?xml version="1.0"?><!DOCTYPE HealthData [<!ELEMENT HealthData ANY>]><HealthData locale="en"><ExportDate value="2026-01-20 02:15:00 +0100"/>` +
			`<Record type="HKQuantityTypeIdentifierBloodPressureSystolic" unit="mmHg" startDate="2026-01-15 02:15:00 +0100" value="120"><MetadataEntry key="HKTimeZone" value="Europe/Berlin"/></Record>` +
			`<Correlation type="HKCorrelationTypeIdentifierBloodPressure" startDate="2026-01-15 02:15:00 +0100"><Record type="HKQuantityTypeIdentifierBloodPressureSystolic" unit="mmHg" startDate="2026-01-15 02:15:00 +0100" value="120"/></Correlation>` +
			`<Workout workoutActivityType="HKWorkoutActivityTypeCycling" duration="20" durationUnit="min" startDate="2026-01-16 07:45:00 +0100"><WorkoutStatistics type="HKQuantityTypeIdentifierDistanceCycling" sum="7.5" unit="km"/>` +
			`<WorkoutActivity><WorkoutStatistics type="HKQuantityTypeIdentifierDistanceCycling" sum="2" unit="km"/></WorkoutActivity></Workout><ActivitySummary dateComponents="2026-01-15" appleExerciseTime="30"/></HealthData>`, []row{
			{"kind": "record", "type": "BloodPressureSystolic", "value": 120.0, "unit": "mmHg", "startDate": "2026-01-15T02:15:00+01:00", "metadata.HKTimeZone": "Europe/Berlin"}, {"kind": "correlation", "type": "BloodPressure", "value": nil},
			{"kind": "workout", "type": "Cycling", "value": 20.0, "DistanceCycling.sum": 7.5, "DistanceCycling.unit": "km"}, {"kind": "activity_summary", "startDate": "2026-01-15", "appleExerciseTime": 30.0}}},
		{"tags in the text of a note, but not in its code", "a.md", "---\ntags: [journal]\n---\nSee #work/boat and #2026, (#journal).\n```\n# no #tag [[no link]]\n```\n", []row{{"title": "a", "tags": []any{"journal", "work/boat"}}}},
		{"tags as words above a note", "a.md", "---\ntags: one, two\n---\nx\n", []row{{"tags": []any{"one", "two"}}}},
		{"a text", "a.txt", "\xef\xbb\xbfTwo\r\nlines", []row{{"title": "a", "text": "Two\nlines"}}},
		{"a text in another charset", "a.txt", "P\xf8\xedli\x9a \x9elu\x9dou\xe8k\xfd k\xf9\xf2 \xfap\xecl", []row{{"text": "Příliš žluťoučký kůň úpěl"}}},
		{"a bank's transactions", "a.ofx", "OFXHEADER:100\nDATA:OFXSGML\n\n<OFX><STMTRS><CURDEF>EUR<BANKACCTFROM><ACCTID>DE1</BANKACCTFROM><BANKTRANLIST><DTSTART>20260101<STMTTRN><TRNTYPE>DEBIT<DTPOSTED>20260115021500.000[-5:EST]<TRNAMT>-1250.50<FITID>a1<NAME>Shop &amp; Co\n<MEMO>x</STMTTRN>" +
			"<STMTTRN><TRNTYPE>CREDIT<DTPOSTED>20260116120000<TRNAMT>7.00<FITID>a2<NAME>Bo</STMTTRN></BANKTRANLIST><LEDGERBAL><BALAMT>9</LEDGERBAL></STMTRS></OFX>", []row{
			{"id": "a1", "date": "2026-01-15T02:15:00-05:00", "amount": -1250.5, "currency": "EUR", "kind": "DEBIT", "name": "Shop & Co", "memo": "x", "account": "DE1"}, {"id": "a2", "date": "2026-01-16", "amount": 7.0, "name": "Bo"}}},
		{"places at no time", "Records.json", `{"locations":[{"timestampMs":"1768443300000","latitudeE7":500000000},{"timestampMs":"0","latitudeE7":500000000}]}`, []row{
			{"timestamp": "2026-01-15T02:15:00Z", "latitude": 50.0}, {"timestamp": nil}}},
		{"a document at no time", "a.docx", zipOf(t, "word/document.xml", "<d><p><t>x</t></p></d>", "docProps/core.xml", "<c><created>2026-01-15T02:15:00Z</created><modified>soon</modified></c>"), []row{
			{"created_at": "2026-01-15T02:15:00Z", "modified_at": nil}}},
		{"a passage without a place", "My Clippings.txt", "Book (A)\r\n- | Added on Thursday, 15 January 2026 02:15:00\r\n\r\nx\r\n==========\r\n", []row{{"title": "Book", "author": "A", "text": "x"}}},
		{"points of a track", "a.gpx", `<?xml version="1.0"?><gpx><metadata><name>All</name></metadata><wpt lat="1.5" lon="-2"><name>Home</name></wpt><trk><name>Run</name><type>running</type><trkseg><trkpt lat="59.9" lon="10.7"><ele>5.5</ele><time>2026-01-15T02:15:00Z</time><extensions><power>200</power><x:TrackPointExtension><x:hr>120</x:hr><x:cad>80</x:cad><x:atemp>5.5</x:atemp></x:TrackPointExtension></extensions></trkpt></trkseg></trk></gpx>`, []row{
			{"kind": "place", "latitude": 1.5, "longitude": -2.0, "name": "Home", "track": nil}, {"track": "Run", "kind": "track point", "time": "2026-01-15T02:15:00Z", "latitude": 59.9, "elevation": 5.5, "heart_rate": 120.0, "cadence": 80.0, "power": 200.0, "temperature": 5.5, "activity": "running"}}},
		{"a lap and its points", "a.tcx", `<?xml version="1.0"?><TrainingCenterDatabase><Activities><Activity Sport="Running"><Id>x</Id><Lap StartTime="2026-01-15T02:15:00Z"><TotalTimeSeconds>60.5</TotalTimeSeconds><DistanceMeters>200.5</DistanceMeters><Calories>12</Calories><Track><Trackpoint><Time>2026-01-15T02:15:01Z</Time>` +
			`<Position><LatitudeDegrees>59.9</LatitudeDegrees><LongitudeDegrees>10.7</LongitudeDegrees></Position><DistanceMeters>3.5</DistanceMeters><HeartRateBpm><Value>120</Value></HeartRateBpm><Extensions><ns3:TPX><ns3:Speed>2.5</ns3:Speed><ns3:Watts>150</ns3:Watts></ns3:TPX></Extensions></Trackpoint></Track></Lap></Activity></Activities></TrainingCenterDatabase>`, []row{
			{"activity": "Running", "kind": "track point", "time": "2026-01-15T02:15:01Z", "latitude": 59.9, "distance_so_far": 3.5, "heart_rate": 120.0, "speed": 2.5, "power": 150.0, "lap_distance": nil},
			{"activity": "Running", "kind": "lap", "time": "2026-01-15T02:15:00Z", "lap_seconds": 60.5, "lap_distance": 200.5, "lap_calories": 12.0, "distance_so_far": nil}}},
		{"places in folders", "a.kml", `<kml><Document><name>Trip</name><Folder><name>Day 1</name><Placemark><name>Home</name><TimeStamp><when>2026-01-15T02:15:00Z</when></TimeStamp><ExtendedData><Data name="rank"><value>1</value></Data></ExtendedData><Point><coordinates> 10.7,59.9,5.5 </coordinates></Point></Placemark></Folder>` +
			`<Placemark><name>Way</name><LineString><coordinates>10,59 11,60</coordinates></LineString></Placemark></Document></kml>`, []row{
			{"folder": "Trip/Day 1", "name": "Home", "time": "2026-01-15T02:15:00Z", "latitude": 59.9, "longitude": 10.7, "elevation": 5.5, "data": "rank\n1"}, {"folder": "Trip", "name": "Way", "latitude": nil, "line": "10,59 11,60"}}},
		{"a statement of a bank", "a.xml", `<Document xmlns="urn:iso:std:iso:20022:tech:xsd:camt.053.001.08"><BkToCstmrStmt><Stmt><Acct><Id><IBAN>DE1</IBAN></Id></Acct><Bal><Tp><CdOrPrtry><Cd>OPBD</Cd></CdOrPrtry></Tp><Amt Ccy="EUR">100.00</Amt><CdtDbtInd>DBIT</CdtDbtInd><Dt><Dt>2026-01-14</Dt></Dt></Bal><Ntry><Amt Ccy="EUR">12.34</Amt><CdtDbtInd>DBIT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>2026-01-15</Dt></BookgDt>` +
			`<NtryDtls><TxDtls><Amt Ccy="USD">13.00</Amt><RltdPties><Dbtr><Nm>Nora</Nm></Dbtr><Cdtr><Pty><Nm>Shop &amp; Co</Nm></Pty></Cdtr><CdtrAcct><Id><IBAN>DE9</IBAN></Id></CdtrAcct></RltdPties><RmtInf><Ustrd>Invoice 7</Ustrd><Ustrd>of May</Ustrd></RmtInf></TxDtls></NtryDtls></Ntry></Stmt>` +
			`<Stmt><Acct><Id><IBAN>DE2</IBAN></Id></Acct><Ntry><Amt Ccy="CHF">1.00</Amt><CdtDbtInd>CRDT</CdtDbtInd><BookgDt><Dt>2026-01-17</Dt></BookgDt><NtryDtls><TxDtls><RltdPties><Dbtr><Nm>Bo</Nm></Dbtr></RltdPties></TxDtls></NtryDtls></Ntry></Stmt></BkToCstmrStmt></Document>`, []row{
			{"date": "2026-01-14", "kind": "OPBD", "balance": -100.0, "amount": nil, "currency": "EUR", "account": "DE1"},
			{"date": "2026-01-15", "balance": nil, "amount": -12.34, "currency": "EUR", "name": "Shop & Co", "other_account": "DE9", "purpose": "Invoice 7\nof May", "status": "BOOK", "account": "DE1"}, {"amount": 1.0, "currency": "CHF", "name": "Bo", "account": "DE2"}}},
		{"notes of Evernote", "a.enex", `<?xml version="1.0"?><en-export><note><title>Boat &amp; sail</title><content><![CDATA[<en-note><div>Buy <b>rope</b></div><div><en-todo checked="true"/>Paint</div></en-note>]]></content><created>20260115T021500Z</created><tag>a</tag><tag>b</tag><note-attributes><latitude>59.9</latitude><author>Nora</author></note-attributes>` +
			`<resource><data encoding="base64">` + strings.Repeat("aGk=", 5<<20) + `</data><resource-attributes><file-name>a.txt</file-name></resource-attributes></resource></note><note><title>Two</title></note></en-export>`, []row{
			{"title": "Boat & sail", "text": "Buy rope\n[x] Paint", "created_at": "2026-01-15T02:15:00Z", "tags": []any{"a", "b"}, "author": "Nora", "latitude": 59.9, "attachments": []any{"a.txt"}}, {"title": "Two"}}},
		{"a message of Apple Mail", "1.emlx", "54        \nFrom: a@x.example\nSubject: Hi\nMessage-ID: <1@x>\n\nHello\n<?xml version=\"1.0\"?><plist></plist>\n", []row{{"subject": "Hi", "body_text": "Hello"}}},
		{"a page of Google's activity", "watch-history.html", `<html><head><title>History</title><style>.mdl{}</style></head><body><div class="mdl-grid">` + strings.Repeat(`<div class="outer-cell mdl-cell mdl-cell--12-col"><div class="mdl-grid"><div class="header-cell mdl-cell"><p class="mdl-typography--title">YouTube<br></p></div>`+
			`<div class="content-cell mdl-cell mdl-typography--body-1">Watched <a href="https://y.example/?v=1&amp;t=2">A &amp; B</a><br><a href="https://y.example/c">Chan</a><br>Jan 15, 2026, 2:15:00 AM IST</div><div class="content-cell mdl-cell"></div>`+
			`<div class="content-cell mdl-cell"><b>Products:</b><br>&emsp;YouTube<br></div></div></div>`, 2) + `</div></body></html>`, slices.Repeat([]row{
			{"product": "YouTube", "title": "Watched A & B", "description": "Chan", "url": "https://y.example/?v=1&t=2", "time": "2026-01-15T02:15:00", "details": "Products:\n\u2003YouTube"}}, 2)},
		{"bookmarks", "bookmarks.html", "<!DOCTYPE NETSCAPE-Bookmark-file-1>\n<TITLE>Bookmarks</TITLE>\n<H1>Bookmarks</H1>\n<DL><p>\n<DT><H3 ADD_DATE=\"1768443300\">Bar</H3>\n<DL><p>\n<DT><A HREF=\"https://x.example/?a=1&amp;b=2\" ADD_DATE=\"1768443300\" ICON=\"data:x\">A &amp; B</A>\n" +
			"<DT><H3>Sub</H3>\n<DL><p>\n<DT><A HREF=\"https://x.example/b\" ADD_DATE=\"1768443301000000\" TAGS=\"one,two\">B</A>\n<DD>About b\n</DL><p>\n</DL><p>\n<DT><A HREF=\"https://x.example/c\">C</A>\n</DL>", []row{
			{"title": "A & B", "folder": "Bar", "url": "https://x.example/?a=1&b=2", "created_at": "2026-01-15T02:15:00Z", "description": nil},
			{"title": "B", "folder": "Bar/Sub", "created_at": "2026-01-15T02:15:01Z", "tags": []any{"one", "two"}, "description": "About b"}, {"title": "C", "folder": nil, "created_at": nil}}},
		{"a chat in Hungarian", "_chat.txt", "2026. 01. 15. 8:12 - Ann: x\n2026. 01. 15. 23:59 - Bo: y\n", []row{{"sent_at": "2026-01-15T08:12:00", "author": "Ann"}, {"sent_at": "2026-01-15T23:59:00", "author": "Bo"}}},
		{"a chat in Arabic", "_chat.txt", "\u200f15/1/2026، 8:12 ص - Ann: x\n15/1/2026, 11:59 م - Bo: y\n", []row{{"sent_at": "2026-01-15T08:12:00", "author": "Ann"}, {"sent_at": "2026-01-15T23:59:00", "author": "Bo"}}},
		{"no date as Outlook writes it", "a.csv", "Name,Birthday\nAnn,29/2/1988\nBo,0/0/00\n", []row{{"Birthday": "1988-02-29"}, {"Birthday": nil}}},
		{"a chat in Chinese", "_chat.txt", "2026/1/15 下午2:15 - Ann: x\n2026/1/16 上午12:15 - Bo: y\n", []row{{"sent_at": "2026-01-15T14:15:00", "author": "Ann"}, {"sent_at": "2026-01-16T00:15:00", "author": "Bo"}}},
		{"chats in Korean", "_chat.txt", "[2026. 1. 15. 오후 2:15:09] Ann: x\n2026년 1월 16일 오전 9:15, Bo : y\n", []row{{"sent_at": "2026-01-15T14:15:09", "author": "Ann"}, {"sent_at": "2026-01-16T09:15:00", "author": "Bo"}}},
		{"a notice that quotes a name", "_chat.txt", "15/01/2026, 02:15 - Ann changed the subject from \"A: b\" to \"C\"\n", []row{{"notice": true, "author": nil, "text": "Ann changed the subject from \"A: b\" to \"C\""}}},
		{"a like of X", "like.js", `window.YTD.like.part0 = [{"like":{"tweetId":"1","fullText":"T &lt;3"}}]`, []row{{"fullText": "T <3"}}},
		{"a zone with its offset from UTC", "a.csv", "at\n\"15 Jan 2026, 02:15:00 GMT+05:30\"\n\"16 Jan 2026, 02:15:00 UTC-0800\"\n\"16 Jan 2026, 02:15:00 UTC\"\n", []row{{"at": "2026-01-15T02:15:00+05:30"}, {"at": "2026-01-16T02:15:00-08:00"}, {"at": "2026-01-16T02:15:00Z"}}},
		{"dates in JSON, in fields named like dates", "a.json", `[{"dateTime":"01/15/26 02:15:00","note":"01/15/26","app_version":"2024.12.1","sent":{"date":"Thu, 15 Jan 2026 02:15:00 +0100"}},{"dateTime":"01/16/26 02:15:00","note":"01/16/26","sent":{"date":"Fri, 16 Jan 2026 02:15:00 +0100"}}]`, []row{
			{"dateTime": "2026-01-15T02:15:00", "note": "01/15/26", "app_version": "2024.12.1", "sent.date": "2026-01-15T02:15:00+01:00"}, {"dateTime": "2026-01-16T02:15:00", "sent.date": "2026-01-16T02:15:00+01:00"}}},
		{"amounts in JSON that are strings", "a.json", `[{"id":"1","amount":"5.00","price":{"total":"1e2","currency":"EUR"},"zip":"01234","fee":"","cost":"free"},{"id":"2","amount":7,"price":{"total":"-0.5","currency":"EUR"},"zip":"98765","fee":"1","cost":"2"},{"id":"3","amount":null}]`, []row{
			{"id": "1", "amount": 5.0, "price.total": 100.0, "price.currency": "EUR", "zip": "01234", "fee": "", "cost": "free"}, {"amount": 7.0, "price.total": -0.5, "fee": "1", "cost": "2"}, {"amount": nil}}},
		{"ambiguous dates in JSON", "a.json", `[{"date":"01/02/2026","created":"yesterday"},{"date":"03/04/2026","created":"15 Jan 2026"}]`, []row{{"date": "01/02/2026", "created": "yesterday"}, {"date": "03/04/2026"}}},
		{"cells of spaces, marks behind spaces and a balance in all", "a.csv", "Date, Name, Cost\n2026-01-15, \"x, y\", 50.00\n2026-01-16,\"z\", \n2026-01-20,Total balance,50.00\n", []row{{"Date": "2026-01-15", "Name": "x, y", "Cost": 50.0}, {"Name": "z", "Cost": nil}}},
		{"an ambiguous dot between semicolons", "a.csv", "a;b\n1.000;x\n12.500;y\n", []row{{"a": "1.000"}, {"a": "12.500"}}},
		{"a dot between commas", "a.csv", "a,b\n1.125,x\n12.500,y\n", []row{{"a": 1.125}, {"a": 12.5}}},
		{"times as PostgreSQL and others write them", "a.csv", "a,b,c\n2026-01-15 02:15:00.123456+00,2026-01-15 02:15:00+0100,2026-01-15 02:15:00 +05:30\n2026-01-16 02:15:00-05,2026-01-16 02:15:00-0100,2026-01-16 02:15:00 +00:00\n", []row{
			{"a": "2026-01-15T02:15:00.123456Z", "b": "2026-01-15T02:15:00+01:00", "c": "2026-01-15T02:15:00+05:30"}, {"a": "2026-01-16T02:15:00-05:00"}}},
		{"money in JSON", "a.json", `[{"order":{"totalPrice":"€1,012.50","tax":"€0.00"},"fee":"1.234,50 EUR","cost":"1,234"},{"order":{"totalPrice":"-€1.99"},"fee":"-3,00 EUR","cost":"free"}]`, []row{
			{"order.totalPrice": 1012.5, "order.totalPrice_currency": "€", "order.tax": 0.0, "fee": 1234.5, "fee_currency": "EUR", "cost": "1,234"}, {"order.totalPrice": -1.99, "order.tax": nil, "order.tax_currency": nil, "fee": -3.0}}},
		{"counts of time as programs write large numbers", "a.json", `[{"startTimeGMT":1.7684433E12,"timestamp":1768443300123.5,"at":1.7684433E9,"n":1.7684433E12},{"startTimeGMT":1768529700000.0,"timestamp":1768443300000.25,"at":1768443300.5,"n":1}]`, []row{
			{"startTimeGMT": "2026-01-15T02:15:00.000Z", "timestamp": "2026-01-15T02:15:00.1235Z", "at": "2026-01-15T02:15:00Z", "n": 1.7684433e12}, {"startTimeGMT": "2026-01-16T02:15:00Z", "timestamp": "2026-01-15T02:15:00.00025Z", "at": "2026-01-15T02:15:00.5Z"}}},
		{"characters of a sheet that XML does not allow", "a.xlsx", sheetOf(t, "<row>"+text("a")+text("b")+"</row><row>"+text("x_x000D_\ny")+text("_x005F_x0041_ _xyz_")+"</row>"), []row{{"a": "x\ny", "b": "_x0041_ _xyz_"}}},
		{"a text that is a table", "a.txt", "Date\tName\tGross\r\n01/31/2026\tA Shop\t-12.50\r\n02/01/2026\t\t\"1,000.00\"\r\n", []row{{"Date": "2026-01-31", "Name": "A Shop", "Gross": -12.5}, {"Date": "2026-02-01", "Name": nil, "Gross": 1000.0}}},
		{"a text with tabs that is not a table", "a.txt", "Milk\t\ttwo\nBread\tone\n", []row{{"text": "Milk\t\ttwo\nBread\tone"}}},
		{"days of the week in two letters", "a.csv", "Tag,Wert\n\"Mo., 05.01.2026\",1\n\"Di, 13.01.2026\",2\n", []row{{"Tag": "2026-01-05"}, {"Tag": "2026-01-13"}}},
		{"days whose years have two digits", "a.csv", "Created,Due\n03/Jan/26 7:15 AM,14/Feb/26 9:15 PM\n04/Jan/26 7:15 AM,\n", []row{{"Created": "2026-01-03T07:15:00", "Due": "2026-02-14T21:15:00"}, {"Created": "2026-01-04T07:15:00", "Due": nil}}},
		{"numbers that programs would round, alone, in lists and among others", "a.jsonl", `{"id":1213456789012345678,"n":0.5,"of":[1213456789012345679,"\"7",{"a":-9007199254740993}],"to":{"id":9007199254740993},"amount":"90071992547409930","ts":1768443300123456789}` + "\n" +
			`{"id":7,"n":2,"of":[7],"to":{"id":8},"amount":"5","ts":1768443301000000000}`, []row{
			{"id": "1213456789012345678", "n": 0.5, "of": []any{"1213456789012345679", "\"7", row{"a": "-9007199254740993"}}, "to.id": "9007199254740993", "amount": "90071992547409930", "ts": "2026-01-15T02:15:00.123456789Z"},
			{"id": "7", "n": 2.0, "of": []any{7.0}, "to.id": "8", "amount": "5"}}},
		{"numbers that programs would round in a table", "a.csv", "ID,n\n1213456789012345678,1\n7,-9007199254740993\n", []row{{"ID": "1213456789012345678", "n": "1"}, {"ID": "7", "n": "-9007199254740993"}}},
		{"times as Go writes them", "a.csv", "Request Time,x\n2026-01-15 02:15:00 +0000 UTC,1\n2026-01-16 02:15:00 -0100 UTC,2\n", []row{{"Request_Time": "2026-01-15T02:15:00Z"}, {"Request_Time": "2026-01-16T02:15:00-01:00"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			records, _ := loaded(t, test.file, test.text)
			delete(records, "a"+aroundSuffix)
			for _, got := range records {
				for index, one := range got[:min(len(got), len(test.want))] {
					for name, want := range test.want[index] {
						if _, there := one[name]; !there && want == nil {
							one[name] = nil
						}
					}
					for name := range one {
						if _, asked := test.want[index][name]; !asked {
							delete(one, name)
						}
					}
				}
				if diff := cmp.Diff(test.want, got); diff != "" {
					t.Errorf("(-want +got)\n%s", diff)
				}
			}
			if len(records) != 1 {
				t.Errorf("%d streams", len(records))
			}
		})
	}
}

// Apple programs use databases with times in seconds since 2001, and declare the columns that have them.
func TestTimesOfCoreData(t *testing.T) {
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "notes.sqlite"))
	if err == nil {
		_, err = db.ExecContext(t.Context(), `CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, ZTITLE VARCHAR, ZCREATIONDATE TIMESTAMP, ZORDER TIMESTAMP, ZSIZE INTEGER, ZKEY INTEGER);
			INSERT INTO ZNOTE VALUES (1, 'a', 790136100.25, 790136100, 790136100, 9007199254740993), (2, 'b', -1.5, NULL, 2, 7), (3, 'c', 0, 'x', 3, NULL)`)
	}
	if err := errors.Join(err, db.Close()); err != nil {
		t.Fatal(err)
	}
	corpus, _ := openFolder(t, dir)
	want := map[string]string{
		"1": `{"Z_PK":1,"ZTITLE":"a","ZCREATIONDATE":"2026-01-15T02:15:00.25Z","ZORDER":"2026-01-15T02:15:00Z","ZSIZE":790136100,"ZKEY":"9007199254740993"}`,
		"2": `{"Z_PK":2,"ZTITLE":"b","ZCREATIONDATE":"2000-12-31T23:59:58.5Z","ZORDER":null,"ZSIZE":2,"ZKEY":"7"}`,
		"3": `{"Z_PK":3,"ZTITLE":"c","ZCREATIONDATE":null,"ZORDER":"x","ZSIZE":3,"ZKEY":null}`,
	}
	for _, record := range collectRecords(t, corpus) {
		if string(record.Data) != want[record.ID] {
			t.Errorf("%s, not %s", record.Data, want[record.ID])
		}
	}
}

// The name of a column may say in which currency its amounts are, and so what a comma before three digits means.
func TestACurrencyInTheNameOfAColumnSaysWhatACommaMeans(t *testing.T) {
	for name, want := range map[string]any{"出金金額(円)": 1219.0, "Amount (£)": 1219.0, "Amount (JPY)": 1219.0, "Preis/l (€)": "1,219"} {
		records, _ := loaded(t, "a.csv", "when,"+name+"\n2026-01-01,\"1,219\"\n2026-01-02,\"1,319\"\n")
		got := any(nil)
		for field, value := range records["a"][0] {
			if field != "when" {
				got = value
			}
		}
		if got != want {
			t.Errorf("%s: %v, want %v", name, got, want)
		}
	}
}

// SQLite has no booleans: programs write 0 and 1 into columns that are named or declared as flags.
func TestFlagsOfADatabaseAreBooleans(t *testing.T) {
	text := dataOf(t, "CREATE TABLE t(n INTEGER PRIMARY KEY, is_read INTEGER, has_files INT, starred BOOLEAN, is_level INTEGER, is_text TEXT, is_none, visits INTEGER)",
		"INSERT INTO t VALUES(1, 0, NULL, 1, 2, '1', NULL, 1)", "INSERT INTO t VALUES(2, 1, 1, 0, 0, '0', NULL, 0)")
	records, skips := loaded(t, "d.db", text)
	want := []map[string]any{
		{"n": 1.0, "is_read": false, "has_files": nil, "starred": true, "is_level": 2.0, "is_text": "1", "is_none": nil, "visits": 1.0},
		{"n": 2.0, "is_read": true, "has_files": true, "starred": false, "is_level": 0.0, "is_text": "0", "is_none": nil, "visits": 0.0},
	}
	if diff := cmp.Diff(want, records["d_t"]); diff != "" || len(skips) > 0 {
		t.Errorf("(-want +got)\n%s%v", diff, skips)
	}
}

// Some banks fill up the amounts of a statement with zeros, and write a plus.
func TestFilledAmountsOfAStatementAreNumbers(t *testing.T) {
	var text string
	for i, amount := range []string{"-00000000002571.4500", "+00000000000000.1600", "0", "00.50", "x"} {
		text += fmt.Sprintf("<STMTTRN><TRNTYPE>OTHER<DTPOSTED>20260115<TRNAMT>%s<FITID>%d</STMTTRN>", amount, i)
	}
	records, _ := loaded(t, "a.ofx", "<OFX><STMTRS><CURDEF>USD<BANKTRANLIST>"+strings.Replace(text, "x", "+1", 1)+"</BANKTRANLIST></STMTRS></OFX>")
	var got []any
	for _, record := range records["a"] {
		got = append(got, record["amount"])
	}
	if diff := cmp.Diff([]any{-2571.45, 0.16, 0.0, 0.5, 1.0}, got); diff != "" {
		t.Error(diff)
	}
}

// Programs write amounts as strings, so that none is rounded, in the form of their country.
func TestAmountsInJSONAreReadAsTheirCountryWritesThem(t *testing.T) {
	records, _ := loaded(t, "a.jsonl", `{"Betrag":"1.234,56","Gesamtpreis":"12,50 €","prix":"1 000,5","saldo":"7","kwota":"x","n":"1,5","scena":"1"}`+"\n"+
		`{"Betrag":"-99,00","Gesamtpreis":"3,00 €","prix":"2","saldo":null,"kwota":"1,5","n":"2,5","scena":"2"}`)
	want := []map[string]any{
		{"Betrag": 1234.56, "Gesamtpreis": 12.5, "Gesamtpreis_currency": "€", "prix": 1000.5, "saldo": 7.0, "kwota": "x", "n": "1,5", "scena": "1"},
		{"Betrag": -99.0, "Gesamtpreis": 3.0, "Gesamtpreis_currency": "€", "prix": 2.0, "saldo": nil, "kwota": "1,5", "n": "2,5", "scena": "2"},
	}
	if diff := cmp.Diff(want, records["a"]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Phones write cards of version 2.1: in quoted-printable with soft line ends, and in any charset.
func TestCardsOfPhonesAreReadTruly(t *testing.T) {
	tests := []struct{ name, lines, field, want string }{
		{"parameters without a value", "TEL;HOME;VOICE:+49 30 1", "phones", "[+49 30 1]"},
		{"a fax without the word TYPE", "TEL;WORK;FAX:+49 30 1\r\nTEL;HOME:+2", "phones_fax", "[+49 30 1]"},
		{"a soft line end before a space", "NOTE;ENCODING=QUOTED-PRINTABLE:one=\r\n two =C3=\r\n=BC\r\n\tthree", "note", "one two üthree"},
		{"a line end at the end of a card", "NOTE;QUOTED-PRINTABLE;CHARSET=UTF-8:=E2=82=AC=", "note", "€"},
		{"a text that ends with =", "NOTE:a=\r\nTEL:5", "note", "a="},
		{"a charset of Central Europe", "FN;ENCODING=QUOTED-PRINTABLE;CHARSET=ISO-8859-2:=A9=E1rka", "name", "Šárka"},
		{"a charset without quoted-printable", "FN;CHARSET=ISO-8859-2:\xa9\xe1rka", "name", "Šárka"},
		{"Japanese, with a trail byte that is a backslash", "ORG;QUOTED-PRINTABLE;CHARSET=SHIFT_JIS:=83=5C=83=6A=81=5B", "organization", "ソニー"},
		{"UTF-8 in spite of its charset", "FN;CHARSET=ISO-8859-1:J\u00f6rg", "name", "Jörg"},
		{"an unknown charset", "FN;CHARSET=x-none;ENCODING=QUOTED-PRINTABLE:J=F6rg", "name", "Jörg"},
		{"what programs of Apple add", "item1.X-SOCIALPROFILE;type=twitter:http://x.example/a\r\nitem2.X-ABRELATEDNAMES:Eve\r\nURL:http://b.example",
			"urls", "[http://x.example/a http://b.example]"},
		{"a person who is related", "X-ABRELATEDNAMES:Eve\r\nRELATED;VALUE=text:Bo", "related", "[Eve Bo]"},
		{"a messenger of Android", "X-SKYPE-USERNAME:ada.l", "instant_messages", "[ada.l]"},
		{"two employers", "ORG:A;Sales\r\nORG:B", "organization", "A, Sales\nB"},
		{"broken quoted-printable", "NOTE;ENCODING=QUOTED-PRINTABLE:50=ZZ", "note", "50=ZZ"},
	}
	for _, test := range tests {
		records, skips := loaded(t, "a.vcf", "BEGIN:VCARD\r\nVERSION:2.1\r\n"+test.lines+"\r\nEND:VCARD\r\nBEGIN:VCARD\r\nFN:Next\r\nEND:VCARD\r\n")
		if got := records["a"]; len(got) != 2 || fmt.Sprint(got[0][test.field]) != test.want || len(skips) > 0 {
			t.Errorf("%s: %v %v, want %s", test.name, got, skips, test.want)
		}
	}
}

// A computed column may need a function that only the program has which made the file.
func TestAGeneratedColumnThatFailsIsNamed(t *testing.T) {
	text := dataOf(t, "CREATE TABLE t(a TEXT, b TEXT AS (upper(a)))", "INSERT INTO t(a) VALUES('x')",
		"PRAGMA writable_schema = 1", "UPDATE sqlite_schema SET sql = replace(sql, 'upper', 'other')")
	records, skips := loaded(t, "d.db", text)
	if diff := cmp.Diff([]map[string]any{{"a": "x"}}, records["d_t"]); diff != "" {
		t.Error(diff)
	}
	want := []Skip{{"d.db", 0, `the column "b" of the table "t" cannot be computed: it needs the program that made it`}}
	if diff := cmp.Diff(want, skips); diff != "" {
		t.Error(diff)
	}
}

// Streams are named after their files, in any language.
func TestStreamsAreNamedAfterTheirFiles(t *testing.T) {
	records, skips := loadedTree(t, map[string]string{"日本 語.csv": "a\n1\n", "中文.csv": "a\n1\n", "U\u0308ber \u00d6l.csv": "a\n1\n", "a b?c.csv": "a\n1\n", "note.csv": "a\n", "old.bear2bk": "PK\x03\x04", "A.HEIC": "\x00"})
	if diff := cmp.Diff([]string{"a_b_c", "Über_Öl", "中文", "日本_語"}, slices.Sorted(maps.Keys(records))); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	want := []Skip{{"A.HEIC", 0, "of no known kind: pictures, recordings and films are not read"}, {"old.bear2bk", 0, "of no known kind: rename it to .zip"}, {"note.csv", 1, "a cell alone, which would name a column without rows"}}
	if diff := cmp.Diff(want, skips); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestASingleFileNamesItsStream(t *testing.T) {
	dir := writeFolder(t, map[string]string{"2026.csv": "a\n1\n"})
	for path, want := range map[string]string{dir + "/2026.csv": "2026", dir: streamName(filepath.Base(dir)) + "_2026"} {
		corpus, _ := openFolder(t, path)
		if got := corpus.Connectors[0].Streams[0].Name; got != want {
			t.Errorf("%s is the stream %q, want %q", path, got, want)
		}
	}
}

// A program may write formulas without their results: the rows with them are reported, and the total below them is not a total.
func TestFormulasWithoutResultsAreReported(t *testing.T) {
	const header, total = `<row><c t="inlineStr"><is><t>a</t></is></c><c t="inlineStr"><is><t>b</t></is></c></row>`, `<row><c t="str"><v>Total</v></c><c><f>SUM(B2:B5)</f><v>9</v></c></row>`
	const cells = header + `<row><c t="str"><v>x&#10;y</v></c><c><v>5</v></c></row><row><c><v>1</v></c><c><f>A2*2</f></c></row><row><c><v>2</v></c><c><f>A3*2</f><v>4</v></c></row><row><c><v>3</v></c><c t="str"><f>T(1)</f><v></v></c></row>` + total
	var skipped, kept []Skip
	corpus, err := Open(t.Context(), writeFolder(t, map[string]string{"a.xlsx": sheetOf(t, cells)}), nil, Watch{
		Skipped: func(s Skip) { skipped = append(skipped, s) }, Kept: func(s Skip) { kept = append(kept, s) },
	})
	if err != nil {
		t.Fatal(err)
	}
	want := []Skip{{"a.xlsx", 4, "it has a formula without a result; open the file in a spreadsheet program and save it again"},
		{"a.xlsx", 7, "1 line around the table is in a_around, totals or balances among them: 1"}, {"a.xlsx", 2, `"a" stays a text: not a number in 1 of 4 records`}}
	if diff := cmp.Diff(want, kept); diff != "" || len(collectRecords(t, corpus)) != 5 || skipped != nil {
		t.Errorf("(-want +got)\n%s\n%v", diff, skipped)
	}
}

// A row can have both a formula without a result and another defect.
func TestARowHasAllItsDefects(t *testing.T) {
	cell := func(text string) string { return `<c t="str"><v>` + text + `</v></c>` }
	const number, formula = `<c><v>5</v></c>`, `<c><f>A2*2</f></c>`
	cells := `<row>` + cell("a") + cell("b") + cell("c") + `</row><row>` + cell("x") + number + number + `</row><row>` + cell("Total") + `<c><v>9</v></c>` + formula +
		`</row><row>` + cell("y") + number + number + `</row>`
	var kept []string
	if _, err := Open(t.Context(), writeFolder(t, map[string]string{"a.xlsx": sheetOf(t, cells)}), nil, Watch{Kept: func(s Skip) { kept = append(kept, s.Reason) }}); err != nil {
		t.Fatal(err)
	}
	want := []string{"it is called a total, and no number of it is the sum of the rows above it; it is kept as a row; " +
		"it has a formula without a result; open the file in a spreadsheet program and save it again"}
	if diff := cmp.Diff(want, kept); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// A Markdown link to a file is a relation like [[links]], wherever the file is.
func TestNotesLinkToFiles(t *testing.T) {
	corpus, _ := openFolder(t, writeTree(t, map[string]string{"Page 01ab.md": "[Sub](Page%2001ab/Sub%2002cd.md#plan) [out](https://x.example/a.md) `[[code]]`", "Page 01ab/Sub 02cd.md": "up: [Page](../Page%2001ab.md)"}))
	var got []string
	for _, record := range collectRecords(t, corpus) {
		if record.Stream == "notes_links" {
			got = append(got, string(record.Data))
		}
	}
	want := []string{
		`{"id":"Page 01ab/Sub 02cd-a1","note_id":"Page 01ab/Sub 02cd","target":"Page 01ab.md","target_id":"Page 01ab","kind":"note","embedded":false}`,
		`{"id":"Page 01ab-a1","note_id":"Page 01ab","target":"Page 01ab/Sub 02cd.md","target_id":"Page 01ab/Sub 02cd","heading":"plan","kind":"note","embedded":false}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// Often only the file name of a note has its date.
func TestANoteHasTheDateInItsName(t *testing.T) {
	for _, test := range []struct {
		name  string
		files map[string]string
		field string
		want  map[string]string // by id
	}{
		{"only names", map[string]string{"2026-02-18 Lech skiing.md": "x", "20260219-x.md": "x", "a/2026-02-20_x.md": "x", "2026-02-21.md": "x"}, "date",
			map[string]string{"2026-02-18 Lech skiing": "2026-02-18", "20260219-x": "2026-02-19", "a/2026-02-20_x": "2026-02-20", "2026-02-21": "2026-02-21"}},
		{"front matter comes first", map[string]string{"2026-02-18 a.md": "---\ndate: 2026-01-01\n---\nx", "2026-02-18 b.md": "---\ntags: x\n---\nx"}, "date",
			map[string]string{"2026-02-18 a": "2026-01-01", "2026-02-18 b": "2026-02-18"}},
		{"front matter under another name", map[string]string{"2026-02-18 a.md": "---\ncreated: 2026-01-01T10:00\n---\nx", "2026-02-19.md": "x", "b.md": "x"}, "created",
			map[string]string{"2026-02-18 a": "2026-01-01T10:00", "2026-02-19": "2026-02-19"}},
		{"the name that other notes use", map[string]string{"2026-02-18 a.md": "x", "b.md": "---\ncreated: 2026-01-01T10:00:00Z\n---\nx", "c.md": "---\ndate: 2026-01-02\nupdated: 2026-01-03\n---\nx", "d.md": "x"}, "when",
			map[string]string{"2026-02-18 a": "2026-02-18", "b": "2026-01-01T10:00:00Z", "c": "2026-01-02"}},
		{"a due date is separate", map[string]string{"2026-02-18 a.md": "---\ndue: 2026-03-01\n---\nx"}, "date", map[string]string{"2026-02-18 a": "2026-02-18"}},
		{"no days", map[string]string{"2026-02-31 a.md": "x", "202602181 b.md": "x", "2026-0218 c.md": "x", "99990101.md": "x", "on 2026-02-18.md": "x"}, "date", nil},
	} {
		t.Run(test.name, func(t *testing.T) {
			corpus, _ := openFolder(t, writeTree(t, test.files))
			stream := corpus.Connectors[0].Streams[0]
			var got map[string]string
			for _, one := range collectRecords(t, corpus) {
				var data map[string]any
				if err := json.Unmarshal(one.Data, &data); err != nil {
					t.Fatal(err)
				}
				if day, ok := data[test.field].(string); ok {
					if got == nil {
						got = map[string]string{}
					}
					got[one.ID] = day
				}
				if _, ok := data[test.field]; ok == one.EmittedAt.IsZero() {
					t.Errorf("%s is emitted at %s", one.ID, one.EmittedAt)
				}
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if field, ok := stream.Field(test.field); ok != (test.want != nil) || ok && field.Role != "event-time" {
				t.Errorf("field %+v", field)
			}
		})
	}
	records, _ := loaded(t, "2026-02-18 minutes.txt", "Present: all.")
	for _, one := range records {
		if one[0]["date"] != "2026-02-18" {
			t.Errorf("a document: %v", one[0])
		}
	}
}

// If a record lacks the usual time field, the first other time field is used.
func TestARecordWithoutItsUsualTimeUsesAnother(t *testing.T) {
	for _, test := range []struct{ name, text, field, want string }{
		{"the time that all have", "Date Read,Date Added,Expires\n2024/02/11,2023/12/24,2025-01-01\n,2024/05/01,2025-01-01\n", "Date_Added", "2023-12-24 2024-05-01"},
		{"the first time that each has", "sent at,created,born on date of birth\n2026-01-15 02:15,,1980-01-01\n,2026-01-16,1980-01-01\n,,1980-01-01\n2026-01-17 03:00,2026-01-01,\n", "when", "2026-01-15 2026-01-16 - 2026-01-17"},
		{"no other time", "start,end,n\n2026-01-15,2026-01-16,1\n2026-01-17,,2\n,,3\n", "start", "2026-01-15 2026-01-17 -"},
		{"a future time is not used", "date,due date\n2026-01-15,2026-03-01\n,2026-03-01\n", "date", "2026-01-15 -"},
	} {
		t.Run(test.name, func(t *testing.T) {
			corpus, _ := openFolder(t, writeTree(t, map[string]string{"a.csv": test.text}))
			stream := corpus.Connectors[0].Streams[0]
			if field, _ := stream.Field(test.field); field.Role != "event-time" || stream.ConsentTimeField != test.field {
				t.Errorf("fields %+v", stream.Fields)
			}
			var got []string
			for _, one := range collectRecords(t, corpus) {
				if one.EmittedAt.IsZero() {
					got = append(got, "-")
				} else {
					got = append(got, one.EmittedAt.Format("2006-01-02"))
				}
			}
			if strings.Join(got, " ") != test.want {
				t.Errorf("emitted at %s, want %s", got, test.want)
			}
		})
	}
}
