package tools_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A query for how much was paid, or how many records a sender has, is offered the call that adds up or counts exactly these. A query with
// words that say more is not.
func TestAQueryForANumber(t *testing.T) {
	const at = `"at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt"`
	const shop = `"orders","field_capabilities":{` + at + `,"total":"t=number,r=gte|lte,a=sum|min","merchant":"t=string,role=primary-title,eq,a=group_by","status":"t=string,eq,a=group_by"}`
	const bank = `"bookings","field_capabilities":{` + at + `,"amount":"t=number,r=gte|lte,a=sum|min","payee":"t=string,eq,a=group_by"}`
	const unsummed = `"orders","field_capabilities":{"total":"t=number,r=gte|lte","merchant":"t=string,role=primary-title,eq,a=group_by"}`
	const chat = `"messages","field_capabilities":{` + at + `,"text":"t=text,lex","sender":"t=string,role=actor,eq,a=group_by"}`
	const sum, june = `The sum of total of orders: aggregate {"stream":"orders","metric":"sum","field":"total"`, `"at":{"gte":"2026-06-01","lte":"2026-06-30"}`
	for _, row := range []struct{ stream, least, q, want string }{
		{shop, "1", "How much did I spend in June 2026?", sum + `,"filter":{` + june + `}}`},
		{shop, "1", "how much did I spend at Towpath Running?", sum + `,"connection_id":"c","filter":{"merchant":"Towpath Running"}}`},
		{shop, "1", "how much did I pay Quayside in June 2026", sum + `,"connection_id":"c","filter":{"merchant":"Quayside",` + june + `}}`},
		{shop, "1", "wie viel habe ich im Juni 2026 bei Towpath Running ausgegeben?", `"filter":{"merchant":"Towpath Running",` + june + `}}`},
		{shop, "1", "combien ai-je dépensé chez Quayside", `"filter":{"merchant":"Quayside"}}`},
		{shop, "1", "sum of all orders", sum + `}`},
		{shop, "1", "how much do I spend per month in 2026 at Quayside?", sum + `,"connection_id":"c","group_by_time":"at","granularity":"month","filter":{"merchant":"Quayside","at":{"gte":"2026-01-01","lte":"2026-12-31"}}}`},
		{shop, "1", "weekly spending", sum + `,"group_by_time":"at","granularity":"week"}`},
		{shop, "1", "wie viel habe ich pro Jahr ausgegeben", `"granularity":"year"}`},
		{shop, "1", "average order total", `The average of total of orders: aggregate {"stream":"orders","metric":"avg","field":"total"}`},
		{shop, "1", "average value of orders per quarter", `"metric":"avg","field":"total","group_by_time":"at","granularity":"quarter"}`},
		{shop, "1", "average temperature", ""},
		{shop, "1", "how many orders per day", `{"stream":"orders","metric":"count","group_by_time":"at","granularity":"day"}`},
		{shop, "1", "number of orders", `{"stream":"orders","metric":"count"}`},
		{shop, "1", "phone number of Quayside", ""},
		{shop, "1", "how many orders were returned", `{"stream":"orders","metric":"count","filter":{"status":"returned"}}`},
		{shop, "1", "how many orders were returned to Quayside", ""},
		{shop, "1", "cheapest order from Towpath Running", `The smallest of that stream by total: query_records {"stream":"orders","connection_id":"c","sort":"total","limit":1,"filter":{"merchant":"Towpath Running"}}`},
		{shop, "1", "orders over 100 pounds from Quayside in June 2026", `"filter":{"merchant":"Quayside","total":{"gt":100},` + june + `}}`},
		{shop, "1", "cheapest order from Harbourside", ""},
		{shop, "1", "what did I buy last", `The newest of that stream: search {"since":"1970-01-01","streams":["orders"],"limit":1}`},
		{unsummed, "1", "how many orders per day", ""}, // it has no time
		{shop, "1", "how much did I spend on books at Quayside", ""},
		{shop, "1", "how much did I spend at Harbourside", ""},
		{shop, "1", "how much is the rent", ""},
		{shop, "1", `how much did I "spend"`, ""},
		{shop, "", "how much did I spend", ""}, // the least amount cannot be read
		{unsummed, "1", "how much did I spend", ""},
		{chat, "1", "how much did I spend", ""},
		{bank, "-40.5", "how much did I spend at Quayside", `{"stream":"bookings","metric":"sum","field":"amount","connection_id":"c","filter":{"payee":"Quayside","amount":{"lt":0}}}`},
		{bank, "-40.5", "how much did Quayside pay me", `{"stream":"bookings","metric":"sum","field":"amount","connection_id":"c","filter":{"payee":"Quayside"}}`},
		{bank, "-40.5", "where do I spend most", `By payee: aggregate {"stream":"bookings","metric":"sum","group_by":"payee","field":"amount","filter":{"amount":{"lt":0}}}`},
		{bank, "3", "where do I spend most", `"group_by":"payee","field":"amount"}`},
		{bank, "", "where do I spend most", ""},
		{bank, "-40.5", "how much did I spend", `"field":"amount","filter":{"amount":{"lt":0}}}`},
		{chat, "", "how many messages from Ann Lee in June 2026", `Of that stream: aggregate {"stream":"messages","metric":"count","connection_id":"c","filter":{"sender":"Ann Lee",` + june + `}}`},
		{chat, "", "how many messages from Ann", `"filter":{"sender":"Ann Lee"}}`},
		{chat, "", "how many messages from Zoe", ""},
		{chat, "", "how many messages about boats from Ann", ""},
	} {
		schema := `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c","display_name":"Data"}],"streams":[{"name":` + row.stream + `}]}]}`
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			switch {
			case strings.HasSuffix(r.Path, "/schema"):
				return middlewaretest.JSON(schema), nil
			case r.Query.Get("metric") == "min" && row.least != "":
				return middlewaretest.JSON(`{"object":"aggregation","metric":"min","value":` + row.least + `}`), nil
			case r.Query.Get("group_by") == "status":
				return middlewaretest.JSON(`{"object":"aggregation","metric":"count","groups":[{"key":"paid","count":3},{"key":"returned","count":2}]}`), nil
			case r.Query.Get("metric") == "count" && r.Query.Get("group_by") != "":
				return middlewaretest.JSON(`{"object":"aggregation","metric":"count","groups":[{"key":"Towpath Running","count":3},{"key":"Quayside","count":2},{"key":"Ann Lee","count":1}]}`), nil
			case strings.Contains(r.Path, "/aggregate"):
				return nil, &rs.Error{Code: "server_error", Status: 500}
			}
			return middlewaretest.JSON(`{"object":"list","data":[` + hitAt("notes", "1", "") + `],"meta":{"count":1,"recall":{"partial_count":0}}}`), nil
		}}
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, `{"q":`+rs.EncodeJSON(row.q)+`}`)
		proposes := strings.Contains(text, "aggregate {") || strings.Contains(text, "query_records {") || strings.Contains(text, "search {")
		if proposes != (row.want != "") || !strings.Contains(text, row.want) {
			t.Errorf("%s: want %q in\n%s", row.q, row.want, text)
		}
	}
}

