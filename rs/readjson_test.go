package rs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
)

// The law: a text is JSON for readJSON exactly where it is for encoding/json, what it counts is what the decoder's tokens say,
// and it finds every character that is none of the commonest.
func FuzzReadJSON(f *testing.F) {
	for _, seed := range []string{
		``, ` `, `null`, ` true `, `false`, `tru`, `truee`, `nul`, `-`, `0`, `-0`, `01`, `1.`, `1.5e-7`, `1e+`, `.5`, `+1`, `1 2`,
		`""`, `"`, `"a`, `"\"`, `"\u00e9"`, `"\u00g9"`, `"\u00`, `"\x"`, "\"a\nb\"", "\"\x7f\xff\"", `"12345678"`, `"1234567\"`, "\"1234567\x1f\"",
		`[]`, `[ ]`, `[,]`, `[1,]`, `[1 2]`, `[1,[2,{"a":3}]]`, `]`, `[`, `[}`, `{}`, `{ }`, `{"a"}`, `{"a":}`, `{"a":1,}`, `{a:1}`, `{"a" : 1 , "b":[]}`,
		strings.Repeat("[", 10_001) + strings.Repeat("]", 10_001), strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000),
		"\"" + strings.Repeat("é", 9) + "\x00\"", "\"\x80\x80\x80\x80\x80\x80\x80\x80\x9f\"", "\u00a0[]", "\"!!!!!!!\x01\"",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		compact, parts, s, valid := readJSON(string(text))
		if valid != json.Valid(text) {
			t.Fatalf("valid is %v for %q", valid, text)
		}
		if !valid {
			return
		}
		if levels, values := countTokens(t, text); s.levels != levels || s.values != values {
			t.Errorf("%d levels and %d values are told, want %d and %d: %q", s.levels, s.values, levels, values, text)
		}
		if want := AsEnvelope(compact); fmt.Sprintf("%q", parts) != fmt.Sprintf("%q", want) {
			t.Errorf("the parts of %q are %q, want %q", compact, parts, want)
		}
		escapes := strings.NewReplacer(`\\`, "", `\"`, "", `\/`, "", `\n`, "", `\t`, "")
		if rest := escapes.Replace(compact); s.uncommon == (OrdinaryRun(rest) == len(rest)) {
			t.Errorf("uncommon is %v for %q", s.uncommon, compact)
		}
	})
}

// countTokens counts as [shape] does, by the decoder: brackets, the names, and what comes after a comma.
func countTokens(t *testing.T, text []byte) (levels, values int) {
	t.Helper()
	var inside []int // how many names and values each open bracket holds so far
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber() // any number is valid JSON, whatever fits a float64
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return levels, values
		}
		if err != nil {
			t.Fatal(err)
		}
		delimiter, isBracket := token.(json.Delim)
		if isBracket && (delimiter == '}' || delimiter == ']') {
			inside = inside[:len(inside)-1]
			continue
		}
		if innermost := len(inside) - 1; innermost >= 0 {
			if inside[innermost] > 0 {
				values++ // a comma or a colon stands before it
			}
			inside[innermost]++
		}
		if isBracket {
			values++
			inside = append(inside, 0)
			levels = max(levels, len(inside))
		}
	}
}
