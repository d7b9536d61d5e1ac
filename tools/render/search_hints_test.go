package render

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/relax"
)

// dated returns a page of hits of one sender, one a day.
func dated(meta string, days ...string) string {
	var hits []string
	for i, day := range days {
		hits = append(hits, fmt.Sprintf(`{"stream":"mails","record_key":"m%d","connection_id":"c","display_name":"Mail","title":"T","actor":"Tom Hale","authored_at":%q,`+
			`"evidence_excerpts":[{"field_path":"from","preview_text":"<mark>Tom</mark> Hale","provenance":"lexical_match"}]}`, i, day))
	}
	return `{"object":"list","data":[` + strings.Join(hits, ",") + `]` + meta + `}`
}

func TestAQueryForTheNewestOrANumberIsAnsweredByACall(t *testing.T) {
	const more, all = `,"has_more":true,"next_cursor":"n","meta":{"count":48}`, `,"has_more":false,"meta":{"count":3}`
	days := []string{"2026-03-02T10:00:00Z", "2026-05-04T11:30:00Z", "2026-01-07"}
	now := time.Date(2026, 6, 1, 0, 0, 0, 0, time.UTC)
	untimed := `{"data":[{"stream":"orders","record_key":"1","connection_id":"cin_a","title":"T"}]}`
	for _, row := range []struct {
		name, body string
		q          SearchQuery
		want       string // of both channels; "" for no hint
	}{
		{"newest of an incomplete page", dated(more, days...), SearchQuery{Q: "latest rent"},
			`The newest of these 3: c/mails:m1, 2026-05-04 11:30. Any newer: search {"q":"latest rent","since":"2026-05-04T11:30:00.001Z"}`},
		{"oldest of an incomplete page", dated(more, days...), SearchQuery{Q: "earliest rent", ConnectionID: "c", Rest: rs.AsObject(`{"streams":["mails"],"until":"2026-12-01"}`)},
			`The oldest of these 3: c/mails:m2, "2026-01-07". Any older: search {"q":"earliest rent","streams":["mails"],"until":"2026-01-07","connection_id":"c"}`},
		{"newest of a complete page", dated(all, days...), SearchQuery{Q: "when did I last pay rent"}, `The newest of these 3: c/mails:m1, 2026-05-04 11:30.`},
		{"a future record is not the last", dated(more, append(days, "2026-09-09T00:00:00Z")...), SearchQuery{Q: "when did I last pay rent", Now: now},
			`The newest of these 3 until now: c/mails:m1, 2026-05-04 11:30. Any newer: search {"q":"when did I last pay rent","since":"2026-05-04T11:30:00.001Z"}`},
		{"what lasts into the time is not newer", dated(more, days[:2]...), SearchQuery{Q: "latest rent", Rest: rs.AsObject(`{"since":"2026-05-04T11:30:00.001Z"}`)},
			"No hit is newer: those found began before since and last into that time."},
		{"the newer of what lasts into the time", dated(all, days...), SearchQuery{Q: "latest rent", Rest: rs.AsObject(`{"since":"2026-03-02T10:00:00.001Z"}`)},
			"The one hit since then: c/mails:m1, 2026-05-04 11:30."},
		{"a receiver is not a sender", dated(all, days...), SearchQuery{Q: "last mail to Tom Hale"}, `The newest of these 3: c/mails:m1, 2026-05-04 11:30.`},
		{"a part of a name is not a name", dated(all, days...), SearchQuery{Q: "last mail from Tommy"}, `The newest of these 3: c/mails:m1, 2026-05-04 11:30.`},
		{"without a field to filter", dated(more, days...), SearchQuery{Q: "last mail from Tom Hale", Unfiltered: true},
			`The newest of these 3: c/mails:m1, 2026-05-04 11:30. Any newer: search {"q":"last mail from Tom Hale","since":"2026-05-04T11:30:00.001Z"}`},
		{"newest of those with the words that occur", strings.NewReplacer(`"count":48`, `"count":0,"recall":{"missing_words":["watch"],"partial_count":48}`,
			`"title":"T"`, `"title":"T","match":"some","matched_words":["dark"]`).Replace(dated(more, days...)), SearchQuery{Q: "when did I last watch dark"},
			`The newest of the 3 with "dark": c/mails:m1, 2026-05-04 11:30. Any newer: search {"q":"when did I last watch dark","since":"2026-05-04T11:30:00.001Z"}`},
		{"newest by the clock", strings.NewReplacer(`"2026-05-04T11:30:00Z"`, `"2026-05-04 11:30","emitted_at":"2026-05-04T11:30:00.000Z"`).Replace(dated(more, days...)),
			SearchQuery{Q: "latest rent"}, `The newest of these 3: c/mails:m1, 2026-05-04 11:30. Any newer: search {"q":"latest rent","since":"2026-05-04T11:30:00.001Z"}`},
		{"hits without a time", untimed, SearchQuery{Q: "latest mail from Ann"}, "By time, not by words: query_records, or search with since and until."},
		{"a count of all", dated(all, days...), SearchQuery{Q: "how many rents"}, "These are all, of 3 records: Mail mails 3."},
		{"a sum of a unit", dated(more, days...), SearchQuery{Q: "how many km did I run"}, "The hits are not a sum: aggregate adds up a field, also within a filter."},
		{"a count of more than the page", dated(more, days...), SearchQuery{Q: "how often rent"},
			`The hits are not a count: aggregate counts records, also within a filter. Records with the words, by stream: search {"q":"how often rent","limit":48}`},
		{"a count of those with a word", dated(more, days...), SearchQuery{Q: "how many mails mention rent?"},
			`The hits are not a count: aggregate counts records, also within a filter. Records with the words, by stream: search {"q":"rent","limit":100}`},
		{"a count of those with a word in Spanish", dated(more, days...), SearchQuery{Q: "¿Cuántos correos mencionan alquiler?"},
			`The hits are not a count: aggregate counts records, also within a filter. Records with the words, by stream: search {"q":"alquiler","limit":100}`},
		{"a count of those with several words", dated(more, days...), SearchQuery{Q: "how many mails mention the rent of the flat"},
			`The hits are not a count: aggregate counts records, also within a filter. Records with the words, by stream: search {"q":"\"rent\" \"flat\"","limit":100}`},
		{"a count of those without a word", dated(more, days...), SearchQuery{Q: "how many mails mention rent but not the flat"},
			`The hits are not a count: aggregate counts records, also within a filter. Records with the words, by stream: search {"q":"how many mails mention rent but not the flat","limit":48}`},
		{"a count of those with a phrase", dated(more, days...), SearchQuery{Q: `how many mails mention "the rent"?`},
			`The hits are not a count: aggregate counts records, also within a filter. Records with the words, by stream: search {"q":"\"the rent\"","limit":100}`},
		{"a count of those with a phrase and a word", dated(more, days...), SearchQuery{Q: `how many mails about "flat rent" today`},
			`The hits are not a count: aggregate counts records, also within a filter. Records with the words, by stream: search {"q":"\"flat rent\" \"today\"","limit":100}`},
		{"a count of those with a word for a time", dated(more, days...), SearchQuery{Q: "how many mails mention rent in March",
			Proposals: Proposals{Question: NewQuestion("how many mails mention rent", nil), OfTime: rs.AsObject(`{"q":"how many mails mention rent","streams":["mails"],"since":"2026-03-01","until":"2026-03-31"}`)}},
			`The hits are not a count: aggregate counts records, also within a filter. Records with the words, by stream: search {"q":"rent","streams":["mails"],"since":"2026-03-01","until":"2026-03-31","limit":100}`},
		{"a part of a word is not a word", dated(more, days...), SearchQuery{Q: "how many pets mention carpets"},
			`The hits are not a count: aggregate counts records, also within a filter. Records with the words, by stream: search {"q":"carpets","limit":100}`},
		{"all that were requested", dated(all, days...), SearchQuery{Q: `"rent"`, Limit: 100}, "These are all, of 3 records: Mail mails 3."},
		{"an unknown count", untimed, SearchQuery{Q: "Combien de trains"}, "The hits are not a count: aggregate counts records, also within a filter."},
		{"a sum", dated(more, days...), SearchQuery{Q: "how much did I spend on rent"}, "The hits are not a sum: aggregate adds up a field, also within a filter."},
		{"a sum whose call is known", dated(more, days...), SearchQuery{Q: "how much did I spend on rent",
			Proposals: Proposals{Hints: []string{`The sum of total: aggregate {"stream":"orders","metric":"sum","field":"total"}`}, Metric: "sum"}},
			`The sum of total: aggregate {"stream":"orders","metric":"sum","field":"total"}`},
		{"a count whose call is known", untimed, SearchQuery{Q: "Combien de trains",
			Proposals: Proposals{Hints: []string{`Of that stream: aggregate {"stream":"trains","metric":"count"}`}, Metric: "count"}},
			`Of that stream: aggregate {"stream":"trains","metric":"count"}`},
		{"no such question", dated(more, days...), SearchQuery{Q: "rent of last March"}, ""},
		{"no order by time", `{"data":[]}`, SearchQuery{Q: "last rent"}, "By time, not by words: query_records, or search with since and until."},
		{"no count without hits", `{"data":[]}`, SearchQuery{Q: "Wie viele Bestellungen habe ich?"}, "The hits are not a count: aggregate counts records, also within a filter."},
	} {
		t.Run(row.name, func(t *testing.T) {
			if row.q.Question == nil {
				row.q.Question = NewQuestion(row.q.Q, func() []string { return relax.Words(row.q.Q) })
			}
			result, err := Search(answered(row.body), row.q)
			if err != nil {
				t.Fatal(err)
			}
			if hint := rs.AsObject(result.Structured).Object("data").Text("hint"); hint != row.want {
				t.Errorf("structured: %s; want %q", hint, row.want)
			}
			if row.want != "" && !strings.Contains(result.Text, "\n"+row.want+"\n") && !strings.HasSuffix(result.Text, "\n"+row.want) {
				t.Errorf("text: want %q in\n%s", row.want, result.Text)
			}
		})
	}
}

