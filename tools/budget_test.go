package tools_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/tools/render"
)

// recordServer serves the records of one stream: pages, single records and windows of a field.
func recordServer(records []rs.Object) *middlewaretest.RS {
	answer := func(value any) (*rs.Response, error) {
		return &rs.Response{Status: http.StatusOK, Body: rs.EncodeJSON(value)}, nil
	}
	texts := map[string][]rune{} // the texts of the windowed fields
	return &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		number := func(name string, fallback int) int {
			if n, err := strconv.Atoi(r.Query.Get(name)); err == nil {
				return n
			}
			return fallback
		}
		parts := strings.Split(strings.Trim(r.Path, "/"), "/")
		if len(parts) == 4 { // v1/streams/s/records
			start, limit := number("cursor", 0), number("limit", 25)
			page := map[string]any{"object": "list", "has_more": start+limit < len(records)}
			list := []json.RawMessage{}
			for _, o := range records[start:min(start+limit, len(records))] {
				list = append(list, json.RawMessage(o.JSON()))
			}
			if page["data"] = list; start+limit < len(records) {
				page["next_cursor"] = strconv.Itoa(start + limit)
			}
			return answer(page)
		}
		if r.Path == rs.Path("schema") {
			return nil, &rs.Error{Code: "not_found", Status: http.StatusNotFound}
		}
		id, err := url.PathUnescape(parts[4])
		if err != nil {
			return nil, err
		}
		i := slices.IndexFunc(records, func(o rs.Object) bool { return o.Text("id") == id })
		if len(parts) == 5 {
			return answer(json.RawMessage(records[i].JSON()))
		}
		field := r.Query.Get("field")
		runes, known := texts[id+" "+field]
		if !known {
			value := records[i].Object("data").Get(field)
			if rs.Kind(value) != "string" {
				return nil, &rs.Error{Code: "field_not_text", Status: http.StatusUnprocessableEntity}
			}
			text, _ := rs.AsText(value)
			runes = []rune(text)
			texts[id+" "+field] = runes
		}
		start := min(number("offset_chars", 0), len(runes))
		end := min(start+number("limit_chars", 4096), len(runes))
		window := map[string]any{"text": string(runes[start:end]), "start_chars": start, "end_chars": end, "total_chars": len(runes), "complete": end-start == len(runes)}
		if end < len(runes) {
			window["next_offset_chars"] = end
		}
		return answer(map[string]any{"field": map[string]any{"path": field}, "window": window})
	}}
}

// use calls a tool as the pipeline does and checks that both channels of the result stay within their budgets (D18).
func use(t *testing.T, tool *tools.Tool, server rs.Doer, raw json.RawMessage) render.Result {
	t.Helper()
	return useIn(t.Context(), t, tool, server, raw)
}

func useIn(ctx context.Context, t *testing.T, tool *tools.Tool, server rs.Doer, raw json.RawMessage) render.Result {
	t.Helper()
	args, err := tool.Parse(raw)
	if err != nil {
		t.Fatalf("%s %.300s: %v", tool.Name, raw, err)
	}
	scope, err := args.Scope()
	if err != nil {
		t.Fatal(err)
	}
	reply, err := tools.Forward(ctx, tools.Call{Tool: tool, Now: time.Now(), Arguments: rs.AsObject(string(raw)), RS: server, Args: args, Scope: scope})
	if err != nil {
		t.Fatalf("%s %.300s: %v", tool.Name, raw, err)
	}
	result, err := tool.Render(reply.Call, reply.Answer)
	if err != nil {
		t.Fatalf("%s %.300s: %v", tool.Name, raw, err)
	}
	result = result.Clean(reply.Response)
	if len(result.Structured) > render.StructuredHard || len(result.Text) > render.TextHard {
		t.Fatalf("%s %.300s: %d bytes of text and %d structured", tool.Name, raw, len(result.Text), len(result.Structured))
	}
	if !utf8.ValidString(result.Text) || !json.Valid([]byte(result.Structured)) {
		t.Fatalf("%s: not a valid result", tool.Name)
	}
	return result
}

type longField struct {
	Field string
	Shown int `json:"shown_chars"`
	Total int `json:"total_chars"`
	Read  struct {
		Tool      string
		Arguments json.RawMessage
	}
}

// readOn reads the windows of a field to the end.
func readOn(t *testing.T, server rs.Doer, arguments json.RawMessage) string {
	t.Helper()
	var text strings.Builder
	for arguments != nil {
		var part struct {
			Window struct{ Text string }
			Next   struct{ Arguments json.RawMessage }
		}
		if err := json.Unmarshal([]byte(use(t, tools.ReadRecordField(), server, arguments).Structured), &part); err != nil {
			t.Fatal(err)
		}
		text.WriteString(part.Window.Text)
		arguments = part.Next.Arguments
	}
	return text.String()
}

