package item

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzLineParser compares the parser with encoding/json: it accepts the same objects and finds the same fields.
func FuzzLineParser(f *testing.F) {
	for _, seed := range []string{
		`{}`, `{"a":1}`, ` { "a" : [1,{"b":"]}"}] , "c":"\"}\\" } `, `{"a":{"a":{}}, "b":null,"c":-1.5e9}`, `{"a":1,"a":2}`, `{"":1,"":1,"aa":2}`, `{"a":1e999}`, `{"a":` + strings.Repeat("[", 199) + strings.Repeat("]", 199) + `}`, `{"a":` + strings.Repeat("[", 200) + strings.Repeat("]", 200) + `}`, `{"\u0061":1,"a":2}`,
		`{"":""}`, `[]`, `"x"`, `{"a":tru}`, `{"é":"日本語 👩‍👩‍👧"}`, "{\"a\":\"\xff\"}", `{"a":1}{`, "{\"\\ud800\":0,\"\\ud801\":1}", "\t{\"a\"\r:\n1}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		text = bytes.TrimSpace(text)
		if len(text) == 0 {
			return // the reader skips it
		}
		parser := NewParser()
		fields, err := parser.Parse(text)
		var want map[string]json.RawMessage
		var value any // it refuses numbers too large for a float
		failed := json.Unmarshal(text, &want) != nil || want == nil || !utf8.Valid(text) || json.Unmarshal(text, &value) != nil || levels(value) > MaxDepth
		if err != nil {
			if !failed && countNames(t, text) == len(want) {
				t.Fatalf("refused %q: %v", text, err)
			}
			return
		}
		if failed || len(fields) != len(want) {
			t.Fatalf("took %q with %d fields, want %d", text, len(fields), len(want))
		}
		for _, field := range fields {
			if !bytes.Equal(want[field.Name], field.Value) {
				t.Fatalf("%q: field %q is %q, want %q", text, field.Name, field.Value, want[field.Name])
			}
		}
		again, err := parser.Parse(text)
		if err != nil || len(again) != len(want) {
			t.Fatalf("the second time %q has %d fields: %v", text, len(again), err)
		}
	})
}

// levels returns how deeply a value is nested.
func levels(value any) int {
	deepest := 0
	switch value := value.(type) {
	case map[string]any:
		for _, one := range value {
			deepest = max(deepest, levels(one))
		}
	case []any:
		for _, one := range value {
			deepest = max(deepest, levels(one))
		}
	default:
		return 0
	}
	return deepest + 1
}

// countNames returns the number of members of an object, counting a repeated name each time.
func countNames(t *testing.T, text []byte) int {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	if _, err := decoder.Token(); err != nil {
		t.Fatal(err)
	}
	count := 0
	for ; decoder.More(); count++ {
		var value json.RawMessage
		if _, err := decoder.Token(); err != nil {
			t.Fatal(err)
		}
		if err := decoder.Decode(&value); err != nil {
			t.Fatal(err)
		}
	}
	return count
}

// FuzzExact checks that no JSON number is rounded by a program that reads it as a float, and that all else is unchanged.
func FuzzExact(f *testing.F) {
	for _, seed := range []string{`9007199254740993`, `[-9007199254740993,{"12345678901234567890":[9007199254740992,1e5]},"\"9007199254740993"]`, `{"a":12345678901234567.5}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		if !json.Valid(text) {
			return
		}
		exact := Exact(text)
		if !json.Valid(exact) || !bytes.Equal(exact, Exact(exact)) {
			t.Fatalf("%q became %q", text, exact)
		}
		if unquoted := bytes.ReplaceAll(exact, []byte(`"`), nil); !bytes.Equal(unquoted, bytes.ReplaceAll(text, []byte(`"`), nil)) {
			t.Fatalf("%q became %q", text, exact)
		}
	})
}
