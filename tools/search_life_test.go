package tools_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A time with a word such as created is that of the field with that name. Without such a field, the answer says by which one it was read.
func TestATimeByTheFieldThatIsMeant(t *testing.T) {
	const schema = `{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` +
		`{"name":"pages","field_capabilities":{"date_added":"t=timestamp,eq,r=gte|gt|lte|lt","modified":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","body":"t=text,lex"}},` +
		`{"name":"mails","field_capabilities":{"sent":"t=timestamp,role=event-time,eq,r=gte|gt|lte|lt","subject":"t=text,lex"}}]}]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if r.Path == "/v1/schema" {
			return middlewaretest.JSON(schema), nil
		}
		return middlewaretest.JSON(`{"object":"list","data":[` + hitAt("pages", "a", "") + `],"meta":{"count":1}}`), nil
	}}
	const before = `By date_added: query_records {"stream":"pages","filter":{"date_added":{"lte":"2025-12-31"}}}`
	const march = `"since":"2026-03-01","until":"2026-03-31"}`
	for q, want := range map[string]string{
		"Pages created before 2026":             before,
		"pages that I added before 2026":        before,
		"pages créées avant 2026":               before,
		"How many pages were added before 2026": `{"stream":"pages","metric":"count","filter":{"date_added":{"lte":"2025-12-31"}}}`,
		"pages about tea added before 2026":     `search {"q":"tea","streams":["pages"],"filter":{"date_added":{"lte":"2025-12-31"}}}`,
		"Pages I changed in March 2026":         `search {"streams":["pages"],` + march,
		"pages die ich im März 2026 bearbeitet": `search {"streams":["pages"],` + march,
		"updated pages of March 2026":           `search {"streams":["pages"],` + march,
		"mails edited in March 2026":            `No field of mails has a time for the word "edited": the time was applied to sent instead.`,
		"tea changed in March 2026":             `search {"q":"tea changed",` + march,
	} {
		_, text := searchWith(t, tools.PlainSearch("https://rs.example"), server, fmt.Sprintf(`{"q":%q}`, q))
		if !strings.Contains(text, want) {
			t.Errorf("%s: want %q in\n%s", q, want, text)
		}
	}
}
