package tools_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A query for a kind of record, rather than for words of it, is offered the call that counts or lists these. Other queries are not.
func TestAQueryForAKindOfRecord(t *testing.T) {
	const time, mail = `"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt"`, `{"name":"All_mail","field_capabilities":{TIME,"subject":"t=text,lex",` +
		`"sender":"t=string,role=actor,eq,a=group_by","has_attachments":"t=boolean,eq","is_seen":"t=boolean,eq"}},{"name":"All_mail_attachments","field_capabilities":{"filename":"t=text,lex"}}`
	const shop = `{"name":"orders","field_capabilities":{TIME,"total":"t=number,eq,r=gte|lte|gt|lt","merchant":"t=string,eq","gift":"t=boolean,eq"}}`
	const more = `,{"name":"receipts","field_capabilities":{TIME,"amount":"t=number,r=gte|lte","shop":"t=string"}}`
	for _, row := range []struct{ streams, q, want string }{
		{mail, "emails with attachment", `"attachment" is what has_attachments of All_mail says: query_records {"stream":"All_mail","filter":{"has_attachments":true}}. ` +
			`The stream of that name: query_records {"stream":"All_mail_attachments"}`},
		{mail, "E-Mails mit Anhang", `query_records {"stream":"All_mail","filter":{"has_attachments":true}}`},
		{mail, "emails with attachments about Lisbon", `search {"q":"Lisbon","streams":["All_mail"],"filter":{"has_attachments":true}}`},
		{mail, "mails with attachments in June 2026", `query_records {"stream":"All_mail","filter":{"has_attachments":true,"at":{"gte":"2026-06-01","lte":"2026-06-30"}}}`},
		{mail, "how many mails did I send", `By sender, one of whom is the owner: aggregate {"stream":"All_mail","metric":"count","group_by":"sender"}`},
		{mail, "Wie viele Mails habe ich im Juni 2026 geschickt?", `"metric":"count","group_by":"sender","filter":{"at":{"gte":"2026-06-01","lte":"2026-06-30"}}}`},
		{mail, "combien d'emails", `aggregate {"stream":"All_mail","metric":"count"}`},
		{mail, "how many mails about Lisbon", `search {"q":"Lisbon","streams":["All_mail"]}`},
		{mail, "emails with Owen", ""},
		{mail, "emails", ""},
		{shop, "how many orders", `Of that stream: aggregate {"stream":"orders","metric":"count"}`},
		{shop, "orders with gift", `"gift" is what gift of orders says: query_records {"stream":"orders","filter":{"gift":true}}`},
		{shop, "most expensive thing I bought", `The largest of orders by total: query_records {"stream":"orders","sort":"-total","limit":1}`},
		{shop, "was war das Teuerste, das ich gekauft habe", `query_records {"stream":"orders","sort":"-total","limit":1}`},
		{shop, "most expensive flight", ""},
		{shop, "the largest thing", ""},
		{shop + more, "most expensive thing I bought", `The largest of orders by total: query_records {"stream":"orders","sort":"-total","limit":1}. ` +
			`Also: The largest of receipts by amount: query_records {"stream":"receipts","sort":"-amount","limit":1}`},
	} {
		schema := `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c","display_name":"Data"}],"streams":[` +
			strings.ReplaceAll(row.streams, "TIME", time) + `]}]}`
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			if strings.HasSuffix(r.Path, "/schema") {
				return middlewaretest.JSON(schema), nil
			}
			if in := r.Query["streams"]; len(in) > 0 && r.Query.Get("q") == "Lisbon" {
				return middlewaretest.JSON(`{"data":[` + hitAt(in[0], "1", "") + `],"meta":{"count":1}}`), nil
			}
			return middlewaretest.JSON(`{"object":"list","data":[` + hitAt("notes", "1", "") + `],"meta":{"count":1,"recall":{"partial_count":0}}}`), nil
		}}
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, `{"q":`+rs.EncodeJSON(row.q)+`}`)
		proposes := strings.Contains(text, "query_records {") || strings.Contains(text, "aggregate {") || strings.Contains(text, `search {`)
		if proposes != (row.want != "") || !strings.Contains(text, row.want) {
			t.Errorf("%s: want %q in\n%s", row.q, row.want, text)
		}
	}
}
