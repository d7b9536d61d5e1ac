package rs

import (
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode"
)

// The law: a text is JSON for readJSON exactly where it is for encoding/json, and what it counts is what the decoder's
// tokens say.
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
		_, s, valid := readJSON(string(text))
		if valid != json.Valid(text) {
			t.Fatalf("valid is %v for %q", valid, text)
		}
		if !valid {
			return
		}
		if levels, values := countTokens(t, text); s.levels != levels || s.values != values {
			t.Errorf("%d levels and %d values are told, want %d and %d: %q", s.levels, s.values, levels, values, text)
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

// Wherever in a word of eight a byte stands that ends a run, it is found, and nothing else is.
func TestRuns(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 100_000 {
		text := make([]byte, random.IntN(24))
		for i := range text {
			text[i] = byte(random.IntN(256))
			if random.IntN(8) > 0 {
				text[i] = "a~é\x80\x9f !]"[random.IntN(8)]
			}
		}
		run, ascii := textRun(string(text))
		if ascii && strings.ContainsFunc(string(text[:run]), func(c rune) bool { return c > unicode.MaxASCII }) {
			t.Fatalf("%q is taken for ASCII", text[:run])
		}
		for _, run := range []struct {
			says string
			got  int
			ends func(c, next byte) bool
		}{
			{"textRun", run, func(c, _ byte) bool { return c < ' ' || c == '"' || c == '\\' }},
			{"PlainRun", PlainRun(text, '"', '\\'), func(c, _ byte) bool { return c < ' ' || c >= 0x7F || c == '"' || c == '\\' }},
			{"LineRun", LineRun(string(text)), func(c, next byte) bool { return c < ' ' || c >= 0x7F || c == ' ' && next == ' ' }},
		} {
			want := 0
			for want < len(text) && !run.ends(text[want], append(text, 0)[want+1]) {
				want++
			}
			if run.got != want {
				t.Fatalf("%s of %q is %d, want %d", run.says, text, run.got, want)
			}
		}
	}
}
