package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A short sorted page says on both channels, before its records, how many records after it have the same value as its last one. That
// takes one more read, and none if the page is unsorted, last or long.
func TestASortedPageCountsFurtherEqualRecords(t *testing.T) {
	const says, count = "3 records after these have the same total as the last", "/v1/streams/orders/aggregate?"
	for arguments, row := range map[string]struct {
		values, more string // of cin_a, and after a slash of cin_b
		heard        []string
		tied         bool
	}{
		`{"stream":"orders","sort":"-total","limit":2,"filter":{"several":1}}`:  {"9 7 / 7 7", "true", []string{count + "filter[several]=1&filter[total]=7&metric=count"}, true},
		`{"stream":"orders","sort":"-total","limit":2,"filter":{"several":2}}`:  {"9 7 / 7", "true", []string{count + "filter[several]=2&filter[total]=7&metric=count"}, true},
		`{"stream":"orders","sort":"-total","limit":2,"filter":{"several":3}}`:  {"9 7 / 7 5", "true", nil, false},
		`{"stream":"orders","sort":"-total","limit":3,"filter":{"several":4}}`:  {"9 7 / 7", "true", nil, false},
		`{"stream":"orders","sort":"-total","limit":2,"filter":{"several":5}}`:  {"9 7 / - -", "true", []string{count + "filter[several]=5&filter[total]=7&metric=count"}, true},
		`{"stream":"orders","sort":"-total","limit":2,"filter":{"several":6}}`:  {"- - / 9 7", "true", []string{count + "filter[several]=6&filter[total]=7&metric=count"}, true},
		`{"stream":"orders","sort":"-total","limit":3}`:                         {"9 7 7", "true", []string{count + "filter[total]=7&metric=count"}, true},
		`{"stream":"orders","sort":"total","limit":2,"filter":{"paid":true}}`:   {"7 7", "true", []string{count + "filter[paid]=true&filter[total]=7&metric=count"}, true},
		`{"stream":"orders","sort":"-total","limit":5}`:                         {"9 7 7 7 7", "true", []string{count + "filter[total]=7&metric=count"}, false},
		`{"stream":"orders","sort":"-total","limit":3,"connection_id":"cin_a"}`: {"9 8 7", "false", nil, false},
		`{"stream":"orders","limit":3}`:                                         {"9 7 7", "true", nil, false},
		`{"stream":"orders","sort":"-total"}`:                                   {"9 7 7", "true", nil, false},
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			if strings.HasSuffix(r.Path, "/aggregate") {
				n := strings.Count(row.values, "7")
				if row.tied {
					n += 3
				}
				return middlewaretest.JSON(fmt.Sprintf(`{"metric":"count","value":%d}`, n)), nil
			}
			var records []string
			connection := "cin_a"
			for i, value := range strings.Fields(row.values) {
				if value == "/" {
					connection = "cin_b"
					continue
				}
				data := `{"total":` + value + `}`
				if value == "-" { // the connection lacks the field
					data = `{"subject":"a"}`
				}
				records = append(records, `{"id":"o`+string(rune('a'+i))+`","connection_id":"`+connection+`","data":`+data+`}`)
			}
			return middlewaretest.JSON(`{"object":"list","data":[` + strings.Join(records, ",") + `],"has_more":` + row.more + `,"next_cursor":"c2"}`), nil
		}}
		result := answerOf(t, "query_records", arguments, server)
		before, _, _ := strings.Cut(result.Structured, `"data"`)
		head, _, _ := strings.Cut(result.Text, "id | ")
		if strings.Contains(before, says) != row.tied || strings.Contains(head, says) != row.tied {
			t.Errorf("%s: %s\n%s", arguments, result.Text, result.Structured)
		}
		asked := slices.DeleteFunc(server.Lines()[1:], func(line string) bool { return strings.HasPrefix(line, "/v1/schema") })
		if len(row.heard) != len(asked) {
			t.Errorf("%s reads %v", arguments, server.Lines())
		}
		if row.heard != nil && server.Lines()[1] != row.heard[0] {
			t.Errorf("%s reads %s", arguments, server.Lines()[1])
		}
	}
}

func answerOf(t *testing.T, name, arguments string, server rs.Doer) (result struct{ Text, Structured string }) {
	t.Helper()
	tool := toolNamed(t, name)
	args, err := tool.Parse(json.RawMessage(arguments))
	if err != nil {
		t.Fatal(err)
	}
	scope, _ := args.Scope()
	reply, err := tools.Forward(t.Context(), tools.Call{Tool: tool, Now: time.Now(), Arguments: rs.AsObject(arguments), RS: server, Args: args, Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	rendered, err := tool.Render(reply.Call, reply.Answer)
	if err != nil {
		t.Fatal(err)
	}
	result.Text, result.Structured = rendered.Text, rendered.Structured
	return result
}
