package correct_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/correct"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
)

// The names of a file and of its columns, as printed in warnings or written in the file, lead to the stream and the fields made from
// them.
func TestNamesInAFile(t *testing.T) {
	for sent, want := range map[string]string{
		"bank/Statement_2024.csv": "bank_Statement_2024", `mail\\All mail.mbox`: "mail_All_mail", "a/b/Läufe (2024).json": "a_b_Läufe_2024_", "cin_a/orders": "orders",
		"Takeout/Keep": "Takeout_Keep", "/Outlook/Sent Items/": "Outlook_Sent_Items",
	} {
		args, _ := argumentsOf(`{"stream":"` + sent + `"}`)
		call, _ := toolNamed(t, "query_records").Guess(args, &rs.Error{Code: "invalid_id", Param: "stream"})
		if got := call.Arguments.Text("stream"); got != want {
			t.Errorf("%s leads to %s; want %s", sent, call, want)
		}
		if connection := call.Arguments.Text("connection_id"); connection != "" && !strings.HasPrefix(sent, connection+"/") {
			t.Errorf("%s has the connection %s", sent, connection)
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

// If files were imported under several stream names, "emails" means the streams whose names say that they hold mail.
func TestStreamsAreFoundByTheKindOfTheirRecords(t *testing.T) {
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
	for sent, want := range map[string]string{
		`query_records {"stream":"All mail","connection_id":"mail"}`:  `query_records {"stream":"mail_All_mail"}`,
		`query_records {"stream":"messages","connection_id":"slack"}`: `query_records {"stream":"slack_messages"}`,
		`fetch {"id":"shop/Orders:7"}`:                                `fetch {"id":"shop_Orders_1:7"}`,
	} {
		tool, arguments, _ := strings.Cut(sent, " ")
		args, _ := argumentsOf(arguments)
		if found := grant.Missing(toolNamed(t, tool), args); found == nil || found.Send != want {
			t.Errorf("%s leads to %+v; want %s", sent, found, want)
		}
	}
}

// If a stream's name also names its source, the proposed call is limited to that source, or the answer says that it is not.
func TestASourceInTheNameOfAStreamLimitsTheCall(t *testing.T) {
	var grant correct.Grant
	for id, name := range map[string][2]string{"cin_a": {"gmail", "Work mail"}, "cin_b": {"gmail", "Personal mail"}, "cin_c": {"slack", "Team chat"}} {
		grant.Sources = append(grant.Sources, rs.GrantedStream{Stream: "messages", Connection: rs.Connection{ID: id, ConnectorKey: name[0], DisplayName: name[1]}})
	}
	slices.SortFunc(grant.Sources, func(a, b rs.GrantedStream) int { return strings.Compare(a.Connection.ID, b.Connection.ID) })
	const each, wider = "a call for each of the 2", "not only of"
	for sent, want := range map[string][2]string{
		`query_records {"stream":"gmail.messages"}`:       {`query_records {"stream":"messages","connection_id":"cin_a"}`, each},
		`query_records {"stream":"personal emails"}`:      {`query_records {"stream":"messages","connection_id":"cin_b"}`, ""},
		`query_records {"stream":"slack_messages"}`:       {`query_records {"stream":"messages","connection_id":"cin_c"}`, ""},
		`query_records {"stream":"team_chat_messages"}`:   {`query_records {"stream":"messages","connection_id":"cin_c"}`, ""},
		`query_records {"stream":"work mail"}`:            {`query_records {"stream":"messages","connection_id":"cin_a"}`, ""},
		`query_records {"stream":"message"}`:              {`query_records {"stream":"messages"}`, ""},
		`query_records {"stream":"Messages2"}`:            {`query_records {"stream":"messages"}`, ""},
		`search {"q":"ferry","streams":["gmail"]}`:        {`search {"q":"ferry","streams":["messages"]}`, wider},
		`search {"q":"ferry","streams":["slack"]}`:        {`search {"q":"ferry","streams":["messages"],"connection_id":"cin_c"}`, ""},
		`search {"q":"a","streams":["gmail.messages"]}`:   {`search {"q":"a","streams":["messages"]}`, wider},
		`search {"q":"a","streams":["messages","gmail"]}`: {`search {"q":"a","streams":["messages"]}`, wider},
	} {
		tool, arguments, _ := strings.Cut(sent, " ")
		args, _ := argumentsOf(arguments)
		found := grant.Missing(toolNamed(t, tool), args)
		if found == nil || found.Send != want[0] || !strings.Contains(found.Hint, want[1]) ||
			want[1] == "" && (strings.Contains(found.Hint, each) || strings.Contains(found.Hint, wider)) {
			t.Errorf("%s leads to %+v; want %s", sent, found, want)
		}
	}
}

// A truncated list of streams says how many more there are.
func TestATruncatedListOfStreamsCountsTheRest(t *testing.T) {
	var grant correct.Grant
	for _, month := range strings.Fields("01 02 03 04 05 06 07 08 09 10") {
		grant.Sources = append(grant.Sources, rs.GrantedStream{Stream: "Fitbit_" + month, Connection: rs.Connection{ID: "cin_files"}})
	}
	args, _ := argumentsOf(`{"stream":"Fitbit"}`)
	found := grant.Missing(toolNamed(t, "query_records"), args)
	if found == nil || !strings.Contains(found.Message, "Fitbit_08") || !strings.HasSuffix(found.Message, ", and 2 others.") {
		t.Errorf("%+v", found)
	}
}

// A condition that compares with the name of a person or thing never becomes a condition on an id field.
func TestANameIsNotComparedWithIDs(t *testing.T) {
	field := func(name, role string) rs.SchemaField {
		return rs.SchemaField{Name: name, Type: "string", Role: role, Granted: true, Exact: true, Aggregates: []string{"group_by"}}
	}
	stream := fields.Stream{Name: "cards", Fields: []rs.SchemaField{field("user_id", ""), field("author", "actor"), field("idList", ""), field("board_id", "")}}
	stream.Keys = []string{"board_id"}
	lists := `aggregate {"stream":"cards","metric":"count","group_by":"idList"}`
	for filter, want := range map[string]string{
		`{"user":"Tom Baker"}`: `query_records {"stream":"cards","filter":{"author":"Tom Baker"}}`, `{"user":"Tom"}`: `query_records {"stream":"cards","filter":{"author":"Tom"}}`,
		`{"user":"U04AAA"}`: `query_records {"stream":"cards","filter":{"user_id":"U04AAA"}}`, `{"list":"Done"}`: lists, `{"list":"To do 2"}`: lists,
		`{"list":"l2"}`: `query_records {"stream":"cards","filter":{"idList":"l2"}}`, `{"board":"Kitchen"}`: `query_records {"stream":"cards","filter":{"board_id":"Kitchen"}}`,
	} {
		args, _ := argumentsOf(`{"stream":"cards","filter":` + filter + `}`)
		found := toolNamed(t, "query_records").Unknown(stream, args, &rs.Error{Code: "unknown_field", Status: 400})
		if found == nil || found.Send != want {
			t.Errorf("%s leads to %+v; want %s", filter, found, want)
		}
	}
}
