package rs

import (
	"encoding/json"
	"testing"
)

// ReadObject accepts what encoding/json accepts as an object, with the same values; encoding and reading
// it again changes nothing.
func FuzzObject(f *testing.F) {
	for _, seed := range []string{`{}`, `{"a":1,"a":null}`, ` {"a" : [1, {"b":2}]} `, `{"a":1}{`, `null`, `[]`, `{"\u0061":"\ud800"}`, `{"<&>":"\u2028"}`, "{\"\xff\":\"\xfe\"}", `{"a":1,}`, `{"a"}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		object, err := ReadObject(string(raw))
		var want map[string]json.RawMessage
		valid := json.Unmarshal(raw, &want) == nil && want != nil
		if (err == nil) != valid {
			t.Fatalf("ReadObject(%q): %v; encoding/json takes it: %v", raw, err, valid)
		}
		if err != nil {
			return
		}
		for _, m := range object {
			value, known := want[m.Name]
			if !known || Kind(string(value)) != "null" && object.Get(m.Name) != string(value) {
				t.Errorf("%q: %q is %s, want %s", raw, m.Name, object.Get(m.Name), value)
			}
		}
		text := object.JSON()
		again, err := ReadObject(text)
		if err != nil || len(again) != len(object) || again.JSON() != text {
			t.Errorf("%q is written as %q and read as %v, %v", raw, text, again, err)
		}
	})
}
