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
	const shop = `"orders","field_capabilities":{` + at + `,"total":"t=number,r=gte|lte,a=sum|min","item_count":"t=integer,r=gte|lte,a=sum|min","merchant":"t=string,role=primary-title,lex,eq,a=group_by|count_distinct","status":"t=string,eq,a=group_by"}`
	const bank = `"bookings","field_capabilities":{` + at + `,"amount":"t=number,r=gte|lte,a=sum|min","payee":"t=string,eq,a=group_by"}`
	const unsummed = `"orders","field_capabilities":{"total":"t=number,r=gte|lte","merchant":"t=string,role=primary-title,eq,a=group_by"}`
	const chat = `"messages","field_capabilities":{` + at + `,"text":"t=text,lex","sender":"t=string,role=actor,eq,a=group_by|count_distinct"}`
	const mail = `"messages","field_capabilities":{` + at + `,"subject":"t=text,role=primary-title,lex","from":"t=string,role=actor,eq,a=group_by"}`
	const byMonth, marchApril = `"field":"total","group_by_time":"at","granularity":"month","filter":{`, `"at":{"gte":"2026-03-01","lte":"2026-04-30"}}`
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
		{shop, "1", "What is the total of all returned orders?", sum + `,"filter":{"status":"returned"}}`},
		{shop, "1", "how much money was refunded for returned orders in June 2026", sum + `,"filter":{"status":"returned",` + june + `}}`},
		{shop, "1", "total amount of returned orders from Quayside", sum + `,"connection_id":"c","filter":{"merchant":"Quayside","status":"returned"}}`},
		{shop, "1", "how much did I spend on returned orders per month", sum + `,"group_by_time":"at","granularity":"month","filter":{"status":"returned"}}`},
		{shop, "1", "average total of returned orders", `"metric":"avg","field":"total","filter":{"status":"returned"}}`},
		{shop, "1", "how much is refunded", ""},
		{shop, "1", "how much did I spend on returned books", ""}, // books are no status
		{shop, "1", "average number of orders per month", `To take the average of: aggregate {"stream":"orders","metric":"count","group_by_time":"at","granularity":"month"}`},
		{shop, "1", "orders per week on average", `To take the average of: aggregate {"stream":"orders","metric":"count","group_by_time":"at","granularity":"week"}`},
		{shop, "1", "average spending per month", `To take the average of: aggregate {"stream":"orders","metric":"sum","field":"total","group_by_time":"at","granularity":"month"}`},
		{shop, "1", "average items per order", `The average of item_count of orders: aggregate {"stream":"orders","metric":"avg","field":"item_count"}`},
		{shop, "1", "average number of items per order at Quayside", `"metric":"avg","field":"item_count","connection_id":"c","filter":{"merchant":"Quayside"}}`},
		{shop, "1", "how much did I pay for items in orders", ""}, // a count of items is no money
		{shop, "1", "How many orders have I placed", `{"stream":"orders","metric":"count"}`},
		{shop, "1", "How many orders did I place in total?", `{"stream":"orders","metric":"count"}`},
		{shop, "1", "how many orders have I got so far", `{"stream":"orders","metric":"count"}`},
		{shop, "1", "total number of orders", `{"stream":"orders","metric":"count"}`},
		{shop, "1", "Wie viele Bestellungen habe ich insgesamt aufgegeben?", `{"stream":"orders","metric":"count"}`},
		{shop, "1", "combien d'achats ai-je faits au total", `{"stream":"orders","metric":"count"}`},
		{shop, "1", "¿Cuántos pedidos he hecho en total?", `{"stream":"orders","metric":"count"}`},
		{shop, "1", "quanti ordini ho effettuato", `{"stream":"orders","metric":"count"}`},
		{shop, "1", "Quantas encomendas fiz?", `{"stream":"orders","metric":"count"}`},
		{shop, "1", "hoeveel bestellingen heb ik geplaatst", `{"stream":"orders","metric":"count"}`},
		{shop, "1", "how many orders did I place at the market", ""},
		{shop, "1", "Gesamtsumme aller Bestellungen im Juni 2026", sum + `,"filter":{` + june + `}}`},
		{shop, "1", "compare my spending in March 2026 and April 2026", byMonth + marchApril},
		{shop, "1", "did I spend more in March 2026 or in April 2026?", byMonth + marchApril},
		{shop, "1", "more spent in April 2026 than in March 2026?", byMonth + marchApril},
		{shop, "1", "spending March 2026 vs. April 2026 at Quayside", `"granularity":"month","filter":{"merchant":"Quayside",` + marchApril},
		{shop, "1", "habe ich mehr im März 2026 als im April 2026 ausgegeben", byMonth + marchApril},
		{shop, "1", "how many orders in March 2026 vs April 2026?", `{"stream":"orders","metric":"count","group_by_time":"at","granularity":"month","filter":{` + marchApril},
		{shop, "1", "orders from Quayside in April 2026 or March 2026", `Of "Quayside" alone: query_records {"stream":"orders","connection_id":"c","filter":{"merchant":"Quayside",` + marchApril}, // no number
		{shop, "1", "Vergleiche meine Ausgaben im März und April 2026", byMonth + marchApril},
		{shop, "1", "ai-je dépensé plus en mars 2026 qu'en avril 2026", byMonth + marchApril},
		{shop, "1", "¿gasté más en marzo de 2026 que en abril de 2026?", byMonth + marchApril},
		{shop, "1", "gastei mais em março de 2026 do que em abril de 2026?", byMonth + marchApril},
		{shop, "1", "meer uitgegeven in maart 2026 dan in april 2026", byMonth + marchApril},
		{shop, "1", "spending in Q1 2026 vs Q2 2026", `"granularity":"quarter","filter":{"at":{"gte":"2026-01-01","lte":"2026-06-30"}}`},
		{shop, "1", "how much did I spend in March 2026 and April 2026", sum + `,"filter":{` + marchApril},
		{shop, "1", "average value of orders per quarter", `"metric":"avg","field":"total","group_by_time":"at","granularity":"quarter"}`},
		{shop, "1", "average temperature", ""},
		{shop, "1", "how many orders per day", `{"stream":"orders","metric":"count","group_by_time":"at","granularity":"day"}`},
		{shop, "1", "number of orders", `{"stream":"orders","metric":"count"}`},
		{shop, "1", "phone number of Quayside", ""},
		{shop, "1", "how many orders were returned", `{"stream":"orders","metric":"count","filter":{"status":"returned"}}`},
		{shop, "1", "how many orders were returned to Quayside", ""},
		{shop, "1", "cheapest order from Towpath Running", `The smallest of that stream by total: query_records {"stream":"orders","connection_id":"c","sort":"total","limit":1,"filter":{"merchant":"Towpath Running"}}`},
		{shop, "1", "orders over 100 pounds from Quayside in June 2026", `"filter":{"merchant":"Quayside","total":{"gt":100},` + june + `}}`},
		{shop, "1", "orders with more than 3 items", `The records of that stream by their item_count: query_records {"stream":"orders","filter":{"item_count":{"gt":3}}}`},
		{shop, "1", "how many orders with less than 3 items", `aggregate {"stream":"orders","metric":"count","filter":{"item_count":{"lt":3}}}`},
		{shop, "1", "how many orders over 100 pounds from Quayside", `aggregate {"stream":"orders","metric":"count","connection_id":"c","filter":{"merchant":"Quayside","total":{"gt":100}}}`},
		{shop, "1", "orders larger than 3 bytes", ""},
		{shop, "1", "cheapest order with more than 3 items", ""},
		{shop, "1", "orders with more than 3 stamps", ""},
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
		{bank, "-40.5", "how much did Quayside pay me", `{"stream":"bookings","metric":"sum","field":"amount","connection_id":"c","filter":{"payee":"Quayside","amount":{"gt":0}}}`},
		{bank, "-40.5", "where do I spend most", `By payee: aggregate {"stream":"bookings","metric":"sum","field":"amount","group_by":"payee","filter":{"amount":{"lt":0}}}`},
		{bank, "3", "where do I spend most", `"field":"amount","group_by":"payee"}`},
		{bank, "", "where do I spend most", ""},
		{bank, "-40.5", "how much did I spend", `"field":"amount","filter":{"amount":{"lt":0}}}`},
		{chat, "", "how many messages from Ann Lee in June 2026", `Of that stream: aggregate {"stream":"messages","metric":"count","connection_id":"c","filter":{"sender":"Ann Lee",` + june + `}}`},
		{chat, "", "how many messages from Ann", `"filter":{"sender":"Ann Lee"}}`},
		{chat, "", "how many messages from Zoe", ""},
		{chat, "", "how many messages about boats from Ann", ""},
		{mail, "1", "who wrote to me last?", `The newest of messages, the owner's own included: search {"since":"1970-01-01","streams":["messages"],"limit":1}`},
		{mail, "1", "wer hat mir zuletzt geschrieben?", `The newest of messages, the owner's own included: search {`},
		{mail, "1", "who did I write to last?", ""},
		{shop, "1", "how many different merchants did I buy from", `The different values of merchant of orders: aggregate {"stream":"orders","metric":"count_distinct","field":"merchant"}`},
		{shop, "1", "how many different shops in June 2026?", `"metric":"count_distinct","field":"merchant","filter":{` + june + `}}`},
		{shop, "1", "how many different stamps did I buy", ""},
		{chat, "1", "how many different people wrote to me?", `The different values of sender of messages: aggregate {"stream":"messages","metric":"count_distinct","field":"sender"}`},
		{chat, "1", "wie viele verschiedene Personen haben mir geschrieben?", `"metric":"count_distinct","field":"sender"}`},
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

