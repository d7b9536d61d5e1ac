package integration

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs/demo"
)

// The journeys below are walked by programs that know nothing but what a model is shown. A text journey never looks at
// structured content, as hosts exist that show the model only text; a structured journey never looks at text, as hosts
// exist that do the opposite.

// A described stream is one block of the text of schema(stream): what one connector's connections hold.
type described struct {
	stream      string
	connections []string
	lines       map[string][]string // fields by each word before them
	examples    []example
}

// An example is a call as it is printed: a tool and its literal arguments.
type example struct {
	tool      string
	arguments json.RawMessage
}

var (
	connectionWord = regexp.MustCompile(`\bcin_[a-z_]+\b`)
	explanation    = regexp.MustCompile(` \([^)]*\)`) // follows a name
	printedCall    = regexp.MustCompile(`\b(schema|query_records|aggregate|search|fetch|read_record_field) (\{.*\})`)
)

// parseSchema reads the text of schema(stream): a head, lines of fields behind what can be done with them, and examples.
func parseSchema(t *testing.T, stream, text string) []described {
	t.Helper()
	var blocks []described
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(line, stream+" (") {
			blocks = append(blocks, described{stream: stream, connections: connectionWord.FindAllString(line, -1), lines: map[string][]string{}})
			continue
		}
		rest, indented := strings.CutPrefix(line, "  ")
		if !indented || len(blocks) == 0 {
			continue
		}
		block := &blocks[len(blocks)-1]
		if sorted, ok := strings.CutPrefix(rest, "sorted by "); ok {
			name, _, _ := strings.Cut(sorted, ",")
			block.lines["sort"] = append(block.lines["sort"], name)
			continue
		}
		label, list, ok := strings.Cut(rest, ": ")
		if found := printedCall.FindStringSubmatch(rest); label == "example" && found != nil {
			block.examples = append(block.examples, example{found[1], args(found[2])})
			continue
		}
		if !ok || label == "not granted" {
			continue
		}
		words := strings.Fields(label)
		if label != "expand" {
			words = append(words, "fields")
		}
		for item := range strings.SplitSeq(explanation.ReplaceAllString(list, ""), ", ") {
			name, _, _ := strings.Cut(item, " ")
			for _, word := range words {
				word, _, _ = strings.Cut(word, "[")
				block.lines[word] = append(block.lines[word], name)
			}
		}
	}
	return blocks
}

// sortable are the field that records come sorted by, and those with a range.
func (d described) sortable() []string {
	fields := slices.Concat(d.lines["sort"], d.lines["range"])
	slices.Sort(fields)
	return slices.Compact(fields)
}

// TestTextAloneLeadsFromTheSchemaToEveryRead covers S0-R5, S0-5a, S0-5b, S0-5c, S0-5d, S3-R10, S3-10b,
// S3-10c and S4-R4: from the text of schema a program builds filters, sorts, projections and aggregates for every stream,
// and all of them are served.
func TestTextAloneLeadsFromTheSchemaToEveryRead(t *testing.T) {
	s := overHTTP(t, sample.MCPURL, sample.ClientToken)
	streams := map[string]bool{}
	for line := range strings.SplitSeq(s.text("schema", args(`{}`)), "\n") {
		if _, list, ok := strings.Cut(line, "): "); ok {
			for name := range strings.SplitSeq(list, ", ") {
				streams[name] = true
			}
		}
	}
	if diff := cmp.Diff(streamNames(t), slices.Sorted(maps.Keys(streams))); diff != "" {
		t.Fatalf("S0-5a: the text of schema names other streams than are granted:\n%s", diff)
	}
	for _, stream := range slices.Sorted(maps.Keys(streams)) {
		t.Run(stream, func(t *testing.T) {
			t.Parallel()
			s := session{s.ClientSession, t}
			blocks := parseSchema(t, stream, s.text("schema", map[string]any{"stream": stream}))
			if len(blocks) == 0 {
				t.Fatal("S0-5b: the text describes no such stream")
			}
			for _, block := range blocks {
				if len(block.connections) == 0 || len(block.examples) == 0 || len(block.lines["fields"]) == 0 || len(block.lines["exact"]) == 0 {
					t.Fatalf("S0-5b: a block lacks connections, fields, filters or examples: %+v", block)
				}
				for _, connection := range block.connections {
					walkStream(s, block, connection)
				}
				for _, e := range block.examples {
					s.text(e.tool, e.arguments)
				}
			}
		})
	}
}

