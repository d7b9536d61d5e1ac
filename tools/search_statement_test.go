package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A bank's statement has a text that says whom something was paid to, and negative amounts for what was paid. A question about payments is
// offered the call that adds up, compares or counts these, for each spelling of the name. Balances are not amounts.
func TestAQueryAboutABanksStatement(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c","display_name":"Data"}],"streams":[
		{"name":"statement","field_capabilities":{"day":"t=date,role=event-time,eq,r=gte|gt|lte|lt","note":"t=text,role=secondary,lex,eq,a=group_by",
		"amount":"t=number,eq,r=gte|gt|lte|lt,a=sum|min|avg","balance":"t=number,r=gte|lte,a=sum|min"}},
		{"name":"notes","field_capabilities":{"text":"t=text,lex"}}]}]}`
	const january, sum = `"day":{"gte":"2026-01-01","lte":"2026-01-31"}`, `"metric":"sum","field":"amount"`
	proposesOf(t, schema, []proposed{
		{"How much did I spend at Tesco?", "-9", "0", `for each note with these words, to be added up: aggregate {"stream":"statement",` + sum +
			`,"connection_id":"c","filter":{"note":"TESCO 12","amount":{"lt":0}}}, aggregate {"stream":"statement",` + sum +
			`,"connection_id":"c","filter":{"note":"Tesco Extra","amount":{"lt":0}}}`},
		{"How much did I spend at Tesco?", "1", "0", `"filter":{"note":"TESCO 12"}}, aggregate`},
		{"How much did I spend at Tesco?", "-9", "40", `"filter":{"note":"TESCO 12",`}, // all 7 records with the word are in the values that were read
		{"How much did I spend at Netflix?", "-9", "40", ""},                           // 7 records have the word, 2 are in these values
		{"How much did I spend on Netflix in total?", "-9", "0", `The sum of amount of statement: aggregate {"stream":"statement",` + sum +
			`,"connection_id":"c","filter":{"note":"NETFLIX.COM","amount":{"lt":0}}}`},
		{"How much is Netflix per month?", "-9", "0", `"group_by_time":"day","granularity":"month","filter":{"note":"NETFLIX.COM",`},
		{"average payment at Tesco", "-9", "0", ""}, // of two spellings
		{"How much did I spend at Lidl?", "-9", "0", ""},
		{"How much did I spend at a shop?", "-9", "0", ""}, // of five
		{"What was my biggest expense in January 2026?", "-9", "0",
			`The largest of statement by amount, where what was paid is negative: query_records {"stream":"statement","sort":"amount","limit":1,"filter":{"amount":{"lt":0},` + january + `}}`},
		{"What was my smallest purchase?", "-9", "0", `The smallest of statement by amount, where what was paid is negative: query_records {"stream":"statement","sort":"-amount","limit":1,`},
		{"What was my biggest expense?", "1", "0", `The largest of statement by amount: query_records {"stream":"statement","sort":"-amount","limit":1}`},
		{"Which payments over 50 did I make?", "-9", "0", `{"stream":"statement","filter":{"amount":{"lt":-50}}}`},
		{"Which payments under 20 did I make?", "-9", "0", `{"stream":"statement","filter":{"amount":{"gt":-20,"lt":0}}}`},
		{"Which payments over 50 did I make?", "1", "0", `{"stream":"statement","filter":{"amount":{"gt":50}}}`},
		{"How many payments did I make in January 2026?", "-9", "0", `"metric":"count","filter":{"amount":{"lt":0},` + january + `}}`},
		{"How much did I earn in January 2026?", "-9", "0", sum + `,"filter":{"amount":{"gt":0},` + january + `}}`},
		{"How much did I get paid?", "-9", "0", sum + `,"filter":{"amount":{"gt":0}}}`},
		{"Wie viel habe ich verdient?", "-9", "0", sum + `,"filter":{"amount":{"gt":0}}}`},
		{"How much did I earn?", "1", "0", ""}, // these are what was paid
		{"biggest payment to Netflix", "-9", "0", `"sort":"amount","limit":1,"filter":{"note":"NETFLIX.COM","amount":{"lt":0}}}`},
		{"smallest payment to Tesco", "-9", "0", `"filter":{"note":"TESCO 12","amount":{"lt":0}}}, query_records {"stream":"statement",`},
		{"biggest payment to Lidl", "-9", "0", ""},
		{"largest amount I received", "-9", "0", `The largest of statement by amount: query_records {"stream":"statement","sort":"-amount","limit":1,"filter":{"amount":{"gt":0}}}`},
		{"What did I spend the most on?", "-9", "0", `By note: aggregate {"stream":"statement",` + sum + `,"group_by":"note","filter":{"amount":{"lt":0}}}`},
		{"Who paid me the most?", "-9", "0", `By note: aggregate {"stream":"statement",` + sum + `,"group_by":"note","filter":{"amount":{"gt":0}}}`},
		{"Who paid me the most?", "1", "0", ""},
	})
}

// A statement may have what was paid and what was received in columns of their own, whose values are positive or absent. Some banks write
// the first as negative amounts, or a 0 in the other column. A question that says neither is offered no call.
func TestAQueryAboutAStatementWithTwoColumns(t *testing.T) {
	const numbers = `,eq,r=gte|gt|lte|lt,a=sum|min|avg"`
	of := func(paid, received string) string {
		return `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c","display_name":"Data"}],"streams":[
		{"name":"statement","field_capabilities":{"day":"t=date,role=event-time,eq,r=gte|gt|lte|lt","note":"t=text,role=secondary,lex,eq,a=group_by",
		"` + paid + `":"t=number` + numbers + `,"` + received + `":"t=number` + numbers + `,"balance":"t=number` + numbers + `}},
		{"name":"notes","field_capabilities":{"text":"t=text,lex"}}]}]}`
	}
	proposesOf(t, of("Debit Amount", "Credit Amount"), []proposed{
		{"How much did I spend on Netflix?", "1", "0", `"metric":"sum","field":"Debit Amount","connection_id":"c","filter":{"note":"NETFLIX.COM","Debit Amount":{"gt":0}}}`},
		{"How much did I receive from Netflix?", "1", "0", `"field":"Credit Amount","connection_id":"c","filter":{"note":"NETFLIX.COM","Credit Amount":{"gt":0}}}`},
		{"How much did I spend on Netflix?", "-9", "0", `"filter":{"note":"NETFLIX.COM","Debit Amount":{"lt":0}}}`},
		{"How much came in from Netflix?", "1", "0", ""},
		{"How much did I earn?", "1", "0", `"field":"Credit Amount","filter":{"Credit Amount":{"gt":0}}}`},
		{"What was my biggest expense?", "1", "0", `"sort":"-Debit Amount","limit":1,"filter":{"Debit Amount":{"gt":0}}}`},
		{"What was my biggest transaction?", "1", "0", ""},
		{"Which payments under 20 did I make?", "1", "0", `{"stream":"statement","filter":{"Debit Amount":{"lt":20,"gt":0}}}`},
		{"Which payments over 50 did I make?", "1", "0", `{"stream":"statement","filter":{"Debit Amount":{"gt":50}}}`},
		{"How many payments did I make?", "1", "0", `"metric":"count","filter":{"Debit Amount":{"gt":0}}}`},
		{"Who paid me the most?", "1", "0", `"field":"Credit Amount","group_by":"note","filter":{"Credit Amount":{"gt":0}}}`},
	})
	for _, columns := range [][2]string{{"Paid out", "Paid in"}, {"money_out", "money_in"}, {"Withdrawals", "Deposits"}, {"Soll", "Haben"}, {"Débit", "Crédit"}, {"Uscite", "Entrate"}} {
		proposesOf(t, of(columns[0], columns[1]), []proposed{
			{"How much did I spend?", "1", "0", `"field":"` + columns[0] + `"`}, {"How much did I earn?", "1", "0", `"field":"` + columns[1] + `"`},
		})
	}
	proposesOf(t, of("bytes_out", "bytes_in"), []proposed{{"How much did I spend?", "1", "0", ""}})
}

