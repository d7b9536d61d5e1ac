package rs_test

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const compactDocument = `{"object":"schema","detail":"compact","bearer":{"token_kind":"client","grant_id":"grt_1"},"connector_count":2,"stream_count":3,"connectors":[` +
	`{"connector_key":"gmail","stream_count":2,"granted_connections":[{"connection_id":"cin_work","display_name":"Work"},{"connection_id":"cin_home","display_name":"Home"}],` +
	`"streams":[{"name":"messages","field_capabilities":{"id":"eq"},"expand_capabilities":[{"name":"attachments"}]},{"name":"labels","field_capabilities":{"name":"t=string,eq"},"expand_capabilities":[]}]},` +
	`{"connector_key":"slack","stream_count":1,"granted_connections":[{"connection_id":"cin_acme","display_name":"Acme"}],"streams":[{"name":"messages","field_capabilities":{"text":"lex"},"expand_capabilities":[]}]}]}`

// The same grant as a full document: capabilities as objects, connections on each stream.
const fullDocument = `{"object":"schema","bearer":{"token_kind":"client","grant_id":"grt_1"},"connector_count":2,"stream_count":3,"connectors":[` +
	`{"connector_key":"gmail","stream_count":2,"streams":[` +
	`{"name":"messages","schema":{"type":"object"},"granted_connections":[{"connection_id":"cin_work","display_name":"Work"},{"connection_id":"cin_home","display_name":"Home"}],"expand_capabilities":[{"name":"attachments","target_stream":"attachments"}],` +
	`"field_capabilities":{"id":{"granted":true,"schema":{"type":"string"},"exact_filter":{"declared":true,"usable":true}},` +
	`"received_at":{"role":"event-time","granted":true,"schema":{"type":["string","null"]},"exact_filter":{"declared":true,"usable":true},"range_filter":{"declared":true,"usable":true,"operators":["gte","lt"]},"aggregation":{"min":{"declared":true,"usable":true},"max":{"declared":true,"usable":true},"sum":{"declared":false,"usable":false}}},` +
	`"subject":{"type":"text","granted":true,"lexical_search":{"declared":true,"usable":true},"semantic_search":{"declared":true,"usable":true}},` +
	`"secret":{"granted":false,"exact_filter":{"declared":true,"usable":false}},"plain":{"granted":true}}},` +
	`{"name":"labels","granted_connections":[{"connection_id":"cin_work","display_name":"Work"}],"field_capabilities":{"name":{"schema":{"type":"string"}}},"expand_capabilities":[]}]},` +
	`{"connector_key":"slack","stream_count":1,"streams":[{"name":"messages","granted_connections":[{"connection_id":"cin_acme","display_name":"Acme"}],"field_capabilities":{},"expand_capabilities":[]}]}]}`

// fullProjected is the compact form of fullDocument.
const fullProjected = `{"object":"schema","bearer":{"token_kind":"client","grant_id":"grt_1"},"connector_count":2,"stream_count":3,"connectors":[` +
	`{"connector_key":"gmail","stream_count":2,"streams":[` +
	`{"name":"messages","expand_capabilities":[{"name":"attachments","target_stream":"attachments"}],"field_capabilities":{` +
	`"id":"t=string,eq","received_at":"t=string|null,role=event-time,eq,r=gte|lt,a=max|min","subject":"t=text,lex,sem","secret":"g=false","plain":"declared"}},` +
	`{"name":"labels","field_capabilities":{"name":"t=string"},"expand_capabilities":[]}],` +
	`"granted_connections":[{"connection_id":"cin_work","display_name":"Work"},{"connection_id":"cin_home","display_name":"Home"}]},` +
	`{"connector_key":"slack","stream_count":1,"streams":[{"name":"messages","field_capabilities":{},"expand_capabilities":[]}],"granted_connections":[{"connection_id":"cin_acme","display_name":"Acme"}]}],"detail":"compact"}`

// schemaServer answers schema reads and records their parameters.
type schemaServer struct {
	compact, full string // bodies; an empty compact is refused with refuse
	refuse        *rs.Error
	reads         []string
}