// walkStream asks all that a block says may be asked of one connection.
func walkStream(s session, block described, connection string) {
	s.t.Helper()
	base := func(more map[string]any) map[string]any {
		arguments := map[string]any{"stream": block.stream, "connection_id": connection}
		maps.Copy(arguments, more)
		return arguments
	}
	scoped := parseSchema(s.t, block.stream, s.text("schema", base(nil)))
	if len(scoped) != 1 || !slices.Equal(scoped[0].connections, []string{connection}) {
		s.t.Errorf("S0-5c: schema of %s of %s describes %+v", block.stream, connection, scoped)
	}

	fields := block.lines["fields"]
	projection := fields[:min(2, len(fields))]
	s.text("query_records", base(map[string]any{"fields": projection, "limit": 1}))
	for _, field := range block.sortable() {
		s.text("query_records", base(map[string]any{"sort": field, "limit": 1, "fields": projection}))
		s.text("query_records", base(map[string]any{"sort": "-" + field, "limit": 1, "fields": projection}))
	}
	for _, field := range block.lines["exact"] {
		// A value for the filter comes out of a record's document, whose text is JSON.
		if value, ok := valueOf(s, block.stream, connection, field); ok {
			text := s.text("query_records", base(map[string]any{"filter": map[string]any{field: value}, "limit": 1, "fields": projection}))
			if strings.HasPrefix(text, block.stream+": 0 records") {
				s.t.Errorf("S3-10b: no record of %s has %s = %v, which one of them has:\n%s", block.stream, field, value, text)
			}
		}
	}
	for _, field := range block.lines["range"] {
		if value, ok := valueOf(s, block.stream, connection, field); ok {
			filter := map[string]any{field: map[string]any{"gte": value, "lte": value}}
			text := s.text("query_records", base(map[string]any{"filter": filter, "limit": 1, "fields": projection}))
			if strings.HasPrefix(text, block.stream+": 0 records") {
				s.t.Errorf("S3-10c: no record of %s has %v:\n%s", block.stream, filter, text)
			}
		}
	}
	count := s.text("aggregate", base(map[string]any{"metric": "count"}))
	want := rsGet(s.t, sample, "/v1/streams/"+block.stream+"/aggregate?metric=count&connection_id="+connection)["value"]
	if !strings.Contains(count, fmt.Sprintf("= %v", want)) {
		s.t.Errorf("S3-12a: the count of %s of %s is %v; the text says\n%s", block.stream, connection, want, count)
	}
	for _, metric := range []string{"sum", "min", "max", "count_distinct"} {
		for _, field := range block.lines[metric] {
			s.text("aggregate", base(map[string]any{"metric": metric, "field": field}))
		}
	}
	for _, field := range block.lines["group_by"] {
		if !slices.Contains(block.lines["group_by_time"], field) {
			s.text("aggregate", base(map[string]any{"metric": "count", "group_by": field, "limit": 3}))
		}
	}
	for _, field := range block.lines["group_by_time"] {
		s.text("aggregate", base(map[string]any{"metric": "count", "group_by_time": field, "granularity": "month"}))
	}
	for _, relation := range block.lines["expand"] {
		s.text("query_records", base(map[string]any{"limit": 1, "expand": []string{relation}}))
	}
}

