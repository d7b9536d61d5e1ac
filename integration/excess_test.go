package integration

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
)

// excessRows returns n rows, valid as hits and as records, of each connection in turn. A row of a connection without a name does not say
// whose it is.
func excessRows(n int, connections ...string) string {
	rows := make([]string, n)
	for i := range rows {
		conn := connections[i%len(connections)]
		if conn != "" {
			conn = fmt.Sprintf(`"connection_id":%q,`, conn)
		}
		rows[i] = fmt.Sprintf(`{%s"object":"record","stream":"notes","record_key":"n%d","id":"n%[2]d","data":{"title":"note %[2]d"},"snippet":"text %[2]d"}`, conn, i)
	}
	return strings.Join(rows, ",")
}

// excessPage is the part of the structured output that both tools have.
type excessPage struct {
	Warning string
	Results []struct {
		ConnectionID string `json:"connection_id"`
	}
	Data struct {
		Warning string
		Next    string `json:"next_cursor"`
		Data    []struct {
			ConnectionID string `json:"connection_id"`
		}
	}
}

// S0-6a, S0-6b: if a resource server sends too much, at most limit items of the named connection are returned, after one read, and both
// channels say what was left out and that the cursor skips it.
func TestExcessItemsAreLeftOut(t *testing.T) {
	t.Parallel()
	const cursor = `"has_more":true,"next_cursor":"behind"`
	for name, row := range map[string]struct {
		rows, envelope, arguments string
		items                     int
		warnings                  []string
	}{
		"more than limit":                       {excessRows(30, "cin_a"), cursor, `"limit":10`, 10, []string{"more than limit 10; 20 ", "next_cursor skips them", "with limit 30"}},
		"more, the last page":                   {excessRows(30, "cin_a"), `"has_more":false`, `"limit":10`, 10, []string{"more than limit 10; 20 ", "with limit 30"}},
		"more than any limit shows":             {excessRows(120, "cin_a"), cursor, `"limit":10`, 10, []string{"110 ", "next_cursor skips them", "Narrow this call"}},
		"large ones":                            {strings.ReplaceAll(excessRows(30, "cin_a"), "text", strings.Repeat("text ", 800)), cursor, `"limit":4`, 4, []string{"limit 4; 26 "}},
		"one more":                              {excessRows(2, "cin_a"), cursor, `"limit":1`, 1, []string{"limit 1; 1 "}},
		"other connections":                     {excessRows(10, "cin_a", "cin_b"), `"has_more":false`, `"connection_id":"cin_a","limit":10`, 5, []string{"5 ", "of other connections"}},
		"only other connections":                {excessRows(4, "cin_b"), `"has_more":false`, `"connection_id":"cin_a"`, 0, []string{"4 ", "of other connections"}},
		"both":                                  {excessRows(20, "cin_b", "cin_a"), cursor, `"connection_id":"cin_a","limit":4`, 4, []string{"10 ", "of other connections", "more than limit 4; 6 ", "with limit 10"}},
		"the older name":                        {strings.ReplaceAll(excessRows(4, "cin_a", "cin_b"), "connection_id", "connector_instance_id"), `"has_more":false`, `"connection_id":"cin_a"`, 2, []string{"2 ", "of other connections"}},
		"other connections only in the address": {`{"stream":"notes","record_uri":"cin_b/notes:n1","record_key":"n1","id":"n1","data":{}}`, `"has_more":false`, `"connection_id":"cin_a"`, 0, []string{"1 ", "of other connections"}},
		"no connection named":                   {excessRows(4, "cin_a", "cin_b"), `"has_more":false`, `"limit":10`, 4, nil},
		"unattributed":                          {excessRows(4, ""), `"has_more":false`, `"connection_id":"cin_a","limit":4`, 4, nil},
		"as many as requested":                  {excessRows(10, "cin_a"), cursor, `"connection_id":"cin_a","limit":10`, 10, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var reads atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.URL.Path == "/v1/schema" {
					body(200, "application/json", `{"object":"schema","bearer":{"token_kind":"client","grant_id":"g"},"connectors":[]}`)(w, r)
					return
				}
				reads.Add(1)
				body(200, "application/json", `{"object":"list","data":[`+row.rows+`],`+row.envelope+`}`)(w, r)
			}))
			t.Cleanup(server.Close)
			url, _ := serve(t, "--rs-url", server.URL)
			s := overHTTP(t, url, "a-token")
			for tool, first := range map[string]string{"search": `{"q":"x",`, "query_records": `{"stream":"notes",`} {
				reads.Store(0)
				result := s.call(tool, args(first+row.arguments+"}"))
				if result.IsError {
					t.Fatalf("%s: %s", tool, textOf(result))
				}
				var page excessPage
				if err := structured(result, &page); err != nil {
					t.Fatal(err)
				}
				items, warning := page.Data.Data, page.Warning
				if tool == "search" {
					items, warning = page.Results, page.Data.Warning
				}
				if len(items) != row.items || reads.Load() != 1 {
					t.Errorf("%s: %d items after %d reads, want %d after one", tool, len(items), reads.Load(), row.items)
				}
				for _, item := range items {
					if item.ConnectionID == "cin_b" && strings.Contains(row.arguments, "cin_a") {
						t.Errorf("%s: an item of another connection", tool)
					}
				}
				if tool == "query_records" && name == "no connection named" {
					const apart = "limit and order hold for each connection apart; the connections follow one another."
					if rest, ok := strings.CutPrefix(warning, apart); ok {
						warning = rest
					} else {
						t.Errorf("records of two connections, and the warning is %q", warning)
					}
				}
				if row.warnings == nil && warning != "" {
					t.Errorf("%s: warns %q", tool, warning)
				}
				for _, want := range row.warnings {
					if !strings.Contains(warning, want) || !strings.Contains(textOf(result), want) {
						t.Errorf("%s: want %q on both channels\nstructured: %s\ntext: %s", tool, want, warning, textOf(result))
					}
				}
				if kept := strings.Contains(row.envelope, "next_cursor"); kept != (page.Data.Next != "") {
					t.Errorf("%s: the cursor is %q", tool, page.Data.Next)
				}
			}
		})
	}
}