// Each number says what it counts: all hits, the hits of the page, or records, which may have several hits.
func TestASearchSaysWhatItsNumbersCount(t *testing.T) {
	const hits = `{"stream":"messages","record_key":"m1","connection_id":"c"},{"stream":"message_bodies","record_key":"m1","connection_id":"c"},{"stream":"messages","record_key":"m2","connection_id":"c"}`
	for meta, want := range map[string]string{
		`{}`:                    `3 hits of 2 records for "T", by relevance, not date; first_fetch_id=c/messages:m1`,
		`{"meta":{"count":3}}`:  `3 hits of 2 records for "T", by relevance, not date; first_fetch_id=c/messages:m1`,
		`{"has_more":true}`:     `3 hits of 2 records for "T", more follow, by relevance, not date; first_fetch_id=c/messages:m1`,
		`{"meta":{"count":48}}`: `48 hits for "T", by relevance, not date; first_fetch_id=c/messages:m1; this page: 3 hits of 2 records`,
		`{"meta":{"count":1,"recall":{"partial_count":5,"nearest_count":2}}}`: `8 hits for "T" (1 with all words, 5 with some, 2 near), by relevance, not date; first_fetch_id=c/messages:m1; this page: 3 hits of 2 records`,
		`{"meta":{"count":260,"count_accuracy":"lower_bound"}}`:               `at least 260 hits for "T", by relevance, not date; first_fetch_id=c/messages:m1; this page: 3 hits of 2 records`,
	} {
		body := rs.AsObject(meta).With("data", "["+hits+"]").JSON()
		result, err := Search(answered(body), SearchQuery{Q: "T"})
		if err != nil || !strings.Contains("\n"+result.Text+"\n", "\n"+want+"\n") {
			t.Errorf("%s (%v): no %s in\n%s", meta, err, want, result.Text)
		}
		data := rs.AsObject(result.Structured).Object("data")
		if data.Text("order") != ranking || data.Get("records_in_page") != "2" || strings.HasPrefix(want, "48") && data.Get("hits_in_all") != "48" {
			t.Errorf("structured: %s", data.JSON())
		}
	}
}