// valueOf is the value of a field in the first record that text shows; ok is false when it is none that a filter takes.
func valueOf(s session, stream, connection, field string) (value any, ok bool) {
	s.t.Helper()
	page := s.text("query_records", map[string]any{"stream": stream, "connection_id": connection, "limit": 1, "fields": []string{field}})
	for line := range strings.SplitSeq(page, "\n") {
		id, _, found := strings.Cut(line, " | ")
		if !found {
			continue
		}
		var document struct {
			Text string `json:"text"`
		}
		text := s.text("fetch", map[string]any{"id": id, "fields": []string{field}})
		if err := json.Unmarshal([]byte(text), &document); err != nil {
			s.t.Fatal(err)
		}
		for shown := range strings.SplitSeq(document.Text, "\n") {
			if written, ok := strings.CutPrefix(shown, field+": "); ok {
				return written, true
			}
		}
	}
	return nil, false
}

// TestTextAloneAnswersQuestions covers S1-R1, S3-R14, S3-14a, S3-R15, S3-15a, S3-R19 and B-1: for each thing
// that the sample year knows, search text gives an id, and the text of fetch, read on where it is cut, the answer.
func TestTextAloneAnswersQuestions(t *testing.T) {
	s := overHTTP(t, sample.MCPURL, sample.ClientToken)
	for _, fact := range demo.Facts() {
		t.Run(fact.Question, func(t *testing.T) {
			t.Parallel()
			s := session{s.ClientSession, t}
			text := s.text("search", map[string]any{"q": fact.Query, "streams": []string{fact.Stream}, "limit": 5})
			ids := printedIDs(text)
			if len(ids) == 0 || !strings.Contains(text, "first_fetch_id="+ids[0]) {
				t.Fatalf("B-1: the first id is not marked as such:\n%s", text)
			}
			for _, id := range ids {
				if strings.Contains(readAll(s, id), fact.Answer) {
					return
				}
			}
			t.Errorf("none of %v holds %q", ids, fact.Answer)
		})
	}
}

// TestSearchTextSaysWhatItLeavesOut covers S3-14b and S4-R4: the text is bounded, and a host that shows nothing else must
// learn from it how many hits there are besides those that it prints.
func TestSearchTextSaysWhatItLeavesOut(t *testing.T) {
	s := overHTTP(t, sample.MCPURL, sample.ClientToken)
	for _, limit := range []int{1, 3, 8, 25, 100} {
		var hits packagePage
		result := s.call("search", map[string]any{"q": "Lisbon", "limit": limit})
		if err := structured(result, &hits); err != nil {
			t.Fatal(err)
		}
		text := textOf(result)
		if len(text) > 2400 {
			t.Errorf("limit %d: the text has %d bytes", limit, len(text))
		}
		if rest := len(hits.Results) - len(printedIDs(text)); rest > 0 && !strings.Contains(text, fmt.Sprintf("%d more in structured output", rest)) {
			t.Errorf("limit %d: the text shows %d of %d hits and does not say so:\n%s", limit, len(printedIDs(text)), len(hits.Results), text)
		}
	}
}

