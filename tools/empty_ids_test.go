package tools_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// An id in another form than those of the stream is the one that a record has, and a kind or a name is the value that stands for it.
func TestWhatNoRecordHasInThatFormIsFoundInItsOwn(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[{"name":"orders",` +
		`"field_capabilities":{"id":"t=string,eq","currency":"t=string,eq,a=group_by","type":"t=string,eq,a=group_by"}}]}]}`
	keys := map[string]string{"currency": `{"key":"GBP","count":5},{"key":"EUR","count":2}`,
		"type": `{"key":"application/pdf","count":5},{"key":"image/png","count":2},{"key":"image/gif","count":2}`}
	for condition, want := range map[string]string{
		`{"id":"#2026-0214"}`: `{"id":"2026/0214"}`, `{"id":"0214"}`: `{"id":"2026/0214"}`, `{"id":"2026-0999"}`: "", `{"currency":"€"}`: `{"currency":"EUR"}`,
		`{"currency":"pounds"}`: `{"currency":"GBP"}`, `{"currency":"yen"}`: "", `{"type":"PDF"}`: `{"type":"application/pdf"}`, `{"type":"image"}`: "",
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
