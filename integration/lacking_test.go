package integration

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

var sameThere = regexp.MustCompile(`(?m)^Team chat has no .*\. The same there: (.*)$`)

// missingFields is the part of structured output about fields that a connection lacks.
type missingFields struct {
	Data struct {
		Missing []struct {
			ConnectionID string `json:"connection_id"`
			Fields       []string
			Instead      *struct {
				Tool      string
				Arguments map[string]any
			}
		} `json:"missing_fields"`
	}
}

// A call over several connections may name fields that only some of them have. Each channel names the connections that lack them, with
// the call that reads the same there, and that call succeeds.
func TestConnectionsThatLackFieldsAreNamed(t *testing.T) {
	for asks, row := range map[string]struct{ call, chat string }{
		"fields": {
			`query_records {"stream":"messages","limit":2,"fields":["from_name","subject"]}`,
			`query_records {"stream":"messages","limit":2,"fields":["user_name","text"],"connection_id":"cin_chat_team"}`,
		},
		"sort": {
			`query_records {"stream":"messages","limit":2,"sort":"-received_at"}`,
			`query_records {"stream":"messages","limit":2,"sort":"-sent_at","connection_id":"cin_chat_team"}`,
		},
		"sort by a field that is not shown": {
			`query_records {"stream":"messages","limit":2,"fields":["id"],"sort":"-received_at"}`,
			`query_records {"stream":"messages","limit":2,"fields":["id"],"sort":"-sent_at","connection_id":"cin_chat_team"}`,
		},
		"filter": {
			`query_records {"stream":"messages","limit":2,"filter":{"from_name":"Marcus Webb"}}`,
			`query_records {"stream":"messages","limit":2,"filter":{"user_name":"Marcus Webb"},"connection_id":"cin_chat_team"}`,
		},
		"a filter that nothing matches": {
			`query_records {"stream":"messages","filter":{"from_name":"Nobody At All"}}`,
			`query_records {"stream":"messages","filter":{"user_name":"Nobody At All"},"connection_id":"cin_chat_team"}`,
		},
		"a name in lower case": {
			`query_records {"stream":"messages","filter":{"from_name":"marcus webb"}}`,
			`query_records {"stream":"messages","filter":{"user_name":"Marcus Webb"},"connection_id":"cin_chat_team"}`,
		},
		"a count of a name in lower case": {
			`aggregate {"stream":"messages","metric":"count","filter":{"from_name":"marcus webb"}}`,
			`aggregate {"stream":"messages","metric":"count","filter":{"user_name":"Marcus Webb"},"connection_id":"cin_chat_team"}`,
		},
		"group_by": {
			`aggregate {"stream":"messages","metric":"count","group_by":"from_name"}`,
			`aggregate {"stream":"messages","metric":"count","group_by":"user_name","connection_id":"cin_chat_team"}`,
		},
		"group_by_time": {
			`aggregate {"stream":"messages","metric":"count","group_by_time":"received_at","granularity":"month"}`,
			`aggregate {"stream":"messages","metric":"count","group_by_time":"sent_at","granularity":"month","connection_id":"cin_chat_team"}`,
		},
		"a count of no records": {
			`aggregate {"stream":"messages","metric":"count","filter":{"from_name":"Nobody At All"}}`,
			`aggregate {"stream":"messages","metric":"count","filter":{"user_name":"Nobody At All"},"connection_id":"cin_chat_team"}`,
		},
		"a field without a counterpart": {`aggregate {"stream":"messages","metric":"sum","field":"size_bytes"}`, ""},
		"fields that all have":          {`query_records {"stream":"messages","limit":2,"fields":["id"]}`, "-"},
	} {
		t.Run(asks, func(t *testing.T) {
			t.Parallel()
			s := overHTTP(t, sample.MCPURL, sample.ClientToken)
			asked := parseCall(t, row.call)
			result := s.call(asked.tool, asked.arguments)
			var document missingFields
			if err := structured(result, &document); err != nil {
				t.Fatal(err)
			}
			text, missing := textOf(result), document.Data.Missing
			if row.chat == "-" {
				if len(missing) > 0 || strings.Contains(text, "Team chat has no ") {
					t.Errorf("%v\n%s", missing, text)
				}
				return
			}
			if len(missing) != 1 || missing[0].ConnectionID != "cin_chat_team" || !strings.Contains(text, "Team chat has no "+missing[0].Fields[0]) {
				t.Fatalf("%v\n%s", missing, text)
			}
			if row.chat == "" {
				if missing[0].Instead != nil {
					t.Errorf("proposes %v", missing[0].Instead)
				}
				return
			}
			var printed *call
			if found := sameThere.FindStringSubmatch(text); found != nil {
				sent := parseCall(t, found[1])
				printed = &sent
			}
			proposed := missing[0].Instead
			if want := parseCall(t, row.chat); printed == nil || !cmp.Equal(*printed, want, cmp.AllowUnexported(call{})) ||
				!cmp.Equal(call{proposed.Tool, proposed.Arguments}, want, cmp.AllowUnexported(call{})) {
				t.Errorf("text has %v, structured output %v, want %v", printed, proposed, want)
			}
			if got := s.call(proposed.Tool, proposed.Arguments); got.IsError {
				t.Error(textOf(got))
			}
		})
	}
}
