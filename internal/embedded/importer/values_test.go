package importer

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// sheetOf is a workbook of a sheet with these rows, whose styles are a number, a date, a time, what took some time, and a date with its time.
func sheetOf(t *testing.T, rows string) string {
	t.Helper()
	return zipOf(t, "xl/workbook.xml", `<workbook><sheets><sheet name="a" id="r"/></sheets></workbook>`, "xl/worksheets/s.xml", "<worksheet><sheetData>"+rows+"</sheetData></worksheet>",
		"xl/styles.xml", `<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[h]:mm:ss;@"/><numFmt numFmtId="165" formatCode="hh:mm"/><numFmt numFmtId="166" formatCode="yyyy\-mm\-dd\ hh:mm"/></numFmts>`+
			`<cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="165"/><xf numFmtId="164"/><xf numFmtId="166"/></cellXfs></styleSheet>`,
		"xl/_rels/workbook.xml.rels", `<Relationships><Relationship Id="r" Type="/worksheet" Target="worksheets/s.xml"/></Relationships>`)
}

// What a file says is what its records hold, whatever program wrote it.
func TestValuesAreWhatTheirFilesSay(t *testing.T) {
	type row = map[string]any
	text := func(cell string) string { return `<c t="inlineStr"><is><t>` + cell + `</t></is></c>` }
	number := func(style int, value string) string { return fmt.Sprintf(`<c s="%d"><v>%s</v></c>`, style, value) }
	for _, test := range []struct {
		name, file, text string
		want             []row // of each record the fields that are asked about
	}{
		{"times, and how long something took, in a sheet", "a.xlsx", sheetOf(t, "<row>"+text("day")+text("clock")+text("took")+text("when")+"</row><row>"+number(1, "46037")+number(2, "0")+number(3, "1.5")+number(4, "46037.09375")+"</row><row>"+
			number(1, "59")+number(2, "0.5")+number(3, "0.25")+number(4, "46038")+"</row><row>"+number(1, "0")+number(2, "1.5")+number(3, "0")+number(4, "46038.5")+"</row>"), []row{
			{"day": "2026-01-15", "clock": "00:00:00", "took": "36:00:00", "when": "2026-01-15T02:15:00"}, {"day": "1900-02-28", "clock": "12:00:00", "took": "6:00:00", "when": "2026-01-16"},
			{"day": nil, "clock": "36:00:00", "took": "0:00:00", "when": "2026-01-16T12:00:00"}}},
		{"numbers in a sheet", "a.xlsx", sheetOf(t, "<row>"+text("n")+text("m")+"</row><row>"+number(0, "0.30000000000000004")+number(0, "123456789012345678")+"</row><row>"+number(0, "1234.5600000000001")+number(0, "-7")+"</row>"), []row{{"n": 0.3}, {"n": 1234.56}}},
		{"what Apple counts since 2001, and nanoseconds", "a.csv", "visit_time,date,endTimeNanos,n\n790136100.5,790136100123456789,1768443300123456789,790136100.5\n790136101.25,790136101000000000,1768443301000000000,1\n", []row{
			{"visit_time": "2026-01-15T02:15:00.5Z", "date": "2026-01-15T02:15:00.123456789Z", "endTimeNanos": "2026-01-15T02:15:00.123456789Z", "n": 790136100.5}, {"visit_time": "2026-01-15T02:15:01.25Z"}}},
		{"a colon in quotation marks, and several categories", "a.vcf", "BEGIN:VCARD\nVERSION:4.0\nFN:Bo\nADR;LABEL=\"X, Y: z\":;;1 St;City;ST;1;US\nCATEGORIES:friend,work\\, old\nTEL;VALUE=uri:tel:+1-555\nNOTE;X=\":open\nEND:VCARD\n", []row{
			{"addresses": []any{"1 St, City, ST, 1, US"}, "categories": []any{"friend", "work, old"}, "phones": []any{"+1-555"}, "note": "open"}}},
		{"a comma in a category", "a.ics", eventOf("DTSTART:20260101T100000Z", `CATEGORIES:A\,B,C`, `SUMMARY:\\\\server\\new\, a`), []row{{"summary": `\\server\new, a`, "categories": []any{"A,B", "C"}}}},
		{"an event while the clock is put forward", "a.ics", eventOf("DTSTART;TZID=Europe/Berlin:20260328T023000", "DTEND;TZID=Europe/Berlin:20260328T033000", "RRULE:FREQ=DAILY;COUNT=2"), []row{{"starts_at": "2026-03-28T02:30:00+01:00", "ends_at": "2026-03-28T03:30:00+01:00"}, {"starts_at": "2026-03-29T03:30:00+02:00", "ends_at": "2026-03-29T04:30:00+02:00"}}},
		{"a further day that has an end", "a.ics", eventOf("DTSTART:20260101T100000Z", "RDATE;VALUE=PERIOD:20260110T100000Z/PT2H"), []row{{"starts_at": "2026-01-01T10:00:00Z"}, {"starts_at": "2026-01-10T10:00:00Z"}}},
		{"a comma in a label", "a.mbox", letterOf(`X-Gmail-Labels: Inbox,"Work, big",x`, "", "x"), []row{{"labels": []any{"Inbox", "Work, big", "x"}}}},
		{"numbers of a note that begin with 0", "a.md", "---\ncode: 0123\nn: 12\n---\nx\n", []row{{"code": "0123", "n": 12.0}}},
		{"letters that are written as their bytes", "your_posts.json", `[{"timestamp":1768443300,"title":"J\u00c3\u00b6rg","data":[{"post":"\u00f0\u009f\u0098\u0080"}]},{"timestamp":1768443300,"title":"\u00e4\u00c3"}]`, []row{
			{"title": "Jörg", "data": []any{row{"post": "😀"}}}, {"title": "äÃ"}}},
		{"a timeline with more raw signals than places", "Timeline.json", `{"rawSignals":[{"x":1},{"x":2}],"semanticSegments":[{"startTime":"2026-01-15T02:00:00Z"}]}`, []row{{"startTime": "2026-01-15T02:00:00Z"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			records, _ := loaded(t, test.file, test.text)
			for _, got := range records {
				for index, one := range got[:min(len(got), len(test.want))] {
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