// walk reads a stream to the end using structured output alone, including long fields, and returns the fields of each record.
func walk(t *testing.T, server rs.Doer, arguments string) map[string]map[string]string {
	t.Helper()
	records := map[string]map[string]string{}
	for cursor := ""; ; {
		raw := json.RawMessage(arguments)
		if cursor != "" {
			raw = json.RawMessage(fmt.Sprintf(`%s,"cursor":%q}`, strings.TrimSuffix(arguments, "}"), cursor))
		}
		var page struct {
			Data struct {
				Data []struct {
					ID   string
					Data map[string]json.RawMessage
				}
				Next string `json:"next_cursor"`
			}
			Ladder struct {
				Records []struct {
					ID      string
					Long    []longField `json:"long_fields"`
					Omitted []string    `json:"omitted_fields"`
					More    int         `json:"more_fields"`
				}
				More int `json:"more_records"`
			} `json:"content_ladder"`
		}
		if err := json.Unmarshal([]byte(use(t, tools.QueryRecords(), server, raw).Structured), &page); err != nil {
			t.Fatal(err)
		}
		for _, record := range page.Data.Data {
			if records[record.ID] != nil {
				t.Fatalf("record %s occurs twice", record.ID)
			}
			fields := map[string]string{}
			for name, value := range record.Data {
				fields[name] = plain(value)
			}
			records[record.ID] = fields
		}
		for _, record := range page.Ladder.Records {
			ref, err := rs.ParseRef(record.ID)
			if err != nil {
				t.Fatal(err)
			}
			for _, long := range record.Long {
				if long.Shown == long.Total {
					continue
				}
				start := ""
				if long.Shown > 0 {
					start = records[ref.RecordID][long.Field]
				}
				records[ref.RecordID][long.Field] = start + readOn(t, server, long.Read.Arguments)
			}
			for _, name := range record.Omitted {
				records[ref.RecordID][name] = readOn(t, server, json.RawMessage(rs.EncodeJSON(map[string]string{"id": record.ID, "field": name})))
			}
			if record.More > 0 { // the schema names every field
				for i := range 800 {
					name := fmt.Sprintf("field_%d", i)
					if _, shown := records[ref.RecordID][name]; !shown {
						records[ref.RecordID][name] = readOn(t, server, json.RawMessage(rs.EncodeJSON(map[string]string{"id": record.ID, "field": name})))
					}
				}
			}
		}
		if cursor = page.Data.Next; cursor == "" {
			return records
		}
	}
}

// plain returns a string unquoted, and any other value as its JSON.
func plain(value json.RawMessage) string {
	if text, ok := rs.AsText(string(value)); ok {
		return text
	}
	return string(value)
}

func wanted(records []rs.Object) map[string]map[string]string {
	want := map[string]map[string]string{}
	for _, o := range records {
		fields := map[string]string{}
		for _, m := range o.Object("data") {
			fields[m.Name] = plain(json.RawMessage(m.Value))
		}
		want[o.Text("id")] = fields
	}
	return want
}

func record(id string, fields ...rs.Member) rs.Object {
	return rs.Object{{Name: "object", Value: rs.EncodeJSON("record")}, {Name: "id", Value: rs.EncodeJSON(id)}, {Name: "data", Value: rs.Object(fields).JSON()}}
}

func field(name string, value any) rs.Member {
	return rs.Member{Name: name, Value: rs.EncodeJSON(value)}
}

// D18, S1-R2: for records of any size and shape, a client that reads only structured output gets every field of every record, complete
// and once.
func TestAllFieldsOfRecordsCanBeRead(t *testing.T) {
	many := func(n, size int) []rs.Object {
		var list []rs.Object
		for i := range n {
			list = append(list, record(fmt.Sprintf("r%d", i), field("body", strings.Repeat("word ", size/5)), field("n", i)))
		}
		return list
	}
	numbers := make([]int, 40_000)
	var wide []rs.Member
	for i := range 800 {
		wide = append(wide, field(fmt.Sprintf("field_%d", i), strings.Repeat("wide ", 30)))
	}
	for name, records := range map[string][]rs.Object{
		"a record with 800 fields":          {record("a", wide...)},
		"100 records of 20 KB":              many(100, 20_000),
		"1,000 small records":               many(1000, 50),
		"one record with a text of 5 MB":    {record("a", field("subject", "s"), field("body", strings.Repeat("日本語 ", 5<<20/10)))},
		"one record with two long texts":    {record("a", field("x", strings.Repeat("x", 100_000)), field("s", "short"), field("y", strings.Repeat("🚀", 30_000)))},
		"a list of 40,000 numbers":          {record("a", field("numbers", numbers), field("s", "short"))},
		"an object with a long text inside": {record("a", field("o", map[string]any{"deep": map[string]any{"text": strings.Repeat("a\n\"", 40_000)}}))},
		"a text of line breaks":             {record("a", field("body", strings.Repeat("\n", 60_000)))},
		"a record id with a slash":          {record("a/b", field("body", strings.Repeat("x", 60_000)))},
	} {
		t.Run(name, func(t *testing.T) {
			got := walk(t, recordServer(records), `{"stream":"s","limit":100}`)
			want := wanted(records)
			for id := range maps.Keys(want) {
				for name, value := range want[id] {
					if got[id][name] != value {
						t.Errorf("%s of %s has %d characters, want %d", name, id, len(got[id][name]), len(value))
					}
				}
			}
			if len(got) != len(want) {
				t.Errorf("%d records, want %d", len(got), len(want))
			}
		})
	}
}