// A sender in several connections has a call for each, with the fields of that connection: mail is not chat.
func TestANumberOfSeveralConnections(t *testing.T) {
	const connection = `{"connector_key":"K","granted_connections":[{"connection_id":"K","display_name":"The K"}],"streams":[{"name":"messages",` +
		`"field_capabilities":{"K_at":"t=timestamp,role=event-time,eq,r=gte|lte","K_from":"t=string,role=actor,eq,a=group_by"}}]}`
	schema := `{"detail":"compact","connectors":[` + strings.ReplaceAll(connection, "K", "mail") + "," + strings.ReplaceAll(connection, "K", "chat") + `]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		switch {
		case strings.HasSuffix(r.Path, "/schema"):
			return middlewaretest.JSON(schema), nil
		case r.Query.Get("group_by") != "":
			return middlewaretest.JSON(`{"object":"aggregation","metric":"count","groups":[{"key":"Ann Lee","count":1}]}`), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[` + hitAt("notes", "1", "") + `],"meta":{"count":1,"recall":{"partial_count":0}}}`), nil
	}}
	const call = `K": aggregate {"stream":"messages","metric":"count","connection_id":"K","filter":{"K_from":"Ann Lee","K_at":{"gte":"2026-06-01","lte":"2026-06-30"}}}`
	want := `"The ` + strings.ReplaceAll(call, "K", "mail") + `, "The ` + strings.ReplaceAll(call, "K", "chat")
	for q, isOfAnn := range map[string]bool{
		"how many messages from Ann in June 2026":                         true,
		"How many messages did Ann Lee send in June 2026?":                true,
		"Combien de messages Ann Lee a-t-elle envoyés en juin 2026 ?":     true,
		"Combien de messages Ann m'a-t-elle écrits en juin 2026 ?":        true,
		"Wie viele Nachrichten hat mir Ann Lee im Juni 2026 geschickt?":   true,
		"¿Cuántos mensajes envió Ann Lee en junio de 2026?":               true,
		"Quanti messaggi ha inviato Ann Lee a giugno 2026?":               true,
		"Quantas mensagens Ann Lee enviou em junho de 2026?":              true,
		"Hoeveel berichten heeft Ann Lee in juni 2026 gestuurd?":          true,
		"How many messages did I send to Ann in June 2026?":               false,
		"¿Cuántos mensajes envié a Ann Lee en junio de 2026?":             false,
		"How many messages about Ann has anybody written in June 2026?":   false,
		"Combien de messages Anna Berg a-t-elle envoyés en juin 2026 ?":   false,
		"Wie viele Nachrichten über Ann hat jemand im Juni 2026 gelesen?": false,
	} {
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, `{"q":`+rs.EncodeJSON(q)+`}`)
		if strings.Contains(text, want) != isOfAnn || strings.Contains(text, "aggregate {") != isOfAnn {
			t.Errorf("%s: want %s: %t in\n%s", q, want, isOfAnn, text)
		}
	}
}
