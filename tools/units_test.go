package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// moneyServer has a stream of payments with the currency in the field unit; some have no category.
func moneyServer(t *testing.T, unit, unitType string) *shopServer {
	t.Helper()
	field := func(name, kind string, can ...string) model.Field {
		return model.Field{Name: name, Type: kind, Exact: true, Range: true, Nullable: true, Aggregations: can}
	}
	var records []model.Record
	for i := range 6 {
		amount, category := any(80+i), any("Food")
		if i == 4 {
			category = "Rent"
			amount = nil
		}
		if i == 5 {
			category = nil
		}
		of := "EUR"
		if unitType == "string" && i == 1 {
			of = "GBP"
		} else if unitType == "date" {
			of = "2026-01-02"
		}
		data, _ := json.Marshal(map[string]any{"Day": fmt.Sprintf("2026-01-%02d", 9-i/2), "Amount": amount, unit: of, "Category": category})
		at := time.Unix(int64(1767312000-i), 0)
		records = append(records, model.Record{ConnectionID: "cin_a", Stream: "paid", ID: fmt.Sprint("p", i), EmittedAt: at, Data: data})
	}
	number := field("Amount", "number", "sum", "min", "max")
	return serve(t, []model.Connector{{
		Key: "bank", SourceID: "https://registry.test/bank", Connections: []model.Connection{{ID: "cin_a", DisplayName: "Bank"}},
		Streams: []model.Stream{{Name: "paid", PrimaryKey: []string{"Day"}, Fields: []model.Field{
			field("Day", "date", "group_by_time"), number, field(unit, unitType, "group_by"), field("Category", "string", "group_by"),
		}}},
	}}, records)
}

// The field with the currency of an amount is recognized by its usual names in any case, and only if it is a text field.
func TestUnitsAreFoundByTheirUsualNames(t *testing.T) {
	for unit, kind := range map[string]string{
		"currency": "string", "Currency": "string", "CURRENCY": "string", "CCY": "string", "Currency_code": "string", "currencyCode": "string",
		"Original_Currency": "string", "Fremdwährung": "string", "Währung_Original": "string", "Type_Foreign_Currency": "string", "devise_origine": "string",
		"Amount_Currency": "string", "Währung": "string", "Devise": "string", "Moneda": "string", "Valuta": "string", "Unit": "string",
	} {
		server := moneyServer(t, unit, kind)
		text, _, _ := server.call(t, toolNamed(t, "aggregate"), `{"stream":"paid","metric":"sum","field":"Amount"}`)
		if !strings.Contains(text, "\nEUR | 330 of 5\nGBP | 81 of 1\n") || !strings.Contains(text, "Amount is not all in one "+unit+":") {
			t.Errorf("%s:\n%s", unit, text)
		}
	}
	for unit, kind := range map[string]string{"Valuta": "date", "Currency_note": "string", "recurrency": "string", "business_unit": "string"} {
		server := moneyServer(t, unit, kind)
		text, _, _ := server.call(t, toolNamed(t, "aggregate"), `{"stream":"paid","metric":"sum","field":"Amount"}`)
		if !strings.Contains(text, "= 411 ") {
			t.Errorf("%s:\n%s", unit, text)
		}
	}
}

// A count next to a currency field is not in that currency, but may be in a unit.
func TestCountsHaveNoCurrency(t *testing.T) {
	for _, row := range []struct {
		field, beside string
		units         bool
	}{
		{"Amount", "Currency", true}, {"unit_price", "Currency", true}, {"Quantity", "Currency", false}, {"Units", "currencyCode", false},
		{"Number of items", "Currency", false}, {"Menge", "Währung", false}, {"item_total", "Currency", true}, {"Quantity", "Unit", true},
		{"Quantity", "quantity_currency", true},
	} {
		document := `{"detail":"compact","connectors":[{"granted_connections":[{"connection_id":"c"}],"streams":[{"name":"s","field_capabilities":{` +
			rs.EncodeJSON(row.field) + `:"t=number,eq,a=sum",` + rs.EncodeJSON(row.beside) + `:"t=string,eq,a=group_by"}}]}]}`
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			switch {
			case strings.HasSuffix(r.Path, "/schema"):
				return middlewaretest.JSON(document), nil
			case r.Query.Get("group_by") != "":
				return middlewaretest.JSON(`{"metric":"count","groups":[{"key":"A","count":1},{"key":"B","count":1}],"filtered_record_count":2,"other_count":0}`), nil
			}
			return middlewaretest.JSON(`{"metric":"sum","value":5,"filtered_record_count":2}`), nil
		}}
		result := use(t, tools.Aggregate(), server, []byte(`{"stream":"s","metric":"sum","field":`+rs.EncodeJSON(row.field)+`}`))
		if apart := strings.Contains(result.Text, "is not all in one"); apart != row.units {
			t.Errorf("%s beside %s: %s", row.field, row.beside, result.Text)
		}
	}
}

