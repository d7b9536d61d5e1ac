package render

import (
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/clean"
	"github.com/pdp-connect/pdpp-mcp/tools/render/internal/write"
)

// A grant describes a generated schema document: connectors with streams with fields, all with different names.
type grant struct {
	connectors, streams, fields, connections int
	full, top                                bool
	fieldBytes                               int                             // of each field's description, approximately
	headBytes                                int                             // of other members of rows and connectors
	name                                     func(kind string, n int) string // "stream" or "field"
}

func usual(kind string, n int) string { return fmt.Sprintf("%s_%d", kind, n) }
func long(kind string, n int) string {
	return fmt.Sprintf("%s_%d_%s", kind, n, strings.Repeat("x", 200))
}
func hostile(kind string, n int) string {
	return fmt.Sprintf("%s, %d: \"\n\u202e\U000E0041 {\"next\"} | é🚀", kind, n)
}

// document returns the schema document. names maps each stream, or each field of the stream "s", to its description.
func (g grant) document(stream string) (body []byte, names map[string]string) {
	names = map[string]string{}
	var connectors, top []string
	made := map[string]int{}
	next := func(kind string) string {
		made[kind]++
		return g.name(kind, made[kind])
	}
	filler := func(n int) string { return write.JSON(strings.Repeat("filler é\n", n/10)) }
	for i := range g.connectors {
		var granted, streams []string
		for k := range g.connections {
			granted = append(granted, write.JSON(map[string]string{"connection_id": fmt.Sprintf("cin_%d_%d", i, k), "display_name": g.name("label", k)}))
		}
		for range g.streams {
			s := stream
			if s == "" {
				s = next("stream")
				names[s] = ""
			}
			var capabilities object
			for k := range g.fields {
				f, raw := next("field"), write.JSON([]string{"t=string,eq,lex", "t=timestamp,role=event-time,r=gte|gt|lte|lt,a=max|min|group_by_time", "declared"}[k%3])
				if g.full {
					raw = object{write.Pair("type", write.JSON("string")), write.Pair("granted", write.JSON(true)), write.Pair("exact_filter", `{"declared":true,"usable":true}`),
						write.Pair("schema", object{write.Pair("type", write.JSON("string")), write.Pair("description", filler(g.fieldBytes))}.JSON())}.JSON()
				}
				capabilities = append(capabilities, write.Pair(f, raw))
				if stream != "" {
					names[f] = raw
				}
			}
			row := object{write.Pair("name", write.JSON(s)), write.Pair("views", filler(g.headBytes)), write.Pair("field_capabilities", capabilities.JSON())}
			if g.top {
				row = append(row, write.Pair("connector_key", write.JSON(fmt.Sprintf("k%d", i))), write.Pair("granted_connections", rs.JoinArray(granted)))
			}
			streams = append(streams, row.JSON())
		}
		if g.top {
			top = append(top, streams...)
			continue
		}
		connectors = append(connectors, object{write.Pair("connector_key", write.JSON(fmt.Sprintf("k%d", i))), write.Pair("about", filler(g.headBytes)),
			write.Pair("granted_connections", rs.JoinArray(granted)), write.Pair("streams", rs.JoinArray(streams))}.JSON())
	}
	out := object{write.Pair("object", write.JSON("schema")), write.Pair("note", filler(g.headBytes))}
	if g.top {
		return append(out, write.Pair("streams", rs.JoinArray(top))).AppendJSON(nil), names
	}
	return append(out, write.Pair("connectors", rs.JoinArray(connectors))).AppendJSON(nil), names
}

// A schemaReader reads a whole schema over one channel.
type schemaReader struct {
	t     *testing.T
	body  []byte
	q     SchemaQuery
	pages int
	names []string
	whole map[string]json.RawMessage // the descriptions of fields that are not marked as shortened
}

func (r *schemaReader) result(q SchemaQuery) Result {
	r.t.Helper()
	result, err := Schema(answered(string(r.body)), q)
	if err != nil {
		r.t.Fatalf("%+v: %v", q, err)
	}
	assertResult(r.t, "schema", result)
	if q.Stream == "" && len(result.Text)+len(result.Structured) > write.StructuredHard {
		r.t.Errorf("the index has %d bytes of text and %d of structured output", len(result.Text), len(result.Structured))
	}
	if n := strings.Count(result.Text, "\n") + 1; n > write.TextLines {
		r.t.Errorf("%d lines", n)
	}
	if r.pages++; r.pages > 3000 {
		r.t.Fatal("the pages do not end")
	}
	return result
}

