package tools_test

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// S3-R12: what a tool returns, good or bad, fits the output schema that it announces. The protocol's library checks
// that for no tool made as these are, and some clients refuse a result that does not fit.
func TestResultsFitTheirOutputSchema(t *testing.T) {
	record := `{"object":"record","id":"m1","stream":"messages","emitted_at":"2026-01-02T03:04:05Z","connection_id":"cin_1","display_name":"Work","data":{"subject":"Tax","body":"Dear all"}}`
	answers := map[string][]struct{ arguments, body string }{
		"schema": {
			{`{}`, `{"object":"schema","detail":"compact","connectors":[{"connector_key":"gmail","granted_connections":[{"connection_id":"cin_1"}],"streams":[{"name":"messages","field_capabilities":{"subject":"t=text,lex"}}]}]}`},
			{`{"stream":"messages"}`, `{"connectors":[{"connector_key":"gmail","streams":[{"name":"messages","field_capabilities":{"subject":"t=text,lex"}}]}]}`},
			{`{"stream":"nope"}`, `{"connectors":[]}`},
			{`{"stream":"messages","fields":["subject","nope"]}`, `{"connectors":[{"connector_key":"gmail","streams":[{"name":"messages","field_capabilities":{"id":"t=string","subject":"t=text,lex"}}]}]}`},
			{`{"stream":"messages","offset":1}`, `{"connectors":[{"connector_key":"gmail","streams":[{"name":"messages","field_capabilities":{"id":"t=string","subject":"t=text,lex"}}]}]}`},
			{`{"stream":"messages","detail":"full"}`, `{"connectors":[{"connector_key":"gmail","streams":[{"name":"messages","schema":{"type":"object"},"field_capabilities":{"subject":{"granted":true}}}]}]}`},
		},
		"query_records": {
			{`{"stream":"messages"}`, `{"object":"list","data":[` + record + `],"has_more":true,"next_cursor":"c1","meta":{"count":{"kind":"none"},"warnings":[]}}`},
			{`{"stream":"messages","fields":["subject"]}`, `{"object":"list","data":[],"has_more":false}`},
		},
		"aggregate": {
			{`{"stream":"messages","metric":"count"}`, `{"object":"aggregation","stream":"messages","metric":"count","value":12,"approximate":false}`},
			{`{"stream":"messages","metric":"count","group_by":"label"}`, `{"object":"aggregation","stream":"messages","metric":"count","group_by":"label","groups":[{"key":"a","count":3},{"key":null,"count":1}],"other_count":8,"limit":2}`},
		},
		"search": {
			{`{"q":"tax"}`, `{"object":"list","data":[{"object":"search_result","stream":"messages","record_key":"m1","connector_id":"gmail","connection_id":"cin_1","snippet":{"field":"subject","text":"<mark>Tax</mark>"}}],"has_more":false}`},
			{`{"q":"tax"}`, `{"object":"list","data":[],"has_more":false}`},
			{`{"q":"tax"}`, `{"data":{"results":[{"stream":"messages","record_key":"a/b","connection_id":"cin_1"}]}}`},
		},
		"fetch": {
			{`{"id":"cin_1/messages:m1"}`, record},
			{`{"id":"messages:m1","fields":["subject"]}`, `{"data":` + record + `}`},
		},
		"read_record_field": {
			{`{"id":"messages:m1","field":"body"}`, `{"record_id":"m1","stream":"messages","field":{"path":"body","type":"string"},"window":{"text":"Dear all","start_chars":0,"end_chars":8,"limit_chars":4096,"total_chars":8,"complete":true}}`},
			{`{"id":"messages:m1","field":"body","limit_chars":4}`, `{"record_id":"m1","stream":"messages","field":{"path":"body","type":"string"},"window":{"text":"Dear","start_chars":0,"end_chars":4,"limit_chars":4,"total_chars":8,"complete":false,"next_offset_chars":4}}`},
		},
		"list_streams": {
			{`{}`, `{"object":"list","data":[{"object":"stream","name":"messages","record_count":3,"connection_id":"cin_1"}]}`},
		},
		"fetch_blob": {
			{`{"blob_id":"b1"}`, `some text`},
		},
	}
	for _, tool := range tools.All(tools.Options{RecordBase: recordBase}) {
		t.Run(tool.Name, func(t *testing.T) {
			schema := resolved(t, tool.Output)
			if len(answers[tool.Name]) == 0 {
				t.Fatal("no answer to render")
			}
			for _, answer := range answers[tool.Name] {
				call := tools.Call{Tool: tool, Raw: json.RawMessage(answer.arguments)}
				args, err := tool.Parse(call.Raw)
				if err != nil {
					t.Fatal(err)
				}
				call.Args = args
				if call.Scope, err = args.Scope(); err != nil {
					t.Fatal(err)
				}
				response := middlewaretest.JSON(answer.body)
				if tool.Binary {
					response.ContentType = "text/plain"
				}
				result, err := tool.Render(call, tools.Answer{Response: response})
				if err != nil {
					t.Fatalf("%s over %s: %v", answer.arguments, answer.body, err)
				}
				if result.Text == "" {
					t.Error("the text is empty")
				}
				fits(t, schema, result)
			}
			for _, e := range []*rs.Error{
				rs.Invalid("q", "q is empty.", "Send a value."),
				{Code: "internal_error", Message: "m"},
				{Code: "ambiguous_connection", Status: 409, Message: "m", Hint: "h", RetryWith: "connection_id", RequestID: "r", ConnectionTotal: 2,
					Connections: []rs.Connection{{ID: "cin_1"}, {ID: "cin_2", GrantID: "g", ConnectorKey: "k", DisplayName: "d"}}, Envelope: json.RawMessage(`{"code":"ambiguous_connection"}`)},
			} {
				fits(t, schema, render.Error(e))
			}
		})
	}
}

