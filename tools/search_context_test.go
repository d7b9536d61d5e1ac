package tools_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// Hits of a resource server that sends no title, sender or time get those of their records, or of the records that they are parts of
// (ANSWERS 3).
func TestHitsGetTheContextOfTheirRecords(t *testing.T) {
	const marked = `"field_capabilities":{"subject":"t=string,role=primary-title","from":"t=string,role=actor","sent_at":"t=timestamp,role=event-time","size":"t=integer"}`
	const bodies = `"expand_capabilities":[{"name":"body","cardinality":"has_one","target_stream":"bodies","foreign_key":"message_id"}]`
	const record = `{"object":"record","id":"ID","stream":"messages","data":{"id":"ID","subject":"Subject of ID","from":"Ann Lee","sent_at":"2026-01-02T03:04:05Z"},"expanded":{"body":{"id":"ID"}}}`
	hit := func(stream, id string) string {
		return fmt.Sprintf(`{"stream":%q,"record_key":%q,"connection_id":"c","emitted_at":"2026-05-05T00:00:00Z","snippet":{"field":"text","text":"a <mark>rent</mark> of %[2]s"}}`, stream, id)
	}
	many := make([]string, 12)
	for i := range many {
		many[i] = hit("messages", fmt.Sprint("m", i))
	}
	for _, row := range []struct {
		name, schema string
		hits         []string
		reads        int // of records
		want         []string
	}{
		{"of a message", `{"name":"messages",` + marked + `}`, []string{hit("messages", "m1")}, 1, []string{"c/messages:m1 | 2026-01-02 03:04 | Subject of m1 | Ann Lee"}},
		{"of a body", `{"name":"messages",` + marked + `,` + bodies + `},{"name":"bodies"}`, []string{hit("bodies", "m1")}, 1, []string{"bodies:m1 | 2026-01-02 03:04 | Subject of m1 | Ann Lee"}},
		{"of a body that is another's", `{"name":"messages",` + marked + `,` + bodies + `},{"name":"bodies"}`, []string{hit("bodies", "other")}, 1, []string{"!Ann Lee"}},
		{"that the schema does not mark", `{"name":"messages","field_capabilities":{"subject":"t=string"}}`, []string{hit("messages", "m1")}, 0, []string{"!Ann Lee"}},
		{"that cannot be read", `{"name":"messages",` + marked + `}`, []string{hit("messages", "gone"), hit("messages", "m2")}, 2, []string{"!Subject of gone", "| Subject of m2 | Ann Lee"}},
		{"of the first nine", `{"name":"messages",` + marked + `}`, many, 9, []string{"Subject of m0", "!Subject of m9"}},
		{"that is there", `{"name":"messages",` + marked + `}`, []string{strings.Replace(hit("messages", "m1"), `{`, `{"title":"Own title",`, 1)}, 0, []string{"Own title", "!Ann Lee"}},
	} {
		t.Run(row.name, func(t *testing.T) {
			server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
				_, id, isRecord := strings.Cut(r.Path, "/streams/messages/records/")
				switch {
				case strings.HasSuffix(r.Path, "/schema"):
					return middlewaretest.JSON(`{"detail":"compact","connectors":[{"connector_key":"k","granted_connections":[{"connection_id":"c"}],"streams":[` + row.schema + `]}]}`), nil
				case id == "gone":
					return nil, &rs.Error{Code: "not_found", Status: 404}
				case id == "other":
					return middlewaretest.JSON(strings.ReplaceAll(strings.Replace(record, `"body":{"id":"ID"}`, `"body":{"id":"b7"}`, 1), "ID", id)), nil
				case isRecord:
					if got := r.Query["fields"]; !slices.Equal(got, []string{"sent_at", "subject", "from"}) {
						t.Errorf("fields %q are read", got)
					}
					return middlewaretest.JSON(strings.ReplaceAll(record, "ID", id)), nil
				}
				return middlewaretest.JSON(`{"object":"list","data":[` + strings.Join(row.hits, ",") + `],"meta":{"count":12}}`), nil
			}}
			for _, looksUp := range []bool{true, false} {
				before := len(server.Requests())
				tool := tools.All(tools.Options{NoSearchRelax: true, NoHitContext: !looksUp})[3]
				result := use(t, tool, server, []byte(`{"q":"rent","limit":12}`))
				reads := len(slices.DeleteFunc(slices.Clone(server.Requests()[before:]), func(r rs.Request) bool { return !strings.Contains(r.Path, "/records/") }))
				if reads != row.reads && looksUp || reads > 0 && !looksUp {
					t.Errorf("%d records are read", reads)
				}
				for _, want := range row.want {
					word, absent := strings.CutPrefix(want, "!")
					if has := strings.Contains(result.Text, word); looksUp && has == absent || !looksUp && has && !strings.Contains(word, "Own") {
						t.Errorf("look-ups %t: want %q in\n%s", looksUp, want, result.Text)
					}
				}
			}
		})
	}
}
