package correct_test

import (
	"encoding/json"
	"strings"
	"sync"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
)

const shopSchema = `{"detail":"compact","connectors":[{"connector_key":"shop","granted_connections":[{"connection_id":"cin_1"}],"streams":[` +
	`{"name":"orders","field_capabilities":{"merchant":"t=string,role=primary-title,eq,lex,a=group_by","status":"t=string,eq,a=group_by",` +
	`"ordered_at":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt,a=group_by_time","total":"t=number,eq,r=gte|gt|lte|lt,a=sum",` +
	`"is_seen":"t=boolean,eq","has_attachments":"t=boolean,eq","is_active":"t=boolean,eq","paid":"t=boolean,eq"}}]}]}`

// An operator in the name of a field is used as that operator, and a negation is never lost.
func TestOperatorsInTheNamesOfFields(t *testing.T) {
	const grouped = `aggregate {"stream":"orders","metric":"count","group_by":"status"}`
	records := func(filter string) string { return `query_records {"stream":"orders","filter":` + filter + `}` }
	for filter, want := range map[string]string{
		`{"status__ne":"paid"}`: grouped, `{"status!":"paid"}`: grouped, `{"status!=":"paid"}`: grouped, `{"status_not":"paid"}`: grouped,
		`{"status <>":"paid"}`: grouped, `{"status_ne":"paid"}`: grouped, `{"-status":"paid"}`: grouped, `{"!status":"paid"}`: grouped,
		`{"not_status":"paid"}`: grouped, `{"exclude_status":"paid"}`: grouped, `{"status__not__eq":"paid"}`: grouped, `{"statusNot":"paid"}`: grouped,
		`{"status__not_in":["paid","open"]}`: grouped, `{"status[ne]":"paid"}`: grouped, `{"exclude":{"status":"paid"}}`: grouped,
		`{"-total":10}`:                                     "",
		`{"is_not_seen":true}`:                              records(`{"is_seen":false}`),
		`{"is_not_seen":false}`:                             records(`{"is_seen":true}`),
		`{"not_seen":true}`:                                 records(`{"is_seen":false}`),
		`{"unseen":true}`:                                   records(`{"is_seen":false}`),
		`{"unread":false}`:                                  records(`{"is_seen":true}`),
		`{"has_no_attachments":true}`:                       records(`{"has_attachments":false}`),
		`{"without_attachments":true}`:                      records(`{"has_attachments":false}`),
		`{"non_seen":true}`:                                 records(`{"is_seen":false}`),
		`{"unpaid":true}`:                                   records(`{"paid":false}`),
		`{"is_seen__ne":true}`:                              records(`{"is_seen":false}`),
		`{"is_seen":{"not":false}}`:                         records(`{"is_seen":true}`),
		`{"merchant":{"gt":"Otter"}}`:                       `aggregate {"stream":"orders","metric":"count","group_by":"merchant"}`,
		`{"merchant":{"gte":"Otter"}}`:                      records(`{"merchant":"Otter"}`),
		`{"inactive":true}`:                                 `schema {"stream":"orders"}`,
		`{"status__in":["paid","x"]}`:                       records(`{"status":"paid"}`),
		`{"status__exact":"paid"}`:                          records(`{"status":"paid"}`),
		`{"merchant__icontains":"ott"}`:                     `aggregate {"stream":"orders","metric":"count","group_by":"merchant"}`,
		`{"total__ne":10}`:                                  "",
		`{"status__isnull":true}`:                           "",
		`{"total__between":[1,2]}`:                          records(`{"total":{"gte":1,"lte":2}}`),
		`{"total__gte":1,"total__lt":2}`:                    records(`{"total":{"gte":1,"lt":2}}`),
		`{"min_total":1,"total_max":2}`:                     records(`{"total":{"gte":1,"lte":2}}`),
		`{"total_over":2}`:                                  records(`{"total":{"gt":2}}`),
		`{"over_total":2}`:                                  records(`{"total":{"gt":2}}`),
		`{"totalUnder":2}`:                                  records(`{"total":{"lt":2}}`),
		`{"total_at_least":2}`:                              records(`{"total":{"gte":2}}`),
		`{"at_most_total":2}`:                               records(`{"total":{"lte":2}}`),
		`{"gte_total":2}`:                                   records(`{"total":{"gte":2}}`),
		`{"min_amount":2}`:                                  records(`{"total":{"gte":2}}`),
		`{"price_below":2}`:                                 records(`{"total":{"lt":2}}`),
		`{"total_total_over":2}`:                            `schema {"stream":"orders"}`,
		`{"from_title":"Otter"}`:                            "",
		`{"from_merchant":"Otter"}`:                         records(`{"merchant":"Otter"}`),
		`{"since_ordered_at":"2026-01-01"}`:                 records(`{"ordered_at":{"gte":"2026-01-01"}}`),
		`{"since_ordered":"2026-01-01"}`:                    records(`{"ordered_at":{"gte":"2026-01-01"}}`),
		`{"ordered_at_until":"2026-01-01"}`:                 records(`{"ordered_at":{"lte":"2026-01-01"}}`),
		`{"created_after":"2026-01-01"}`:                    records(`{"ordered_at":{"gt":"2026-01-01"}}`),
		`{"from":"2026-01-01","to":"2026-01-31"}`:           records(`{"ordered_at":{"gte":"2026-01-01","lte":"2026-01-31"}}`),
		`{"start_date":"2026-01-01"}`:                       records(`{"ordered_at":{"gte":"2026-01-01"}}`),
		`{"ordered_before":"2026-01-01"}`:                   records(`{"ordered_at":{"lt":"2026-01-01"}}`),
		`{"ordered_after":"2026-01-01"}`:                    records(`{"ordered_at":{"gt":"2026-01-01"}}`),
		`{"ordered_at__month":"2026-03"}`:                   records(`{"ordered_at":{"gte":"2026-03-01","lt":"2026-04-01"}}`),
		`{"ordered_at__month":3}`:                           `schema {"stream":"orders"}`,
		`{"ordered_at__year":2026}`:                         records(`{"ordered_at":{"gte":"2026-01-01","lt":"2027-01-01"}}`),
		`{"ordered_at__year__gt":2025}`:                     records(`{"ordered_at":{"gte":"2026-01-01"}}`),
		`{"ordered_at__date__lte":"2026-03-02"}`:            records(`{"ordered_at":{"lte":"2026-03-02"}}`),
		`{"ordered_at__range":["2026-01-01","2026-02-01"]}`: records(`{"ordered_at":{"gte":"2026-01-01","lte":"2026-02-01"}}`),
	} {
		if got := proposed(t, "query_records", `{"stream":"orders","filter":`+filter+`}`); got != want {
			t.Errorf("%s: %q is proposed, want %q", filter, got, want)
		}
	}
	for arguments, want := range map[string]string{
		`{"stream":"orders","metric":"count","filter":{"status__ne":"paid","total__gt":9}}`:         `aggregate {"stream":"orders","metric":"count","filter":{"total":{"gt":9}},"group_by":"status"}`,
		`{"stream":"orders","metric":"count","group_by":"merchant","filter":{"status__ne":"paid"}}`: "",
		`{"stream":"orders","metric":"count","status!":"paid"}`:                                     grouped, `{"stream":"orders","metric":"count","exclude":{"status":"paid"}}`: grouped,
	} {
		if got := proposed(t, "aggregate", arguments); got != want {
			t.Errorf("%s: %q is proposed, want %q", arguments, got, want)
		}
	}
}