func (s *schemaServer) Do(_ context.Context, r rs.Request) (*rs.Response, error) {
	line, _ := url.QueryUnescape(r.Query.Encode())
	s.reads = append(s.reads, r.Path+"?"+line)
	body := s.full
	if r.Query.Get("view") == "compact" {
		if s.refuse != nil {
			return nil, s.refuse
		}
		body = s.compact
	}
	return &rs.Response{Status: 200, Body: body, RequestID: "req_1"}, nil
}

func TestCompactSchema(t *testing.T) {
	for name, row := range map[string]struct {
		server             *schemaServer
		stream, connection string
		want               string
		reads              []string
	}{
		"S3-7a the server's compact document is passed on as it is": {
			&schemaServer{compact: compactDocument}, "", "", compactDocument, []string{"/v1/schema?view=compact"},
		},
		"S3-7a stream and connection are asked for, and a scoped answer is passed on as it is": {
			&schemaServer{compact: `{"detail":"compact","stream_count":1,"connectors":[{"connector_key":"gmail","granted_connections":[{"connection_id":"cin_work"}],"streams":[{"name":"messages"}]}]}`},
			"messages", "cin_work",
			`{"detail":"compact","stream_count":1,"connectors":[{"connector_key":"gmail","granted_connections":[{"connection_id":"cin_work"}],"streams":[{"name":"messages"}]}]}`,
			[]string{"/v1/schema?connection_id=cin_work&stream=messages&view=compact"},
		},
		"a scoped answer that is spaced out keeps its counts": {
			&schemaServer{compact: `{"detail":"compact","stream_count":1,"connectors":[ { "connector_key": "gmail", "stream_count": 1, "streams": [ {"name": "messages"} ] } ]}`},
			"messages", "",
			`{"detail":"compact","stream_count":1,"connectors":[ { "connector_key": "gmail", "stream_count": 1, "streams": [ {"name": "messages"} ] } ]}`,
			[]string{"/v1/schema?stream=messages&view=compact"},
		},
		"D5 a wrapped document is taken out of its wrapper": {
			&schemaServer{compact: `{"data":` + compactDocument + `,"request_id":"r"}`}, "", "", compactDocument, []string{"/v1/schema?view=compact"},
		},
		"S3-7b a view that is ignored is projected here": {
			&schemaServer{compact: fullDocument}, "", "", fullProjected, []string{"/v1/schema?view=compact"},
		},
		"S3-7b a view that is refused is read in full and projected here": {
			&schemaServer{refuse: &rs.Error{Code: "invalid_request", Status: 400}, full: fullDocument}, "", "", fullProjected, []string{"/v1/schema?view=compact", "/v1/schema?"},
		},
		"S3-7b a view that is not found is read in full": {
			&schemaServer{refuse: &rs.Error{Code: "not_found", Status: 404}, full: compactDocument}, "messages", "",
			narrowed("messages"), []string{"/v1/schema?stream=messages&view=compact", "/v1/schema?stream=messages"},
		},
		"S0-5b parameters that are ignored are applied here: every row of a shared name stays": {
			&schemaServer{compact: compactDocument}, "messages", "", narrowed("messages"), []string{"/v1/schema?stream=messages&view=compact"},
		},
		"S0-5c with a connection only its row and its own entry stay": {
			&schemaServer{compact: compactDocument}, "messages", "cin_home",
			`{"object":"schema","detail":"compact","bearer":{"token_kind":"client","grant_id":"grt_1"},"connectors":[` +
				`{"connector_key":"gmail","granted_connections":[{"connection_id":"cin_home","display_name":"Home"}],` +
				`"streams":[{"name":"messages","field_capabilities":{"id":"eq"},"expand_capabilities":[{"name":"attachments"}]}]}]}`,
			[]string{"/v1/schema?connection_id=cin_home&stream=messages&view=compact"},
		},
		"S0-5c with a connection a projected row names no other": {
			&schemaServer{compact: fullDocument}, "messages", "cin_home",
			`{"object":"schema","bearer":{"token_kind":"client","grant_id":"grt_1"},"connectors":[{"connector_key":"gmail","streams":[` +
				`{"name":"messages","expand_capabilities":[{"name":"attachments","target_stream":"attachments"}],"field_capabilities":{` +
				`"id":"t=string,eq","received_at":"t=string|null,role=event-time,eq,r=gte|lt,a=max|min","subject":"t=text,lex,sem","secret":"g=false","plain":"declared"}}],` +
				`"granted_connections":[{"connection_id":"cin_home","display_name":"Home"}]}],"detail":"compact"}`,
			[]string{"/v1/schema?connection_id=cin_home&stream=messages&view=compact"},
		},
		"an unknown stream leaves no connector": {
			&schemaServer{compact: compactDocument}, "nope", "",
			`{"object":"schema","detail":"compact","bearer":{"token_kind":"client","grant_id":"grt_1"},"connectors":[]}`,
			[]string{"/v1/schema?stream=nope&view=compact"},
		},
		"streams at the top keep their connections, because no connector holds them": {
			&schemaServer{compact: `{"streams":[{"name":"messages","connector_key":"gmail","schema":{},"granted_connections":[{"connection_id":"cin_work"},{"connection_id":"cin_home"}],"field_capabilities":{"id":{}}}]}`},
			"", "",
			`{"streams":[{"name":"messages","connector_key":"gmail","granted_connections":[{"connection_id":"cin_work"},{"connection_id":"cin_home"}],"field_capabilities":{"id":"declared"}}],"detail":"compact"}`,
			[]string{"/v1/schema?view=compact"},
		},
		"streams at the top are narrowed by the connection they name": {
			&schemaServer{compact: `{"detail":"compact","streams":[{"name":"a","connection_id":"cin_1"},{"name":"a","connection_id":"cin_2"},{"name":"b","connection_id":"cin_1"}]}`},
			"a", "cin_2", `{"detail":"compact","streams":[{"name":"a","connection_id":"cin_2"}]}`,
			[]string{"/v1/schema?connection_id=cin_2&stream=a&view=compact"},
		},
		"what is not changed keeps its bytes, to the escapes in its names": {
			&schemaServer{compact: `{"\u0064etail":"compact","connectors":[{"connector_key":"k","\u0061":1,"streams":[{"name":"a","\u0062":2},{"name":"b"}]},{"connector_key":"l","\u0061":1,"streams":[{"name":"a"}]}]}`}, "a", "",
			`{"detail":"compact","connectors":[{"connector_key":"k","a":1,"streams":[{"name":"a","\u0062":2}]},{"connector_key":"l","\u0061":1,"streams":[{"name":"a"}]}]}`,
			[]string{"/v1/schema?stream=a&view=compact"},
		},
		"connections that streams repeat stand once in their connector": {
			&schemaServer{compact: `{"connectors":[{"connector_key":"k","streams":[{"name":"a","granted_connections":[{"connection_id":"c1"},{"connection_id":"c2"}],"field_capabilities":{"f":{}}},{"name":"b","granted_connections":[{"connection_id":"c2","display_name":"Two"},{"connection_id":"c3"}]}]},` +
				`{"connector_key":"l","streams":[{"name":"a","granted_connections":[{"connection_id":"c1"}]}]}]}`}, "", "",
			`{"connectors":[{"connector_key":"k","streams":[{"name":"a","field_capabilities":{"f":"declared"}},{"name":"b"}],"granted_connections":[{"connection_id":"c1"},{"connection_id":"c2"},{"connection_id":"c3"}]},` +
				`{"connector_key":"l","streams":[{"name":"a"}],"granted_connections":[{"connection_id":"c1"}]}],"detail":"compact"}`,
			[]string{"/v1/schema?view=compact"},
		},
		"a field may have flags in a full document, or be null": {
			&schemaServer{compact: `{"connectors":[{"streams":[{"name":"a","field_capabilities":{"f":"t=string,eq","g":null,"h":{"schema":{"type":["string",1,"null"]},"aggregation":{"sum":{"usable":true},"max":{"usable":true}}}}}]}]}`}, "", "",
			`{"connectors":[{"streams":[{"name":"a","field_capabilities":{"f":"t=string,eq","g":"","h":"t=string|null,a=max|sum"}}]}],"detail":"compact"}`,
			[]string{"/v1/schema?view=compact"},
		},
		"flags alone are a compact document, and whatever is beside them stays": {
			&schemaServer{compact: `{"connectors":[{"streams":[{"name":"a","field_capabilities":{"f":"t=string"},"x":1}]}]}`}, "", "",
			`{"connectors":[{"streams":[{"name":"a","field_capabilities":{"f":"t=string"},"x":1}]}]}`,
			[]string{"/v1/schema?view=compact"},
		},
		"a row without capabilities is no obstacle": {
			&schemaServer{compact: `{"connectors":[{"connector_key":"k","streams":[{"name":"a","field_capabilities":null},{"name":"b"}]}]}`}, "", "",
			`{"connectors":[{"connector_key":"k","streams":[{"name":"a"},{"name":"b"}]}],"detail":"compact"}`,
			[]string{"/v1/schema?view=compact"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			response, err := rs.CompactSchema(t.Context(), row.server, row.stream, row.connection)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, response.Body); diff != "" {
				t.Error(diff)
			}
			if diff := cmp.Diff(row.reads, row.server.reads); diff != "" {
				t.Error(diff)
			}
			if response.RequestID != "req_1" || response.Status != 200 {
				t.Errorf("response %+v", response)
			}
		})
	}
}

