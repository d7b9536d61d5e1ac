package cli_test

import (
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/cli"
)

// What is typed is sent as it is; what a number, a list or a condition is, the tool knows.
func TestArguments(t *testing.T) {
	for _, test := range []struct {
		name  string
		words []string
		want  string // the arguments, or the error
	}{
		{"nothing", nil, `{}`},
		{"one JSON object", []string{` {"q":"a","limit":3}`}, ` {"q":"a","limit":3}`},
		{"more than one JSON object", []string{`{"q":"a"} {}`}, "the arguments are not a JSON object"},
		{"a JSON object that is broken", []string{`{"q":`}, "the arguments are not a JSON object"},
		{"text stays text, whatever it looks like", []string{"q=12", "cursor=34"}, `{"cursor":"34","q":"12"}`},
		{"text may hold anything", []string{"q=a=b c"}, `{"q":"a=b c"}`},
		{"empty text", []string{"q="}, `{"q":""}`},
		{"numbers keep their digits", []string{"limit=9007199254740993", "score=-1.50"}, `{"limit":"9007199254740993","score":"-1.50"}`},
		{"an object", []string{`filter={"a":{"gte":9007199254740993}}`}, `{"filter":{"a":{"gte":9007199254740993}}}`},
		{"a broken object is text", []string{`filter={"a"`}, `{"filter":"{\"a\""}`},
		{"a list with commas", []string{"fields=a,b"}, `{"fields":"a,b"}`},
		{"a list as JSON", []string{`fields=["a,b"]`}, `{"fields":["a,b"]}`},
		{"words in brackets", []string{"q=[draft] plan"}, `{"q":"[draft] plan"}`},
		{"a list typed in parts", []string{"fields=a", "fields=b,c"}, `{"fields":["a","b","c"]}`},
		{"no key", []string{"=a"}, `"=a" is neither a JSON object nor key=value`},
		{"no value", []string{"q"}, `"q" is neither a JSON object nor key=value`},
		{"an object among words", []string{`{"q":"a"}`, "limit=1"}, `"{\"q\":\"a\"}" is neither a JSON object nor key=value`},
	} {
		t.Run(test.name, func(t *testing.T) {
			arguments, err := cli.Arguments(test.words)
			got := string(arguments)
			if err != nil {
				got = err.Error()
			}
			if got != test.want {
				t.Errorf("%s, want %s", got, test.want)
			}
		})
	}
}
