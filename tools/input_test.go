package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// The input schema accepts everything that the decoder accepts, so a client that validates first refuses no valid call.
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

// The error about an unknown argument names exactly the arguments of the listed schema.
func TestAnUnknownArgumentNamesTheListedOnes(t *testing.T) {
	for _, tool := range tools.All(tools.Options{RecordBase: "https://rs.example"}) {
		_, err := tool.Parse([]byte(`{"nothing":1}`))
		named := strings.Split(strings.Trim(strings.TrimPrefix(rs.AsError(err).Hint, "This tool takes: "), "."), ", ")
		var listed []string
		for _, m := range rs.AsObject(string(tool.Input)).Object("properties") {
			listed = append(listed, m.Name)
		}
		slices.Sort(named)
		slices.Sort(listed)
		if !slices.Equal(named, listed) {
			t.Errorf("%s: %v are named, %v are listed", tool.Name, named, listed)
		}
	}
}