// narrowed returns compactDocument with only the rows of stream messages.
func narrowed(string) string {
	return `{"object":"schema","detail":"compact","bearer":{"token_kind":"client","grant_id":"grt_1"},"connectors":[` +
		`{"connector_key":"gmail","granted_connections":[{"connection_id":"cin_work","display_name":"Work"},{"connection_id":"cin_home","display_name":"Home"}],` +
		`"streams":[{"name":"messages","field_capabilities":{"id":"eq"},"expand_capabilities":[{"name":"attachments"}]}]},` +
		`{"connector_key":"slack","stream_count":1,"granted_connections":[{"connection_id":"cin_acme","display_name":"Acme"}],"streams":[{"name":"messages","field_capabilities":{"text":"lex"},"expand_capabilities":[]}]}]}`
}

func TestSchemaErrors(t *testing.T) {
	for name, row := range map[string]struct {
		server *schemaServer
		want   rs.Code
		reads  int
	}{
		"a refusal for another reason than the view is final": {&schemaServer{refuse: &rs.Error{Code: "grant_revoked", Status: 403}, full: fullDocument}, "grant_revoked", 1},
		"a server out of reach is asked once":                 {&schemaServer{refuse: &rs.Error{Code: "server_unreachable"}, full: fullDocument}, "server_unreachable", 1},
		"an array is no schema":                               {&schemaServer{compact: `[]`}, "invalid_response", 1},
		"a string is no schema":                               {&schemaServer{compact: `"x"`}, "invalid_response", 1},
		"connectors that are no list are no schema":           {&schemaServer{compact: `{"connectors":{}}`}, "invalid_response", 1},
		"connectors that are no objects are no schema":        {&schemaServer{compact: `{"connectors":["gmail"]}`}, "invalid_response", 1},
		"streams that are no objects are no schema":           {&schemaServer{compact: `{"connectors":[{"streams":["a"]}]}`}, "invalid_response", 1},
		"capabilities that are no object are no schema":       {&schemaServer{compact: `{"connectors":[{"streams":[{"name":"a","field_capabilities":["id"]}]}]}`}, "invalid_response", 1},
		"a capability that is a number is no schema":          {&schemaServer{compact: fieldDocument(`7`)}, "invalid_response", 1},
		"a type that is no text is no schema":                 {&schemaServer{compact: fieldDocument(`{"type":["string"]}`)}, "invalid_response", 1},
		"a grant that is no boolean is no schema":             {&schemaServer{compact: fieldDocument(`{"granted":"no"}`)}, "invalid_response", 1},
		"a filter that is no object is no schema":             {&schemaServer{compact: fieldDocument(`{"exact_filter":true}`)}, "invalid_response", 1},
		"a filter usable by a text is no schema":              {&schemaServer{compact: fieldDocument(`{"exact_filter":{"usable":"yes"}}`)}, "invalid_response", 1},
		"operators that are no texts are no schema":           {&schemaServer{compact: fieldDocument(`{"range_filter":{"usable":true,"operators":[1]}}`)}, "invalid_response", 1},
		"an aggregation that is no object is no schema":       {&schemaServer{compact: fieldDocument(`{"aggregation":{"sum":true}}`)}, "invalid_response", 1},
		"10,001 connections of a stream are too many":         {&schemaServer{compact: crossed(10_001, 1)}, "response_too_large", 1},
		"so are 101 connections of 100 streams":               {&schemaServer{compact: crossed(101, 100)}, "response_too_large", 1},
	} {
		t.Run(name, func(t *testing.T) {
			response, err := rs.CompactSchema(t.Context(), row.server, "a", "")
			var typed *rs.Error
			if !errors.As(err, &typed) || typed.Code != row.want || response != nil {
				t.Errorf("%v, %v; want %s", response, err, row.want)
			}
			if len(row.server.reads) != row.reads {
				t.Errorf("reads %q", row.server.reads)
			}
		})
	}
}

