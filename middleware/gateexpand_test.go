package middleware_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// expanding is a schema in which messages has a relation under cin_work but not under cin_home, and labels has none.
const expanding = `{"object":"schema","detail":"compact","connectors":[` +
	`{"connector_key":"gmail","granted_connections":[{"connection_id":"cin_work"}],"streams":[` +
	`{"name":"messages","expand_capabilities":[{"name":"attachments","cardinality":"has_many"}]},{"name":"labels","expand_capabilities":[]},{"name":"notes"}]},` +
	`{"connector_key":"imap","granted_connections":[{"connection_id":"cin_home"}],"streams":[{"name":"messages","expand_capabilities":[]}]}]}`

func TestGateExpand(t *testing.T) {
	const page = `{"object":"list","data":[{"id":"1"}],"has_more":false}`
	const record = `{"object":"record","id":"m1","stream":"messages","data":{"subject":"Tax"}}`
	atTop := `{"detail":"compact","streams":[{"name":"messages","expand_capabilities":[{"name":"attachments"}]},{"name":"labels","expand_capabilities":[]}]}`
	for name, row := range map[string]struct {
		schema          string    // the schema's body; empty for an error
		err             *rs.Error // the schema's error
		tool, arguments string
		code            rs.Code // of the refusal; empty for none
		reads           []string
	}{
		"S4-5a an advertised relation is forwarded": {
			expanding, nil, "query_records", `{"stream":"messages","connection_id":"cin_work","expand":["attachments"],"expand_limit":{"attachments":3}}`, "",
			[]string{"/v1/schema?connection_id=cin_work&stream=messages&view=compact", "/v1/streams/messages/records?connection_id=cin_work&expand=attachments&expand_limit[attachments]=3"},
		},
		"S4-5a an advertised relation is forwarded for one record": {
			expanding, nil, "fetch", `{"id":"cin_work/messages:m1","expand":["attachments"]}`, "",
			[]string{ // the first read is always live, the second comes from the cache if the grant is known
				"/v1/schema?connection_id=cin_work&stream=messages&view=compact", "/v1/schema?connection_id=cin_work&stream=messages&view=compact",
				"/v1/streams/messages/records/m1?connection_id=cin_work&expand=attachments",
			},
		},
		"S4-5a which relation is legal, the resource server says": {
			expanding, nil, "query_records", `{"stream":"messages","connection_id":"cin_work","expand":["nonsense"]}`, "",
			[]string{"/v1/schema?connection_id=cin_work&stream=messages&view=compact", "/v1/streams/messages/records?connection_id=cin_work&expand=nonsense"},
		},
		"S4-5b a stream without relations is not read": {
			expanding, nil, "query_records", `{"stream":"labels","expand":["messages"]}`, "invalid_expand", []string{"/v1/schema?stream=labels&view=compact"},
		},
		"S4-5b a stream of which neither schema says anything of relations is not read": {
			expanding, nil, "query_records", `{"stream":"notes","expand":["messages"]}`, "invalid_expand",
			[]string{"/v1/schema?stream=notes&view=compact", "/v1/schema?detail=full&stream=notes"},
		},
		"S4-5b a limit alone is asked for as well": {
			expanding, nil, "query_records", `{"stream":"labels","expand_limit":{"messages":3}}`, "invalid_expand", []string{"/v1/schema?stream=labels&view=compact"},
		},
		"S4-5b one record is not read either": {
			expanding, nil, "fetch", `{"id":"labels:l1","expand":["messages"]}`, "invalid_expand", []string{"/v1/schema?stream=labels&view=compact"},
		},
		"S4-5b one record with a limit alone is not read either": {
			expanding, nil, "fetch", `{"id":"labels:l1","expand_limit":{"messages":3}}`, "invalid_expand", []string{"/v1/schema?stream=labels&view=compact"},
		},
		"S4-R5 the connection that was named decides": {
			expanding, nil, "query_records", `{"stream":"messages","connection_id":"cin_home","expand":["attachments"]}`, "invalid_expand",
			[]string{"/v1/schema?connection_id=cin_home&stream=messages&view=compact"},
		},
		"S4-R5 the connection in an id decides": {
			expanding, nil, "fetch", `{"id":"cin_home/messages:m1","expand":["attachments"]}`, "invalid_expand",
			[]string{"/v1/schema?connection_id=cin_home&stream=messages&view=compact"},
		},
		"S4-R5 without a connection one that advertises is enough": {
			expanding, nil, "query_records", `{"stream":"messages","expand":["attachments"]}`, "",
			[]string{"/v1/schema?stream=messages&view=compact", "/v1/streams/messages/records?expand=attachments"},
		},
		"S4-5a streams at the top of the schema count": {
			atTop, nil, "query_records", `{"stream":"messages","expand":["attachments"]}`, "",
			[]string{"/v1/schema?stream=messages&view=compact", "/v1/streams/messages/records?expand=attachments"},
		},
		"S4-5b streams at the top of the schema count against, too": {
			atTop, nil, "query_records", `{"stream":"labels","expand":["attachments"]}`, "invalid_expand", []string{"/v1/schema?stream=labels&view=compact"},
		},
		"S4-R5 an unknown stream is left to the resource server": {
			expanding, nil, "query_records", `{"stream":"nope","expand":["attachments"]}`, "",
			[]string{"/v1/schema?stream=nope&view=compact", "/v1/streams/nope/records?expand=attachments"},
		},
		"S4-R5 a schema that fails leaves it to the resource server": {
			"", &rs.Error{Code: "upstream_error", Status: 500}, "query_records", `{"stream":"labels","expand":["messages"]}`, "",
			[]string{"/v1/schema?stream=labels&view=compact", "/v1/streams/labels/records?expand=messages"},
		},
		"S4-R5 a schema out of reach leaves it to the resource server": {
			"", &rs.Error{Code: "server_unreachable"}, "query_records", `{"stream":"labels","expand":["messages"]}`, "",
			[]string{"/v1/schema?stream=labels&view=compact", "/v1/streams/labels/records?expand=messages"},
		},
		"S4-R5 an unreadable schema leaves it to the resource server": {
			`[]`, nil, "query_records", `{"stream":"labels","expand":["messages"]}`, "",
			[]string{"/v1/schema?stream=labels&view=compact", "/v1/streams/labels/records?expand=messages"},
		},
		"a call without expansion asks no schema": {
			expanding, nil, "query_records", `{"stream":"labels"}`, "", []string{"/v1/streams/labels/records"},
		},
		"S3-11c a malformed limit asks no schema": {
			expanding, nil, "query_records", `{"stream":"labels","expand_limit":{}}`, "invalid_expand", nil,
		},
	} {
		t.Run(name, func(t *testing.T) {
			server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
				switch {
				case r.Path != "/v1/schema" && strings.HasSuffix(r.Path, "/records"):
					return middlewaretest.JSON(page), nil
				case r.Path != "/v1/schema":
					return middlewaretest.JSON(record), nil
				case row.err != nil:
					return nil, row.err
				}
				return middlewaretest.JSON(row.schema), nil
			}}
			reply, err := standard(server)(as(t.Context(), auth.KindClient), callOf(t, row.tool, row.arguments))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.reads, server.Lines()); diff != "" {
				t.Error(diff)
			}
			text := textOf(t, reply.Result)
			if reply.Result.IsError != (row.code != "") {
				t.Fatalf("isError %v: %s", reply.Result.IsError, text)
			}
			if row.code == "" || len(row.reads) == 0 {
				return
			}
			for _, word := range []string{string(row.code), "GET /v1/schema", "expand_capabilities", scopeStream(row.arguments)} { // S4-5b
				if !strings.Contains(text, word) {
					t.Errorf("the refusal does not say %s: %s", word, text)
				}
			}
		})
	}
}