// Without connection_id, the limit of query_records is for each connection, as its description says.
func TestRecordsOfEachConnectionAreBounded(t *testing.T) {
	t.Parallel()
	f := newFamily(t, scriptedMember{"a", body(200, "application/json", `{"object":"list","data":[`+excessRows(20, "cin_a", "cin_c")+`],"has_more":false}`)})
	url, _ := serve(t, "--rs-url", f.URL, "--introspection-url", f.URL+"/introspect", "--introspection-client-id", "mcp", "--introspection-client-secret", "s3cret")
	var page excessPage
	overHTTP(t, url, "member-a").structured("query_records", args(`{"stream":"notes","limit":3}`), &page)
	if len(page.Data.Data) != 6 || !strings.Contains(page.Warning, "14 records left out") || !strings.Contains(page.Warning, "with limit 10") {
		t.Errorf("%d records, %q", len(page.Data.Data), page.Warning)
	}
}

// S0-6a, S3-R16: a member that returns more hits than requested, or hits of other members, does not displace other hits: the hits of the
// members alternate, and following the cursor returns all of them.
func TestAMemberThatSendsTooMuchDisplacesNoHits(t *testing.T) {
	t.Parallel()
	greedy := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/search" {
			well("greedy")(w, r)
			return
		}
		body(200, "application/json", `{"object":"list","data":[`+excessRows(60, "cin_modest", "cin_greedy", "cin_greedy")+`],"has_more":false}`)(w, r)
	}
	modest := func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/search" {
			well("modest")(w, r)
			return
		}
		start, _ := strconv.Atoi(r.URL.Query().Get("cursor"))
		limit, _ := strconv.Atoi(r.URL.Query().Get("limit"))
		rows := make([]json.RawMessage, 0, 8)
		for i := start; i < min(start+limit, 8); i++ {
			rows = append(rows, json.RawMessage(fmt.Sprintf(`{"connection_id":"cin_modest","stream":"notes","record_key":"modest%d"}`, i)))
		}
		page := map[string]any{"object": "list", "data": rows, "has_more": start+limit < 8}
		if start+limit < 8 {
			page["next_cursor"] = strconv.Itoa(start + limit)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(page)
	}
	f := newFamily(t, scriptedMember{"greedy", greedy}, scriptedMember{"modest", modest})
	s := dialFamily(t, f)
	seen := map[string]int{}
	arguments := map[string]any{"q": "x", "limit": 6}
	for number := range 20 {
		var page struct {
			Results []struct {
				ID           string
				ConnectionID string `json:"connection_id"`
			}
			Data struct {
				Next string `json:"next_cursor"`
			}
		}
		result := s.call("search", arguments)
		if err := structured(result, &page); err != nil || result.IsError {
			t.Fatalf("%v %s", err, textOf(result))
		}
		if len(page.Results) > 6 {
			t.Errorf("%d hits on a page of 6", len(page.Results))
		}
		if number == 0 && !strings.Contains(textOf(result), "20 were left out") {
			t.Errorf("no warning about the other member's hits: %s", textOf(result))
		}
		own := 0
		for _, hit := range page.Results {
			seen[hit.ID]++
			if hit.ConnectionID == "cin_modest" {
				own++
			}
		}
		if number == 0 && own != 3 {
			t.Errorf("%d of 6 hits are of the modest member, want 3", own)
		}
		if page.Data.Next == "" {
			break
		}
		arguments["cursor"] = page.Data.Next
	}
	for id, times := range seen {
		if times > 1 {
			t.Errorf("%s occurs %d times", id, times)
		}
	}
	if len(seen) != 40+8 {
		t.Errorf("%d hits, want 48", len(seen))
	}
}