// A number of a stream that several connections have takes the fields of the connection that the query names, or that has what it names, as
// mail is not chat. A sender in several connections has a call for each.
func TestANumberOfSeveralConnections(t *testing.T) {
	const connection = `{"connector_key":"K","granted_connections":[{"connection_id":"K","display_name":"The K"}],"streams":[{"name":"messages",` +
		`"field_capabilities":{"K_at":"t=timestamp,role=event-time,eq,r=gte|lte","K_from":"t=string,role=actor,eq,a=group_by"MOREOTHERS]}`
	const mail, chat = `,"size_bytes":"t=integer,r=gte|lte,a=sum|min","is_seen":"t=boolean,eq","has_attachments":"t=boolean,eq"},"expand_capabilities":[` +
		`{"name":"attachments","cardinality":"has_many","target_stream":"attachments","foreign_key":"message_id"}]}`, `,"channel_id":"t=string,eq","reaction_count":"t=integer,r=gte|lte|gt|lt,a=sum|min"}}`
	const files = `,{"name":"attachments","field_capabilities":{"file":"t=string,role=primary-title,lex"}}`
	const others = `,{"name":"channels","field_capabilities":{"name":"t=string,role=primary-title"},"expand_capabilities":[` +
		`{"name":"messages","cardinality":"has_many","target_stream":"messages","foreign_key":"channel_id"}]}`
	of := strings.NewReplacer
	schema := `{"detail":"compact","connectors":[` + of("K", "mail", "MORE", mail, "OTHERS", files).Replace(connection) + "," +
		of("K", "chat", "MORE", chat, "OTHERS", others).Replace(connection) + `]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		switch {
		case strings.HasSuffix(r.Path, "/schema"):
			return middlewaretest.JSON(schema), nil
		case r.Query.Get("group_by") != "":
			return middlewaretest.JSON(`{"object":"aggregation","metric":"count","groups":[{"key":"Ann Lee","count":1}]}`), nil
		case strings.Contains(r.Path, "/channels/"):
			return middlewaretest.JSON(`{"object":"list","data":[{"id":"C1","data":{"name":"lantern"}}],"has_more":false}`), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[` + hitAt("notes", "1", "") + `],"meta":{"count":1,"recall":{"partial_count":0}}}`), nil
	}}
	const count, june = `aggregate {"stream":"messages","metric":"count"`, `_at":{"gte":"2026-06-01","lte":"2026-06-30"}`
	const call = `K": ` + count + `,"connection_id":"K","filter":{"K_from":"Ann Lee","K` + june + `}}`
	for _, row := range []struct{ q, want string }{
		{"how many messages from Ann in June 2026", `"The ` + strings.ReplaceAll(call, "K", "mail") + `, "The ` + strings.ReplaceAll(call, "K", "chat")},
		{"how many messages per month in the chat", count + `,"connection_id":"chat","group_by_time":"chat_at","granularity":"month"}`},
		{"How many messages were in the chat in June 2026?", count + `,"connection_id":"chat","filter":{"chat` + june + `}}`},
		{"Wie viele Nachrichten gab es im Juni 2026 im Chat?", count + `,"connection_id":"chat","filter":{"chat` + june + `}}`},
		{"how many messages in the lantern channel in June 2026", count + `,"filter":{"channel_id":"C1","chat` + june + `}}`},
		{"how many messages in the lantern channel per week", count + `,"group_by_time":"chat_at","granularity":"week","filter":{"channel_id":"C1"}}`},
		{"how many messages did I write in the chat", count + `,"connection_id":"chat","group_by":"chat_from"}`},
		{"how many messages did I send per month", ""}, // it cannot be grouped by both
		{"average message size", `The average of size_bytes of messages: aggregate {"stream":"messages","metric":"avg","field":"size_bytes"}`},
		{"total size of messages in June 2026", `aggregate {"stream":"messages","metric":"sum","field":"size_bytes","filter":{"mail` + june + `}}`},
		{"average reactions per message in the chat", `aggregate {"stream":"messages","metric":"avg","field":"reaction_count","connection_id":"chat"}`},
		{"average number of messages per day in the chat", `To take the average of: ` + count + `,"connection_id":"chat","group_by_time":"chat_at","granularity":"day"}`},
		{"average size of messages in the chat", ""}, // it has no such field
		{"messages with more than 3 reactions", `"reaction_count":{"gt":3}}}`},
		{"messages with more than 3 reactions in June 2026", `"filter":{"reaction_count":{"gt":3},"chat` + june + `}}`},
		{"who sent me the most messages", "By mail_from, the owner's own included: " + count + `,"group_by":"mail_from"`},
		{"how many messages have more than 3 reactions", count + `,"filter":{"reaction_count":{"gt":3}}}`},
		{"which attachments are from Ann", `query_records {"stream":"messages","connection_id":"mail","filter":{"mail_from":"Ann Lee","has_attachments":true}}` + "\n"}, // chat has none
		{"how many unread messages in the chat", ""},                                                                                                                    // it has no such flag
	} {
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, `{"q":`+rs.EncodeJSON(row.q)+`}`)
		if proposes := strings.Contains(text, "aggregate {") || strings.Contains(text, "query_records {"); proposes != (row.want != "") || !strings.Contains(text, row.want) {
			t.Errorf("%s: want %s in\n%s", row.q, row.want, text)
		}
	}
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