// A person has statements of several banks. A question about payments is offered a call for each whose field says who was paid, as far as
// it has that name, and is told which amounts these leave out.
func TestAQueryAboutSeveralStatements(t *testing.T) {
	const columns = `"day":"t=date,role=event-time,eq,r=gte|gt|lte|lt","amount":"t=number,eq,r=gte|gt|lte|lt,a=sum|min|avg"}}`
	of := func(streams string) string {
		return `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c","display_name":"Data"}],"streams":[
		` + streams + `,{"name":"notes","field_capabilities":{"text":"t=text,lex"}}]}]}`
	}
	const first = `{"name":"giro","field_capabilities":{"Begünstigter":"t=text,lex,eq,a=group_by",` + columns
	const second = `,{"name":"savings","field_capabilities":{"Payee":"t=text,lex,eq,a=group_by",` + columns
	const card = `,{"name":"card","field_capabilities":{"note":"t=text,role=secondary,lex,eq,a=group_by",` + columns
	const two = `,{"name":"old","field_capabilities":{"Debit":"t=number,eq,r=gte|lte,a=sum","Credit":"t=number,eq,r=gte|lte,a=sum"}}`
	const sum, netflix = `The sum of amount of %s: aggregate {"stream":"%s","metric":"sum","field":"amount","connection_id":"c","filter":`,
		`{"%s":"NETFLIX.COM","amount":{"lt":0}}}`
	inGiro := fmt.Sprintf(sum+netflix, "giro", "giro", "Begünstigter")
	inSavings := fmt.Sprintf(sum+netflix, "savings", "savings", "Payee")
	proposesOf(t, of(first), []proposed{{"How much did I spend on Netflix?", "-9", "0", inGiro + "\n"}})
	proposesOf(t, of(first+card), []proposed{{"How much did I spend on Netflix?", "-9", "0", inGiro + ". Left out are the amounts of card\n"}})
	proposesOf(t, of(first+second+card+two), []proposed{
		{"How much did I spend on Netflix?", "-9", "0", inGiro + ". Also: " + inSavings + ". Left out are the amounts of card, old\n"},
		{"What was my biggest expense?", "-9", "0", `The largest of giro by amount, where what was paid is negative: query_records {"stream":"giro",` +
			`"sort":"amount","limit":1,"filter":{"amount":{"lt":0}}}. Also: The largest of savings by amount`},
		{"How much did I spend at Lidl?", "-9", "0", ""},
	})
}