// asked returns the query with the printed arguments and fails on any other argument.
func (r *schemaReader) asked(raw []byte) SchemaQuery {
	r.t.Helper()
	var a struct {
		Stream       string   `json:"stream"`
		ConnectionID string   `json:"connection_id"`
		Detail       string   `json:"detail"`
		Fields       []string `json:"fields"`
		Offset       int      `json:"offset"`
	}
	decoder := json.NewDecoder(strings.NewReader(string(raw)))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&a); err != nil {
		r.t.Fatalf("printed arguments %s: %v", raw, err)
	}
	q := SchemaQuery{Stream: a.Stream, ConnectionID: a.ConnectionID, Full: a.Detail == "full", Fields: a.Fields, Offset: a.Offset}
	want := r.q
	want.Offset = q.Offset
	if diff := cmp.Diff(want, q); diff != "" {
		r.t.Fatalf("printed arguments differ: %s", diff)
	}
	return q
}

func (r *schemaReader) structured() {
	r.t.Helper()
	r.whole = map[string]json.RawMessage{}
	for q := r.q; ; {
		var page struct {
			Next      struct{ Arguments json.RawMessage }
			Shown     string
			Shortened []string
			Data      struct {
				Connectors  []struct{ Streams []json.RawMessage }
				Connections []struct{ Streams []json.RawMessage } // of an index
				Streams     []json.RawMessage
			}
		}
		raw := r.result(q).Structured
		if err := json.Unmarshal([]byte(raw), &page); err != nil {
			r.t.Fatal(err)
		}
		rows := page.Data.Streams
		for _, c := range page.Data.Connectors {
			rows = append(rows, c.Streams...)
		}
		for _, c := range page.Data.Connections {
			rows = append(rows, c.Streams...)
		}
		for _, row := range rows {
			o := rs.AsObject(string(row))
			if q.Stream == "" {
				r.names = append(r.names, o.Text("name"))
			}
			for _, m := range o.Object("field_capabilities") {
				if q.Stream != "" {
					r.names = append(r.names, m.Name)
					if !slices.Contains(page.Shortened, "field "+clean.Clip(m.Name, write.LabelChars)) {
						r.whole[m.Name] = json.RawMessage(m.Value)
					}
				}
			}
		}
		if page.Next.Arguments == nil {
			return
		}
		if page.Shown == "" {
			r.t.Errorf("the page does not say what it shows: %.200s", raw)
		}
		next := r.asked(page.Next.Arguments)
		if next.Offset <= q.Offset {
			r.t.Fatalf("from %d on to %d", q.Offset, next.Offset)
		}
		q = next
	}
}

func (r *schemaReader) text() {
	r.t.Helper()
	for q := r.q; ; {
		next := q
		text := r.result(q).Text
		for line := range strings.SplitSeq(text, "\n") {
			if call, ok := strings.CutPrefix(line, "Next: schema "); ok {
				next = r.asked([]byte(call))
				continue
			}
			r.names = append(r.names, namesIn(r.t, line, q.Stream == "")...)
		}
		if next.Offset == q.Offset {
			return
		}
		if next.Offset < q.Offset || !strings.Contains(text, fmt.Sprintf("%d-%d of ", q.Offset+1, next.Offset)) {
			r.t.Fatalf("from %d on to %d: %.200s", q.Offset, next.Offset, text)
		}
		q = next
	}
}

// indexLine is the line of a connection: its connector, id, label and streams.
var indexLine = regexp.MustCompile(`^(?:[^\s":]+|"(?:[^"\\]|\\.)*")(?:, (?:\S+|"(?:[^"\\]|\\.)*"))?(?: "(?:[^"\\]|\\.)*")?: (.*)$`)