// S4-5c: each call reads the schema anew, so a change of the advertised relations takes effect at once.
func TestGateExpandFollowsTheLiveSchema(t *testing.T) {
	schema := `{"detail":"compact","connectors":[{"connector_key":"k","streams":[{"name":"notes","expand_capabilities":[]}]}]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if r.Path == "/v1/schema" {
			return middlewaretest.JSON(schema), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[{"id":"1"}],"has_more":false}`), nil
	}}
	pipeline := standard(server)
	refused := func() bool {
		reply, err := pipeline(as(t.Context(), auth.KindClient), callOf(t, "query_records", `{"stream":"notes","expand":["r"]}`))
		if err != nil {
			t.Fatal(err)
		}
		return reply.Result.IsError
	}
	if !refused() {
		t.Error("a relation that is not advertised passed")
	}
	schema = strings.Replace(schema, `"expand_capabilities":[]`, `"expand_capabilities":[{"name":"r"}]`, 1)
	if refused() {
		t.Error("a relation that is advertised by now was refused")
	}
	schema = strings.Replace(schema, `[{"name":"r"}]`, `[]`, 1)
	if !refused() {
		t.Error("a relation that is no longer advertised passed")
	}
}

// S4-5a: if the compact schema has no expand_capabilities at all, the full schema of that stream decides, which takes one more read.
func TestGateExpandAsksTheFullSchema(t *testing.T) {
	const compact = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"cin_a"}],"streams":[{"name":"notes","field_capabilities":{"n":"declared"}}]}]}`
	full := func(more string) string {
		return `{"connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"cin_a"}],"streams":[{"name":"notes"` + more + `}]}]}`
	}
	for name, row := range map[string]struct {
		compact, full string
		fails         *rs.Error
		connection    string
		asked         bool // for the full schema
		refused       bool
	}{
		"S4-5a the full schema advertises it":            {compact, full(`,"expand_capabilities":[{"name":"r"}]`), nil, "", true, false},
		"S4-5a of the connection that is named":          {compact, full(`,"expand_capabilities":[{"name":"r"}]`), nil, "cin_a", true, false},
		"S4-5b the full schema advertises none":          {compact, full(`,"expand_capabilities":[]`), nil, "", true, true},
		"S4-5b the full schema says nothing either":      {compact, full(""), nil, "", true, true},
		"S4-R5 the full schema fails":                    {compact, "", &rs.Error{Code: "upstream_error", Status: 500}, "", true, false},
		"S4-R5 the full schema is no schema":             {compact, `[]`, nil, "", true, false},
		"S4-R5 the full schema does not know the stream": {compact, `{"connectors":[]}`, nil, "", true, false},
		"S4-5b an explicit list of none":                 {strings.Replace(compact, `"name":"notes"`, `"name":"notes","expand_capabilities":[]`, 1), full(`,"expand_capabilities":[{"name":"r"}]`), nil, "", false, true},
		"S4-5b an explicit object of none":               {strings.Replace(compact, `"name":"notes"`, `"name":"notes","expand_capabilities":{}`, 1), full(`,"expand_capabilities":[{"name":"r"}]`), nil, "", false, true},
		"S4-5b an explicit null":                         {strings.Replace(compact, `"name":"notes"`, `"name":"notes","expand_capabilities":null`, 1), full(`,"expand_capabilities":[{"name":"r"}]`), nil, "", false, true},
		"S4-5a the compact schema advertises it":         {strings.Replace(compact, `"name":"notes"`, `"name":"notes","expand_capabilities":[{"name":"r"}]`, 1), "", nil, "", false, false},
	} {
		for tool, arguments := range map[string]string{
			"query_records": `{"stream":"notes","expand":["r"],"connection_id":"` + row.connection + `"}`, "fetch": `{"id":"notes:1","expand_limit":{"r":1},"connection_id":"` + row.connection + `"}`,
		} {
			if row.connection == "" {
				arguments = strings.Replace(arguments, `,"connection_id":""`, "", 1)
			}
			t.Run(name+", "+tool, func(t *testing.T) {
				server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
					switch {
					case r.Path == "/v1/schema" && r.Query.Get("detail") == "full" && row.fails != nil:
						return nil, row.fails
					case r.Path == "/v1/schema" && r.Query.Get("detail") == "full":
						return middlewaretest.JSON(row.full), nil
					case r.Path == "/v1/schema":
						return middlewaretest.JSON(row.compact), nil
					case strings.HasSuffix(r.Path, "/records"):
						return middlewaretest.JSON(`{"object":"list","data":[{"id":"1"}],"has_more":false}`), nil
					}
					return middlewaretest.JSON(`{"object":"record","id":"1","stream":"notes","data":{"n":1}}`), nil
				}}
				reply, err := standard(server)(as(t.Context(), auth.KindClient), callOf(t, tool, arguments))
				if err != nil {
					t.Fatal(err)
				}
				text := textOf(t, reply.Result)
				if reply.Result.IsError != row.refused || row.refused && !strings.Contains(text, "invalid_expand") {
					t.Errorf("refused: %t: %s", reply.Result.IsError, text)
				}
				var fulls, reads int
				for _, line := range server.Lines() {
					switch {
					case strings.Contains(line, "detail=full"):
						fulls++
						if !strings.Contains(line, "stream=notes") || strings.Contains(line, "connection_id") != (row.connection != "") {
							t.Errorf("asked %s", line)
						}
					case strings.HasPrefix(line, "/v1/streams"):
						reads++
					}
				}
				if (fulls == 1) != row.asked || fulls > 1 || (reads == 0) != row.refused {
					t.Errorf("reads: %q", server.Lines())
				}
			})
		}
	}
}

