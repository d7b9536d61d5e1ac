package middleware_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/fanout"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// ANSWERS 6: if a token may neither filter nor sort, and no schema says so, an error proposes what works, never the call that was refused.
func TestWhatATokenMayNotDoHasAnotherWay(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"gmail","granted_connections":[{"connection_id":"cin_1"}],"streams":[` +
		`{"name":"messages","field_capabilities":{"id":"declared","subject":"declared","from_name":"declared","received_at":"declared","size":"declared"}}]}]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		refuse := func(code rs.Code, param, message string) (*rs.Response, error) {
			return nil, &rs.Error{Code: code, Status: 400, Param: param, Message: message, Quoted: true}
		}
		for name := range r.Query {
			if strings.HasPrefix(name, "filter[") {
				return refuse("invalid_request", "filter", "filter[...] is not supported for client-token reads in PDPP v0.1")
			}
		}
		switch {
		case r.Path == "/v1/schema":
			return middlewaretest.JSON(schema), nil
		case strings.TrimPrefix(r.Query.Get("sort"), "-") == "subject":
			return refuse("invalid_sort", "sort", "Sort field 'subject' is not advertised as sortable; check /v1/schema for the canonical sort vocabulary.")
		case r.Query.Get("group_by") != "" && r.Query.Get("metric") != "count":
			return refuse("invalid_request", "", "group_by works with count only")
		case strings.HasSuffix(r.Path, "/aggregate"):
			return middlewaretest.JSON(`{"object":"aggregation","stream":"messages","metric":"count","groups":[{"key":"Ada","count":2}],"value":2,"other_count":0}`), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[{"id":"m1","stream":"messages","data":{"subject":"Tax","received_at":"2026-03-05T10:00:00Z"}}],"has_more":false}`), nil
	}}
	for name, row := range map[string]struct {
		tool, arguments string
		says            []string // what follows ! is not said
	}{
		"a filter on an id is a record": {"query_records", `{"stream":"messages","filter":{"id":"m1"}}`, []string{`send: fetch {"id":"messages:m1"}`}},
		"so it is in a connection": {
			"query_records", `{"stream":"messages","connection_id":"cin_1","filter":{"id":"2026/1"}}`, []string{`send: fetch {"id":"pdpp://record/cin_1/messages/2026%2F1"}`},
		},
		"a time is searched":      {"query_records", `{"stream":"messages","filter":{"received_at":{"gte":"2026-03-01"}}}`, []string{`send: search {"since":"2026-03-01","streams":["messages"]}`}},
		"that search finds it":    {"search", `{"since":"2026-03-01","streams":["messages"]}`, []string{"messages:m1", "received_at of messages"}},
		"another order":           {"query_records", `{"stream":"messages","sort":"-subject","limit":5}`, []string{`send: query_records {"stream":"messages","limit":5}`, "order asc", "!Call schema"}},
		"a sum for each group":    {"aggregate", `{"stream":"messages","metric":"sum","field":"size","group_by":"from_name"}`, []string{`send: query_records {"stream":"messages","fields":["from_name","size"],"limit":100}`, "metric count works by group"}},
		"an average":              {"aggregate", `{"stream":"messages","metric":"avg","field":"size"}`, []string{`send: query_records {"stream":"messages","fields":["size"],"limit":100}`}},
		"a number with a filter":  {"aggregate", `{"stream":"messages","metric":"count","filter":{"from_name":"Ada"}}`, []string{"No call of this token may do that here", `send: query_records {"stream":"messages","fields":["from_name"],"limit":100}`}},
		"what works is not wrong": {"aggregate", `{"stream":"messages","metric":"count","group_by":"from_name"}`, []string{"Ada", "!send:"}},
	} {
		reply, err := standard(server)(as(t.Context(), auth.KindClient), callOf(t, row.tool, row.arguments))
		if err != nil {
			t.Fatal(name, err)
		}
		text := textOf(t, reply.Result)
		for _, want := range row.says {
			if unsaid, not := strings.CutPrefix(want, "!"); strings.Contains(text, unsaid) == not {
				t.Errorf("%s: said is %t of %q in\n%s", name, not, unsaid, text)
			}
		}
	}
}

// ANSWERS 6: after a filter was refused, neither schema nor a search offers filters to that grant.
func TestRefusedFiltersAreNotOffered(t *testing.T) {
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		for name := range r.Query {
			if strings.HasPrefix(name, "filter[") {
				return nil, &rs.Error{Code: "invalid_request", Status: 400, Param: "filter", Message: "filter[...] is not supported for client-token reads in PDPP v0.1"}
			}
		}
		if r.Path == "/v1/schema" {
			return middlewaretest.JSON(`{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
				`{"name":"notes","field_capabilities":{"title":"declared"}},{"name":"orders","field_capabilities":{"at":"t=timestamp,role=event-time,eq,r=gte|lte",` +
				`"total":"t=number,eq,r=gte|lte|gt,a=sum","shop":"t=string,eq,a=group_by"}}]}]}`), nil
		}
		if r.Query.Get("group_by") != "" {
			return middlewaretest.JSON(`{"object":"aggregation","metric":"count","groups":[{"key":"Quayside","count":2}]}`), nil
		}
		if r.Query.Get("metric") != "" {
			return middlewaretest.JSON(`{"object":"aggregation","metric":"min","value":1}`), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[],"meta":{"count":0,"recall":{"partial_count":0}}}`), nil
	}}
	handle, all := standard(server), tools.All(tools.Options{})
	ask := func(tool int, arguments, grant string) string {
		p := auth.Principal{Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindClient, GrantID: grant}
		reply, err := handle(auth.WithPrincipal(t.Context(), p), tools.Call{Tool: all[tool], Raw: []byte(arguments), Arguments: rs.AsObject(arguments)})
		if err != nil {
			t.Fatal(err)
		}
		return textOf(t, reply.Result)
	}
	const schema, refused = `{"stream":"notes"}`, "sort, aggregate and search may be tried; filters were refused to this token"
	if text := ask(0, schema, "g"); !strings.Contains(text, "; filter, sort, aggregate and search may be tried\n") {
		t.Error(text)
	}
	ask(1, `{"stream":"notes","filter":{"title":"Tax"}}`, "g")
	if text := ask(0, schema, "g"); !strings.Contains(text, "; "+refused+"\n") {
		t.Error(text)
	}
	if text := ask(0, schema, "another"); strings.Contains(text, "refused") {
		t.Error(text)
	}
	for _, q := range []string{"how many orders in June 2026", "how much did I spend at Quayside", "how many orders from Quayside", "orders over 100 pounds", "total>100", "shop:Quayside"} {
		question := rs.Object{rs.NewMember("q", q)}.JSON()
		if text := ask(3, question, "g"); strings.Contains(text, `"filter":`) {
			t.Errorf("a filter is proposed:\n%s", text)
		}
		if text := ask(3, question, "another"); !strings.Contains(text, `"filter":`) {
			t.Errorf("no filter is proposed:\n%s", text)
		}
	}
	if text := ask(3, `{"q":"how much did I spend"}`, "g"); !strings.Contains(text, `aggregate {"stream":"orders","metric":"sum","field":"total"}`) {
		t.Error(text)
	}
}

// An error proposes the members of a package that have just failed last.
func TestAMemberThatHasJustFailedIsProposedLast(t *testing.T) {
	var members []fanout.Member
	for _, id := range []string{"a", "b", "c"} {
		members = append(members, fanout.Member{Connection: rs.Connection{GrantID: "g_" + id, ConnectorKey: "k", ID: id, DisplayName: id}, Streams: []string{"plain"}, Token: rs.NewToken("tok_" + id)})
	}
	reader := func(token rs.Token) rs.Doer {
		return &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			if r.Path == "/v1/schema" {
				return middlewaretest.JSON(fmt.Sprintf(`{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":%q}],"streams":[`+
					`{"name":"plain","field_capabilities":{"name":"t=string,eq"}}]}]}`, strings.TrimPrefix(token.Reveal(), "tok_"))), nil
			}
			if token.Reveal() == "tok_a" {
				return nil, &rs.Error{Code: "internal", Status: 500, Message: "database is on fire", Quoted: true}
			}
			return middlewaretest.JSON(`{"object":"list","data":[],"has_more":false}`), nil
		}}
	}
	p := fanout.NewPackage(fanout.Membership{PackageID: "pkg", Members: members}, reader, fanout.PackageOptions{})
	handle := middleware.Standard(middleware.Options{Log: zerolog.Nop(), Source: func(auth.Principal) rs.Doer { return p }}, tools.Forward)
	call := func(arguments string) string {
		ctx := auth.WithPrincipal(t.Context(), auth.Principal{Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindPackage, Package: p})
		reply, err := handle(ctx, callOf(t, "query_records", arguments))
		if err != nil {
			t.Fatal(err)
		}
		return textOf(t, reply.Result)
	}
	for _, step := range []struct{ arguments, says string }{
		{`{"stream":"plain"}`, `send: query_records {"stream":"plain","connection_id":"a"}`},
		{`{"stream":"plain","connection_id":"a"}`, "Retry once; if it fails again"},
		{`{"stream":"plain"}`, `send: query_records {"stream":"plain","connection_id":"b"}`},
	} {
		if text := call(step.arguments); !strings.Contains(text, step.says) {
			t.Errorf("%s: want %q in\n%s", step.arguments, step.says, text)
		}
	}
}
