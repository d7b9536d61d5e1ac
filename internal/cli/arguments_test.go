package cli_test

import (
	"encoding/json"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/cli"
)

const schema = `{"type":"object","properties":{"q":{"type":"string"},"limit":{"type":"integer"},"score":{"type":"number"},
	"exact":{"type":"boolean"},"filter":{"type":"object"},"fields":{"type":"array","items":{"type":"string"}}}}`

// Each argument on the command line gets its type from the tool's schema.
func TestArguments(t *testing.T) {
	for _, test := range []struct {
		name  string
		words []string
		want  string // the arguments, or the error
	}{
		{"nothing", nil, `{}`},
		{"one JSON object", []string{` {"q":"a","limit":3}`}, `{"q":"a","limit":3}`},
		{"a name that occurs twice, for the tool to refuse", []string{`{"q":"a","q":"b"}`}, `{"q":"a","q":"b"}`},
		{"a field that occurs twice, for the tool to refuse", []string{`filter={"a":1,"a":2}`}, `{"filter":{"a":1,"a":2}}`},
		{"more than one JSON object", []string{`{"q":"a"} {}`}, "the arguments are not a JSON object"},
		{"a JSON object keeps its digits", []string{`{"limit":9007199254740993}`}, `{"limit":9007199254740993}`},
		{"text stays text, whatever it looks like", []string{"q=12", "cursor=34"}, `{"cursor":"34","q":"12"}`},
		{"text may hold anything", []string{"q=a=b c"}, `{"q":"a=b c"}`},
		{"empty text", []string{"q="}, `{"q":""}`},
		{"numbers keep their digits", []string{"limit=9007199254740993", "score=-1.50"}, `{"limit":9007199254740993,"score":-1.50}`},
		{"a word for a number, for the tool to refuse", []string{"limit=all", "score=true"}, `{"limit":"all","score":"true"}`},
		{"a fraction for a whole number", []string{"limit=1.5"}, `{"limit":"1.5"}`},
		{"a boolean", []string{"exact=true"}, `{"exact":true}`},
		{"an invalid boolean", []string{"exact=yes"}, `{"exact":"yes"}`},
		{"an object", []string{`filter={"a":{"gte":1}}`}, `{"filter":{"a":{"gte":1}}}`},
		{"an invalid object", []string{"filter=a"}, `{"filter":"a"}`},
		{"null for an object", []string{"filter=null"}, `{"filter":"null"}`},
		{"a list with commas", []string{"fields=a,b"}, `{"fields":["a","b"]}`},
		{"a list as JSON", []string{`fields=["a,b"]`}, `{"fields":["a,b"]}`},
		{"an invalid list", []string{"fields=[a"}, `{"fields":"[a"}`},
		{"twice", []string{"q=a", "q=b"}, "q is given twice"},
		{"no key", []string{"=a"}, `"=a" is neither a JSON object nor key=value`},
		{"no value", []string{"q"}, `"q" is neither a JSON object nor key=value`},
		{"an object among words", []string{`{"q":"a"}`, "limit=1"}, `"{\"q\":\"a\"}" is neither a JSON object nor key=value`},
	} {
		t.Run(test.name, func(t *testing.T) {
			arguments, err := cli.Arguments(json.RawMessage(schema), test.words)
			var got string
			if err != nil {
				got = err.Error()
			} else {
				text, err := json.Marshal(arguments)
				if err != nil {
					t.Fatal(err)
				}
				got = string(text)
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}
