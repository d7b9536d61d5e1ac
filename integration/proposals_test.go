package integration

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

var proposedCall = regexp.MustCompile(`\b(` + strings.Join(tools.Names(), "|") + `) (\{)`)

// proposals returns the calls that the answer of a tool proposes: in text a tool with its arguments, in structured output the members
// tool and arguments. It ignores text of records, and templates with a placeholder.
func proposals(tool string, result *mcp.CallToolResult) []call {
	var found []call
	add := func(tool, arguments string) {
		c := call{tool: tool}
		if json.Unmarshal([]byte(arguments), &c.arguments) == nil && c.arguments != nil && !strings.Contains(arguments, "…") {
			found = append(found, c)
		}
	}
	if tool != "fetch" || result.IsError { // a document's text is its structured output
		for line := range strings.Lines(textOf(result)) {
			for _, at := range proposedCall.FindAllStringSubmatchIndex(line, -1) {
				var arguments json.RawMessage
				if json.NewDecoder(strings.NewReader(line[at[4]:])).Decode(&arguments) == nil && !strings.HasPrefix(line, "> ") {
					add(line[at[2]:at[3]], string(arguments))
				}
			}
		}
	}
	var walk func(value any)
	walk = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			name, _ := value["tool"].(string)
			if arguments, ok := value["arguments"].(map[string]any); ok && name != "" {
				add(name, compact(arguments))
			}
			for _, member := range value {
				walk(member)
			}
		case []any:
			for _, one := range value {
				walk(one)
			}
		}
	}
	walk(result.StructuredContent)
	return found
}

// A proposal is a call proposed by the answer to another call.
type proposal struct{ asked, next call }

// answersProposals sends what the answers of a journey proposed; each must succeed.
func (c *client) answersProposals() {
	c.t.Helper()
	sent := map[string]bool{}
	for _, p := range c.proposed {
		if !sent[p.next.String()] {
			sent[p.next.String()] = true
			if got := (session{c.ClientSession, c.t}).call(p.next.tool, p.next.arguments); got.IsError {
				c.t.Errorf("%v\nproposes %v, which is refused:\n%s", p.asked, p.next, textOf(got))
			}
		}
	}
}

// A proposer sends what answers propose, each call once.
type proposer struct {
	session
	sent map[string]bool
}

// follow makes a call and follows the proposals in its answer up to a depth. Each proposed call must succeed.
func (p proposer) follow(t *testing.T, asked call, depth int) {
	t.Helper()
	result := p.call(asked.tool, asked.arguments)
	p.sent[asked.String()] = true
	p.accepts(t, asked, result, depth)
}

func (p proposer) accepts(t *testing.T, asked call, result *mcp.CallToolResult, depth int) {
	t.Helper()
	for _, next := range proposals(asked.tool, result) {
		if p.sent[next.String()] {
			continue
		}
		p.sent[next.String()] = true
		got := p.call(next.tool, next.arguments)
		if got.IsError {
			t.Errorf("%v\nproposes %v, which is refused:\n%s", asked, next, textOf(got))
		} else if depth > 1 {
			p.accepts(t, next, got, depth-1)
		}
	}
}

// TestProposedCallsAreAnswered sends what answers and errors propose: for every recorded mistake, and for every operation on every field
// of every stream, whether or not the field supports it.
func TestProposedCallsAreAnswered(t *testing.T) {
	tokens := map[string]string{"client": sample.ClientToken, "package": sample.PackageToken}
	for grant, token := range tokens {
		t.Run(grant+": mistakes", func(t *testing.T) {
			t.Parallel()
			p := proposer{overHTTP(t, sample.MCPURL, token), map[string]bool{}}
			for _, path := range []string{"testdata/mistakes.txt", "testdata/mistakes_kept.txt"} {
				for _, m := range readMistakes(t, path) {
					for _, asked := range append(m.means, m.wrong) {
						if m.grant == grant {
							p.follow(t, asked, 2)
						}
					}
				}
			}
		})
		t.Run(grant+": fields", func(t *testing.T) {
			t.Parallel()
			p := proposer{overHTTP(t, sample.MCPURL, token), map[string]bool{}}
			for _, asked := range everyField(t, p.session) {
				p.follow(t, asked, 2)
			}
			if len(p.sent) < 500 {
				t.Errorf("only %d calls were made", len(p.sent))
			}
		})
	}
}