// printedIDs are the ids that the text of a search or a page shows, in order.
func printedIDs(text string) []string {
	var ids []string
	for line := range strings.SplitSeq(text, "\n") {
		if id, _, ok := strings.Cut(line, " | "); ok && !slices.Contains(ids, id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// readAll is the text of a document and of all that its text says was cut.
func readAll(s session, id string) string {
	s.t.Helper()
	document := parseDocument(s, s.text("fetch", map[string]any{"id": id}))
	all := document.Text
	for _, cut := range document.Metadata.Incomplete {
		all += readOn(s, cut.Read.Tool, cut.Read.Arguments)
	}
	return all
}

// A document is what fetch gives.
type document struct {
	ID, Title, Text, URL string
	Metadata             struct {
		ConnectionID string `json:"connection_id"`
		Complete     bool   `json:"complete"`
		Incomplete   []struct {
			Field string `json:"field"`
			Shown int    `json:"shown_chars"`
			Total int    `json:"total_chars"`
			Read  struct {
				Tool      string          `json:"tool"`
				Arguments json.RawMessage `json:"arguments"`
			} `json:"read"`
		} `json:"incomplete"`
	} `json:"metadata"`
}

func parseDocument(s session, text string) document {
	s.t.Helper()
	var d document
	if err := json.Unmarshal([]byte(text), &d); err != nil {
		s.t.Fatalf("the text of fetch is not its document: %v\n%s", err, text)
	}
	return d
}

// readOn follows the calls that the text of each window prints, to the end of the field, and returns the text of them all.
func readOn(s session, tool string, arguments json.RawMessage) string {
	s.t.Helper()
	var all strings.Builder
	for range 1000 {
		part, next := unquoteWindow(s.t, s.text(tool, arguments))
		all.WriteString(part)
		if next == nil {
			return all.String()
		}
		if tool, arguments = next.tool, next.arguments; part == "" {
			s.t.Fatalf("a window is empty, and yet there is more: %s", arguments)
		}
	}
	s.t.Fatal("the field does not end")
	return ""
}

// unquoteWindow takes the text of a window apart: "> " begins each line of the record's, "+ " continues one.
func unquoteWindow(t *testing.T, text string) (string, *example) {
	t.Helper()
	var b strings.Builder
	var next *example
	first := true
	for line := range strings.SplitSeq(text, "\n") {
		switch {
		case strings.HasPrefix(line, "> "):
			if !first {
				b.WriteByte('\n')
			}
			first = false
			b.WriteString(line[2:])
		case strings.HasPrefix(line, "+ "):
			b.WriteString(line[2:])
		case strings.HasPrefix(line, "next part: "):
			found := printedCall.FindStringSubmatch(line)
			if found == nil {
				t.Fatalf("S1-R2: no call in %q", line)
			}
			next = &example{found[1], args(found[2])}
		}
	}
	return b.String(), next
}

// TestLongFieldsAreReadWholeByTextAlone covers S1-R2, S1-2a and S1-3a: what fetch shows of a long field and the windows
// that follow are the field, with nothing skipped and nothing repeated, in any script.
func TestLongFieldsAreReadWholeByTextAlone(t *testing.T) {
	s := overHTTP(t, sample.MCPURL, sample.ClientToken)
	for name, query := range map[string]string{"English": "small thing a day", "Japanese": "日本語の練習日記", "Arabic": "يوميات بالعربية"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := session{s.ClientSession, t}
			ids := printedIDs(s.text("search", map[string]any{"q": query, "streams": []string{"notes"}, "limit": 1}))
			if len(ids) != 1 {
				t.Fatalf("%q finds %v", query, ids)
			}
			want := fieldOf(t, sample, "cin_notes", "notes", ids[0], "body")
			if len([]rune(want)) < 60_000 {
				t.Fatalf("the note has only %d characters", len([]rune(want)))
			}
			same(t, want, readOn(s, "read_record_field", args(fmt.Sprintf(`{"id":%q,"field":"body"}`, ids[0]))))
			same(t, want, readOn(s, "read_record_field", args(fmt.Sprintf(`{"id":%q,"field":"body","limit_chars":16384}`, ids[0]))))

			d := parseDocument(s, s.text("fetch", map[string]any{"id": ids[0]}))
			if d.Metadata.Complete || len(d.Metadata.Incomplete) != 1 || d.Metadata.Incomplete[0].Total != len([]rune(want)) {
				t.Fatalf("the document does not say what is missing: %+v", d.Metadata)
			}
			_, shown, _ := strings.Cut(d.Text, "\nbody:\n")
			shown, _, _ = strings.Cut(shown, "\n[body is cut")
			shown, _ = unquoteWindow(t, shown)
			cut := d.Metadata.Incomplete[0]
			same(t, want, shown+readOn(s, cut.Read.Tool, cut.Read.Arguments))
		})
	}
}

// fieldOf reads a field of a record from the resource server itself. id is one that was printed.
func fieldOf(t *testing.T, d addresses, connection, stream, id, field string) string {
	t.Helper()
	record := strings.TrimPrefix(id, connection+"/"+stream+":")
	document := rsGet(t, d, "/v1/streams/"+stream+"/records/"+url.PathEscape(record)+"?connection_id="+connection)
	text, ok := document["data"].(map[string]any)[field].(string)
	if !ok {
		t.Fatalf("the record %s has no text %s", id, field)
	}
	return text
}

// same compares long texts and shows where they part.
func same(t *testing.T, want, got string) {
	t.Helper()
	if want == got {
		return
	}
	w, g := []rune(want), []rune(got)
	at := 0
	for at < len(w) && at < len(g) && w[at] == g[at] {
		at++
	}
	t.Errorf("%d characters instead of %d; they part at %d: want %q, got %q", len(g), len(w), at, w[at:min(at+30, len(w))], g[at:min(at+30, len(g))])
}

// TestOneHandleIsEnoughWhereIDsAreAmbiguous covers S3-19a, S3-19b, S3-19c, S0-6a and S2-6: a record id that two mailboxes
// have is found twice, and each printed id alone reads its own record.
func TestOneHandleIsEnoughWhereIDsAreAmbiguous(t *testing.T) {
	s := overHTTP(t, sample.MCPURL, sample.ClientToken)
	result := s.call("search", args(`{"q":"Keys and codes over Christmas","streams":["messages"],"limit":5}`))
	ids := slices.DeleteFunc(printedIDs(textOf(result)), func(id string) bool { return !strings.HasSuffix(id, ":dup-1") })
	slices.Sort(ids)
	if diff := cmp.Diff([]string{"cin_mail_personal/messages:dup-1", "cin_mail_work/messages:dup-1"}, ids); diff != "" {
		t.Fatalf("S3-19a: the ids in text differ:\n%s", diff)
	}
	var hits struct {
		Results []struct {
			ID           string `json:"id"`
			ConnectionID string `json:"connection_id"`
		} `json:"results"`
	}
	if err := structured(result, &hits); err != nil {
		t.Fatal(err)
	}
	for _, hit := range hits.Results {
		if !strings.HasPrefix(hit.ID, hit.ConnectionID+"/") {
			t.Errorf("S3-19a: the hit %s does not name its connection %s", hit.ID, hit.ConnectionID)
		}
	}
	for _, id := range ids {
		d := parseDocument(s, s.text("fetch", map[string]any{"id": id}))
		if d.ID != id || d.Metadata.ConnectionID+"/messages:dup-1" != id {
			t.Errorf("S3-19b: fetch of %s gives %s of %s", id, d.ID, d.Metadata.ConnectionID)
		}
	}
	if refused := s.refusal("fetch", args(`{"id":"messages:dup-1"}`)); refused.Code != "ambiguous_connection" || refused.RetryWith != "connection_id" || refused.Status != 409 {
		t.Errorf("S3-19c: the legacy id gives %+v", refused)
	}
	named := parseDocument(s, s.text("fetch", args(`{"id":"messages:dup-1","connection_id":"cin_mail_work"}`)))
	if named.Metadata.ConnectionID != "cin_mail_work" {
		t.Errorf("S2-7: the legacy id with a connection gives %+v", named)
	}
}

// TestStructuredContentAloneIsEnough covers S4-R4 and S1-1a for hosts that show the model structured content only.
func TestStructuredContentAloneIsEnough(t *testing.T) {
	s := overHTTP(t, sample.MCPURL, sample.ClientToken)
	var schema struct {
		Data struct {
			Connectors []struct {
				Streams []struct {
					Name string `json:"name"`
				} `json:"streams"`
				Connections []struct {
					ID string `json:"connection_id"`
				} `json:"granted_connections"`
			} `json:"connectors"`
		} `json:"data"`
	}
	s.structured("schema", args(`{}`), &schema)
	seen := map[string]bool{}
	for _, connector := range schema.Data.Connectors {
		if len(connector.Connections) == 0 {
			t.Errorf("a connector has no connections: %+v", connector)
		}
		for _, stream := range connector.Streams {
			seen[stream.Name] = true
		}
	}
	if diff := cmp.Diff(streamNames(t), slices.Sorted(maps.Keys(seen))); diff != "" {
		t.Fatalf("the streams differ:\n%s", diff)
	}

	var one struct {
		Data struct {
			Connectors []struct {
				Streams []struct {
					Fields map[string]string `json:"field_capabilities"`
				} `json:"streams"`
			} `json:"connectors"`
		} `json:"data"`
	}
	s.structured("schema", args(`{"stream":"notes","connection_id":"cin_notes"}`), &one)
	fields := one.Data.Connectors[0].Streams[0].Fields
	if !strings.Contains(fields["created_at"], "r=") || !strings.Contains(fields["body"], "lex") {
		t.Fatalf("the flags do not say what can be asked: %v", fields)
	}

	type page struct {
		Data struct {
			Data []struct {
				ID string `json:"id"`
			} `json:"data"`
			HasMore    bool   `json:"has_more"`
			NextCursor string `json:"next_cursor"`
		} `json:"data"`
	}
	seenRecords := map[string]bool{}
	arguments := map[string]any{"stream": "notes", "connection_id": "cin_notes", "limit": 90, "fields": []string{"title"}, "filter": map[string]any{"created_at": map[string]any{"gte": "2026-01-01"}}}
	for {
		var p page
		s.structured("query_records", arguments, &p)
		for _, record := range p.Data.Data {
			if seenRecords[record.ID] {
				t.Fatalf("the record %s comes twice", record.ID)
			}
			seenRecords[record.ID] = true
		}
		if p.Data.NextCursor == "" {
			if p.Data.HasMore {
				t.Error("there is more, and no cursor")
			}
			break
		}
		arguments["cursor"] = p.Data.NextCursor
	}
	want := rsGet(t, sample, "/v1/streams/notes/aggregate?metric=count&filter[created_at][gte]=2026-01-01")["value"]
	if got := float64(len(seenRecords)); got != want {
		t.Errorf("the pages hold %v records, the resource server counts %v", got, want)
	}

	var hits struct {
		Ladder struct {
			Records []struct {
				ID       string `json:"id"`
				Evidence []struct {
					Read struct {
						Tool      string          `json:"tool"`
						Arguments json.RawMessage `json:"arguments"`
					} `json:"read"`
				} `json:"evidence"`
			} `json:"records"`
		} `json:"content_ladder"`
		Results []struct {
			ID string `json:"id"`
		} `json:"results"`
	}
	s.structured("search", args(`{"q":"日本語","limit":1}`), &hits)
	if len(hits.Results) != 1 || len(hits.Ladder.Records) != 1 || len(hits.Ladder.Records[0].Evidence) == 0 {
		t.Fatalf("S1-1a: the hit has no evidence: %+v", hits)
	}
	for _, evidence := range hits.Ladder.Records[0].Evidence {
		var w window
		s.structured(evidence.Read.Tool, evidence.Read.Arguments, &w)
		if !strings.Contains(w.Window.Text, "日本語") {
			t.Errorf("S1-1a: the window %s does not show the match", evidence.Read.Arguments)
		}
	}

	id := hits.Results[0].ID
	whole := fieldOf(t, sample, "cin_notes", "notes", id, "body")
	var d document
	s.structured("fetch", map[string]any{"id": id}, &d)
	if len(d.Metadata.Incomplete) != 1 {
		t.Fatalf("the document does not say what is missing: %+v", d.Metadata)
	}
	var all strings.Builder
	all.WriteString(string([]rune(whole)[:d.Metadata.Incomplete[0].Shown]))
	next := d.Metadata.Incomplete[0].Read.Arguments
	for len(next) > 0 {
		var w window
		s.structured("read_record_field", next, &w)
		all.WriteString(w.Window.Text)
		next = w.Next
	}
	same(t, whole, all.String())
}

// A window is what read_record_field gives.
type window struct {
	Window struct {
		Text string `json:"text"`
	} `json:"window"`
	Next json.RawMessage `json:"next"`
}