// namesIn returns the names on a line: of streams after a connector, or of fields after their capabilities.
func namesIn(t *testing.T, line string, index bool) []string {
	t.Helper()
	if strings.HasPrefix(line, "      ") {
		return nil // more connections
	}
	list, ok := strings.CutPrefix(line, "    ")
	if index && !ok {
		if list, ok = strings.CutPrefix(line, "  "); !ok {
			found := indexLine.FindStringSubmatch(line)
			if found == nil || strings.HasPrefix(found[1], "the same ") || strings.HasPrefix(line, "Shown: ") || strings.HasPrefix(line, "Next: ") {
				return nil
			}
			list, ok = found[1], true
		}
	}
	if !ok {
		for _, other := range []string{"Shown:", "One stream's", "Use:", "  example:", "  sorted", "  expand:", "  not granted", "  no ", "Not in"} {
			if strings.HasPrefix(line, other) {
				return nil
			}
		}
		if !strings.HasPrefix(line, "  ") {
			return nil
		}
		if _, list, ok = strings.Cut(line, ": "); !ok {
			return nil
		}
	}
	var names []string
	for list = strings.TrimSuffix(list, ","); list != ""; {
		name := list
		if list[0] == '"' {
			decoder := json.NewDecoder(strings.NewReader(list))
			if err := decoder.Decode(&name); err != nil {
				t.Fatalf("%v: %.200s", err, list)
			}
			list = list[decoder.InputOffset():]
		} else {
			end := strings.IndexAny(list, ", ")
			if end < 0 {
				end = len(list)
			}
			name, list = list[:end], list[end:]
		}
		names = append(names, name)
		if strings.HasPrefix(list, " {") {
			return names // the JSON Schema of the only field of the line
		}
		list = strings.TrimPrefix(list, ", ")
	}
	return names
}

// check reads a schema to the end over each channel and checks that each name occurs once, with its description complete or marked as
// shortened.
func (g grant) check(t *testing.T, stream string) (textPages, structuredPages int) {
	t.Helper()
	body, names := g.document(stream)
	want := make([]string, 0, len(names))
	for name := range names {
		want = append(want, name)
	}
	slices.Sort(want)
	q := SchemaQuery{Stream: stream, Full: g.full}
	for channel, read := range map[string]func(*schemaReader){"text": (*schemaReader).text, "structured": (*schemaReader).structured} {
		r := &schemaReader{t: t, body: body, q: q}
		read(r)
		slices.Sort(r.names)
		if stream == "" { // each connection of a stream has its name
			r.names = slices.Compact(r.names)
		}
		if !slices.Equal(want, r.names) {
			t.Errorf("%s: %d names instead of %d: %.1500q", channel, len(r.names), len(want), slices.DeleteFunc(slices.Clone(want), func(s string) bool { return slices.Contains(r.names, s) }))
		}
		for name, raw := range r.whole {
			if string(raw) != names[name] {
				t.Errorf("%q is described otherwise: %.200s", name, raw)
			}
		}
		for name, raw := range names {
			if r.whole != nil && r.whole[name] == nil && stream != "" && len(raw) < 20_000 {
				t.Errorf("%q is marked as shortened, with %d bytes", name, len(raw))
			}
		}
		if channel == "text" {
			textPages = r.pages
		} else {
			structuredPages = r.pages
		}
	}
	return textPages, structuredPages
}

