package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

const recordBase = "https://rs.example"

// toolNamed returns a tool as it is served.
func toolNamed(t testing.TB, name string) *tools.Tool {
	t.Helper()
	for _, tool := range tools.All(tools.Options{RecordBase: recordBase}) {
		if tool.Name == name {
			return tool
		}
	}
	t.Fatalf("no tool %s", name)
	return nil
}

// requestOf returns the one read of the arguments.
func requestOf(tool *tools.Tool, arguments json.RawMessage) (rs.Request, error) {
	args, err := tool.Parse(arguments)
	if err != nil {
		return rs.Request{}, err
	}
	scope, err := args.Scope()
	if err != nil {
		return rs.Request{}, err
	}
	return args.Request(scope), nil
}

// TestArgumentsBecomeOneRead covers every argument of every tool and the read that it makes.
func TestArgumentsBecomeOneRead(t *testing.T) {
	handle := rs.Ref{ConnectionID: "cin_1", Stream: "files", RecordID: "a/../b c"}.URI()
	for tool, rows := range map[string]map[string]struct{ arguments, want string }{
		"schema": {
			"S3-7a without arguments the compact index is read":               {``, "/v1/schema?view=compact"},
			"null stands for no arguments":                                    {`null`, "/v1/schema?view=compact"},
			"an empty object stands for no arguments":                         {` {} `, "/v1/schema?view=compact"},
			"a null argument counts as absent":                                {`{"stream":null,"detail":null,"connection_id":null}`, "/v1/schema?view=compact"},
			"S3-7a a stream scopes it":                                        {`{"stream":"messages"}`, "/v1/schema?stream=messages&view=compact"},
			"S0-5c a stream and a connection scope it":                        {`{"stream":"messages","connection_id":"cin_1"}`, "/v1/schema?connection_id=cin_1&stream=messages&view=compact"},
			"compact is the default, and may be given":                        {`{"detail":"compact"}`, "/v1/schema?view=compact"},
			"fields and offset are for the adapter, and never sent":           {`{"stream":"messages","fields":["a","b"],"offset":40}`, "/v1/schema?stream=messages&view=compact"},
			"an offset continues the index too":                               {`{"offset":1880,"connection_id":"cin_1"}`, "/v1/schema?connection_id=cin_1&view=compact"},
			"S0-5f full starts with the compact view, to find the connection": {`{"stream":"messages","detail":"full"}`, "/v1/schema?stream=messages&view=compact"},
		},
		"query_records": {
			"S3-2b the stream alone is enough": {`{"stream":"messages"}`, "/v1/streams/messages/records"},
			"S3-2b every argument is forwarded, with view": {
				`{"stream":"messages","connection_id":"cin_1","limit":100,"cursor":"eyJrIjoxfQ==","order":"asc","sort":"-received_at","count":"exact","view":"envelope",` +
					`"filter":{"user_id":"U123"},"expand":["attachments"],"expand_limit":{"attachments":3}}`,
				"/v1/streams/messages/records?connection_id=cin_1&count=exact&cursor=eyJrIjoxfQ==&expand=attachments&expand_limit[attachments]=3" +
					"&filter[user_id]=U123&limit=100&order=asc&sort=-received_at&view=envelope",
			},
			"fields are a repeated plain key":                           {`{"stream":"messages","fields":["id","author.name"]}`, "/v1/streams/messages/records?fields=id&fields=author.name"},
			"one lone field is a list of one":                           {`{"stream":"messages","fields":"id"}`, "/v1/streams/messages/records?fields=id"},
			"S3-2b changes are read from a bookmark":                    {`{"stream":"messages","changes_since":"b_17","limit":1}`, "/v1/streams/messages/records?changes_since=b_17&limit=1"},
			"changes start with the word beginning":                     {`{"stream":"messages","changes_since":"beginning"}`, "/v1/streams/messages/records?changes_since=beginning"},
			"count may be none":                                         {`{"stream":"messages","count":"none","order":"desc"}`, "/v1/streams/messages/records?count=none&order=desc"},
			"a number without a fraction is an integer in any notation": {`{"stream":"messages","limit":2.0}`, "/v1/streams/messages/records?limit=2"},
			"a stream name is escaped in the path":                      {`{"stream":"a b?c"}`, "/v1/streams/a%20b%3Fc/records"},
			"null arguments count as absent":                            {`{"stream":"messages","limit":null,"filter":null,"expand_limit":null,"fields":null,"cursor":null}`, "/v1/streams/messages/records"},
			"S3-10b a scalar is equality":                               {`{"stream":"m","filter":{"user_id":"U123"}}`, "/v1/streams/m/records?filter[user_id]=U123"},
			"S3-10b a boolean and a number are scalars, digits kept":    {`{"stream":"m","filter":{"read":false,"n":1.50,"big":12345678901234567890}}`, "/v1/streams/m/records?filter[big]=12345678901234567890&filter[n]=1.50&filter[read]=false"},
			"S3-10b a value that looks like brackets is a value":        {`{"stream":"m","filter":{"subject":"[draft] a=b&c"}}`, "/v1/streams/m/records?filter[subject]=[draft] a=b&c"},
			"S3-10c a range is one parameter per operator": {
				`{"stream":"m","filter":{"sent_at":{"gte":"2026-01-01","lt":"2026-02-01"},"n":{"gt":1,"lte":9}}}`,
				"/v1/streams/m/records?filter[n][gt]=1&filter[n][lte]=9&filter[sent_at][gte]=2026-01-01&filter[sent_at][lt]=2026-02-01",
			},
			"S3-10c a dotted field is a field":                     {`{"stream":"m","filter":{"author.id": { "gte" : 1 } }}`, "/v1/streams/m/records?filter[author.id][gte]=1"},
			"S3-11a relation and limit":                            {`{"stream":"m","expand":["messages"],"expand_limit":{"messages":3}}`, "/v1/streams/m/records?expand=messages&expand_limit[messages]=3"},
			"S3-11a several relations":                             {`{"stream":"m","expand":["a","b"],"expand_limit":{"a":1,"b":1000}}`, "/v1/streams/m/records?expand=a&expand=b&expand_limit[a]=1&expand_limit[b]=1000"},
			"S3-11a a limit without its relation is forwarded too": {`{"stream":"m","expand_limit":{"messages":3}}`, "/v1/streams/m/records?expand_limit[messages]=3"},
		},
		"aggregate": {
			"a count needs the stream alone": {`{"stream":"messages","metric":"count"}`, "/v1/streams/messages/aggregate?metric=count"},
			"every argument over a group is forwarded": {
				`{"stream":"messages","metric":"sum","connection_id":"cin_1","field":"size","group_by":"label","limit":5,"filter":{"read":true}}`,
				"/v1/streams/messages/aggregate?connection_id=cin_1&field=size&filter[read]=true&group_by=label&limit=5&metric=sum",
			},
			"every argument over time is forwarded": {
				`{"stream":"messages","metric":"count","group_by_time":"sent_at","granularity":"month","time_zone":"Europe/Vienna"}`,
				"/v1/streams/messages/aggregate?granularity=month&group_by_time=sent_at&metric=count&time_zone=Europe/Vienna",
			},
			"S3-10f a range is encoded as for records": {
				`{"stream":"m","metric":"max","field":"n","filter":{"n":{"gte":10}}}`, "/v1/streams/m/aggregate?field=n&filter[n][gte]=10&metric=max",
			},
			"distinct values can be counted": {`{"stream":"m","metric":"count_distinct","field":"from"}`, "/v1/streams/m/aggregate?field=from&metric=count_distinct"},
			"the minimum can be requested":   {`{"stream":"m","metric":"min","field":"from"}`, "/v1/streams/m/aggregate?field=from&metric=min"},
		},
		"search": {
			"D13 q is searched for":                      {`{"q":"invoice acme"}`, "/v1/search?q=invoice acme"},
			"D13 query is the same":                      {`{"query":"invoice acme"}`, "/v1/search?q=invoice acme"},
			"D13 both may be sent when they are equal":   {`{"q":"invoice","query":"invoice"}`, "/v1/search?q=invoice"},
			"D13 a null q beside query counts as absent": {`{"q":null,"query":"invoice"}`, "/v1/search?q=invoice"},
			"every argument is forwarded": {
				`{"q":"a","streams":["messages","notes"],"connection_id":"cin_1","mode":"lexical","limit":7,"cursor":"c1","filter":{"n":{"lt":3}}}`,
				"/v1/search?connection_id=cin_1&cursor=c1&filter[n][lt]=3&limit=7&q=a&streams=messages&streams=notes",
			},
			"one lone stream is a list of one": {`{"q":"a","streams":"messages"}`, "/v1/search?q=a&streams=messages"},
			"semantic search has its own path": {`{"q":"a","mode":"semantic","cursor":"c1"}`, "/v1/search/semantic?cursor=c1&q=a"},
			"hybrid search has its own path":   {`{"q":"a","mode":"hybrid","limit":100}`, "/v1/search/hybrid?limit=100&q=a"},
			"a query is text without syntax":   {`{"q":"a&connection_id=x #%[]"}`, "/v1/search?q=a&connection_id=x #%[]"},
		},
		"fetch": {
			"S2-6 the connection in the id is forwarded":      {`{"id":"cin_1/messages:m1"}`, "/v1/streams/messages/records/m1?connection_id=cin_1"},
			"S3-19c a legacy id is forwarded without one":     {`{"id":"messages:m1"}`, "/v1/streams/messages/records/m1"},
			"S2-7 a legacy id goes with connection_id":        {`{"id":"messages:m1","connection_id":"cin_1"}`, "/v1/streams/messages/records/m1?connection_id=cin_1"},
			"S2-8 the same connection twice is one":           {`{"id":"cin_1/messages:m1","connection_id":"cin_1"}`, "/v1/streams/messages/records/m1?connection_id=cin_1"},
			"S2-3 a record id keeps its colons":               {`{"id":"messages:a:b"}`, "/v1/streams/messages/records/a:b"},
			"S1-5c a record URI is an id":                     {`{"id":"` + handle + `"}`, "/v1/streams/files/records/a%2F..%2Fb%20c?connection_id=cin_1"},
			"S1-5c a record URI goes with its own connection": {`{"id":"` + handle + `","connection_id":"cin_1"}`, "/v1/streams/files/records/a%2F..%2Fb%20c?connection_id=cin_1"},
			"S0-7b fields are forwarded":                      {`{"id":"messages:m1","fields":["subject","body"]}`, "/v1/streams/messages/records/m1?fields=subject&fields=body"},
			"S3-11b relations and limits are forwarded":       {`{"id":"messages:m1","expand":["messages"],"expand_limit":{"messages":3}}`, "/v1/streams/messages/records/m1?expand=messages&expand_limit[messages]=3"},
		},
		"read_record_field": {
			"the start of a field is read": {`{"id":"cin_1/messages:m1","field":"body"}`, "/v1/streams/messages/records/m1/field-window?connection_id=cin_1&field=body"},
			"a part is read by offset and limit": {
				`{"id":"messages:m1","connection_id":"cin_1","field":"parts.text","offset_chars":4096,"limit_chars":16384}`,
				"/v1/streams/messages/records/m1/field-window?connection_id=cin_1&field=parts.text&limit_chars=16384&offset_chars=4096",
			},
			"an offset of zero is the start": {`{"id":"messages:m1","field":"body","offset_chars":0}`, "/v1/streams/messages/records/m1/field-window?field=body"},
			"a match is read with its surroundings": {
				`{"id":"messages:m1","field":"body","q":"tax","before_chars":10,"after_chars":8192}`,
				"/v1/streams/messages/records/m1/field-window?after_chars=8192&before_chars=10&field=body&q=tax",
			},
			"before_chars may be 0": {
				`{"id":"messages:m1","field":"body","q":"tax","before_chars":0,"after_chars":0}`,
				"/v1/streams/messages/records/m1/field-window?after_chars=0&before_chars=0&field=body&q=tax",
			},
			"S1-5c a record URI is an id": {`{"id":"` + handle + `","field":"body"}`, "/v1/streams/files/records/a%2F..%2Fb%20c/field-window?connection_id=cin_1&field=body"},
		},
		"list_streams": {
			"S3-2a without arguments all streams are listed": {``, "/v1/streams"},
			"a connection scopes the list":                   {`{"connection_id":"cin_1"}`, "/v1/streams?connection_id=cin_1"},
			"an offset is for the adapter, and never sent":   {`{"offset":80}`, "/v1/streams"},
		},
		"fetch_blob": {
			"S3-2c a blob is read by its id":              {`{"blob_id":"blob_sha256_ab"}`, "/v1/blobs/blob_sha256_ab"},
			"a connection only says whose grant holds it": {`{"blob_id":"blob_sha256_ab","connection_id":"cin_1"}`, "/v1/blobs/blob_sha256_ab"},
		},
	} {
		for name, row := range rows {
			t.Run(tool+": "+name, func(t *testing.T) {
				request, err := requestOf(toolNamed(t, tool), json.RawMessage(row.arguments))
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(row.want, middlewaretest.Line(request)); diff != "" {
					t.Error(diff)
				}
				if request.Binary != (tool == "fetch_blob") {
					t.Errorf("Binary = %v", request.Binary)
				}
			})
		}
	}
}

