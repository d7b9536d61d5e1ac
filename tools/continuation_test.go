package tools_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// listServer serves one record, or hit, for each of the sizes, which are in bytes.
func listServer(sizes []int, hits bool) *middlewaretest.RS {
	return &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		limit, _ := strconv.Atoi(r.Query.Get("limit"))
		start, _ := strconv.Atoi(r.Query.Get("cursor"))
		if limit == 0 {
			limit = 20
		}
		end := min(start+limit, len(sizes))
		items := []map[string]any{}
		for i, size := range sizes[start:end] {
			text := strings.Repeat("é hay ", size/7)
			item := map[string]any{"object": "record", "id": fmt.Sprint("r", start+i), "stream": "s", "connection_id": "cin_a", "data": map[string]any{"n": i, "body": text}}
			if hits {
				item = map[string]any{"stream": "s", "record_key": fmt.Sprint("r", start+i), "connection_id": "cin_a", "title": strings.Repeat("title ", size%40)}
				if size%3 > 0 { // some hits have no matched excerpt
					item["evidence_excerpts"] = []map[string]any{{"field_path": "body", "preview_text": "a <mark>needle</mark> in " + text, "provenance": "lexical_match"}}
				}
			}
			items = append(items, item)
		}
		page := map[string]any{"object": "list", "data": items, "has_more": end < len(sizes)}
		if end < len(sizes) {
			page["next_cursor"] = strconv.Itoa(end)
		}
		return &rs.Response{Status: http.StatusOK, Body: rs.EncodeJSON(page)}, nil
	}}
}

// D23: following the continuations of a channel to the end returns every item of the resource server's list once and in order, for any
// limit and any size of items.
func assertContinues(t *testing.T, sizes []int, limit int) {
	t.Helper()
	want := make([]string, len(sizes))
	for i := range sizes {
		want[i] = fmt.Sprint("cin_a/s:r", i)
	}
	for name, tool := range map[string]*tools.Tool{"query_records": tools.QueryRecords(), "search": tools.Search("https://rs.example")} {
		arguments := map[string]any{"stream": "s"}
		if name == "search" {
			arguments = map[string]any{"q": "needle"}
		}
		if limit > 0 {
			arguments["limit"] = limit
		}
		server := listServer(sizes, name == "search")
		for channel, read := range map[string]func(text string, structured json.RawMessage) (ids []string, cursor string){"text": readText, "structured": readStructured} {
			call, got := json.RawMessage(rs.EncodeJSON(arguments)), []string(nil)
			for pages := 0; call != nil; pages++ {
				if pages > 10*len(sizes)+10 {
					t.Fatalf("%s, %s: the pages do not end", name, channel)
				}
				result := use(t, tool, server, call)
				ids, cursor := read(result.Text, json.RawMessage(result.Structured))
				if channel == "text" && cursor != "" && strings.Contains(result.Text, "none follow") {
					t.Fatalf("%s says that none follow, but has a continuation: %.200s", name, result.Text)
				}
				got, call = append(got, ids...), nil
				if cursor != "" {
					arguments["cursor"] = cursor
					call = json.RawMessage(rs.EncodeJSON(arguments))
				}
			}
			delete(arguments, "cursor")
			if name == "search" && channel == "text" { // the text lists exact matches first, so only the order within a page is fixed
				slices.SortStableFunc(got, func(a, b string) int { return number(a) - number(b) })
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s, %s, limit %d: %d items of %d: %.300q", name, channel, limit, len(got), len(want), got)
			}
		}
	}
}

func number(id string) int {
	n, _ := strconv.Atoi(strings.TrimPrefix(id, "cin_a/s:r"))
	return n
}

// rowID is the id of a record in a table.
var rowID = regexp.MustCompile(`^r\d+$`)

func readText(text string, _ json.RawMessage) (ids []string, cursor string) {
	for line := range strings.SplitSeq(text, "\n") {
		if id, ok := strings.CutPrefix(line, "id: cin_a/"); ok { // a single record
			ids = append(ids, "cin_a/"+id)
		}
		if id, _, ok := strings.Cut(line, " | "); ok && rowID.MatchString(id) {
			ids = append(ids, "cin_a/s:"+id)
		}
		if id, _, ok := strings.Cut(line, " | "); ok && strings.HasPrefix(id, "cin_a/s:") {
			ids = append(ids, id)
		}
		if _, arguments, ok := strings.Cut(line, "next page: "); ok {
			_, arguments, _ = strings.Cut(arguments, " ")
			cursor = rs.AsObject(arguments).Text("cursor")
		}
	}
	return ids, cursor
}