// A proposed call keeps all conditions of the original one and is accepted when it is sent; otherwise none is proposed.
func TestAProposedCallKeepsAllConditions(t *testing.T) {
	for sent, want := range map[string]string{
		`query_records {"stream":"orders","metric":"sum","field":"total","filter":{"currency":"EUR"}}`:         `aggregate {"stream":"orders","metric":"sum","field":"total","filter":{"currency":"EUR"}}`,
		`query_records {"stream":"orders","group_by":"status"}`:                                                `aggregate {"stream":"orders","group_by":"status","metric":"count"}`,
		`query_records {"stream":"orders","distinct":"status"}`:                                                `aggregate {"stream":"orders","group_by":"status","metric":"count"}`,
		`query_records {"stream":"orders","filters":{"status":"returned"},"filter":{"currency":"GBP"}}`:        `query_records {"stream":"orders","filter":{"currency":"GBP","status":"returned"}}`,
		`query_records {"stream":"orders","where":"status = 'returned'","filter":{"currency":"GBP"}}`:          `query_records {"stream":"orders","filter":{"currency":"GBP","status":"returned"}}`,
		`query_records {"stream":"orders","where":{"status":"returned"},"filter":{"status":"paid"}}`:           "",
		`query_records {"stream":"orders","sql":"SELECT id FROM orders WHERE total>100 OR status='returned'"}`: `query_records {"stream":"orders","fields":["id"],"filter":{"total":{"gt":100}}}`,
		`query_records {"stream":"orders","query":"select * from orders where total > 1"}`:                     `query_records {"stream":"orders","filter":{"total":{"gt":1}}}`,
		`query_records {"filter":{"currency":"GBP"},"sql":"select * from orders where total > 1 limit 3"}`:     `query_records {"stream":"orders","limit":3,"filter":{"currency":"GBP","total":{"gt":1}}}`,
		`aggregate {"stream":"orders","metric":"count","group_by":"status","exclude":["paid"]}`:                `aggregate {"stream":"orders","metric":"count","group_by":"status"}`,
		`aggregate {"stream":"orders","metric":"count","group_by_time":"month"}`:                               `schema {"stream":"orders"}`,
	} {
		tool, arguments, _ := strings.Cut(sent, " ")
		args, _ := argumentsOf(arguments)
		call, _ := toolNamed(t, tool).Guess(args, &rs.Error{Code: "invalid_arguments"})
		if got := call.String(); got != want {
			t.Errorf("%s leads to %s; want %s", sent, got, want)
		}
		if left := call.LeavesOut(args); (left != "") != (strings.Contains(sent, "exclude")) && call.Tool != "schema" && call.Tool != "" {
			t.Errorf("%s: %s", sent, left)
		}
	}
	refused := &rs.Error{Code: "invalid_request", Status: 400, Message: "is not a timestamp"}
	for filter, want := range map[string]string{
		`{"at":{"gte":"01/05/2026","lt":"13/05/2026"}}`: `{"at":{"gte":"2026-05-01","lt":"2026-05-13"}}`,
		`{"at":{"gte":"30/04/2026","lt":"13/05/2026"}}`: `{"at":{"gte":"2026-04-30","lt":"2026-05-13"}}`,
		`{"at":{"gte":"01/05/2026","lt":"02/05/2026"}}`: "",
	} {
		args, _ := argumentsOf(`{"stream":"orders","filter":` + filter + `}`)
		if call, _ := toolNamed(t, "query_records").Rewritten(args, refused); call.Arguments.Get("filter") != want {
			t.Errorf("%s leads to %s; want %s", filter, call, want)
		}
	}
	args, _ := argumentsOf(`{"stream":"orders","filter":{"status":"delivered","limit":5,"sort":"-total"}}`)
	call, _ := toolNamed(t, "query_records").Rewritten(args, &rs.Error{Code: "unknown_field", Status: 400, Message: "Unknown field: limit"})
	if want := `query_records {"stream":"orders","limit":5,"sort":"-total","filter":{"status":"delivered"}}`; call.String() != want {
		t.Errorf("leads to %s; want %s", call, want)
	}
}