type proposed struct {
	q, least, other string // least is the least amount, other the count of the values that were not read
	want            string // part of the answer; "" for no call
}

func proposesOf(t *testing.T, schema string, rows []proposed) {
	t.Helper()
	for _, row := range rows {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			switch {
			case strings.HasSuffix(r.Path, "/schema"):
				return middlewaretest.JSON(schema), nil
			case r.Query.Get("metric") == "min":
				return middlewaretest.JSON(`{"object":"aggregation","metric":"min","value":` + row.least + `}`), nil
			case r.Query.Get("group_by") == "Category":
				return middlewaretest.JSON(`{"object":"aggregation","metric":"count","groups":[{"key":"Groceries","count":4},{"key":"Eating Out","count":3}]}`), nil
			case r.Query.Get("group_by") != "":
				return middlewaretest.JSON(`{"object":"aggregation","metric":"count","groups":[{"key":"TESCO 12","count":4},{"key":"Tesco Extra","count":3},` +
					`{"key":"NETFLIX.COM","count":2},{"key":"a shop","count":1},{"key":"shop b","count":1},{"key":"shop c","count":1},{"key":"shop d","count":1},` +
					`{"key":"shop e","count":1}],"other_count":` + row.other + `}`), nil
			}
			return middlewaretest.JSON(`{"object":"list","data":[` + hitAt("notes", "1", "") + `],"meta":{"count":7,"recall":{"partial_count":0}}}`), nil
		}}
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, `{"q":`+rs.EncodeJSON(row.q)+`}`)
		proposes := strings.Contains(text, "aggregate {") || strings.Contains(text, "query_records {")
		if proposes != (row.want != "") || !strings.Contains(text, row.want) {
			t.Errorf("%s (%s, %s): want %q in\n%s", row.q, row.least, row.other, row.want, text)
		}
	}
}