func readStructured(_ string, structured json.RawMessage) (ids []string, cursor string) {
	o := rs.AsObject(string(structured))
	for _, raw := range o.Array("results") {
		ids = append(ids, rs.AsObject(raw).Text("id"))
	}
	data := o.Object("data")
	for _, raw := range data.Array("data") {
		ids = append(ids, "cin_a/s:"+rs.AsObject(raw).Text("id"))
	}
	return ids, data.Text("next_cursor")
}

func TestEachChannelContinuesWhereItStopped(t *testing.T) {
	var many, long, mixed []int
	for i := range 150 {
		many, long, mixed = append(many, 90+i%3), append(long, 4000), append(mixed, (i*i*37)%3000)
	}
	for name, sizes := range map[string][]int{"none": nil, "one": {100}, "many": many, "long": long[:60], "mixed": mixed, "one beyond all bounds": {10, 90_000, 10}} {
		t.Run(name, func(t *testing.T) {
			for _, limit := range []int{0, 1, 7, 100} {
				assertContinues(t, sizes, limit)
			}
		})
	}
}

func FuzzContinuation(f *testing.F) {
	f.Add([]byte{1, 2, 3, 200, 90, 0}, uint8(3))
	f.Add([]byte(strings.Repeat("a\xff", 40)), uint8(0))
	f.Fuzz(func(t *testing.T, seeds []byte, limit uint8) {
		sizes := make([]int, min(len(seeds), 120))
		for i := range sizes {
			sizes[i] = int(seeds[i]) * int(seeds[i])
		}
		assertContinues(t, sizes, int(limit)%101)
	})
}

// If a list has changed between two pages, the continuation starts after the item that was shown last, and says that the list changed.
func TestContinuingAChangedListSaysSo(t *testing.T) {
	sizes := make([]int, 60)
	first := use(t, tools.QueryRecords(), listServer(sizes, false), json.RawMessage(`{"stream":"s","limit":100}`))
	if _, cursor := readText(first.Text, nil); cursor != "" {
		t.Fatal("a page of 60 small records does not fit: ", cursor)
	}
	for i := range sizes {
		sizes[i] = 2000
	}
	first = use(t, tools.QueryRecords(), listServer(sizes, false), json.RawMessage(`{"stream":"s","limit":100}`))
	shown, cursor := readText(first.Text, nil)
	insert := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		response, err := listServer(sizes, false).Answer(r)
		response.Body = strings.Replace(response.Body, `"data":[`, `"data":[{"id":"new","stream":"s","connection_id":"cin_a","data":{"n":0}},`, 1)
		return response, err
	}}
	next := use(t, tools.QueryRecords(), insert, json.RawMessage(rs.EncodeJSON(map[string]any{"stream": "s", "limit": 100, "cursor": cursor})))
	if ids, _ := readText(next.Text, nil); len(ids) == 0 || number(ids[0]) != len(shown) || !strings.Contains(next.Text, "list has changed") {
		t.Errorf("after %d records:\n%.300s", len(shown), next.Text)
	}
	gone := listServer([]int{1, 2}, false)
	next = use(t, tools.QueryRecords(), gone, json.RawMessage(rs.EncodeJSON(map[string]any{"stream": "s", "limit": 100, "cursor": cursor})))
	if !strings.Contains(next.Text, "list has changed") || !strings.Contains(next.Structured, "list has changed") {
		t.Errorf("a list without the last item:\n%s\n%s", next.Text, next.Structured)
	}
}

// A record whose id is too long for a line is omitted from the text, and the text says so.
func TestARecordWithATooLongIDIsReported(t *testing.T) {
	long := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		response, err := listServer([]int{1, 2, 3, 4}, false).Answer(r)
		response.Body = strings.Replace(response.Body, `"id":"r1"`, `"id":"`+strings.Repeat("k", 3000)+`"`, 1)
		return response, err
	}}
	var ids []string
	said, call := false, json.RawMessage(`{"stream":"s"}`)
	for pages := 0; call != nil && pages < 10; pages++ {
		text := use(t, tools.QueryRecords(), long, call).Text
		said = said || strings.Contains(text, "Record 2 of these 4 is left out here")
		more, cursor := readText(text, nil)
		ids, call = append(ids, more...), nil
		if cursor != "" {
			call = json.RawMessage(rs.EncodeJSON(map[string]any{"stream": "s", "cursor": cursor}))
		}
	}
	if !said || strings.Join(ids, " ") != "cin_a/s:r0 cin_a/s:r2 cin_a/s:r3" {
		t.Errorf("%t, %q", said, ids)
	}
}

