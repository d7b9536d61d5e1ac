package tools_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A window around the first match says how many matches there are, where they begin, and which call reads the next window; if the first
// match is of whole words, only whole words count. It says nothing if the resource server matches differently or the record cannot be
// read.
func TestAWindowSaysWhereTheOtherMatchesAre(t *testing.T) {
	const next = `next match: read_record_field {"id":"messages:m1","field":"body","offset_chars":%d,"limit_chars":%d}`
	far := "Tax" + strings.Repeat(" .", 400) + " tax"
	for name, row := range map[string]struct {
		body, q    string
		at         int
		refused    bool
		text, json string
		next       string
	}{
		"words of their own":      {"The taxes, the tax and THE end", "the", 0, false, "match at 0 to 3 (1 of 3; others at 11, 23)", `"match_starts_chars":[0,11,23]`, ""},
		"parts of words":          {"thesis and other", "the", 0, false, "(1 of 2; others at 12)", `"match_count":2`, ""},
		"behind the window":       {far, "tax", 0, false, "(1 of 2; others at 804)", `"match_starts_chars":[0,804]`, fmt.Sprintf(next, 604, 403)},
		"in code points":          {"\U0001F600tax, tax", "tax", 1, false, "(1 of 2; others at 6)", `"match_starts_chars":[1,6]`, ""},
		"very many":               {strings.Repeat("a b ", 50), "a", 0, false, "(1 of 50; others at 4, 8,", `"match_count":50`, ""},
		"behind very many others": {strings.Repeat("ba", 200_000) + " a, a", "a", 400_001, false, "", `"next_match"`, fmt.Sprintf(next, 399_801, 401)},
		"the only one":            {"the end", "the", 0, false, "match at 0 to 3\n", "", ""},
		"another kind of match":   {"tax, tax", "tax", 5, false, "match at 5 to 8\n", "", ""},
		"a record that is closed": {"tax, tax", "tax", 0, true, "match at 0 to 3\n", "", ""},
	} {
		server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
			if !strings.HasSuffix(r.Path, "/field-window") {
				if row.refused {
					return nil, &rs.Error{Code: "not_found", Status: 404}
				}
				return middlewaretest.JSON(`{"id":"m1","stream":"messages","data":{"body":` + rs.EncodeJSON(row.body) + `}}`), nil
			}
			text := []rune(row.body)
			end := min(len(text), row.at+len(row.q)+200)
			return middlewaretest.JSON(fmt.Sprintf(`{"window":{"text":%s,"start_chars":0,"end_chars":%d,"total_chars":%d,"match_start_chars":%d,"match_end_chars":%d,"has_more":%t}}`,
				rs.EncodeJSON(string(text[:end])), end, len(text), row.at, row.at+len(row.q), end < len(text))), nil
		}}
		start := time.Now()
		result := answerOf(t, "read_record_field", `{"id":"messages:m1","field":"body","q":"`+row.q+`"}`, server)
		if !strings.Contains(result.Text, row.text) || !strings.Contains(result.Structured, row.json) || !strings.Contains(result.Text, row.next) ||
			(row.next != "") != strings.Contains(result.Structured, `"next_match":{"tool":"read_record_field"`) {
			t.Errorf("%s: %.600s\n%.600s", name, result.Text, result.Structured)
		}
		if took := time.Since(start); took > 3*time.Second {
			t.Errorf("%s: %s", name, took)
		}
		if row.json == "" && strings.Contains(result.Structured, "match_count") {
			t.Errorf("%s: %s", name, result.Structured)
		}
	}
}
