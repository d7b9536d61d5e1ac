package render

import (
	"bytes"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// longNames returns members with names of about size bytes each, and values of every kind.
func longNames(count, size int, letter string) string {
	var b strings.Builder
	values := []string{`"text"`, `1`, `null`, `{"a":{"b":"` + strings.Repeat("c", 300) + `"}}`, `["x"]`, `"` + strings.Repeat("long text ", 300) + `"`, `{"data":[{"id":"r","data":{}}]}`}
	for i := range count {
		fmt.Fprintf(&b, `"%s%d":%s,`, strings.Repeat(letter, size/len(letter)), i, values[i%len(values)])
	}
	return b.String()
}

// D18: with member names of any size and number, anywhere, both channels of every tool stay within their budgets, and an answer says what
// it leaves out.
func TestLongNames(t *testing.T) {
	for variant, insert := range []string{
		longNames(1, 50_000, "n"), longNames(100, 900, `\u0001`), longNames(200, 250, "é"), longNames(1200, 40, `\"`),
	} {
		for n, body := range goldenBodies(t) {
			if len(body) > 4000 || n%4 != variant {
				continue
			}
			for i, from := 0, 0; i < 2; i++ {
				at := bytes.IndexByte(body[from:], '{')
				if at < 0 {
					break
				}
				from += at + 1
				members := insert
				if bytes.HasPrefix(bytes.TrimSpace(body[from:]), []byte("}")) {
					members = strings.TrimSuffix(insert, ",")
				}
				assertRenders(t, slices.Concat(body[:from], []byte(members), body[from:]), "messages")
			}
		}
		if t.Failed() {
			t.Fatalf("with %.80s", insert)
		}
	}
}

// The same with one name of 1 MiB, in each place where a resource server can put one.
func TestANameOfOneMebibyte(t *testing.T) {
	name := strings.Repeat("n", 1<<20)
	for _, raw := range []string{
		`{"data":[{"id":"a","data":{"NAME":"x","subject":"s"}}]}`, `{"data":[{"id":"a","NAME":1,"data":{"s":"s"}}]}`, `{"data":[{"id":"a","NAME":1}]}`, `{"data":[],"NAME":1}`,
		`{"data":[{"id":"a","data":{"o":{"NAME":1}}}]}`, `{"data":[{"id":"a","data":{"s":"s"},"expanded":{"NAME":{"data":[{"id":"b","data":{"NAME":1}}]}}}]}`,
		`{"id":"a","data":{"NAME":"x","subject":"s"}}`, `{"id":"a","data":{"NAME":"` + strings.Repeat("long ", 400) + `","subject":"s"}}`, `{"id":"a","data":{"o":{"NAME":"x"}}}`,
		`{"id":"a","data":{"s":"s"},"expanded":{"NAME":{"data":[{"id":"b","data":{"NAME":1}}]}}}`, `{"id":"a","data":{"NAME":null}}`,
		`{"metric":"count","NAME":1,"groups":[{"key":"a","count":1,"NAME":2}]}`, `{"metric":"count","value":1,"NAME":1}`, `{"metric":"count","value":{"NAME":1}}`,
		`{"connectors":[{"NAME":1,"connector_key":"mail","streams":[{"name":"messages","NAME":1,"field_capabilities":{"NAME":"t=text","subject":{"type":"string","NAME":1}}}]}]}`,
		`{"streams":[{"name":"NAME","field_capabilities":{"a":"t=text"}},{"name":"messages","field_capabilities":{"a":"t=text","NAME":"t=text"}}],"NAME":1}`,
		`{"window":{"text":"x","NAME":1},"field":{"path":"body","NAME":1},"NAME":1}`, `{"window":{"text":"x"},"field":{"NAME":1}}`,
		`{"data":[{"stream":"messages","record_key":"a","NAME":1,"data":{"NAME":1},"evidence_excerpts":[{"NAME":1,"field_path":"NAME","preview_text":"<mark>x</mark>","provenance":"lexical_match"}]}],"meta":{"NAME":1}}`,
	} {
		assertRenders(t, []byte(strings.ReplaceAll(raw, "NAME", name)), "messages")
		if t.Failed() {
			t.Fatal(raw)
		}
	}
}

// If a name occurs twice in an object, the last value wins, on both channels and at every depth.
func TestTheLastOfRepeatedMembersWins(t *testing.T) {
	ref := rs.Ref{ConnectionID: "cin_a", Stream: "messages", RecordID: "m1"}
	const data = `{"subject":"FIRST","n":1,"subject":"SECOND","o":{"x":"FIRST","\u0078":"SECOND"},"s\u0075bject":"third","o":{"x":"FIRST","x":"third"}}`
	const record = `{"id":"m9","id":"m1","data":{"subject":"FIRST"},"data":` + data + `}`
	results := map[string]func() (Result, error){
		"query_records": func() (Result, error) {
			return Records(answered(`{"data":[{"id":"FIRST"}],"data":[`+record+`]}`), RecordsQuery{Stream: "messages"})
		},
		"query_records with fields": func() (Result, error) {
			return Records(answered(`{"data":[`+record+`]}`), RecordsQuery{Stream: "messages", Fields: []string{"subject", "o"}})
		},
		"fetch": func() (Result, error) { return Document(answered(record), DocumentQuery{Ref: ref, RecordBase: base}) },
		"aggregate": func() (Result, error) {
			return Aggregate(answered(`{"metric":"count","value":"FIRST","value":3,"stream":"third"}`), AggregateQuery{Stream: "messages"})
		},
		"search": func() (Result, error) {
			return Search(answered(`{"data":[{"stream":"messages","record_key":"FIRST","title":"FIRST","title":"third","record_key":"1"}]}`), SearchQuery{Q: "x", RecordBase: base})
		},
		"schema": func() (Result, error) {
			return Schema(answered(`{"streams":[{"name":"FIRST","name":"third","field_capabilities":{"a":"t=FIRST","a":"t=text"}}]}`), SchemaQuery{Stream: "third"})
		},
		"read_record_field": func() (Result, error) {
			return Window(answered(`{"window":{"text":"FIRST","text":"third"},"field":{"path":"FIRST","path":"body"}}`), WindowQuery{Ref: ref, Field: "body"})
		},
		"list_streams": func() (Result, error) {
			return Streams(answered(`{"data":[{"name":"FIRST","name":"third","record_count":1}]}`), StreamsQuery{})
		},
	}
	for tool, render := range results {
		t.Run(tool, func(t *testing.T) {
			r, err := render()
			if err != nil {
				t.Fatal(err)
			}
			for channel, text := range map[string]string{"text": r.Text, "structured": r.Structured} {
				if strings.Contains(text, "FIRST") || strings.Contains(text, "SECOND") || !strings.Contains(text, "third") {
					t.Errorf("%s: %s", channel, text)
				}
			}
		})
	}
}
