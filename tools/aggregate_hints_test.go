package tools_test

import (
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// Groups by an id say what it names, where that is read in a few reads, and else how it is read.
func TestGroupsByAnIDAreNamed(t *testing.T) {
	schema := func(extra string) string {
		return `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}` + extra + `],"streams":[` +
			`{"name":"messages","field_capabilities":{"channel_id":{"type":"string","granted":true,"aggregation":["group_by"]}}},` +
			`{"name":"channels","field_capabilities":{"name":{"type":"string","granted":true,"role":"primary-title"}},` +
			`"expand_capabilities":[{"name":"messages","stream":"messages","cardinality":"has_many","foreign_key":"channel_id"}]}]}]}`
	}
	for name, row := range map[string]struct {
		connection, other string
		want              string
		reads             []string
	}{
		"one connection": {"c", "", "channel_id | count\nC1 (general) | 5\nC2 | 3\nall 2 groups shown\nchannel_id has ids of channels: fetch {\"id\":\"c/channels:C2\"}",
			[]string{"/v1/streams/channels/records/C1?connection_id=c&fields=name", "/v1/streams/channels/records/C2?connection_id=c&fields=name"}},
		"the only one that has the stream": {"", "", "C1 (general) | 5",
			[]string{"/v1/streams/channels/records/C1?connection_id=c&fields=name", "/v1/streams/channels/records/C2?connection_id=c&fields=name"}},
		"several connections": {"", `,{"connection_id":"d"}`, "C1 (general) | 5", []string{"/v1/streams/channels/records/C1?fields=name", "/v1/streams/channels/records/C2?fields=name"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
				switch {
				case r.Path == "/v1/schema":
					return middlewaretest.JSON(schema(row.other)), nil
				case strings.HasSuffix(r.Path, "/C1"):
					return middlewaretest.JSON(`{"object":"record","id":"C1","stream":"channels","data":{"name":"general"}}`), nil
				case strings.HasSuffix(r.Path, "/C2"):
					return nil, &rs.Error{Code: "not_found", Status: 404}
				}
				return middlewaretest.JSON(`{"metric":"count","stream":"messages","group_by":"channel_id","filtered_record_count":8,"other_count":0,` +
					`"groups":[{"key":"C1","count":5},{"key":"C2","count":3}]}`), nil
			}}
			arguments := `{"stream":"messages","metric":"count","group_by":"channel_id"}`
			if row.connection != "" {
				arguments = strings.TrimSuffix(arguments, "}") + `,"connection_id":"` + row.connection + `"}`
			}
			result := use(t, tools.Aggregate(), server, json.RawMessage(arguments))
			if !strings.Contains(result.Text, row.want) {
				t.Errorf("want %s, got\n%s", row.want, result.Text)
			}
			var reads []string
			for _, line := range server.Lines() {
				if strings.Contains(line, "/channels/") {
					reads = append(reads, line)
				}
			}
			slices.Sort(reads)
			if !slices.Equal(reads, row.reads) {
				t.Errorf("reads %q", reads)
			}
			if !strings.Contains(string(result.Structured), `{"key":"C1","count":5,"title":"general"}`) {
				t.Errorf("structured output has no title: %s", result.Structured)
			}
		})
	}
}

// What a number leaves out, or counts once, stands on both channels.
func TestAggregateSaysWhatItDoesNotTellApart(t *testing.T) {
	server := newShopServer(t)
	for arguments, want := range map[string]string{
		`{"stream":"orders","metric":"count","group_by_time":"at","granularity":"month","connection_id":"cin_a"}`: "months without records are left out",
		`{"stream":"orders","metric":"count_distinct","field":"status"}`:                                          "a value that several connections have is counted once",
		`{"stream":"orders","metric":"count_distinct","field":"status","connection_id":"cin_a"}`:                  "",
		`{"stream":"orders","metric":"sum","field":"total","connection_id":"cin_a","filter":{"status":"paid"}}`:   "",
		`{"stream":"orders","metric":"sum","field":"total","group_by":"status","connection_id":"cin_a"}`:          "",
		`{"stream":"orders","metric":"sum","field":"total","group_by":"due","connection_id":"cin_a"}`:             "every status is included; filter by it to leave some out",
		`{"stream":"orders","metric":"sum","field":"total","connection_id":"cin_a","filter":{"currency":"USD"}}`:  "",
	} {
		text, _, reply := server.call(t, tools.Aggregate(), arguments)
		result, err := tools.Aggregate().Render(reply.Call, reply.Answer)
		if err != nil {
			t.Fatal(err)
		}
		if got := rs.AsObject(string(result.Structured)).Text("note"); got != want {
			t.Errorf("%s: structured output says %q, want %q", arguments, got, want)
		}
		if !strings.Contains(want, "months") && !strings.Contains(text, want) || want == "" && strings.Contains(text, "every status") {
			t.Errorf("%s: want %q in\n%s", arguments, want, text)
		}
	}
}
