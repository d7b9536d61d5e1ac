package rs_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"reflect"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/go-json-experiment/json/jsontext"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// isDistinct reports whether body is whole without its duplicate names, as encoding/json reads it.
func isDistinct(t *testing.T, body, whole string) bool {
	var got, want any
	for text, value := range map[string]*any{body: &got, whole: &want} {
		decoder := json.NewDecoder(strings.NewReader(text))
		decoder.UseNumber()
		if err := decoder.Decode(value); err != nil {
			t.Errorf("%q cannot be decoded: %v", text, err)
		}
	}
	unpaired := jsontext.AllowInvalidUTF8(true) // surrogates stay as they were sent
	return reflect.DeepEqual(got, want) && jsontext.Value(body).IsValid(unpaired) && !jsontext.Value(whole).IsValid(unpaired)
}

// FuzzJSON compares validation, compaction, and the decoding and encoding of strings with
// encoding/json.
func FuzzJSON(f *testing.F) {
	for _, seed := range []string{
		`{"a":[1,-0.5e+3,true,false,null,"x"],"b":{}}`, " [ 1 ,\t\"a b\" ]\n", `"\u00e9\ud83d\ude80\ud800 \udc00x\b\f\n\r\t\/\"\\"`, `"\ud800\n"`, `"\u12"`, `"\ud800\u12"`, `"\x"`, `"abcdefghijk`, `"abcdefg\`,
		"\"\xff\xed\xa0\x80 caf\u00e9\u2028\"", "\"tab\t\"", `01`, `1.`, `.5`, `1e`, `-`, `+1`, `tru`, `nullx`, `[1,]`, `[,1]`, `{"a":1,}`, `{"a"}`, `{1:2}`, `[1 2]`, `{}{}`, `]`, "", " ", "\x00", "\u00a0",
		strings.Repeat("[", 10_000) + strings.Repeat("]", 10_000), strings.Repeat(`{"":`, 10_001) + "1" + strings.Repeat("}", 10_001), "12345678\x7f\x80 12345678\u2029",
		"a dash – and a line\u2028", "“quoted”\u2029\u2028",
		`{"a":1,"a":1}`, `[{"a":{"b":1,"\u0062":2}, "c":["\ud800"] , "a":{"b":3,"b":[{"d":1,"d":{}}]}}]`, "{\"\xff\":1,\"\\ud800\":2e9,\"\":3,\"\":\"\"}",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		var want bytes.Buffer
		wantErr := json.Compact(&want, bytes.ToValidUTF8(raw, []byte("\uFFFD")))
		if got, err := rs.Compact(string(raw)); (err == nil) != (wantErr == nil) || err == nil && got != want.String() {
			t.Fatalf("Compact(%q) = %q, %v; want %q, %v", raw, got, err, want.Bytes(), wantErr)
		}
		var refused *rs.Error
		if response, err := rs.ReadResponse(string(raw)); !errors.As(err, &refused) &&
			((err == nil) != (wantErr == nil) || err == nil && response.Body != want.String() && !isDistinct(t, response.Body, want.String())) {
			t.Fatalf("ReadResponse(%q) = %v, %v; want %q, %v", raw, response, err, want.Bytes(), wantErr)
		}
		for _, quoted := range [][]byte{raw, append(append([]byte{'"'}, raw...), '"')} {
			if rs.Kind(string(quoted)) != "string" {
				continue
			}
			var text string
			valid := json.Unmarshal(quoted, &text) == nil && quoted[len(quoted)-1] == '"'
			if got, ok := rs.AsText(string(quoted)); ok != valid || ok && got != text {
				t.Errorf("AsText(%q) = %q, %t; want %q, %t", quoted, got, ok, text, valid)
			}
			if got, ok := rs.AsText(string(quoted)); ok != valid || ok && got != text {
				t.Errorf("AsText(%q) of a string = %q, %t; want %q, %t", quoted, got, ok, text, valid)
			}
		}
		written := rs.AppendText(nil, string(raw))
		var read string
		if err := json.Unmarshal(written, &read); err != nil || read != strings.ToValidUTF8(string(raw), "\uFFFD") && utf8.Valid(raw) {
			t.Errorf("AppendText(%q) = %s, which reads %q, %v", raw, written, read, err)
		}
		if bytes.ContainsAny(written, "\n\u2028\u2029") {
			t.Errorf("AppendText(%q) = %s has a line break", raw, written)
		}
	})
}