// D18, S1-R2: for each field that a document truncates, it says how to read on, and that call reads the rest.
func TestAllFieldsOfDocumentsCanBeRead(t *testing.T) {
	var wide, texts []rs.Member
	for i := range 800 {
		wide = append(wide, field(fmt.Sprintf("field_%d", i), strings.Repeat("wide ", 30)))
	}
	for i := range 40 {
		texts = append(texts, field(fmt.Sprintf("text_%d", i), strings.Repeat("line é\n", 400)))
	}
	for name, o := range map[string]rs.Object{
		"a short record":             record("a", field("subject", "s"), field("n", 1)),
		"a text of 1 MB":             record("a", field("subject", "s"), field("body", strings.Repeat("日本語 🚀\n", 1<<20/15))),
		"40 long texts":              record("a", texts...),
		"800 fields":                 record("a", wide...),
		"a list and an object":       record("a", field("list", make([]int, 30_000)), field("object", map[string]string{"text": strings.Repeat("x", 50_000)})),
		"a record id of 3,000 bytes": record(strings.Repeat("i", 3000), field("body", strings.Repeat("x", 60_000))),
	} {
		t.Run(name, func(t *testing.T) {
			server := recordServer([]rs.Object{o})
			id := rs.Ref{Stream: "s", RecordID: o.Text("id")}.String()
			var document struct {
				Text     string
				Metadata struct {
					Incomplete []longField
					Omitted    []string `json:"omitted_fields"`
					More       int      `json:"more_fields"`
				}
			}
			result := use(t, tools.Fetch("https://rs.example"), server, json.RawMessage(rs.EncodeJSON(map[string]string{"id": id})))
			if err := json.Unmarshal([]byte(result.Structured), &document); err != nil {
				t.Fatal(err)
			}
			partial := map[string]longField{}
			for _, c := range document.Metadata.Incomplete {
				partial[c.Field] = c
			}
			unnamed := 0
			for _, m := range o.Object("data") {
				value := plain(json.RawMessage(m.Value))
				shown := strings.Contains(document.Text, m.Name+": "+value) || strings.Contains(document.Text, m.Name+": "+m.Value) || strings.Contains(document.Text, m.Name+":\n> "+strings.ReplaceAll(value, "\n", "\n> "))
				c, cut := partial[m.Name]
				switch {
				case shown:
				case cut && readOn(t, server, c.Read.Arguments) == string([]rune(value)[c.Shown:]):
				case slices.Contains(document.Metadata.Omitted, m.Name):
				default:
					unnamed++
				}
			}
			if unnamed != document.Metadata.More {
				t.Errorf("%d fields are neither shown nor named, and the answer says %d", unnamed, document.Metadata.More)
			}
		})
	}
}

