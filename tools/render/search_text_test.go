package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Times without an offset are local times. If a page has both such times and times in UTC, the answer says which are which.
func TestASearchInAZoneSaysWhichTimesAreLocal(t *testing.T) {
	for want, times := range map[string][]string{
		"; times are UTC\n": {"2026-10-30T10:03:00Z", "2026-10-30"},
		"; times are UTC, those with T and no offset of clocks in Asia/Tokyo\n": {"2026-10-30T23:57:28", "2026-10-30T10:03:00Z"},
		"; times are of clocks in Asia/Tokyo\n":                                 {"2026-10-30T23:57:28", "2026-10-30"},
	} {
		var rows []string
		for i, at := range times {
			rows = append(rows, fmt.Sprintf(`{"stream":"s","record_key":"%d","authored_at":%q}`, i, at))
		}
		r, err := Search(answered(`{"data":[`+strings.Join(rows, ",")+`]}`), SearchQuery{RecordBase: base, Rest: rs.AsObject(`{"since":"2026-10-30","time_zone":"Asia/Tokyo"}`)})
		if err != nil || !strings.Contains(r.Text, want) || strings.Contains(r.Structured, `"times":"times are`) != strings.Contains(want, "clocks") {
			t.Errorf("%v\n%s\n%s", times, r.Text, r.Structured)
		}
	}
}

// The call that reads on refers to the first truncated text.
func TestTheReadOnCallIsForATruncatedText(t *testing.T) {
	hit := func(key, text string) string {
		return fmt.Sprintf(`{"stream":"s","record_key":%q,"connection_id":"c","snippet":{"field":"body","text":%q}}`, key, text)
	}
	whole, cut := hit("whole", "a <mark>needle</mark> and nothing else"), hit("cut", "a <mark>needle</mark> and much else…")
	within := hit("within", "a <mark>needle</mark>… and nothing else")
	long := hit("long", "a <mark>needle</mark>"+strings.Repeat(" and much else", 40))
	for _, row := range [][2]string{
		{whole, `read around a match: read_record_field {"id":"c/s:whole",`}, {whole + "," + cut, `read on at "…": read_record_field {"id":"c/s:cut",`},
		{whole + "," + long, `read on at "…": read_record_field {"id":"c/s:long",`}, {within, `read around a match: read_record_field {"id":"c/s:within",`},
		{cut + "," + long, `read on at "…": read_record_field {"id":"c/s:cut",`},
		{whole + `,{"stream":"s","record_key":"bare","connection_id":"c","preview":"needle and much…"}`, `read around a match: read_record_field {"id":"c/s:whole",`},
	} {
		if r, _ := search(t, []byte(`{"data":[`+row[0]+`]}`), "needle"); !strings.Contains(r.Text, row[1]) {
			t.Errorf("want %s for %s in\n%s", row[1], row[0], r.Text)
		}
	}
}

// If some connections were not read, counts say that they are only of those that were, and an answer without hits has no page count.
func TestPartialCountsAreLabelled(t *testing.T) {
	const meta = `"meta":{"count":%d,"count_accuracy":"lower_bound","recall":{"complete":false,"ranked_candidate_count":1},"warnings":[{"code":"unavailable_connections","message":"x"}]}`
	of := func(count int, hits string) string {
		r, _ := search(t, []byte(`{"data":[`+hits+`],`+fmt.Sprintf(meta, count)+`}`), "needle")
		return r.Text
	}
	one, none := of(1, `{"stream":"s","record_key":"1","connection_id":"c"}`), of(0, "")
	if !strings.Contains(one, `at least 1 hit for "needle"`) || !strings.Contains(one, "ranked over 1 candidate of the connections that were read.") {
		t.Error(one)
	}
	if strings.Contains(none, "this page") {
		t.Error(none)
	}
}