// The input schema accepts what the decoder accepts, so that a client which checks first refuses nothing good.
func TestInputSchemaAcceptsWhatIsDecoded(t *testing.T) {
	for tool, rows := range map[string][]string{
		"schema":            {`{}`, `{"stream":"m","connection_id":"c","detail":"full"}`, `{"stream":"m","fields":["a"],"offset":0}`},
		"query_records":     {`{"stream":"m","limit":100,"filter":{"a":1,"b":"x","c":true,"d":{"gte":1}},"expand":["r"],"expand_limit":{"r":3},"sort":"-a"}`},
		"aggregate":         {`{"stream":"m","metric":"count","group_by_time":"t","granularity":"day","time_zone":"UTC","limit":1,"filter":{"a":{"lt":"z"}}}`},
		"search":            {`{"q":"a","filter":{"a":1.5}}`, `{"query":"a","mode":"hybrid","streams":["m"]}`},
		"fetch":             {`{"id":"m:1","fields":["a"],"expand":["r"],"expand_limit":{"r":1}}`},
		"read_record_field": {`{"id":"m:1","field":"a","offset_chars":0,"limit_chars":16384}`, `{"id":"m:1","field":"a","q":"x","before_chars":0,"after_chars":8192}`},
	} {
		schema := resolved(t, toolNamed(t, tool).Input)
		for _, row := range rows {
			if _, err := toolNamed(t, tool).Parse(json.RawMessage(row)); err != nil {
				t.Errorf("%s: %s is refused: %v", tool, row, err)
			}
			var value any
			if err := json.Unmarshal([]byte(row), &value); err != nil {
				t.Fatal(err)
			}
			if err := schema.Validate(value); err != nil {
				t.Errorf("%s: %s: %v", tool, row, err)
			}
		}
	}
}

func resolved(t *testing.T, raw json.RawMessage) *jsonschema.Resolved {
	t.Helper()
	var schema jsonschema.Schema
	if err := json.Unmarshal(raw, &schema); err != nil {
		t.Fatal(err)
	}
	r, err := schema.Resolve(nil)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func fits(t *testing.T, schema *jsonschema.Resolved, result render.Result) {
	t.Helper()
	var value map[string]any
	if err := json.Unmarshal(result.Structured, &value); err != nil {
		t.Fatalf("structured is no object: %v: %s", err, result.Structured)
	}
	if err := schema.Validate(value); err != nil {
		t.Errorf("%v: %s", err, result.Structured)
	}
}