// FuzzRecordsBudget checks the same for records of any shape with up to 12 fields.
func FuzzRecordsBudget(f *testing.F) {
	f.Add("subject", "text of é and 🚀\n", uint16(1500), uint8(3), uint8(2))
	f.Add("", "\"\\\t", uint16(15000), uint8(1), uint8(0))
	f.Add("a.b", "x", uint16(20000), uint8(12), uint8(9))
	f.Fuzz(func(t *testing.T, name, text string, repeat uint16, fields, shape uint8) {
		name, text = strings.ToValidUTF8(name, ""), strings.ToValidUTF8(text, "")
		if rs.UnsafeField(name+"0") != "" {
			return // no call can name such a field, and the answer says so
		}
		if len(name) > 40 || len(text) == 0 || len(text)*int(repeat) > 60_000 || int(fields) > 12 || rs.EncodeJSON(text)[0] != '"' {
			return
		}
		raw := render.Result{Structured: rs.EncodeJSON(name + text)}
		if raw.Clean(&rs.Response{}).Structured != raw.Structured || strings.TrimSpace(name) != name {
			return // another test covers what is removed
		}
		var members []rs.Member
		for i := range int(fields) {
			label := fmt.Sprintf("%s%d", name, i)
			switch long := strings.Repeat(text, int(repeat)/(i+1)+1); (int(shape) + i) % 4 {
			case 0, 1:
				members = append(members, field(label, long))
			case 2:
				members = append(members, field(label, strings.SplitAfter(long, "e")))
			case 3:
				members = append(members, field(label, map[string]any{"in": map[string]any{"text": long}, "n": i}))
			}
		}
		records := []rs.Object{record("a", members...)}
		got := walk(t, recordServer(records), `{"stream":"s"}`)
		for id, fields := range wanted(records) {
			for name, value := range fields {
				if got[id][name] != value {
					t.Errorf("%s of %s has %d bytes, want %d", name, id, len(got[id][name]), len(value))
				}
			}
		}
	})
}

// searchServer finds total hits with ids of about size bytes, pages them, and adds beside bytes of other metadata to its answers.
func searchServer(total, size, beside int) *middlewaretest.RS {
	return &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		limit, _ := strconv.Atoi(r.Query.Get("limit"))
		start, _ := strconv.Atoi(r.Query.Get("cursor"))
		if limit == 0 {
			limit = 20
		}
		hits := []map[string]any{}
		for i := start; i < min(start+limit, total); i++ {
			text := fmt.Sprintf("the <mark>needle</mark> %d %s", i, strings.Repeat("é hay ", 200))
			hits = append(hits, map[string]any{
				"object": "search_result", "stream": "s", "record_key": fmt.Sprintf("%d-%s", i, strings.Repeat("k", size)), "connection_id": "cin_a", "title": strings.Repeat("title ", 40),
				"url": "https://example.com/" + strings.Repeat("u", 1500), "evidence_excerpts": []map[string]any{{"field_path": "body", "preview_text": text, "provenance": "lexical_match"}},
			})
		}
		page := map[string]any{"object": "list", "data": hits, "has_more": start+limit < total, "meta": map[string]any{"note": strings.Repeat("x", beside)}}
		if start+limit < total {
			page["next_cursor"] = strconv.Itoa(start + limit)
		}
		return &rs.Response{Status: http.StatusOK, Body: rs.EncodeJSON(page)}, nil
	}}
}

// D18: for ids, titles, links and envelopes of any size, following the continuations of the structured output or of the text finds every
// hit once.
func TestAllHitsCanBeRead(t *testing.T) {
	for name, row := range map[string]struct{ total, size, beside int }{
		"100 hits":                        {100, 10, 10},
		"100 hits with ids of 600 bytes":  {100, 600, 10},
		"30 hits with ids of 3,000 bytes": {30, 3000, 10},
		"a large envelope":                {40, 10, 200_000},
	} {
		server := searchServer(row.total, row.size, row.beside)
		t.Run(name, func(t *testing.T) {
			seen := map[string]bool{}
			arguments := map[string]any{"q": "needle", "limit": 100}
			for range 200 {
				var page struct {
					Results []struct{ ID string }
					Data    struct {
						Next    string `json:"next_cursor"`
						Count   int    `json:"result_count"`
						Warning string
					}
				}
				if err := json.Unmarshal([]byte(use(t, tools.Search("https://rs.example"), server, json.RawMessage(rs.EncodeJSON(arguments))).Structured), &page); err != nil {
					t.Fatal(err)
				}
				if page.Data.Warning != "" {
					arguments["limit"] = len(page.Results)
					continue
				}
				for _, hit := range page.Results {
					if ref, err := rs.ParseRef(hit.ID); err != nil || seen[ref.RecordID] {
						t.Fatalf("%.100s occurs twice or is not an id: %v", hit.ID, err)
					}
					seen[hit.ID] = true
				}
				if page.Data.Next == "" {
					break
				}
				arguments["cursor"] = page.Data.Next
			}
			if len(seen) != row.total {
				t.Errorf("%d hits of %d", len(seen), row.total)
			}
		})
		t.Run(name+", by text", func(t *testing.T) {
			raw := json.RawMessage(`{"q":"needle","limit":100}`)
			pages := 0
			for raw != nil {
				text := use(t, tools.Search("https://rs.example"), server, raw).Text
				raw = nil
				for line := range strings.SplitSeq(text, "\n") {
					if _, call, ok := strings.Cut(line, ": search {"); ok {
						raw = json.RawMessage("{" + call)
					}
				}
				if pages++; pages > 200 {
					t.Fatal("the pages do not end")
				}
			}
		})
	}
}
