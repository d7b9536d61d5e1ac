package tools_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// D23: if a resource server merges connections without a cursor, following the calls in the structured output to the end returns every
// record of each connection once, at any limit.
func TestStructuredOutputContinuesEachConnection(t *testing.T) {
	records := map[string]int{"cin_a": 7, "cin_b": 1, "cin_c": 12}
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		limit, _ := strconv.Atoi(r.Query.Get("limit"))
		start, _ := strconv.Atoi(r.Query.Get("cursor"))
		named := r.Query.Get("connection_id")
		items, more := []map[string]any{}, false
		for _, connection := range []string{"cin_a", "cin_b", "cin_c"} {
			if named != "" && named != connection {
				continue
			}
			end := min(start+limit, records[connection])
			for i := start; i < end; i++ {
				items = append(items, map[string]any{"object": "record", "id": fmt.Sprint("r", i), "stream": "s", "connection_id": connection, "data": map[string]any{"n": i}})
			}
			more = more || end < records[connection]
		}
		page := map[string]any{"object": "list", "data": items, "has_more": more}
		if named != "" && more {
			page["next_cursor"] = strconv.Itoa(start + limit)
		}
		return middlewaretest.JSON(rs.EncodeJSON(page)), nil
	}}
	var want []string
	for connection, n := range records {
		for i := range n {
			want = append(want, fmt.Sprintf("%s/r%d", connection, i))
		}
	}
	slices.Sort(want)
	for _, limit := range []int{1, 2, 5, 7, 12} {
		t.Run(fmt.Sprint(limit), func(t *testing.T) {
			var got []string
			calls := []string{fmt.Sprintf(`{"stream":"s","limit":%d}`, limit)}
			for pages := 0; len(calls) > 0; pages++ {
				if pages > len(want)+5 {
					t.Fatal("the pages do not end")
				}
				call := rs.AsObject(calls[0])
				calls = calls[1:]
				structured := rs.AsObject(use(t, tools.QueryRecords(), server, json.RawMessage(call.JSON())).Structured)
				for _, raw := range structured.Object("data").Array("data") {
					record := rs.AsObject(raw)
					got = append(got, record.Text("connection_id")+"/"+record.Text("id"))
				}
				if cursor := structured.Object("data").Text("next_cursor"); cursor != "" {
					calls = append(calls, call.With("cursor", rs.EncodeJSON(cursor)).JSON())
				}
				for _, next := range structured.Array("next_by_connection") {
					calls = append(calls, rs.AsObject(next).Get("arguments"))
				}
			}
			slices.Sort(got)
			if !slices.Equal(got, want) {
				t.Errorf("got %v; want %q", got, want)
			}
		})
	}
}