func TestScopes(t *testing.T) {
	for name, row := range map[string]struct {
		tool, arguments string
		want            rs.Scope
	}{
		"records of a stream":                        {"query_records", `{"stream":"m","connection_id":"c"}`, rs.Scope{Stream: "m", ConnectionID: "c"}},
		"S4-R5 expand asks for relations":            {"query_records", `{"stream":"m","expand":["r"]}`, rs.Scope{Stream: "m", Expands: true}},
		"S4-R5 a limit alone asks for relations too": {"query_records", `{"stream":"m","expand_limit":{"r":1}}`, rs.Scope{Stream: "m", Expands: true}},
		"S4-R5 also for one record":                  {"fetch", `{"id":"c/m:1","expand_limit":{"r":1}}`, rs.Scope{Stream: "m", RecordID: "1", ConnectionID: "c", Expands: true}},
		"one record":                                 {"fetch", `{"id":"c/m:1"}`, rs.Scope{Stream: "m", RecordID: "1", ConnectionID: "c"}},
		"a field of one record":                      {"read_record_field", `{"id":"m:1","connection_id":"c","field":"f"}`, rs.Scope{Stream: "m", RecordID: "1", ConnectionID: "c"}},
		"a number over a stream":                     {"aggregate", `{"stream":"m","metric":"count"}`, rs.Scope{Stream: "m"}},
		"a search within a connection":               {"search", `{"q":"a","connection_id":"c"}`, rs.Scope{ConnectionID: "c"}},
		"a blob":                                     {"fetch_blob", `{"blob_id":"b","connection_id":"c"}`, rs.Scope{ConnectionID: "c"}},
		"the list of streams":                        {"list_streams", `{}`, rs.Scope{}},
	} {
		t.Run(name, func(t *testing.T) {
			args, err := toolNamed(t, row.tool).Parse(json.RawMessage(row.arguments))
			if err != nil {
				t.Fatal(err)
			}
			got, err := args.Scope()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
