package render_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// S0-6b: with connection_id, expanded records of other connections are left out and counted on both channels.
func TestExpandedRecordsAreOfTheNamedConnection(t *testing.T) {
	const own = `{"id":"own","stream":"parts","connection_id":"cin_a","data":{"x":"mine"}}`
	const foreign = `{"id":"alien","stream":"parts","connector_instance_id":"cin_b","data":{"x":"theirs"}}`
	for name, row := range map[string]struct {
		expanded string
		left     string // what the note says; "" for no note
		own      bool   // a record of the connection is shown
	}{
		"a list with its envelope": {`{"parts":{"data":[` + own + `,` + foreign + `],"has_more":false}}`, "1 ", true},
		"a bare list":              {`{"parts":[` + foreign + `,` + own + `,` + foreign + `]}`, "2 ", true},
		"one record":               {`{"part":` + foreign + `,"parts":[` + own + `]}`, "1 ", true},
		"a record of another connection only by its address": {`{"parts":[` + own + `,{"record_uri":"cin_b/parts:alien","data":{"x":"theirs"}}]}`, "1 ", true},
		"all are of another connection":                      {`{"parts":{"data":[` + foreign + `]}}`, "1 ", false},
		"none is of another connection":                      {`{"parts":{"data":[` + own + `,{"id":"unattributed","data":{}}]}}`, "", true},
	} {
		t.Run(name, func(t *testing.T) {
			record := `{"object":"record","id":"r","stream":"notes","connection_id":"cin_a","data":{"title":"T"},"expanded":` + row.expanded + `}`
			check := func(r render.Result, err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				for _, channel := range []string{r.Text, r.Structured} {
					if strings.Contains(channel, "theirs") || strings.Contains(channel, "alien") {
						t.Errorf("a record of another connection is shown: %s", channel)
					}
					if noted := strings.Contains(channel, "of other connections"); noted != (row.left != "") || !strings.Contains(channel, row.left) {
						t.Errorf("want a note of %q: %s", row.left, channel)
					}
				}
				if strings.Contains(r.Structured, "mine") != row.own || (r.Cuts > 0) != (row.left != "") {
					t.Errorf("%d cuts: %s", r.Cuts, r.Structured)
				}
			}
			check(render.Document(&rs.Response{Body: record}, render.DocumentQuery{Ref: rs.Ref{ConnectionID: "cin_a", Stream: "notes", RecordID: "r"}}))
			page, err := rs.ReadResponse(`{"object":"list","data":[` + record + `],"has_more":false}`)
			if err != nil {
				t.Fatal(err)
			}
			check(render.Records(page, render.RecordsQuery{Stream: "notes", ConnectionID: "cin_a", Limit: 10}))
		})
	}
}

// If the resource server returns a different record, the answer is an error: otherwise it would be cited under the requested id.
func TestADifferentRecordIsRefused(t *testing.T) {
	for _, body := range []string{
		`{"object":"record","id":"theirs","stream":"notes","connection_id":"cin_a","data":{"title":"t"}}`,
		`{"object":"record","id":"r","stream":"theirs","connection_id":"cin_a","data":{"title":"t"}}`,
		`{"object":"record","id":"r","stream":"notes","connection_id":"cin_b","data":{"title":"theirs"}}`,
		`{"data":{"object":"record","id":"r","stream":"notes","connector_instance_id":"cin_b","data":{"title":"theirs"}}}`,
		`{"object":"record","id":"r","stream":"notes","record_uri":"cin_b/notes:r","data":{"title":"theirs"}}`,
	} {
		r, err := render.Document(&rs.Response{Body: body}, render.DocumentQuery{Ref: rs.Ref{ConnectionID: "cin_a", Stream: "notes", RecordID: "r"}})
		if err == nil || rs.AsError(err).Code != "invalid_response" || strings.Contains(err.Error(), "theirs") {
			t.Errorf("%s is answered: %s, %v", body, r.Text, err)
		}
	}
}

func TestADifferentFieldIsRefused(t *testing.T) {
	own := rs.Ref{ConnectionID: "cin_a", Stream: "notes", RecordID: "r"}
	for what, of := range map[string]string{
		"":           `"stream":"notes","record_id":"r","field":{"path":"body"}`,
		"connection": `"stream":"notes","record_id":"r","connection_id":"cin_b"`,
		"stream":     `"stream":"theirs","record_id":"r"`,
		"id":         `"stream":"notes","record_id":"theirs","id":"r"`,
		"field":      `"stream":"notes","record_id":"r","field":{"path":"theirs"}`,
	} {
		body := `{"object":"field_window",` + of + `,"window":{"text":"secret","complete":true}}`
		r, err := render.Window(&rs.Response{Body: body}, render.WindowQuery{Ref: own, Field: "body"})
		refused := err != nil && rs.AsError(err).Code == "invalid_response" && strings.Contains(err.Error(), "another "+what)
		if (what != "") != refused || refused && strings.Contains(err.Error(), "theirs") {
			t.Errorf("of another %q: %s, %v", what, r.Text, err)
		}
	}
}