// everyField returns calls with every operation on every field of every stream.
func everyField(t *testing.T, s session) []call {
	t.Helper()
	c := contentOnly{}
	index := c.catalog(s.text("schema", map[string]any{}))
	calls := []call{{"schema", map[string]any{}}, {"list_streams", map[string]any{}}}
	ask := func(from granted, tool, rest string, values ...any) {
		one := callOf(tool, fmt.Sprintf(rest, values...)).with("stream", from.stream)
		calls = append(calls, one.with("connection_id", from.connection))
		if several := slices.ContainsFunc(index, func(g granted) bool { return g.stream == from.stream && g != from }); !several {
			calls = append(calls, one)
		}
	}
	for _, from := range index {
		ask(from, "schema", `{}`)
		ask(from, "query_records", `{"limit":2}`)
		ask(from, "aggregate", `{"metric":"count"}`)
		var page struct {
			Data struct {
				Data []struct {
					ID   string
					Data map[string]any
				}
			}
		}
		s.structured("query_records", map[string]any{"stream": from.stream, "connection_id": from.connection, "limit": 1}, &page)
		record := page.Data.Data[0]
		for field, value := range record.Data {
			calls = append(calls, call{"read_record_field", map[string]any{"id": from.connection + "/" + from.stream + ":" + record.ID, "field": field}})
			ask(from, "query_records", `{"filter":{%q:%s}}`, field, compact(value))
			ask(from, "query_records", `{"filter":{%q:"nothing has this"}}`, field)
			ask(from, "query_records", `{"filter":{%q:{"contains":"a"}}}`, field)
			ask(from, "query_records", `{"filter":{%q:{"gte":"2030-01-01"}}}`, field)
			ask(from, "query_records", `{"sort":%q,"limit":3}`, field)
			ask(from, "query_records", `{"expand":[%q],"limit":3}`, field)
			ask(from, "aggregate", `{"metric":"count","group_by":%q,"limit":2}`, field)
			ask(from, "aggregate", `{"metric":"count","group_by_time":%q,"granularity":"month","limit":2}`, field)
			ask(from, "aggregate", `{"metric":"sum","field":%q}`, field)
			ask(from, "aggregate", `{"metric":"max","field":%q,"group_by":"from_name"}`, field)
			ask(from, "aggregate", `{"metric":"count","filter":{%q:"nothing has this"}}`, field)
			calls = append(calls, call{"search", map[string]any{"q": "the", "streams": []string{from.stream}, "filter": map[string]any{field: "nothing has this"}}})
		}
		calls = append(calls, call{"fetch", map[string]any{"id": record.ID}},
			call{"fetch", map[string]any{"id": from.stream + ":" + record.ID}}, call{"fetch", map[string]any{"id": from.connection + "/" + from.stream + ":" + record.ID}},
			call{"fetch", map[string]any{"id": from.connection + "/" + from.stream + ":nothing"}})
	}
	return calls
}

// A package proposes the connection that has the fields and relations of a call, if the schema of its stream was read.
func TestAPackageProposesTheConnectionWithTheFields(t *testing.T) {
	s := overHTTP(t, sample.MCPURL, sample.PackageToken)
	s.text("schema", map[string]any{"stream": "messages"})
	for _, text := range []string{
		`aggregate {"stream":"messages","metric":"max","field":"sent_at"}`, `query_records {"stream":"messages","sort":"-sent_at"}`,
		`query_records {"stream":"messages","filter":{"user_name":"Owen Price"}}`, `query_records {"stream":"messages","expand":["reactions"]}`,
	} {
		asked := parseCall(t, text)
		result := s.call(asked.tool, asked.arguments)
		if found := sendLine.FindString(textOf(result)); !strings.Contains(found, `"connection_id":"cin_chat_team"`) {
			t.Errorf("%s proposes %s", text, found)
		}
	}
}