// An unknown field becomes the one that its value and the words of its name suggest.
func TestFieldsByTheirValues(t *testing.T) {
	for filter, want := range map[string]string{
		`{"order":"2026-01-01"}`:             `{"ordered_at":"2026-01-01"}`,
		`{"order":{"gte":"2026-01-01"}}`:     `{"ordered_at":{"gte":"2026-01-01"}}`,
		`{"order_value":2}`:                  `{"total":2}`,
		`{"purchased":{"gte":"2026-01-01"}}`: `{"ordered_at":{"gte":"2026-01-01"}}`,
		`{"totals":{"gte":"5"}}`:             `{"total":{"gte":"5"}}`,
	} {
		want := `query_records {"stream":"orders","filter":` + want + `}`
		if got := proposed(t, "query_records", `{"stream":"orders","filter":`+filter+`}`); got != want {
			t.Errorf("%s: %q is proposed, want %q", filter, got, want)
		}
	}
	for _, filter := range []string{
		`{"zzz":"paid"}`, `{"zzz":{"gte":2}}`, `{"totals":"many"}`, `{"totals":"£5"}`, `{"totals":"2026-03-01"}`, `{"totals":{"gt":"ten"}}`,
		`{"totalstartswith":"2026-03-01"}`,
	} {
		if got := proposed(t, "query_records", `{"stream":"orders","filter":`+filter+`}`); got != "" {
			t.Errorf("%s: %q is proposed", filter, got)
		}
	}
}

