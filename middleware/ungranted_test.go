package middleware_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// A resource server applies the times of a grant without a word: an answer says so where it leaves out what is asked for, and no other
// does. It takes no read.
func TestAnAnswerSaysWhatTimesItLeavesOut(t *testing.T) {
	const page = `{"object":"list","data":[{"id":"m1","stream":"messages","data":{"subject":"Tax"}}],"has_more":true,"next_cursor":"c"}`
	for name, row := range map[string]struct {
		tool, arguments string
		said            bool
	}{
		"a first page of many":            {"query_records", `{"stream":"messages"}`, false},
		"a page with a count":             {"query_records", `{"stream":"messages","count":"exact"}`, true},
		"a time within the grant":         {"query_records", `{"stream":"messages","filter":{"received_at":{"gte":"2026-03-01","lt":"2026-04-01"}}}`, false},
		"a time that begins before it":    {"query_records", `{"stream":"messages","filter":{"received_at":{"gte":"2026-02-28"}}}`, true},
		"a time without a beginning":      {"query_records", `{"stream":"messages","filter":{"received_at":{"lt":"2026-04-01"}}}`, true},
		"a time after it":                 {"query_records", `{"stream":"messages","filter":{"received_at":{"gte":"2026-06-01"}}}`, true},
		"another field":                   {"query_records", `{"stream":"messages","filter":{"subject":"Tax"}}`, false},
		"a stream without a limit":        {"query_records", `{"stream":"notes","count":"exact"}`, false},
		"a number of all":                 {"aggregate", `{"stream":"messages","metric":"count"}`, true},
		"a number of a time in the grant": {"aggregate", `{"stream":"messages","metric":"count","filter":{"received_at":{"gte":"2026-03-02","lt":"2026-04-01"}}}`, false},
	} {
		t.Run(name, func(t *testing.T) {
			server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
				if strings.HasSuffix(r.Path, "/aggregate") {
					return middlewaretest.JSON(`{"object":"aggregation","metric":"count","value":7,"filtered_record_count":7}`), nil
				}
				return middlewaretest.JSON(page), nil
			}}
			p := auth.Principal{Token: rs.NewToken(middlewaretest.CanaryToken), Kind: auth.KindClient, Terms: &auth.Terms{
				Limits:  []rs.TimeLimit{{Stream: "messages", Field: "received_at", Since: "2026-03-01T00:00:00Z", Until: "2026-05-01T00:00:00Z"}},
				Connect: func(rs.Missing) []string { return []string{"pdpp-mcp connect https://rs.example"} },
			}}
			reply, err := standard(server)(auth.WithPrincipal(t.Context(), p), callOf(t, row.tool, row.arguments))
			if err != nil {
				t.Fatal(err)
			}
			text, structured := textOf(t, reply.Result), string(reply.Rendered.Structured)
			const limit = "the grant of messages is limited to received_at from 2026-03-01 00:00 to before 2026-05-01 00:00; other records are left out\n"
			said := strings.Contains(text, limit+"to have it granted, the owner runs in a terminal: pdpp-mcp connect https://rs.example")
			times := strings.Contains(structured, `"not_granted":{"times":[{"stream":"messages","field":"received_at"`)
			if said != row.said || times != row.said || !row.said && strings.Contains(text, "limited") {
				t.Errorf("said: %v\n%s\n%s", said, text, structured)
			}
			for _, line := range server.Lines() {
				if line == "/v1/streams/messages" {
					t.Errorf("it is read: %q", server.Lines())
				}
			}
		})
	}
}
