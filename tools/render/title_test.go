package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/marked"
)

// A title is readable, differs from the excerpt below it, and uses the words of the source and of the grant (S0-6a, S3-8a).
func TestTitles(t *testing.T) {
	evidence := func(field, text string) string {
		return fmt.Sprintf(`"evidence_excerpts":[{"field_path":%q,"provenance":"lexical_match","preview_text":%q}]`, field, text)
	}
	long := "The plan for the week in which we move house, with every box"
	for _, test := range []struct{ name, hit, title, shown string }{
		{"S0-6a the source's title stays", `"title":"The plan",` + evidence("body", "our <mark>plan</mark>"), "The plan", "our <mark>plan</mark>"},
		{"a subject in the data is a title", `"data":{"subject":"The plan"},` + evidence("body", "our <mark>plan</mark>"), "The plan", "our <mark>plan</mark>"},
		{"the better name wins in any position", `"name":"ada","data":{"title":"The plan"}`, "The plan", ""},
		{"S0-6a a title equal to the snippet is printed once", `"title":"hello there","snippet":{"text":"<mark>hello</mark>  there"}`, "hello there", ""},
		{"a title equal but for case and an ellipsis is printed once", `"title":"Hello there","snippet":{"text":"…hello <mark>there</mark>…"}`, "Hello there", ""},
		{"a title that contains the snippet is printed", `"title":"hello there","snippet":{"text":"hello"}`, "hello there", ""},
		{"a truncated start of the snippet is not a title", `"title":"hello the…","snippet":{"text":"hello there you"}`, "messages from Team chat, 2026-01-02", "hello there you"},
		{"a start truncated with dots is not a title", `"title":"hello the...","snippet":{"text":"hello there you"}`, "messages from Team chat, 2026-01-02", "hello there you"},
		{"a long start of the snippet is not a title", `"title":"` + long + `","snippet":{"text":"` + long + ` and chair"}`, "messages from Team chat, 2026-01-02", long + " and chair"},
		{"a short word that starts the text is a title", `"title":"Lunch","snippet":{"text":"Lunch at twelve?"}`, "Lunch", "Lunch at twelve?"},
		{"a text longer than a title is not a title, even if it contains the snippet", `"title":"` + strings.Repeat("long words ", 20) + `","snippet":{"text":"` + strings.Repeat("long words ", 9) + `"}`, "messages from Team chat, 2026-01-02", strings.TrimSpace(strings.Repeat("long words ", 9))},
		{"a body that matched is not repeated as the title", `"title":"our plan",` + evidence("body", "our <mark>plan</mark>"), "messages from Team chat, 2026-01-02", "our <mark>plan</mark>"},
		{"the truncated start of a body is not repeated as the title", `"title":"our pl…",` + evidence("body", "our <mark>plan</mark>"), "messages from Team chat, 2026-01-02", "our <mark>plan</mark>"},
		{"a title that matched is kept, with its stream and connection", `"title":"The plan",` + evidence("title", "The <mark>plan</mark>"), "The plan (messages from Team chat, 2026-01-02)", "The <mark>plan</mark>"},
		{"a tag at the start of a title does not replace it", `"title":"Recipe: plum crumble",` + evidence("tags.1", "<mark>recipe</mark>"),
			"Recipe: plum crumble (messages from Team chat, 2026-01-02)", "<mark>recipe</mark>"},
		{"a title may be in a nested field", `"title":"The plan",` + evidence("event.title", "The <mark>plan</mark>"), "The plan (messages from Team chat, 2026-01-02)", "The <mark>plan</mark>"},
		{"S3-8a an id is not a title", `"title":"m1"`, "messages from Team chat, 2026-01-02", ""},
		{"the complete id is not a title", `"title":"cin_a/messages:m1"`, "messages from Team chat, 2026-01-02", ""},
		{"a UUID is not a title", `"title":"3f2b8c1e-77aa-4d0b-9e21-0c5d1a2b3c4d"`, "messages from Team chat, 2026-01-02", ""},
		{"a long number is not a title", `"title":"1767312000000"`, "messages from Team chat, 2026-01-02", ""},
		{"a resource URI is not a title", `"title":"pdpp://record/abc"`, "messages from Team chat, 2026-01-02", ""},
		{"the field after an id is used", `"title":"m1","data":{"subject":"The plan"}`, "The plan", ""},
		{"an id of several words is a title, as that of a note", `"id":"2026-01-02 Our plan","title":"2026-01-02 Our plan"`, "2026-01-02 Our plan", ""},
		{"a date is a title", `"title":"2026-01-02 notes"`, "2026-01-02 notes", ""},
		{"a file name is a title", `"filename":"IMG_20260102_1234567.jpg"`, "IMG_20260102_1234567.jpg", ""},
		{"white space, marks and dashes are not a title", `"title":" <mark></mark> — \u202e"`, "messages from Team chat, 2026-01-02", ""},
		{"an emoji is a title", `"title":"🎂"`, "🎂", ""},
		{"a chat message without a title is named by stream, connection and day", evidence("text", "<mark>hi</mark>"), "messages from Team chat, 2026-01-02", "<mark>hi</mark>"},
		{"S0-6a the author's time comes before the server's, in any position", `"updated_at":"2026-05-05T00:00:00Z"`, "messages from Team chat, 2026-01-02", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			sent := `"data":{"sent_at":"2026-01-02T03:04:05Z"}`
			hit := test.hit
			if strings.Contains(hit, `"data":{`) {
				hit = strings.Replace(hit, `"data":{`, `"data":{"sent_at":"2026-01-02T03:04:05Z",`, 1)
			} else {
				hit += "," + sent
			}
			_, s := search(t, []byte(`{"data":[{"stream":"messages","record_key":"m1","connection_id":"cin_a","display_name":"Team chat","connector_id":"slack","emitted_at":"2026-09-09T00:00:00Z",`+hit+`}]}`), "x")
			got := s.Results[0]
			shown := got.Snippet
			if got.Evidence != nil {
				shown = got.Evidence.Text
			}
			if diff := cmp.Diff([]string{test.title, test.shown}, []string{got.Title, shown}); diff != "" {
				t.Errorf("title and text (-want +got):\n%s", diff)
			}
			if marked.Quotable(got.Title) == marked.Quotable(shown) {
				t.Errorf("title and text are the same: %q", got.Title)
			}
		})
	}
	t.Run("no name of a connection is invented", func(t *testing.T) {
		for hit, want := range map[string]string{
			`"connector_id":"https://registry.example/connectors/slack"`:   "messages from slack",
			`"connection_id":"cin_a"`:                                      "messages m1",
			`"display_name":"Ada's chat","connector_id":"slack"`:           "messages from Ada's chat",
			`"display_name":"  Ada's\nchat\u202e ","connector_id":"slack"`: "messages from Ada's chat",
		} {
			_, s := search(t, []byte(`{"data":[{"stream":"messages","record_key":"m1",`+hit+`}]}`), "x")
			if s.Results[0].Title != want {
				t.Errorf("%s: %q, want %q", hit, s.Results[0].Title, want)
			}
		}
	})
}