// No value of an argument makes a proposal panic, and every proposed call names a tool.
func FuzzProposal(f *testing.F) {
	for _, value := range []string{
		`{"property":"total","timestamp":"ordered_at"}`, `{"property":"total","number":{"greater_than":5}}`, `{"status__ne":"paid"}`, `"total > 5"`,
		`{"and":[{"property":"a"}]}`, `[{"field":"total","operator":"gt","value":1}]`, `{"order_items.a":{"exists":{"field":"a"}}}`, `{"total":"50-60"}`,
		`""`, `" "`, `{}`, `[]`, `[""]`, `[{}]`, `null`, `-1`, `{"":""}`, `{"total":""}`, `{"$sum":""}`, `{"a":{"b":[]}}`, `"max()"`, `"sum(total) from"`, `"-"`, `"é"`,
	} {
		f.Add(value)
	}
	names := []string{
		"filter", "metric", "aggregations", "field", "group_by", "group_by_time", "fields", "sort", "order", "expand", "limit", "cursor", "q", "query",
		"since", "streams", "id", "connection_id", "arguments", "page", "distinct", "having",
	}
	f.Fuzz(func(t *testing.T, value string) {
		for _, tool := range allTools() {
			for _, name := range names {
				arguments := `{"stream":"orders","` + name + `":` + value + `}`
				if _, ok := argumentsOf(arguments); !ok {
					return
				}
				if got := proposed(t, tool.Name, arguments); strings.HasPrefix(got, " ") {
					t.Errorf("%s %s: %q", tool.Name, arguments, got)
				}
			}
		}
	})
}

var allTools = sync.OnceValue(func() []*tools.Tool { return tools.All(tools.Options{RecordBase: "https://rs.example"}) })

// proposed returns the call that the error for the arguments proposes: without a read if the tool refuses them, otherwise from the
// stream's fields.
func proposed(t *testing.T, tool, arguments string) string {
	t.Helper()
	for _, one := range allTools() {
		if one.Name != tool {
			continue
		}
		args, ok := argumentsOf(arguments)
		if !ok {
			t.Fatal(arguments)
		}
		args = one.Known.Canonical(args)
		if _, err := one.Parse(json.RawMessage(args.JSON())); err != nil {
			call, ok := one.Known.Guess(args, rs.AsError(err))
			if !ok {
				return ""
			}
			return call.String()
		}
		stream := fields.Read("orders", (&rs.Response{Status: 200, Body: shopSchema}).Schema())
		if found := one.Known.Unknown(stream, args, &rs.Error{Code: "unknown_field", Status: 400}); found != nil {
			return found.Send
		}
		return "nothing is unknown"
	}
	t.Fatal(tool)
	return ""
}