// The number of hits on a page of a timeline is not presented as the total of the period.
func TestATimelineSaysThatMoreFollow(t *testing.T) {
	for more, want := range map[string]string{
		`{}`:                   "1 record, newest first; ",
		`{"has_more":false}`:   "1 record, newest first; ",
		`{"has_more":true}`:    "1 record, newest first, more follow; ",
		`{"next_cursor":"c2"}`: "1 record, newest first, more follow; ",
		`{"has_more":true,"goes_on":[{"tool":"query_records","arguments":{"stream":"messages"}}]}`: "1 record, newest first, more follow; ",
	} {
		body := rs.AsObject(more).With("data", `[{"stream":"messages","record_key":"m1","connection_id":"c"}]`).JSON()
		result, err := Search(answered(body), SearchQuery{})
		if err != nil || !strings.Contains(result.Text, want) {
			t.Errorf("%s (%v): no %s in\n%s", more, err, want, result.Text)
		}
		if data := rs.AsObject(result.Structured).Object("data"); data.Has("hits_in_all") || data.Flag("has_more") != rs.AsObject(more).Flag("has_more") {
			t.Errorf("%s: structured: %s", more, data.JSON())
		}
	}
	last, err := Search(answered(`{"data":[{"stream":"messages","record_key":"m1","connection_id":"c"}]}`), SearchQuery{Position: Position{Cursor: "c2"}})
	if err != nil || !strings.Contains(last.Text, "1 record, newest first, the last page; ") {
		t.Errorf("%v\n%s", err, last.Text)
	}
}

