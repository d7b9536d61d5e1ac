package integration

import (
	"errors"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// transcript is a conversation that uses every tool, with and without errors.
var transcript = []struct{ tool, arguments string }{
	{"schema", `{}`},
	{"schema", `{"stream":"messages"}`},
	{"schema", `{"stream":"messages","connection_id":"cin_chat_team"}`},
	{"schema", `{"stream":"orders","detail":"full"}`},
	{"schema", `{"detail":"full"}`},
	{"schema", `{"stream":"nothing"}`},
	{"query_records", `{"stream":"orders","limit":3,"filter":{"total":{"gte":20}},"sort":"-total","count":"exact"}`},
	{"query_records", `{"stream":"messages","limit":2}`},
	{"query_records", `{"stream":"messages","connection_id":"cin_mail_work","limit":100}`},
	{"query_records", `{"stream":"orders","limit":2,"expand":["order_items"],"expand_limit":{"order_items":1}}`},
	{"query_records", `{"stream":"notes","expand":["nothing"]}`},
	{"query_records", `{"stream":"notes","limit":1,"changes_since":"beginning"}`},
	{"query_records", `{"stream":"notes","filter":"language=ja"}`},
	{"query_records", `{"stream":"notes","cursor":"nonsense"}`},
	{"aggregate", `{"stream":"orders","metric":"count"}`},
	{"aggregate", `{"stream":"orders","metric":"sum","field":"total","group_by":"merchant","limit":3}`},
	{"aggregate", `{"stream":"notes","metric":"count","group_by_time":"created_at","granularity":"quarter"}`},
	{"aggregate", `{"stream":"orders","metric":"sum"}`},
	{"search", `{"q":"Christmas","limit":10}`},
	{"search", `{"q":"日本語"}`},
	{"search", `{"q":"no such words at all"}`},
	{"search", `{"q":"Lisbon","mode":"semantic"}`},
	{"search", `{}`},
	{"fetch", `{"id":"cin_mail_work/messages:dup-1"}`},
	{"fetch", `{"id":"messages:dup-1"}`},
	{"fetch", `{"id":"messages:dup-1","connection_id":"cin_mail_work","fields":["subject"]}`},
	{"fetch", `{"id":"cin_notes/notes:note-0002"}`},
	{"fetch", `{"id":"cin_notes/notes:none"}`},
	{"read_record_field", `{"id":"cin_notes/notes:note-0002","field":"body","offset_chars":40000,"limit_chars":300}`},
	{"read_record_field", `{"id":"cin_notes/notes:note-0002","field":"body","q":"日本語","before_chars":20,"after_chars":20}`},
	{"read_record_field", `{"id":"cin_notes/notes:note-0002","field":"body","q":"no such words"}`},
	{"list_streams", `{}`},
	{"fetch_blob", `{"blob_id":"blob_none"}`},
}

// ofTheMoment matches what differs between equal calls: the time of an answer, also in the cursors of a change feed (of its end, and in
// the arguments for the next page), and the number of reads, since a schema may be cached.
var ofTheMoment = regexp.MustCompile(`(now |"now": ")20\d\d-\d\d-\d\dT\d\d:\d\dZ|("reads": )\d+|( · )\d+( reads?\b)|(changes_since(?:=|\\?": ?\\?"))[\w-]{20,}`)

// TestEveryTransportGivesTheSameAnswers covers S3-R5 and S3-5b: one transcript over three transports gives identical results.
func TestEveryTransportGivesTheSameAnswers(t *testing.T) {
	cache := cacheFile(t, sample.RSURL, map[string]any{"access_token": sample.ClientToken})
	type answer struct {
		Result *mcp.CallToolResult
		Error  *jsonrpc.Error
	}
	play := func(s session) []string {
		answers := make([]string, 0, len(transcript))
		for _, line := range transcript {
			var a answer
			result, err := s.CallTool(t.Context(), &mcp.CallToolParams{Name: line.tool, Arguments: args(line.arguments)})
			if err != nil && !errors.As(err, &a.Error) {
				t.Fatalf("%s %s: %v", line.tool, line.arguments, err)
			}
			a.Result = &mcp.CallToolResult{}
			if result != nil {
				a.Result.Content, a.Result.StructuredContent, a.Result.IsError = result.Content, result.StructuredContent, result.IsError
				if uri, ok := result.Meta["pdpp/resource_uri"]; ok {
					a.Result.Meta = mcp.Meta{"pdpp/resource_uri": uri}
				}
			}
			answers = append(answers, ofTheMoment.ReplaceAllString(canonical(a), "$1$2$3$4$5"))
		}
		return answers
	}
	want := play(overHTTPIn(t, sample.MCPURL, sample.ClientToken, legacyEra))
	for name, s := range map[string]session{
		"hosted in the modern era": overHTTPIn(t, sample.MCPURL, sample.ClientToken, modernEra),
		"stdio":                    overStdio(t, "--provider-url", sample.RSURL, "--cache-root", cache),
	} {
		got := play(s)
		for i, line := range transcript {
			if diff := cmp.Diff(want[i], got[i]); diff != "" {
				t.Errorf("%s answers %s %s differently (-hosted +%s):\n%s", name, line.tool, line.arguments, name, diff)
			}
		}
	}
}
