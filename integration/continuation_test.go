package integration

import (
	"encoding/json"
	"strings"
	"testing"
)

// What an answer prints to go on with is callable as it stands, and keeps what was asked for (S0-5g, S1-2a, S4-R4).
func TestPrintedContinuationsKeepTheQuestion(t *testing.T) {
	s := overHTTP(t, sample.MCPURL, sample.ClientToken)
	for _, row := range []struct {
		name, tool, arguments, prefix string
	}{
		{"a filtered and sorted page", "query_records", `{"stream":"orders","limit":2,"filter":{"total":{"gte":50}},"sort":"-total","expand":["order_items"],"expand_limit":{"order_items":1}}`, "next page: "},
		{"a page of several connections", "query_records", `{"stream":"messages","limit":2,"fields":["subject","is_seen"],"filter":{"is_seen":false}}`, "query_records "},
		{"changes under a filter", "query_records", `{"stream":"orders","changes_since":"beginning","limit":1,"filter":{"status":"shipped"}}`, "next page: "},
		{"a search in one stream", "search", `{"q":"Atlas","streams":["messages"],"limit":3,"mode":"lexical"}`, "next page: "},
	} {
		t.Run(row.name, func(t *testing.T) {
			s := session{s.ClientSession, t}
			text := s.text(row.tool, args(row.arguments))
			var printed map[string]any
			for line := range strings.Lines(text) {
				call, found := strings.CutPrefix(strings.TrimSpace(line), row.prefix)
				if !found {
					continue
				}
				call = strings.TrimPrefix(call, row.tool+" ")
				if err := json.NewDecoder(strings.NewReader(call)).Decode(&printed); err != nil {
					t.Fatalf("%v in %q", err, line)
				}
				break
			}
			if printed == nil {
				t.Fatalf("nothing to go on with:\n%s", text)
			}
			var sent map[string]any
			if err := json.Unmarshal(args(row.arguments), &sent); err != nil {
				t.Fatal(err)
			}
			for name, value := range sent {
				if name == "changes_since" {
					continue // the session's own bookmark takes its place
				}
				want, _ := json.Marshal(value)
				if got, _ := json.Marshal(printed[name]); string(got) != string(want) {
					t.Errorf("%s is %s, was %s", name, got, want)
				}
			}
			if next := s.text(row.tool, printed); next == text || next == "" {
				t.Errorf("the next answer is no other:\n%s", next)
			}
		})
	}
}