// S0-8a: an expansion through a package is refused before any read if several connections match the stream, and read if
// only one does.
func TestGateExpandAsksAPackageWhichConnectionIsMeant(t *testing.T) {
	const arguments = `{"stream":"messages","expand":["attachments"]}`
	for name, row := range map[string]struct {
		choose error
		code   rs.Code // of the refusal; empty for none
		reads  []string
	}{
		"several connections": {&rs.Error{Code: "ambiguous_connection", Message: "Several."}, "ambiguous_connection", nil},
		"one connection":      {nil, "", []string{"/v1/schema?stream=messages&view=compact", "/v1/streams/messages/records?expand=attachments"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := &middlewaretest.RS{Answers: map[string]string{
				"/v1/schema": expanding, "/v1/streams/messages/records": `{"object":"list","data":[{"id":"1"}],"has_more":false}`,
			}}
			p := auth.Principal{
				Token:   rs.NewToken(middlewaretest.CanaryToken),
				Kind:    auth.KindPackage,
				Package: scriptedPackage{RS: server, choose: row.choose},
			}
			reply, err := standard(server)(auth.WithPrincipal(t.Context(), p), callOf(t, "query_records", arguments))
			if err != nil {
				t.Fatal(err)
			}
			text := textOf(t, reply.Result)
			if reply.Result.IsError != (row.code != "") || !strings.Contains(text, string(row.code)) {
				t.Errorf("isError %v: %s", reply.Result.IsError, text)
			}
			if diff := cmp.Diff(row.reads, server.Lines()); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// scopeStream returns the stream that the arguments name.
func scopeStream(arguments string) string {
	for _, stream := range []string{"labels", "notes", "messages"} {
		if strings.Contains(arguments, `"`+stream) || strings.Contains(arguments, "/"+stream+":") {
			return stream
		}
	}
	return "nope"
}