func TestLargeSchemas(t *testing.T) {
	for name, row := range map[string]struct {
		stream           string
		grant            grant
		text, structured int // the maximum of pages
	}{
		"S0-5a 300 streams are on one page":                  {"", grant{connectors: 3, streams: 100, fields: 12, connections: 1, name: usual}, 1, 1},
		"S0-R5 1,500 streams are all named in one text":      {"", grant{connectors: 5, streams: 300, fields: 2, connections: 2, name: usual}, 1, 3},
		"5,000 streams of one connection":                    {"", grant{connectors: 1, streams: 5000, fields: 1, connections: 1, name: usual}, 4, 8},
		"5,000 streams of 50 connectors":                     {"", grant{connectors: 50, streams: 100, fields: 1, connections: 2, name: usual}, 4, 12},
		"300 streams with long names":                        {"", grant{connectors: 2, streams: 150, fields: 1, connections: 1, name: long}, 4, 5},
		"1,000 streams with hostile names":                   {"", grant{connectors: 2, streams: 500, fields: 1, connections: 1, name: hostile}, 5, 6},
		"streams without connectors above them":              {"", grant{connectors: 4, streams: 250, fields: 1, connections: 3, top: true, name: usual}, 1, 2},
		"one stream each of 600 connectors":                  {"", grant{connectors: 600, streams: 1, fields: 1, connections: 1, name: usual}, 4, 8},
		"800 fields in their compact form":                   {"s", grant{connectors: 1, streams: 1, fields: 800, connections: 1, name: usual}, 1, 2},
		"800 fields in full":                                 {"s", grant{connectors: 1, streams: 1, fields: 800, connections: 1, full: true, fieldBytes: 100, name: usual}, 12, 8},
		"a full schema of 2 MB":                              {"s", grant{connectors: 1, streams: 1, fields: 4, connections: 1, full: true, fieldBytes: 500_000, name: usual}, 1, 4},
		"fields of several KB each are complete":             {"s", grant{connectors: 1, streams: 1, fields: 24, connections: 1, full: true, fieldBytes: 8_000, name: usual}, 3, 8},
		"fields with long names":                             {"s", grant{connectors: 1, streams: 1, fields: 400, connections: 1, name: long}, 5, 4},
		"fields with hostile names":                          {"s", grant{connectors: 1, streams: 1, fields: 400, connections: 1, name: hostile}, 3, 2},
		"heads of 50 KB each are shortened":                  {"s", grant{connectors: 2, streams: 1, fields: 5, connections: 1, full: true, fieldBytes: 20_000, headBytes: 50_000, name: usual}, 1, 10},
		"one stream in 200 rows":                             {"s", grant{connectors: 200, streams: 1, fields: 10, connections: 1, name: usual}, 6, 4},
		"one stream in 5,000 connections":                    {"s", grant{connectors: 1, streams: 1, fields: 30, connections: 5000, name: usual}, 1, 1},
		"one stream in 200 rows, each without a description": {"s", grant{connectors: 200, streams: 1, connections: 1, name: usual}, 3, 1},
	} {
		t.Run(name, func(t *testing.T) {
			text, structured := row.grant.check(t, row.stream)
			t.Logf("%d pages of text, %d of structured output", text, structured)
			if text > row.text || structured > row.structured {
				t.Errorf("%d and %d pages; %d and %d should do", text, structured, row.text, row.structured)
			}
		})
	}
}

// FuzzSchemaBudget: for any schema, each channel stays within its budget, and following its continuations returns every stream or field
// once.
func FuzzSchemaBudget(f *testing.F) {
	for seed := range uint64(12) {
		f.Add(seed, uint16(seed*37), uint8(seed))
	}
	f.Add(uint64(24), uint16(37), uint8('5')) // fields of about 13 KB
	f.Fuzz(func(t *testing.T, seed uint64, size uint16, shape uint8) {
		random := rand.New(rand.NewPCG(seed, uint64(size)))
		n := int(size%200) + 1
		g := grant{
			connectors: 1 + random.IntN(5), connections: random.IntN(40), full: shape&1 != 0, top: shape&2 != 0,
			headBytes: random.IntN(2) * random.IntN(12_000), fieldBytes: random.IntN(3) * random.IntN(30_000),
			name: []func(string, int) string{usual, long, hostile}[random.IntN(3)],
		}
		stream := ""
		if shape&4 != 0 {
			stream, g.streams, g.fields = "s", 1+random.IntN(2), n/g.connectors/8+1
		} else {
			g.streams, g.fields, g.full, g.headBytes = n/g.connectors+1, random.IntN(3), false, g.headBytes/50
		}
		if g.connections == 0 {
			g.connections = 1 // a line without connections would be parsed differently
		}
		if g.top {
			g.connections = min(g.connections, 4) // each row repeats them
		}
		if g.full {
			g.fieldBytes = min(g.fieldBytes, 120_000/(g.fields*g.streams*g.connectors))
		}
		g.check(t, stream)
	})
}