// A statement may name a category of each payment. A question about one is offered the sum of it; one that compares categories, months or
// shops is offered the sum of each. The largest single payment is not the most expensive month.
func TestAQueryAboutCategoriesAndMonthsOfAStatement(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c","display_name":"Data"}],"streams":[
		{"name":"statement","field_capabilities":{"day":"t=date,role=event-time,eq,r=gte|gt|lte|lt,a=group_by_time","note":"t=text,role=secondary,lex,eq,a=group_by",
		"Category":"t=string,eq,lex,a=group_by","amount":"t=number,eq,r=gte|gt|lte|lt,a=sum|min|avg"}}]}]}`
	const sum, paid = `aggregate {"stream":"statement","metric":"sum","field":"amount"`, `"filter":{"amount":{"lt":0}}}`
	const byCategory, byMonth = sum + `,"group_by":"Category",` + paid, sum + `,"group_by_time":"day","granularity":"month",` + paid
	const food = `"filter":{"amount":{"lt":0},"Category":"Groceries"}}`
	proposesOf(t, schema, []proposed{
		{"How much did I spend on groceries?", "-9", "0", sum + `,` + food},
		{"How much do I spend on groceries each month?", "-9", "0", sum + `,"group_by_time":"day","granularity":"month",` + food},
		{"How much did I spend on eating out?", "-9", "0", `"Category":"Eating Out"}}`},
		{"average spent on groceries", "-9", "0", `"metric":"avg","field":"amount",` + food},
		{"average spent on grocery", "-9", "0", food},
		{"How much did I spend on groc?", "-9", "0", ""},
		{"How much did I spend on eating?", "-9", "0", ""},
		{"spending by category", "-9", "0", byCategory},
		{"How much did I spend per category?", "-9", "0", byCategory},
		{"Which category do I spend the most on?", "-9", "0", byCategory},
		{"Which month did I spend the most?", "-9", "0", byMonth},
		{"Did I spend more each month?", "-9", "0", byMonth},
		{"most expensive month", "-9", "0", byMonth},
		{"What was my cheapest month?", "-9", "0", byMonth},
		{"teuerster Monat", "-9", "0", byMonth},
		{"most expensive week", "1", "0", sum + `,"group_by_time":"day","granularity":"week"}`},
		{"How many payments did I make per category?", "-9", "0", `"metric":"count","group_by":"Category",` + paid},
		{"statement by category", "-9", "0", `aggregate {"stream":"statement","metric":"count","group_by":"Category"}`},
		{"statement per month", "-9", "0", `aggregate {"stream":"statement","metric":"count","group_by_time":"day","granularity":"month"}`},
		{"statement by Friday", "-9", "0", ""},
		{"per month", "-9", "0", ""},
		{"How much did I spend per shop?", "-9", "0", sum + `,"group_by":"note",` + paid},
		{"How much did I spend per category each month?", "-9", "0", ""}, // no groups have both
		{"biggest month", "-9", "0", ""},
		{"biggest groceries expense", "-9", "0", `"sort":"amount","limit":1,` + food},
		{"most expensive thing", "-9", "0", `query_records {"stream":"statement","sort":"amount","limit":1,` + paid},
		{"cheapest thing I have", "-9", "0", `query_records {"stream":"statement","sort":"-amount","limit":1,` + paid},
	})
}
