package middleware_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// expanding is a schema in which messages expands under cin_work, not under cin_home, and labels nowhere.
const expanding = `{"object":"schema","detail":"compact","connectors":[` +
	`{"connector_key":"gmail","granted_connections":[{"connection_id":"cin_work"}],"streams":[` +
	`{"name":"messages","expand_capabilities":[{"name":"attachments","cardinality":"has_many"}]},{"name":"labels","expand_capabilities":[]},{"name":"notes"}]},` +
	`{"connector_key":"imap","granted_connections":[{"connection_id":"cin_home"}],"streams":[{"name":"messages","expand_capabilities":[]}]}]}`

func TestGateExpand(t *testing.T) {
	const page = `{"object":"list","data":[],"has_more":false}`
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
			[]string{"/v1/schema?connection_id=cin_work&stream=messages&view=compact", "/v1/streams/messages/records/m1?connection_id=cin_work&expand=attachments"},
		},
		"S4-5a which relation is legal, the resource server says": {
			expanding, nil, "query_records", `{"stream":"messages","connection_id":"cin_work","expand":["nonsense"]}`, "",
			[]string{"/v1/schema?connection_id=cin_work&stream=messages&view=compact", "/v1/streams/messages/records?connection_id=cin_work&expand=nonsense"},
		},
		"S4-5b a stream without relations is not read": {
			expanding, nil, "query_records", `{"stream":"labels","expand":["messages"]}`, rs.InvalidExpand, []string{"/v1/schema?stream=labels&view=compact"},
		},
		"S4-5b a stream that says nothing of relations is not read": {
			expanding, nil, "query_records", `{"stream":"notes","expand":["messages"]}`, rs.InvalidExpand, []string{"/v1/schema?stream=notes&view=compact"},
		},
		"S4-5b a limit alone is asked for as well": {
			expanding, nil, "query_records", `{"stream":"labels","expand_limit":{"messages":3}}`, rs.InvalidExpand, []string{"/v1/schema?stream=labels&view=compact"},
		},
		"S4-5b one record is not read either": {
			expanding, nil, "fetch", `{"id":"labels:l1","expand":["messages"]}`, rs.InvalidExpand, []string{"/v1/schema?stream=labels&view=compact"},
		},
		"S4-5b one record with a limit alone is not read either": {
			expanding, nil, "fetch", `{"id":"labels:l1","expand_limit":{"messages":3}}`, rs.InvalidExpand, []string{"/v1/schema?stream=labels&view=compact"},
		},
		"S4-R5 the connection that was named decides": {
			expanding, nil, "query_records", `{"stream":"messages","connection_id":"cin_home","expand":["attachments"]}`, rs.InvalidExpand,
			[]string{"/v1/schema?connection_id=cin_home&stream=messages&view=compact"},
		},
		"S4-R5 the connection in an id decides": {
			expanding, nil, "fetch", `{"id":"cin_home/messages:m1","expand":["attachments"]}`, rs.InvalidExpand,
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
			atTop, nil, "query_records", `{"stream":"labels","expand":["attachments"]}`, rs.InvalidExpand, []string{"/v1/schema?stream=labels&view=compact"},
		},
		"S4-R5 an unknown stream is left to the resource server": {
			expanding, nil, "query_records", `{"stream":"nope","expand":["attachments"]}`, "",
			[]string{"/v1/schema?stream=nope&view=compact", "/v1/streams/nope/records?expand=attachments"},
		},
		"S4-R5 a schema that fails leaves it to the resource server": {
			"", &rs.Error{Code: rs.UpstreamError, Status: 500}, "query_records", `{"stream":"labels","expand":["messages"]}`, "",
			[]string{"/v1/schema?stream=labels&view=compact", "/v1/streams/labels/records?expand=messages"},
		},
		"S4-R5 a schema out of reach leaves it to the resource server": {
			"", &rs.Error{Code: rs.ServerUnreachable}, "query_records", `{"stream":"labels","expand":["messages"]}`, "",
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
			expanding, nil, "query_records", `{"stream":"labels","expand_limit":{}}`, rs.InvalidExpand, nil,
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
			reply, err := standard(server)(as(t.Context(), rs.KindClient), callOf(t, row.tool, row.arguments))
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

// S4-5c
func TestGateExpandFollowsTheLiveSchema(t *testing.T) {
	schema := `{"detail":"compact","connectors":[{"connector_key":"k","streams":[{"name":"notes","expand_capabilities":[]}]}]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if r.Path == "/v1/schema" {
			return middlewaretest.JSON(schema), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[],"has_more":false}`), nil
	}}
	room := standard(server)
	refused := func() bool {
		reply, err := room(as(t.Context(), rs.KindClient), callOf(t, "query_records", `{"stream":"notes","expand":["r"]}`))
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

// scopeStream is the stream that the arguments of these tests touch.
func scopeStream(arguments string) string {
	for _, stream := range []string{"labels", "notes", "messages"} {
		if strings.Contains(arguments, `"`+stream) || strings.Contains(arguments, "/"+stream+":") {
			return stream
		}
	}
	return "nope"
}