// crossed returns a compact document of connections that each have some streams, all named a.
func crossed(connections, streams int) string {
	return `{"detail":"compact","connectors":[{"granted_connections":[` + strings.Repeat(`{"connection_id":"c"},`, connections-1) + `{"connection_id":"c"}],"streams":[` +
		strings.Repeat(`{"name":"a"},`, streams-1) + `{"name":"a"}]}]}`
}

// fieldDocument returns a full document with one field of stream a.
func fieldDocument(field string) string {
	return `{"connectors":[{"streams":[{"name":"a","field_capabilities":{"f":` + field + `}}]}]}`
}

func TestFullSchema(t *testing.T) {
	if got, err := rs.FullSchema(t.Context(), doerFunc(func() (*rs.Response, error) { return nil, &rs.Error{Status: 500} }), "", ""); err == nil || got != nil {
		t.Errorf("a refusal is %v", got)
	}
	server := &schemaServer{full: fullDocument}
	response, err := rs.FullSchema(t.Context(), server, "messages", "cin_work")
	if err != nil {
		t.Fatal(err)
	}
	// S0-5f, S3-7c: the matching row is complete, with the one connection, and not projected.
	var got struct {
		Connectors []struct {
			ConnectorKey string           `json:"connector_key"`
			Streams      []map[string]any `json:"streams"`
		} `json:"connectors"`
	}
	if err := json.Unmarshal([]byte(response.Body), &got); err != nil {
		t.Fatal(err)
	}
	if len(got.Connectors) != 1 || got.Connectors[0].ConnectorKey != "gmail" || len(got.Connectors[0].Streams) != 1 {
		t.Fatalf("document %s", response.Body)
	}
	row := got.Connectors[0].Streams[0]
	if diff := cmp.Diff([]any{map[string]any{"connection_id": "cin_work", "display_name": "Work"}}, row["granted_connections"]); diff != "" {
		t.Error(diff)
	}
	if row["name"] != "messages" || row["schema"] == nil {
		t.Errorf("row %v", row)
	}
	if diff := cmp.Diff([]string{"/v1/schema?connection_id=cin_work&detail=full&stream=messages"}, server.reads); diff != "" {
		t.Error(diff)
	}
}

