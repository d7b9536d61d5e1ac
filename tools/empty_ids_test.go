package tools_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// An id in a different form than the stream's ids is matched to the record's id, and a kind or a name to the stored value that it stands
// for.
func TestIDsAndValuesInAnotherFormAreFound(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[{"name":"orders",` +
		`"field_capabilities":{"id":"t=string,eq","currency":"t=string,eq,a=group_by","type":"t=string,eq,a=group_by","device":"t=string,eq,a=group_by"}}]}]}`
	keys := map[string]string{"currency": `{"key":"GBP","count":5},{"key":"EUR","count":2}`,
		"type":   `{"key":"application/pdf","count":5},{"key":"image/png","count":2},{"key":"image/gif","count":2}`,
		"device": `{"key":"Ana’s Apple\u00a0Watch","count":5},{"key":"Ana’s Apple TV","count":2},{"key":"Café – Paris","count":1}`}
	for condition, want := range map[string]string{
		`{"id":"#2026-0214"}`: `{"id":"2026/0214"}`, `{"id":"0214"}`: `{"id":"2026/0214"}`, `{"id":"2026-0999"}`: "", `{"currency":"€"}`: `{"currency":"EUR"}`,
		`{"currency":"pounds"}`: `{"currency":"GBP"}`, `{"currency":"yen"}`: "", `{"type":"PDF"}`: `{"type":"application/pdf"}`, `{"type":"image"}`: "",
		`{"device":"ana's apple watch"}`: `{"device":"Ana’s Apple\u00a0Watch"}`, `{"device":"Cafe - Paris"}`: `{"device":"Café – Paris"}`, `{"device":"Apple"}`: "",
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			count, by := "0", r.Query.Get("group_by")
			if r.Query.Get("filter[id]") == "2026/0214" {
				count = "1"
			}
			switch {
			case strings.HasSuffix(r.Path, "/schema"):
				return middlewaretest.JSON(schema), nil
			case strings.HasSuffix(r.Path, "/aggregate") && by != "":
				return middlewaretest.JSON(`{"metric":"count","groups":[` + keys[by] + `]}`), nil
			case strings.HasSuffix(r.Path, "/aggregate"):
				return middlewaretest.JSON(`{"metric":"count","value":` + count + `}`), nil
			case strings.HasSuffix(r.Path, "/records") && len(r.Query) == 2 && r.Query.Get("fields") == "id":
				return middlewaretest.JSON(`{"object":"list","data":[{"object":"record","id":"2026/0240"},{"object":"record","id":"2025-0001"}],"has_more":false}`), nil
			}
			return middlewaretest.JSON(`{"object":"list","data":[],"has_more":false}`), nil
		}}
		result := use(t, toolNamed(t, "query_records"), server, []byte(`{"stream":"orders","filter":`+condition+`}`))
		says := `Did you mean: query_records {"stream":"orders","filter":` + want + `}`
		if strings.Contains(result.Text, "Did you mean") != (want != "") || want != "" && !strings.Contains(result.Text, says) {
			t.Errorf("%s: %s", condition, result.Text)
		}
	}
}

// If a field is also called id, the record's own id still leads to the record.
func TestARecordIsFoundByItsIDDespiteAFieldCalledID(t *testing.T) {
	const says = `The record: fetch {"id":"c/chats:a-4"}`
	for id, field := range map[string]string{"a-4": "a", "a-5": "a", "a-6": "a-40"} {
		reads := 0
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			switch {
			case strings.HasSuffix(r.Path, "/schema"):
				return middlewaretest.JSON(`{"detail":"compact","connectors":[{"granted_connections":[{"connection_id":"c"}],"streams":[{"name":"chats","field_capabilities":{"id":"t=string,eq"}}]}]}`), nil
			case strings.HasSuffix(r.Path, "/aggregate"):
				return middlewaretest.JSON(`{"metric":"count","value":0}`), nil
			case strings.HasSuffix(r.Path, "/records") && r.Query.Get("fields") == "id":
				return middlewaretest.JSON(`{"object":"list","data":[` + strings.Repeat(`{"id":"a-40","connection_id":"c","data":{"id":"`+field+`"}},`, 4) +
					`{"id":"a-40","connection_id":"c","data":{"id":"` + field + `"}}],"has_more":false}`), nil
			case strings.Contains(r.Path, "/records/"):
				if reads++; !strings.HasSuffix(r.Path, "/a-4") {
					return nil, &rs.Error{Code: "not_found", Status: 404}
				}
				return middlewaretest.JSON(`{"id":"a-4","connection_id":"c","data":{"id":"a"}}`), nil
			}
			return middlewaretest.JSON(`{"object":"list","data":[],"has_more":false}`), nil
		}}
		result := use(t, toolNamed(t, "query_records"), server, []byte(`{"stream":"chats","filter":{"id":"`+id+`"}}`))
		found := strings.Contains(result.Text, says) && strings.Contains(result.Structured, `"record":{"tool":"fetch","arguments":{"id":"c/chats:a-4"}}`)
		if found != (id == "a-4") || reads > 1 || field == "a-40" && reads > 0 {
			t.Errorf("%s: %d reads, %s\n%s", id, reads, result.Text, result.Structured)
		}
	}
}
