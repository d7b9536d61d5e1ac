package render

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// S0-7a: a document distinguishes null, an empty list, an empty text, a number and a text of digits.
func TestADocumentKeepsTypes(t *testing.T) {
	ref := rs.Ref{ConnectionID: "cin_a", Stream: "messages", RecordID: "m1"}
	for raw, want := range map[string]string{
		`null`: `null`, `""`: `""`, `[]`: `[]`, `{}`: `{}`, `"null"`: `"null"`, `"[]"`: `"[]"`, `"true"`: `"true"`, `true`: `true`,
		`1775000199.0001`: `1775000199.0001`, `"1775000199.0001"`: `"1775000199.0001"`, `12.50`: `12.50`,
		`"plain words"`: `plain words`, `" spaced"`: `" spaced"`, `"2026-01-01"`: `2026-01-01`, `"007"`: `007`, `"\"quoted\""`: `"\"quoted\""`,
	} {
		r, err := Document(answered(`{"id":"m1","data":{"id":"m1","field":`+raw+`}}`), DocumentQuery{Ref: ref})
		if err != nil {
			t.Fatal(err)
		}
		if text := rs.AsObject(r.Text).Text("text"); !strings.HasSuffix(text, "\nfield: "+want) {
			t.Errorf("%s is shown as: want %q in\n%s", raw, want, text)
		}
	}
}

// A deleted record is shown with its key and the time of its deletion.
func TestADeletedRecordSaysItsKey(t *testing.T) {
	ref := rs.Ref{ConnectionID: "cin_a", Stream: "messages", RecordID: "m1"}
	r, err := Document(answered(`{"object":"record","id":"m1","deleted":true,"deleted_at":"2026-05-01T09:00:00Z","data":null}`), DocumentQuery{Ref: ref})
	if err != nil {
		t.Fatal(err)
	}
	o := rs.AsObject(r.Text)
	if want := `This record was deleted at its source at 2026-05-01T09:00:00Z; its key was "m1".`; o.Text("text") != want {
		t.Error(o.Text("text"))
	}
	if m := o.Object("metadata"); m.Text("deleted_at") != "2026-05-01T09:00:00Z" || m.Text("record_id") != "m1" {
		t.Error(m.JSON())
	}
}

// A document has the same time as its search hit, unless that time is from a field that was not requested.
func TestADocumentHasTheTimeOfItsHit(t *testing.T) {
	ref := rs.Ref{ConnectionID: "cin_a", Stream: "notes", RecordID: "n1"}
	const body = `{"id":"n1","data":{"id":"n1","created_at":"2026-01-02T00:00:00Z","updated_at":"2026-02-03T00:00:00Z"},` +
		`"authored_at":"2026-02-03T00:00:00Z","authored_field":"updated_at","created_at":"2026-11-01T00:00:00Z"}`
	for fields, want := range map[string]string{
		"": "2026-02-03T00:00:00Z updated_at", "updated_at": "2026-02-03T00:00:00Z updated_at", "created_at": "2026-01-02T00:00:00Z ", "id": " ",
	} {
		r, err := Document(answered(body), DocumentQuery{Ref: ref, Fields: strings.Fields(fields)})
		if err != nil {
			t.Fatal(err)
		}
		m := rs.AsObject(r.Text).Object("metadata")
		if got := m.Text("authored_at") + " " + m.Text("authored_field"); got != want {
			t.Errorf("fields %q: %q, want %q", fields, got, want)
		}
	}
}