// A schemaRow is the part of a document about one stream.
type schemaRow struct {
	ConnectorKey, Stream string
	Connections          []rs.Connection
	Expands              bool
}

func TestSchemaRows(t *testing.T) {
	for name, row := range map[string]struct {
		body string
		want []schemaRow
	}{
		"connections of the connector belong to each of its streams": {compactDocument, []schemaRow{
			{ConnectorKey: "gmail", Stream: "messages", Expands: true, Connections: []rs.Connection{{ConnectorKey: "gmail", ID: "cin_work", DisplayName: "Work"}, {ConnectorKey: "gmail", ID: "cin_home", DisplayName: "Home"}}},
			{ConnectorKey: "gmail", Stream: "labels", Connections: []rs.Connection{{ConnectorKey: "gmail", ID: "cin_work", DisplayName: "Work"}, {ConnectorKey: "gmail", ID: "cin_home", DisplayName: "Home"}}},
			{ConnectorKey: "slack", Stream: "messages", Connections: []rs.Connection{{ConnectorKey: "slack", ID: "cin_acme", DisplayName: "Acme"}}},
		}},
		"connections of a stream win over its connector's": {
			`{"connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c1"},{"connection_id":"c2"}],"streams":[{"name":"a","granted_connections":[{"connection_id":"c2"}]}]}]}`,
			[]schemaRow{{ConnectorKey: "k", Stream: "a", Connections: []rs.Connection{{ConnectorKey: "k", ID: "c2"}}}},
		},
		"a row may name its one connection itself": {
			`{"streams":[{"name":"a","connector_key":"k","connection_id":"c1","display_name":"One","expand_capabilities":{"r":{}}}]}`,
			[]schemaRow{{ConnectorKey: "k", Stream: "a", Expands: true, Connections: []rs.Connection{{ConnectorKey: "k", ID: "c1", DisplayName: "One"}}}},
		},
		"a wrapper is looked into":    {`{"data":{"streams":[{"name":"a"}]}}`, []schemaRow{{Stream: "a"}}},
		"no connectors are no rows":   {`{"connectors":[]}`, nil},
		"null relations are none":     {`{"streams":[{"name":"a","expand_capabilities":null}]}`, []schemaRow{{Stream: "a"}}},
		"spaced-out relations count":  {`{"streams":[{"name":"a","expand_capabilities": [ { "name": "r" } ] }]}`, []schemaRow{{Stream: "a", Expands: true}}},
		"a spaced-out empty list not": {`{"streams":[{"name":"a","expand_capabilities": [ ] }]}`, []schemaRow{{Stream: "a"}}},
	} {
		t.Run(name, func(t *testing.T) {
			schema := rs.ReadSchema(row.body)
			if err := schema.Check(); err != nil {
				t.Fatal(err)
			}
			var got []schemaRow
			for _, s := range schema.Streams {
				got = append(got, schemaRow{s.ConnectorKey, s.Name, s.Connections, s.Expands()})
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestSchemaRowsRefused(t *testing.T) {
	for name, body := range map[string]string{
		"a document that is no object":       `[]`,
		"connectors that are no list":        `{"connectors":{}}`,
		"a connector that is no object":      `{"connectors":["k"]}`,
		"a key that is no text":              `{"connectors":[{"connector_key":7}]}`,
		"streams that are no list":           `{"connectors":[{"streams":"a"}]}`,
		"a stream that is no object":         `{"streams":["a"]}`,
		"a name that is no text":             `{"streams":[{"name":{}}]}`,
		"a stream's key that is no text":     `{"streams":[{"name":"a","connector_key":7}]}`,
		"connections that are no list":       `{"streams":[{"name":"a","granted_connections":{}}]}`,
		"a connection that is no object":     `{"connectors":[{"granted_connections":["c"]}]}`,
		"a connection whose id is no text":   `{"connectors":[{"granted_connections":[{"connection_id":1}]}]}`,
		"an own connection that is no text":  `{"streams":[{"name":"a","connection_id":1}]}`,
		"a display name that is no text":     `{"streams":[{"name":"a","connection_id":"c","display_name":[]}]}`,
		"a connection's grant is no text":    `{"streams":[{"name":"a","granted_connections":[{"grant_id":true}]}]}`,
		"a fault behind rows that are right": `{"connectors":[{"streams":[{"name":"a"}]},{"streams":[{"name":1}]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			if err := rs.ReadSchema(body).Check(); err == nil || rs.AsError(err).Code != "invalid_response" {
				t.Errorf("%v", err)
			}
		})
	}
}

func TestGrantID(t *testing.T) {
	for body, want := range map[string]string{compactDocument: "grt_1", `{"bearer":{"grant_id":"g"}}`: "g", `{"data":{"bearer":{"grant_id":"g"}}}`: "g", `{"data":{"bearer":{"grant_id":"g"}},"streams":[]}`: "",
		`{}`: "", `[]`: "", `{"bearer":"x"}`: "", `{"bearer":{"grant_id":7}}`: ""} {
		if got := rs.ReadSchema(body).GrantID(); got != want {
			t.Errorf("GrantID = %q, want %q", got, want)
		}
	}
}

func TestAdvertisesExpansion(t *testing.T) {
	for name, row := range map[string]struct {
		server            *schemaServer
		scope             rs.Scope
		advertised, known bool
	}{
		"S4-5a a stream with a relation expands":               {&schemaServer{compact: compactDocument}, rs.Scope{Stream: "messages", ConnectionID: "cin_work"}, true, true},
		"S4-5b the same stream of another connection does not": {&schemaServer{compact: compactDocument}, rs.Scope{Stream: "messages", ConnectionID: "cin_acme"}, false, true},
		"without a connection one that expands is enough":      {&schemaServer{compact: compactDocument}, rs.Scope{Stream: "messages"}, true, true},
		"S4-5b a stream without relations does not expand":     {&schemaServer{compact: compactDocument}, rs.Scope{Stream: "labels"}, false, true},
		"S4-R5 an unknown stream is not known":                 {&schemaServer{compact: compactDocument}, rs.Scope{Stream: "nope"}, false, false},
		"S4-R5 an unreadable schema is not known":              {&schemaServer{compact: `[]`}, rs.Scope{Stream: "labels"}, false, false},
		"S4-R5 a schema that fails is not known":               {&schemaServer{refuse: &rs.Error{Status: 500}}, rs.Scope{Stream: "labels"}, false, false},
		"where a compact one is silent the full one is asked":  {&schemaServer{compact: `{"streams":[{"name":"messages"}]}`, full: fullDocument}, rs.Scope{Stream: "messages"}, true, true},
		"a full document tells as well":                        {&schemaServer{refuse: &rs.Error{Status: 501}, full: fullDocument}, rs.Scope{Stream: "labels"}, false, true},
	} {
		t.Run(name, func(t *testing.T) {
			advertised, known := row.scope.AdvertisesExpansion(t.Context(), row.server)
			if advertised != row.advertised || known != row.known {
				t.Errorf("advertised %v, known %v; want %v, %v", advertised, known, row.advertised, row.known)
			}
		})
	}
}

// Any document leads to valid JSON or a typed error; narrowing is idempotent.
func FuzzSchema(f *testing.F) {
	for _, body := range []string{
		compactDocument, fullDocument, `{"data":` + fullDocument + `}`, `{"streams":[{"name":"a","connection_id":"c"}]}`,
		`{"connectors":[{"streams":null,"granted_connections":[]}],"connectors":[]}`, `[]`, `{"connectors":[[]]}`,
	} {
		f.Add([]byte(body), "messages", "cin_work")
		f.Add([]byte(body), "", "")
	}
	f.Fuzz(func(t *testing.T, body []byte, stream, connection string) {
		if !json.Valid(body) {
			return // the client refuses anything else
		}
		for _, read := range []func(context.Context, rs.Doer, string, string) (*rs.Response, error){rs.CompactSchema, rs.FullSchema} {
			response, err := read(t.Context(), &schemaServer{compact: string(body), full: string(body)}, stream, connection)
			var typed *rs.Error
			if err != nil {
				if !errors.As(err, &typed) || typed.Code != "invalid_response" {
					t.Errorf("error %v", err)
				}
				continue
			}
			if !json.Valid([]byte(response.Body)) {
				t.Fatalf("%s becomes %s", body, response.Body)
			}
			again, err := read(t.Context(), &schemaServer{compact: response.Body, full: response.Body}, stream, connection)
			if err != nil || again.Body != response.Body {
				t.Errorf("%s becomes %s, then %v, %v", body, response.Body, again, err)
			}
			for _, stream := range rs.ReadSchema(response.Body).Streams {
				stream.Fields()
				stream.Relations()
			}
		}
	})
}