func TestSchemaFields(t *testing.T) {
	body, _ := grant{connectors: 2, streams: 1, fields: 300, connections: 2, full: true, fieldBytes: 400, name: usual}.document("s")
	schema := func(q SchemaQuery) (Result, map[string]json.RawMessage, map[string]any) {
		t.Helper()
		r, err := Schema(answered(string(body)), q)
		if err != nil {
			t.Fatal(err)
		}
		assertResult(t, "schema", r)
		var all map[string]any
		if err := json.Unmarshal([]byte(r.Structured), &all); err != nil {
			t.Fatal(err)
		}
		fields := map[string]json.RawMessage{}
		for _, c := range rs.AsObject(r.Structured).Object("data").Array("connectors") {
			for _, s := range rs.AsObject(c).Array("streams") {
				for _, m := range rs.AsObject(s).Object("field_capabilities") {
					fields[m.Name] = json.RawMessage(m.Value)
				}
			}
		}
		return r, fields, all
	}
	t.Run("only the named fields are described, of each row that has them", func(t *testing.T) {
		r, fields, all := schema(SchemaQuery{Stream: "s", Full: true, Fields: []string{"field_7", "field_307"}})
		if len(fields) != 2 || fields["field_7"] == nil || fields["field_307"] == nil || all["next"] != nil || all["shown"] != nil {
			t.Errorf("%s", r.Structured)
		}
		if strings.Count(r.Text, "field_") != 2 || !strings.Contains(r.Text, "k0;") || !strings.Contains(r.Text, "k1;") {
			t.Error(r.Text)
		}
	})
	t.Run("unknown names are reported, the others shown", func(t *testing.T) {
		r, fields, all := schema(SchemaQuery{Stream: "s", Fields: []string{"nope", "field_1", "no\nway", "nope"}})
		if len(fields) != 1 || !strings.Contains(r.Text, `Not in this stream: nope, "no\nway"`) {
			t.Error(r.Text)
		}
		if diff := cmp.Diff([]any{"nope", "no\nway"}, all["unknown_fields"]); diff != "" {
			t.Error(diff)
		}
	})
	t.Run("the nearest known names are proposed", func(t *testing.T) {
		for call, meant := range map[string][]string{
			`Did you mean: schema {"stream":"s","fields":["field_1"]}`: {"field_1"},
			`All its fields: schema {"stream":"s"}`:                    nil,
		} {
			r, _, all := schema(SchemaQuery{Stream: "s", Fields: []string{"field1"}, Meant: meant})
			if !strings.Contains(r.Text, call) || all["did_you_mean"] == nil {
				t.Errorf("%s\n%v", r.Text, all["did_you_mean"])
			}
		}
	})
	t.Run("if all names are unknown, both channels say so", func(t *testing.T) {
		r, fields, all := schema(SchemaQuery{Stream: "s", Fields: []string{"nope"}})
		if len(fields) != 0 || !strings.Contains(r.Text, "Not in this stream: nope") || all["unknown_fields"] == nil {
			t.Errorf("%s\n%s", r.Text, r.Structured)
		}
	})
	t.Run("too many names to repeat are continued by offset only, and the answer says so", func(t *testing.T) {
		var names []string
		for i := range 300 {
			names = append(names, usual("field", i+1))
		}
		r, _, all := schema(SchemaQuery{Stream: "s", Full: true, Fields: names})
		if !strings.Contains(r.Text, `Next: the same call with "offset":`) || !strings.Contains(all["shown"].(string), "same call") {
			t.Errorf("%.300s\n%.300s", r.Text, r.Structured)
		}
	})
	t.Run("an offset past the end is refused", func(t *testing.T) {
		_, err := Schema(answered(string(body)), SchemaQuery{Stream: "s", Offset: 600})
		var typed *rs.Error
		if !errors.As(err, &typed) || typed.Code != "invalid_arguments" || typed.Param != "offset" || !strings.Contains(typed.Message+typed.Hint, "600 fields") || !strings.Contains(typed.Hint, "599") {
			t.Errorf("%+v", typed)
		}
	})
	t.Run("an offset into an empty schema is not an error", func(t *testing.T) {
		if r, err := Schema(answered(`{"connectors":[]}`), SchemaQuery{Stream: "x", Offset: 3}); err != nil || !strings.Contains(r.Text, "No granted stream") {
			t.Errorf("%v %s", err, r.Text)
		}
	})
	t.Run("the JSON Schema of a stream has only the fields of the page", func(t *testing.T) {
		var capabilities, properties object
		for i := range 300 {
			capabilities = append(capabilities, write.Pair(usual("field", i), `{"granted":true}`))
			properties = append(properties, write.Pair(usual("field", i), write.JSON(map[string]string{"type": "string", "description": strings.Repeat("d", 300)})))
		}
		body := object{write.Pair("connectors", rs.JoinArray([]string{object{write.Pair("connector_key", write.JSON("k")), write.Pair("streams", rs.JoinArray([]string{object{
			write.Pair("name", write.JSON("s")), write.Pair("field_capabilities", capabilities.JSON()),
			write.Pair("schema", object{write.Pair("type", write.JSON("object")), write.Pair("properties", properties.JSON())}.JSON()),
		}.JSON()}))}.JSON()}))}.AppendJSON(nil)
		seen := 0
		for offset := 0; ; {
			r, err := Schema(answered(string(body)), SchemaQuery{Stream: "s", Full: true, Offset: offset})
			if err != nil {
				t.Fatal(err)
			}
			assertResult(t, "schema", r)
			o := rs.AsObject(r.Structured)
			row := rs.AsObject(rs.AsObject(o.Object("data").Array("connectors")[0]).Array("streams")[0])
			schema := row.Object("schema")
			if len(row.Object("field_capabilities")) != len(schema.Object("properties")) || schema.Text("type") != "object" {
				t.Fatalf("%.300s", row.JSON())
			}
			seen += len(schema.Object("properties"))
			next, ok := o.Object("next").Object("arguments").Number("offset")
			if !ok {
				break
			}
			offset = next
		}
		if seen != 300 {
			t.Errorf("%d fields", seen)
		}
	})
}