// A truncated text is marked, with the call that reads all of it.
func TestTruncatedTextIsMarked(t *testing.T) {
	for text, want := range map[string]string{
		`"the <mark>needle</mark>…","truncated":true`: `: "the <mark>needle</mark>…"` + "\n",
		`"…<mark>needle</mark>"`:                      `: "…<mark>needle</mark>"` + "\n",
		`"the <mark>needle</mark>"`:                   `: "the <mark>needle</mark>"` + "\n",
		`"the <mark>needle</mark>","truncated":true`:  `: "the <mark>needle</mark>"` + "\n", // some servers also mark complete texts as truncated
	} {
		r, s := search(t, []byte(`{"data":[{"stream":"mails","record_key":"1","connection_id":"c","evidence_excerpts":[{"field_path":"body","provenance":"lexical_match","preview_text":`+text+`}]}]}`), "needle")
		cut := strings.Contains(want, "…")
		if !strings.Contains(r.Text, want) || strings.Contains(r.Text, `read on at "…": read_record_field {"id":"c/mails:1"`) != cut {
			t.Errorf("%s: want %q in\n%s", text, want, r.Text)
		}
		hit := rs.AsObject(rs.AsObject(r.Structured).Array("results")[0])
		if marked := hit.Object("evidence").Flag("cut"); marked != cut || (s.ContentLadder.Records[0].Evidence[0].Read.Tool == "read_record_field") != cut {
			t.Errorf("%s: %s", text, r.Structured)
		}
	}
}

// If the date of a hit is its last change, both channels and the answer for the newest name the field that it is from.
func TestADateOfTheLastChangeIsLabelled(t *testing.T) {
	for _, row := range []struct{ beside, says, field string }{
		{`"authored_at":"2026-05-04T11:30:00Z","authored_field":"updated_at"`, "updated_at 2026-05-04 11:30", "updated_at"},
		{`"data":{"updated_at":"2026-05-04T11:30:00Z"}`, "updated_at 2026-05-04 11:30", "updated_at"},
		{`"authored_at":"2026-05-04T11:30:00Z","authored_field":"sent_at"`, "2026-05-04 11:30", ""},
		{`"authored_at":"2026-05-04T11:30:00Z"`, "2026-05-04 11:30", ""},
	} {
		body := `{"data":[{"stream":"notes","record_key":"n1","connection_id":"c","title":"Diary",` + row.beside + `}],"meta":{"count":1}}`
		result, err := Search(answered(body), SearchQuery{Q: "last diary"})
		if err != nil || !strings.Contains(result.Text, "c/notes:n1 | "+row.says+" | Diary") || !strings.Contains(result.Text, "The one hit: c/notes:n1, "+row.says+".") {
			t.Errorf("%v: want %q, got\n%s", err, row.says, result.Text)
		}
		if field := rs.AsObject(rs.AsObject(result.Structured).Array("results")[0]).Text("authored_field"); field != row.field {
			t.Errorf("structured has %q:\n%s", field, result.Structured)
		}
	}
}

