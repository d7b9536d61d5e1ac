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
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c","display_name":"Lane things"},{"connection_id":"d"}],"streams":[` +
		`{"name":"orders","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","id":"t=string,eq,a=group_by",` +
		`"shop":"t=string,eq,lex,a=group_by","status":"t=string,eq,a=group_by"}},` +
		`{"name":"messages","field_capabilities":{"id":"t=string,eq","is_seen":"t=boolean,eq","is_flagged":"t=boolean,eq","body":"t=string,lex"}}]}]}`
	for arguments, want := range map[string]string{
		`{"q":"cancelled orders"}`:                                     `"cancelled" is a value of status in orders: query_records {"stream":"orders","filter":{"status":"cancelled"}}`,
		`{"q":"unread mails"}`:                                         `"unread" is what is_seen of messages says: query_records {"stream":"messages","filter":{"is_seen":false}}`,
		`{"q":"starred messages about Atlas"}`:                         `"starred" is what is_flagged of messages says: search {"q":"Atlas","streams":["messages"],"filter":{"is_flagged":true}}`,
		`{"q":"which orders were canceled?"}`:                          `"cancelled" is a value of status in orders: query_records {"stream":"orders","filter":{"status":"cancelled"}}`,
		`{"q":"orders I had to return"}`:                               `"returned" is a value of status in orders: query_records {"stream":"orders","filter":{"status":"returned"}}`,
		`{"q":"Towpath returned","streams":["orders"]}`:                `"returned" is a value of status in orders: search {"q":"Towpath","streams":["orders"],"filter":{"status":"returned"}}`,
		`{"q":"cancelled orders in March 2026"}`:                       `query_records {"stream":"orders","filter":{"status":"cancelled","at":{"gte":"2026-03-01","lte":"2026-03-31"}}}`,
		`{"q":"orders with status cancelled"}`:                         `"cancelled" is a value of status in orders: query_records {"stream":"orders","filter":{"status":"cancelled"}}`,
		`{"q":"Status der Bestellungen: geliefert"}`:                   `query_records {"stream":"orders","filter":{"status":"delivered"}}`,
		`{"q":"Welche Bestellungen wurden storniert?"}`:                `"cancelled" is a value of status in orders: query_records {"stream":"orders","filter":{"status":"cancelled"}}`,
		`{"q":"achats annulés"}`:                                       `query_records {"stream":"orders","filter":{"status":"cancelled"}}`,
		`{"q":"pedidos con estado devuelto"}`:                          `query_records {"stream":"orders","filter":{"status":"returned"}}`,
		`{"q":"quali ordini sono stati annullati?"}`:                   `query_records {"stream":"orders","filter":{"status":"cancelled"}}`,
		`{"q":"pedidos entregues"}`:                                    `query_records {"stream":"orders","filter":{"status":"delivered"}}`,
		`{"q":"geannuleerde bestellingen"}`:                            `query_records {"stream":"orders","filter":{"status":"cancelled"}}`,
		`{"q":"bezahlte Bestellungen"}`:                                "", // no order has that status
		`{"q":"starred mails in Lane about Atlas"}`:                    `search {"q":"Atlas","streams":["messages"],"connection_id":"c","filter":{"is_flagged":true}}`,
		`{"q":"cancelled orders in Lane"}`:                             `query_records {"stream":"orders","connection_id":"c","filter":{"status":"cancelled"}}`,
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
			case r.Query.Get("q") == "Atlas" || r.Query.Get("q") == "Towpath": // which a record of the stream has
				return middlewaretest.JSON(`{"data":[` + hitAt(r.Query.Get("streams"), "1", "") + `],"meta":{"count":1}}`), nil
			}
			return middlewaretest.JSON(`{"object":"list","data":[],"meta":{"count":0,"recall":{"partial_count":0}}}`), nil
		}}
		_, text := searchWith(t, tools.Search("https://rs.example"), server, arguments)
		if printed := strings.Contains(text, " is a value of ") || strings.Contains(text, " is what "); printed != (want != "") || !strings.Contains(text, want) || reads > 1 {
			t.Errorf("%s makes %d reads of values: want %q in\n%s", arguments, reads, want, text)
		}
	}
}

// No filter leaves out a value: a query for what lacks one gets the count by that field, or the filter by the opposite of a flag.
func TestAQueryForWhatLacksAValue(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"orders","field_capabilities":{"status":"t=string,eq,a=group_by","shop":"t=string,eq,lex"}},` +
		`{"name":"events","field_capabilities":{"location":"t=string,eq,lex,a=group_by","title":"t=string,eq,lex"}},` +
		`{"name":"messages","field_capabilities":{"is_seen":"t=boolean,eq,a=group_by","is_flagged":"t=boolean,eq","body":"t=string,lex"}}]}]}`
	const byStatus = `By status, each value and none: aggregate {"stream":"orders","metric":"count","group_by":"status"}`
	const byLocation = `By location, each value and none: aggregate {"stream":"events","metric":"count","group_by":"location"}`
	for q, want := range map[string]string{
		"How many orders were not delivered?":         byStatus,
		"orders that haven't been delivered":          byStatus,
		"Welche Bestellungen wurden nicht geliefert?": byStatus,
		"achats pas livrés":                           byStatus,
		"Quanti ordini non sono stati consegnati?":    byStatus,
		"pedidos não entregues":                       byStatus,
		"bestellingen niet geleverd":                  byStatus,
		"Welche Termine haben keinen Ort?":            byLocation,
		"événements sans lieu":                        byLocation,
		"orders neither delivered nor cancelled":      "",
		"orders with no status":                       byStatus,
		"How many events have no location?":           byLocation,
		"events without a location":                   byLocation,
		"Termine ohne Ort":                            byLocation,
		"mails that are not flagged":                  `"flagged" is denied, so is_flagged of messages must be false: query_records {"stream":"messages","filter":{"is_flagged":false}}`,
		"emails I have not read":                      `query_records {"stream":"messages","filter":{"is_seen":false}}`,
		"How many mails have I not read?":             `Of that stream: aggregate {"stream":"messages","metric":"count","filter":{"is_seen":false}}`,
		"unread mails not from Grace":                 "",
		"orders not delivered in May":                 "", // the time is not read
		"orders not delivered by Towpath":             "",
		"events with no title":                        "", // it has no groups
		"is the boiler not working":                   "",
		"did I not cancel the order of the tarts":     "",
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			switch {
			case strings.HasSuffix(r.Path, "/schema"):
				return middlewaretest.JSON(schema), nil
			case strings.HasSuffix(r.Path, "/orders/aggregate"):
				return middlewaretest.JSON(`{"groups":[{"key":"delivered","count":9},{"key":"cancelled","count":1}]}`), nil
			case strings.HasSuffix(r.Path, "/aggregate"):
				return nil, fmt.Errorf("no list of %s is closed", r.Query.Get("group_by"))
			}
			return middlewaretest.JSON(`{"object":"list","data":[` + hitAt("notes", "1", "") + `],"meta":{"count":1,"recall":{"partial_count":0}}}`), nil
		}}
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, `{"q":`+rs.EncodeJSON(q)+`}`)
		isOffered := strings.Contains(text, "aggregate {") || strings.Contains(text, "is denied")
		if isOffered != (want != "") || !strings.Contains(text, want) {
			t.Errorf("%s: want %q in\n%s", q, want, text)
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
