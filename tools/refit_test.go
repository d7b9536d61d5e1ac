package tools_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// pages serves a stream of total records, each with a text of size bytes, paged by an exact cursor. An answer of more than most bytes is
// too large.
func pages(total, size, most int) *middlewaretest.RS {
	return &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		limit, _ := strconv.Atoi(r.Query.Get("limit"))
		if limit == 0 {
			limit = 25
		}
		start, _ := strconv.Atoi(r.Query.Get("cursor"))
		var records []string
		for i := start; i < min(start+limit, total); i++ {
			records = append(records, fmt.Sprintf(`{"id":"r%d","data":{"body":%q}}`, i, strings.Repeat("x", size)))
		}
		next := ""
		if start+limit < total {
			next = fmt.Sprintf(`,"next_cursor":"%d"`, start+limit)
		}
		body := fmt.Sprintf(`{"object":"list","data":[%s],"has_more":%t%s}`, strings.Join(records, ","), next != "", next)
		if len(body) > most {
			return nil, &rs.Error{Code: "response_too_large", Message: "The answer is too large."}
		}
		return &rs.Response{Status: 200, Body: body}, nil
	}}
}

// D18, D23: a page too large for one answer continues at the first record that was not shown; a page too large to read is requested again
// with a smaller limit. Following the cursor of either channel reads every record once.
func TestATooLargePageIsReadInParts(t *testing.T) {
	for name, row := range map[string]struct {
		arguments         string
		total, size, most int
		lowered           bool
	}{
		"a small page is read once":                  {`{"stream":"s","limit":100}`, 100, 100, 1 << 20, false},
		"100 records of 20 KB are read in parts":     {`{"stream":"s","limit":100}`, 30, 20_000, 16 << 20, false},
		"the default limit is kept as well":          {`{"stream":"s"}`, 60, 5_000, 16 << 20, false},
		"a record beyond all bounds comes by itself": {`{"stream":"s","limit":10}`, 3, 60_000, 16 << 20, false},
		"a page that cannot be read is smaller":      {`{"stream":"s","limit":64}`, 30, 20_000, 100_000, true},
	} {
		t.Run(name, func(t *testing.T) {
			server := pages(row.total, row.size, row.most)
			tool := tools.QueryRecords()
			raw := json.RawMessage(row.arguments)
			var ids []string
			for range row.total + 1 {
				args, err := tool.Parse(raw)
				if err != nil {
					t.Fatal(err)
				}
				scope, err := args.Scope()
				if err != nil {
					t.Fatal(err)
				}
				reply, err := tools.Forward(t.Context(), tools.Call{Tool: tool, Now: time.Now(), RS: server, Args: args, Scope: scope})
				if err != nil {
					t.Fatal(err)
				}
				result, err := tool.Render(reply.Call, reply.Answer)
				if err != nil {
					t.Fatal(err)
				}
				var page struct {
					Data struct {
						Data []struct {
							ID string `json:"id"`
						} `json:"data"`
						Next string `json:"next_cursor"`
					} `json:"data"`
				}
				if err := json.Unmarshal([]byte(result.Structured), &page); err != nil {
					t.Fatal(err)
				}
				if len(result.Structured) > render.StructuredHard || len(result.Text) > render.TextHard {
					t.Errorf("a page of %d records has %d bytes", len(page.Data.Data), len(result.Structured))
				}
				if len(ids) == 0 && strings.Contains(result.Text, "limit lowered from") != row.lowered {
					t.Errorf("lowered is not %t:\n%.300s", row.lowered, result.Text)
				}
				for _, record := range page.Data.Data {
					ids = append(ids, record.ID)
				}
				if page.Data.Next == "" {
					break
				}
				raw = json.RawMessage(strings.TrimSuffix(row.arguments, "}") + fmt.Sprintf(`,"cursor":%q}`, page.Data.Next))
			}
			if len(ids) != row.total {
				t.Fatalf("%d records were read of %d", len(ids), row.total)
			}
			for i, id := range ids {
				if id != fmt.Sprintf("r%d", i) {
					t.Fatalf("record %d is %s", i, id)
				}
			}
		})
	}
}