// If a page shows an amount without the field with its unit, it says so. If it shows no number, nothing more is read.
func TestAPageSaysWhichFieldHasTheUnitOfItsAmounts(t *testing.T) {
	const says = "\nNot asked for: Currency, which says the unit of Amount.\n"
	server := moneyServer(t, "Currency", "string")
	for arguments, row := range map[string]struct {
		printed bool
		reads   int
	}{
		`{"stream":"paid","fields":["Category","Amount"]}`:                  {true, 2},
		`{"stream":"paid","fields":["Amount","Currency"]}`:                  {false, 1},
		`{"stream":"paid","fields":["Amount"],"filter":{"Currency":"GBP"}}`: {false, 1},
		`{"stream":"paid","fields":["Category"]}`:                           {false, 1},
		`{"stream":"paid"}`: {false, 1},
		`{"stream":"paid","fields":["Amount"],"filter":{"Amount":{"gte":80}},"limit":2}`: {true, 2},
	} {
		for range 2 { // the schema is cached
			text, data, reply := server.call(t, toolNamed(t, "query_records"), arguments)
			if strings.Contains(text, says) != row.printed || data.Has("units_in") != row.printed || reply.Reads > row.reads {
				t.Errorf("%s: %d reads, %s\n%s", arguments, reply.Reads, data.JSON(), text)
			}
		}
	}
}

// A sum over records without a value is null, not zero. Records in no group are described by the name of the field.
func TestASumWithoutValuesIsNull(t *testing.T) {
	server := moneyServer(t, "Currency_note", "string")
	aggregate := toolNamed(t, "aggregate")
	for arguments, want := range map[string]string{
		`{"stream":"paid","metric":"sum","field":"Amount","group_by":"Category"}`:        "Food | 326 of 4\nnull | 85 of 1\nRent | null of 1\nall 3 groups shown",
		`{"stream":"paid","metric":"min","field":"Amount","group_by":"Category"}`:        "Food | 80 of 4\nRent | null of 1\n",
		`{"stream":"paid","metric":"avg","field":"Amount","group_by":"Category"}`:        "Food | 81.5 of 4\nRent | null of 0\n",
		`{"stream":"paid","metric":"sum","field":"Amount","filter":{"Category":"Rent"}}`: "sum of Amount of paid = null · 1 record",
	} {
		text, _, _ := server.call(t, aggregate, arguments)
		if !strings.Contains(text, want) {
			t.Errorf("%s: want %q in\n%s", arguments, want, text)
		}
		if strings.Contains(arguments, "group_by") && !strings.Contains(arguments, "sum") && !strings.Contains(text, "; not shown: 1 record without Category (other_count=1)") {
			t.Errorf("%s:\n%s", arguments, text)
		}
		if strings.Contains(text, "\nof N counts ") != strings.Contains(arguments, "avg") {
			t.Errorf("%s:\n%s", arguments, text)
		}
	}
}

// A page that is sorted or bounded by amounts in several currencies says so and names the call for one currency, without another read.
func TestAPageSaysThatItComparesSeveralCurrencies(t *testing.T) {
	const says = "Amount is not all in one Currency: "
	server := moneyServer(t, "Currency", "string")
	for arguments, row := range map[string]struct {
		values string
		send   string
	}{
		`"sort":"-Amount"`:                                         {"EUR, GBP", `"sort":"-Amount","filter":{"Currency":"EUR"}`},
		`"filter":{"Amount":{"gte":80,"lt":84}}`:                   {"EUR, GBP", `"filter":{"Amount":{"gte":80,"lt":84},"Currency":"EUR"}`},
		`"filter":{"Amount":{"gte":82}},"sort":"Amount"`:           {"", ""}, // all in one currency
		`"filter":{"Amount":80}`:                                   {"", ""},
		`"sort":"-Day"`:                                            {"", ""},
		`"sort":"-Amount","fields":["Amount","Category"]`:          {"", ""}, // the answer already says which field has them
		`"sort":"-Amount","filter":{"Currency":"EUR"}`:             {"", ""},
		`"sort":"Amount","limit":3,"fields":["Amount","Currency"]`: {"EUR, GBP", `"sort":"Amount","limit":3,"fields":["Amount","Currency"],"filter":{"Currency":"EUR"}`},
	} {
		text, data, _ := server.call(t, toolNamed(t, "query_records"), `{"stream":"paid",`+arguments+`}`)
		mixed := data.Object("mixed_units")
		_, line, printed := strings.Cut(text, says)
		line, _, _ = strings.Cut(line, "\n")
		if printed != (row.values != "") || printed != (mixed != nil) {
			t.Errorf("%s: %s\n%s", arguments, mixed.JSON(), text)
		}
		send := `{"stream":"paid",` + row.send + `}`
		if want := row.values + " are compared as if they were the same. Of one alone: query_records " + send; printed && line != want ||
			printed && mixed.Object("instead").Get("arguments") != send {
			t.Errorf("%s: want %s, got %s\n%s", arguments, want, mixed.JSON(), text)
		}
		records := slices.DeleteFunc(slices.Clone(server.read), func(read string) bool { return !strings.Contains(read, "/records") })
		if len(records) != 1 {
			t.Errorf("%s: %q", arguments, server.read)
		}
	}
}