// A field with the name of one of the adapter's own lines is quoted, and a field called id is not mistaken for the record's id.
func TestFieldsNamedLikeOwnLinesAreQuoted(t *testing.T) {
	const record = `{"object":"record","id":"r","stream":"notes","connection_id":"cin_a",` +
		`"data":{"id":"theirs","Warning":"w","next":"n","unavailable":"u","connection_id":"c","subject":"s"}}`
	page, err := rs.ReadResponse(`{"object":"list","data":[` + record + `],"has_more":false}`)
	if err != nil {
		t.Fatal(err)
	}
	got, err := render.Records(page, render.RecordsQuery{Stream: "notes", ConnectionID: "cin_a", Limit: 10})
	want := "id: cin_a/notes:r\n\"id\": theirs\n\"Warning\": w\n\"next\": n\n\"unavailable\": u\n\"connection_id\": c\nsubject: s"
	if err != nil || !strings.Contains(got.Text, want) {
		t.Errorf("%s, %v; want %q", got.Text, err, want)
	}
}

// A page whose next cursor is its own cursor has no next page; a client would read it forever.
func TestACursorOfTheSamePageIsDropped(t *testing.T) {
	const record = `{"object":"record","id":"r","stream":"notes","connection_id":"cin_a","data":{"title":"T"}}`
	for _, body := range []string{
		`{"object":"list","data":[` + record + `],"has_more":true,"next_cursor":"again"}`,
		`{"data":{"results":[` + record + `],"has_more":true,"next_cursor":"again"}}`,
	} {
		page, err := rs.ReadResponse(body)
		if err != nil {
			t.Fatal(err)
		}
		for sent, want := range map[string]bool{"": true, "first": true, "again": false, "shown.1.25.000000.again": false} {
			at := render.ParsePosition(sent)
			records, errRecords := render.Records(page, render.RecordsQuery{Stream: "notes", ConnectionID: "cin_a", Position: at})
			hits, errHits := render.Search(page, render.SearchQuery{Q: "T", Position: at})
			if errRecords != nil || errHits != nil {
				t.Fatal(errRecords, errHits)
			}
			for _, channel := range []string{records.Text, records.Structured, hits.Text, hits.Structured} {
				if got := strings.Contains(channel, "again"); got != want {
					t.Errorf("after %q the cursor is offered: %t: %s; want %t", sent, got, channel, want)
				}
			}
		}
	}
}

// S0-6a, S0-6b: records of other connections, and those beyond the limit, are left out of a list and counted on both channels.
func TestExcessRecordsAreLeftOut(t *testing.T) {
	const own, second, foreign = `"a1"`, `"a2"`, `"b1"`
	record := func(id string) string {
		connection := `"cin_` + id[1:2] + `"`
		return `{"id":` + id + `,"stream":"notes","connection_id":` + connection + `,"record_key":` + id + `,"data":{"x":"text of ` + id[1:] + `},"title":"Title ` + id[1:] + `}`
	}
	for name, row := range map[string]struct {
		sent, notes []string
		limit       int
		cursor      string // of the resource server
	}{
		"all are as requested": {[]string{own, second}, nil, 2, ""},
		"one record of another connection": {[]string{own, foreign, second},
			[]string{"The resource server sent 1 %s of other connections than connection_id; left out."}, 2, ""},
		"one record beyond the limit": {[]string{own, second}, []string{"The resource server sent more than limit 1; 1 %s left out. Repeat this call with limit 2 to see them."}, 1, ""},
		"one record beyond the limit, and a cursor": {[]string{own, second},
			[]string{"more than limit 1; 1 %s left out. next_cursor skips them. Repeat this call with limit 2 to see them."}, 1, `,"next_cursor":"c"`},
	} {
		t.Run(name, func(t *testing.T) {
			var items []string
			for _, id := range row.sent {
				items = append(items, record(id))
			}
			page, err := rs.ReadResponse(`{"object":"list","data":[` + strings.Join(items, ",") + `]` + row.cursor + `}`)
			if err != nil {
				t.Fatal(err)
			}
			check := func(noun string, r render.Result, err error) {
				t.Helper()
				if err != nil {
					t.Fatal(err)
				}
				for _, channel := range []string{r.Text, r.Structured} {
					if strings.Contains(channel, "b1") || !strings.Contains(channel, "a1") || strings.Contains(channel, "a2") != (row.limit > 1) {
						t.Errorf("of %v with limit %d: %s", row.sent, row.limit, channel)
					}
					for _, note := range row.notes {
						if note = strings.ReplaceAll(note, "%s", noun); !strings.Contains(channel, note) {
							t.Errorf("%q is not in %s", note, channel)
						}
					}
					if noted := strings.Contains(channel, "The resource server sent"); noted != (row.notes != nil) {
						t.Errorf("a note: %t in %s", noted, channel)
					}
				}
			}
			r, err := render.Records(page, render.RecordsQuery{Stream: "notes", ConnectionID: "cin_a", Limit: row.limit})
			check("record", r, err)
			r, err = render.Search(page, render.SearchQuery{Q: "text", ConnectionID: "cin_a", Limit: row.limit})
			check("hit", r, err)
		})
	}
}
