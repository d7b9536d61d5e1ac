package correct_test

import (
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
)

// Names of a file and of its columns, as warnings and the file itself have them, lead to the stream and the field that are made of these.
func TestNamesInAFile(t *testing.T) {
	for sent, want := range map[string]string{
		"bank/Statement_2024.csv": "bank_Statement_2024", `mail\\All mail.mbox`: "mail_All_mail", "a/b/Läufe (2024).json": "a_b_Läufe_2024_", "cin_a/orders": "orders",
	} {
		args, _ := argumentsOf(`{"stream":"` + sent + `"}`)
		call, _ := toolNamed(t, "query_records").Guess(args, &rs.Error{Code: "invalid_id", Param: "stream"})
		if got := call.Arguments.Text("stream"); got != want {
			t.Errorf("%s leads to %s; want %s", sent, call, want)
		}
	}
	sum := rs.SchemaField{Type: "number", Granted: true, Exact: true, Aggregates: []string{"sum"}}
	amount, price, count := sum, sum, sum
	amount.Name, price.Name, count.Name = "Amount__EUR", "price", "count"
	stream := fields.Stream{Name: "bank", Fields: []rs.SchemaField{amount, price, count}}
	for sent, want := range map[string]string{
		"Amount (EUR)": "Amount__EUR", "amount/eur": "Amount__EUR", "price*count": "", "price*2": "",
	} {
		args, _ := argumentsOf(`{"stream":"bank","metric":"sum","field":"` + sent + `"}`)
		found := toolNamed(t, "aggregate").Unknown(stream, args, &rs.Error{Code: "unknown_field", Status: 400})
		wantSend := `schema {"stream":"bank"}`
		if want != "" {
			wantSend = `aggregate {"stream":"bank","metric":"sum","field":"` + want + `"}`
		}
		if found == nil || found.Send != wantSend {
			t.Errorf("%s leads to %+v; want %s", sent, found, wantSend)
		}
	}
}

// Among the streams of own files, those are meant by emails whose names say so.
func TestAKindOfRecordsIsFoundInTheNamesOfStreams(t *testing.T) {
	var grant correct.Grant
	for _, name := range []string{"bank_2024", "mail_All_mail", "slack_messages", "shop_Orders_1"} {
		grant.Sources = append(grant.Sources, rs.GrantedStream{Stream: name, Connection: rs.Connection{ID: "cin_files"}})
	}
	for sent, want := range map[string]string{"emails": "mail_All_mail", "chat": "slack_messages", "purchases": "shop_Orders_1"} {
		args, _ := argumentsOf(`{"stream":"` + sent + `"}`)
		found := grant.Missing(toolNamed(t, "query_records"), args)
		if want = `query_records {"stream":"` + want + `"}`; found == nil || found.Send != want {
			t.Errorf("%s leads to %+v; want %s", sent, found, want)
		}
	}
}