// If a query names a time, a hit not known to be of that time is not shown as matching the whole query; without hits in that time, a
// search of any time is proposed, since a record may mention it.
func TestATimeInTheQueryCountsAsPartOfIt(t *testing.T) {
	const body = `{"object":"list","data":[{"stream":"s","record_key":"1","connection_id":"c","match":"some","matched_words":["bill"],"not_of_time":true}],` +
		`"meta":{"count":0,"recall":{"partial_count":1,"time_words":["May","2026"],"preferred_time":"2026-05-01 until before 2026-06-01"}}}`
	r, err := Search(answered(body), SearchQuery{Q: "bill May 2026"})
	for _, says := range []string{
		"No record that has all of the words is known to be of the time that the query names.\n", " | not known to be of that time", "(0 with all words and that time, 1 with some)", "\nread as a time: May 2026 = ",
	} {
		if err != nil || !strings.Contains(r.Text, says) {
			t.Errorf("want %q (%v) in\n%s", says, err, r.Text)
		}
	}
	for _, row := range [][2]string{
		{`"authored_at":"2026-04-03"`, "\"2026-04-03\" | s, 2026-04-03 | not of that time"},
		{`"authored_at":"2026-04-03","authored_field":"updated_at"`, "updated_at \"2026-04-03\" | s, 2026-04-03 | not known to be of that time"},
	} {
		r, err := Search(answered(strings.Replace(body, `"match"`, row[0]+`,"match"`, 1)), SearchQuery{Q: "bill May 2026"})
		if err != nil || !strings.Contains(r.Text, row[1]) {
			t.Errorf("%s: %v\n%s", row[0], err, r.Text)
		}
	}
	r, err = Search(answered(strings.NewReplacer(`"some"`, `"all"`, `,"not_of_time":true`, "").Replace(body)), SearchQuery{Q: "bill May 2026"})
	if err != nil || !strings.Contains(r.Text, "\nread as a time; what is of it or names it ranks first: May 2026 = ") {
		t.Errorf("%v\n%s", err, r.Text)
	}
	for rest, call := range map[string]string{
		`{"since":"2026-05-03","until":"2026-05-03","streams":["s"]}`: `search {"q":"diary 3 May 2026","streams":["s"]}`,
		`{"since":"2026-05-03","time_zone":"Europe/Berlin"}`:          `search {"q":"diary"}`,
		`{"streams":["s"]}`: "",
	} {
		r, err := Search(answered(`{"object":"list","data":[],"meta":{"count":0}}`), SearchQuery{Q: "diary", Rest: rs.AsObject(rest)})
		if err != nil || strings.Contains(r.Text, "Of any time: ") != (call != "") || !strings.Contains(r.Text, call) {
			t.Errorf("%s: %v\n%s", rest, err, r.Text)
		}
	}
	for q, says := range map[string]bool{"slack": false, "slack rent": true} { // the word is only in a name, which has no time
		body := `{"object":"list","data":[],"meta":{"count":0,"recall":{"missing_words":["slack"]}}}`
		r, err := Search(answered(body), SearchQuery{Q: q, Proposals: Proposals{Hints: []string{"slack is there"}}, Rest: rs.AsObject(`{"since":"2026-05-03"}`)})
		if err != nil || strings.Contains(r.Text, "Of any time: ") != says {
			t.Errorf("%s: %v\n%s", q, err, r.Text)
		}
	}
}
