package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// If a word is a value of a field that search does not cover, or describes a flag, the answer proposes a filter by it.
func TestAWordThatIsAValueProposesAFilter(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"orders","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","id":"t=string,eq,a=group_by",` +
		`"shop":"t=string,eq,lex,a=group_by","status":"t=string,eq,a=group_by"}},` +
		`{"name":"messages","field_capabilities":{"id":"t=string,eq","is_seen":"t=boolean,eq","is_flagged":"t=boolean,eq","body":"t=string,lex"}}]}]}`
	for arguments, want := range map[string]string{
		`{"q":"cancelled orders"}`:                                     `"cancelled" is a value of status in orders: query_records {"stream":"orders","filter":{"status":"cancelled"}}`,
		`{"q":"unread mails"}`:                                         `"unread" is what is_seen of messages says: query_records {"stream":"messages","filter":{"is_seen":false}}`,
		`{"q":"starred messages about Atlas"}`:                         `"starred" is what is_flagged of messages says: search {"q":"Atlas","streams":["messages"],"filter":{"is_flagged":true}}`,
		`{"q":"which orders were canceled?"}`:                          `"canceled" is a value of status in orders: query_records {"stream":"orders","filter":{"status":"cancelled"}}`,
		`{"q":"orders I had to return"}`:                               `"return" is a value of status in orders: query_records {"stream":"orders","filter":{"status":"returned"}}`,
		`{"q":"Towpath returned","streams":["orders"]}`:                `"returned" is a value of status in orders: search {"q":"Towpath","streams":["orders"],"filter":{"status":"returned"}}`,
		`{"q":"cancelled orders in March 2026"}`:                       `search {"streams":["orders"],"filter":{"status":"cancelled"},"since":"2026-03-01","until":"2026-03-31"}`,
		`{"q":"late orders"}`:                                          "",
		`{"q":"cancelled"}`:                                            "",
		`{"q":"cancelled","streams":["orders"],"filter":{"shop":"a"}}`: "",
	} {
		reads := 0
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			switch {
			case strings.HasSuffix(r.Path, "/schema"):
				return middlewaretest.JSON(schema), nil
			case strings.HasSuffix(r.Path, "/aggregate") && r.Query.Get("group_by") == "status":
				reads++
				return middlewaretest.JSON(`{"groups":[{"key":"delivered","count":9},{"key":"returned","count":2},{"key":"cancelled","count":1}]}`), nil
			case strings.HasSuffix(r.Path, "/aggregate"):
				return nil, fmt.Errorf("no list of %s is closed", r.Query.Get("group_by"))
			}
			return middlewaretest.JSON(`{"object":"list","data":[],"meta":{"count":0,"recall":{"partial_count":0}}}`), nil
		}}
		_, text := searchWith(t, tools.Search("https://rs.example"), server, arguments)
		if printed := strings.Contains(text, " is a value of ") || strings.Contains(text, " is what "); printed != (want != "") || !strings.Contains(text, want) || reads > 1 {
			t.Errorf("%s makes %d reads of values: want %q in\n%s", arguments, reads, want, text)
		}
	}
}

// If a query with a number finds little, the answer proposes filters on fields that have that number or its negative, since search does
// not cover numbers.
func TestANumberProposesAFilter(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"rows","field_capabilities":{"id":"t=string,eq","text":"t=text,lex","steps":"t=integer,eq","amount":"t=number,eq","rate":"t=number"}}]}]}`
	const says, call = "Numbers in fields are not searched. With this one: ", `query_records {"stream":"rows","filter":{"amount":-1836.50}}`
	for arguments, want := range map[string]string{
		`{"q":"1836.50"}`:                         says + call + ".",
		`{"q":"1.836,50 EUR","streams":["rows"]}`: says + call + ".",
		`{"q":"rent of 1,836.50?"}`:               says + call + ".",
		`{"q":"7.000"}`:                           `filter":{"steps":7000}}.`,
		`{"q":"1837"}`:                            "",
		`{"q":"infinity"}`:                        "",
		`{"q":"between 1836.50 and 7000"}`:        "",
		`{"q":"1836.50","filter":{"text":"a"},"streams":["rows"]}`: "",
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			switch {
			case strings.HasSuffix(r.Path, "/schema"):
				return middlewaretest.JSON(schema), nil
			case strings.HasSuffix(r.Path, "/aggregate"):
				has := r.Query.Get("filter[amount]") == "-1836.50" || r.Query.Get("filter[steps]") == "7000"
				return middlewaretest.JSON(fmt.Sprintf(`{"metric":"count","value":%d}`, map[bool]int{true: 1}[has])), nil
			}
			return middlewaretest.JSON(`{"object":"list","data":[],"meta":{"count":0,"recall":{"partial_count":0}}}`), nil
		}}
		_, text := searchWith(t, tools.Search("https://rs.example"), server, arguments)
		if strings.Contains(text, says) != (want != "") || !strings.Contains(text, want) {
			t.Errorf("%s:\n%s", arguments, text)
		}
	}
}