// A cursor with any one character changed is refused, either before anything is read or by the resource server.
func TestAChangedCursorIsRefused(t *testing.T) {
	sizes := make([]int, 60)
	for i := range sizes {
		sizes[i] = 2000
	}
	_, cursor := readText(use(t, tools.QueryRecords(), listServer(sizes, false), json.RawMessage(`{"stream":"s","limit":100}`)).Text, nil)
	decode := func(cursor string) error {
		_, err := tools.QueryRecords().Parse(json.RawMessage(rs.EncodeJSON(map[string]any{"stream": "s", "limit": 100, "cursor": cursor})))
		return err
	}
	if err := decode(cursor); err != nil || !strings.HasPrefix(cursor, "shown.") {
		t.Fatalf("%s as printed: %v", cursor, err)
	}
	const letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_."
	for i := range cursor {
		for _, letter := range letters {
			changed := cursor[:i] + string(letter) + cursor[i+1:]
			sent := render.ParsePosition(changed).Cursor // the resource server refuses a cursor that it did not issue
			if changed != cursor && decode(changed) == nil && (sent == "" || strings.HasPrefix(sent, "shown.")) {
				t.Errorf("%s is accepted as %s", changed, cursor)
			}
		}
	}
}

// A cursor is only valid for the list of the call that printed it. With the arguments of another list it is refused before anything is
// read, or after the one read that tells whether connection_id is an id.
func TestTheCursorOfAnotherListIsRefused(t *testing.T) {
	sizes := make([]int, 60)
	for i := range sizes {
		sizes[i] = 2000
	}
	const sent = `{"stream":"s","connection_id":"cin_a","limit":100,"sort":"-n","filter":{"n":{"gte":0,"lte":90},"a":"b"}}`
	records, search := tools.QueryRecords(), tools.Search("https://rs.example")
	_, cursor := readText(use(t, records, listServer(sizes, false), json.RawMessage(sent)).Text, nil)
	_, searchCursor := readText(use(t, search, listServer(sizes, true), json.RawMessage(`{"query":"needle","streams":["s"]}`)).Text, nil)
	for name, c := range map[string]struct {
		tool  *tools.Tool
		args  string
		other string // "" where it is the same list
		reads int
	}{
		"the same, otherwise written": {records, `{"filter":{"a":"b","n":{"lte":90,"gte":0}},"sort":"-n","connection_id":"cin_a","stream":"s","fields":["n"],"limit":7}`, "", 1},
		"another stream":              {records, strings.Replace(sent, `"s"`, `"t"`, 1), "stream", 0},
		"another filter":              {records, strings.Replace(sent, `90`, `91`, 1), "filter or time", 0},
		"another order":               {records, strings.Replace(sent, `"-n"`, `"n"`, 1), "words, sort or mode", 0},
		"no stream of a sort":         {records, `{"stream":"t","connection_id":"cin_a"}`, "stream, and other filter or time, and other words, sort or mode", 0},
		"another connection":          {records, strings.Replace(sent, `cin_a`, `cin_b`, 1), "connection_id", 1},
		"the same search":             {search, `{"q":"needle","streams":["s"]}`, "", 2},
		"other words":                 {search, `{"q":"needles","streams":["s"]}`, "words, sort or mode", 0},
		"a time":                      {search, `{"q":"needle","streams":["s"],"since":"2026-01-01"}`, "filter or time", 0},
		"one connection":              {search, `{"q":"needle","streams":["s"],"connection_id":"cin_a"}`, "connection_id", 2}, // reads the schema too
	} {
		t.Run(name, func(t *testing.T) {
			printed := cursor
			if c.tool == search {
				printed = searchCursor
			}
			server := listServer(sizes, c.tool == search)
			raw := rs.Object{{Name: "cursor", Value: rs.EncodeJSON(printed)}}.WithAll(rs.AsObject(c.args)).JSON()
			args, err := c.tool.Parse(json.RawMessage(raw))
			if err == nil {
				scope, _ := args.Scope()
				_, err = tools.Forward(t.Context(), tools.Call{Tool: c.tool, Now: time.Now(), Arguments: rs.AsObject(raw), RS: server, Args: args, Scope: scope})
			}
			switch e := rs.AsError(err); {
			case c.other == "" && err != nil:
				t.Errorf("refused: %v", err)
			case c.other != "" && (err == nil || e.Code != "invalid_cursor" || !strings.Contains(e.Message, "with other "+c.other+".")):
				t.Errorf("%v", err)
			}
			if got := len(server.Requests()); got != c.reads {
				t.Errorf("%d reads; want %v", got, c.reads)
			}
		})
	}
	for value := range 4000 {
		other := strings.Replace(sent, `90`, strconv.Itoa(100+value), 1)
		if _, err := records.Parse(json.RawMessage(rs.AsObject(other).With("cursor", rs.EncodeJSON(cursor)).JSON())); err == nil {
			t.Errorf("%s is accepted with %s", cursor, other)
		}
	}
}