// The schema of one stream names a hundred connections, over several lines.
func TestSchemaNamesManyConnections(t *testing.T) {
	body, _ := grant{connectors: 1, streams: 1, fields: 3, connections: 150, name: usual}.document("s")
	r, err := Schema(answered(string(body)), SchemaQuery{Stream: "s"})
	if err != nil {
		t.Fatal(err)
	}
	assertResult(t, "schema", r)
	for i := range 150 {
		if want := fmt.Sprintf(`cin_0_%d "label_%d"`, i, i); !strings.Contains(r.Text, want+",") && !strings.Contains(r.Text, want+")") {
			t.Errorf("%s is missing", want)
		}
	}
	if !strings.Contains(r.Text, "connection_id to choose one") {
		t.Error("the text does not say how to narrow")
	}
}

// D18, D38: an index names all of many connections, over several pages; the schema of one stream counts those that it does not name.
func TestSchemaCountsConnections(t *testing.T) {
	body, _ := grant{connectors: 1, streams: 2, fields: 3, connections: 3000, name: usual}.document("")
	for _, q := range []SchemaQuery{{}, {Stream: "stream_1"}} {
		r, err := Schema(answered(string(body)), q)
		if err != nil {
			t.Fatal(err)
		}
		assertResult(t, "schema", r)
		more := "Next: schema {"
		if q.Stream != "" {
			more = " more)"
		}
		if !strings.Contains(r.Text, "cin_0_0") || !strings.Contains(r.Text, more) || q.Stream != "" && !strings.Contains(r.Structured, `"granted_connections_total":3000`) {
			t.Errorf("%.300s\n%.300s", r.Text, r.Structured)
		}
	}
}

// A connection with the same streams as another one refers to it instead of repeating them.
func TestEqualStreamListsAreFolded(t *testing.T) {
	var connectors []string
	for i := range 40 {
		connectors = append(connectors, fmt.Sprintf(`{"connector_key":"mail","connection_id":"cin_%d","streams":[{"name":"messages"},{"name":"message_bodies"},{"name":"attachments"}]}`, i))
	}
	r, err := Schema(answered(`{"connectors":[`+strings.Join(connectors, ",")+`]}`), SchemaQuery{})
	if err != nil {
		t.Fatal(err)
	}
	assertResult(t, "schema", r)
	if strings.Count(r.Text, "message_bodies") != 1 || strings.Count(r.Text, "the same 3 streams as cin_0\n") != 39 {
		t.Error(r.Text)
	}
}

// An offset into an empty list is past its end.
func TestAnOffsetIntoAnEmptyIndex(t *testing.T) {
	_, err := Schema(answered(`{"connectors":[{"connector_key":"k","streams":[{"name":"s"}]}]}`), SchemaQuery{Offset: 5})
	if e := rs.AsError(err); e == nil || e.Code != "invalid_arguments" {
		t.Errorf("%v", err)
	}
}
