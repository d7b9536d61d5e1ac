package rs_test

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

func TestObjectKeepsWhatItDoesNotChange(t *testing.T) {
	const text = `{"z":1.0,"a":{"b" : "é\u003c"},"n":null,"big":12345678901234567890}`
	o, err := rs.ReadObject(" \n" + text + "\t")
	if err != nil {
		t.Fatal(err)
	}
	for name, row := range map[string]struct {
		got  rs.Object
		want string
	}{
		"order, spacing within values and digits stay":   {o, text},
		"a value is set in its place":                    {o.With("a", string(json.RawMessage(`7`))), `{"z":1.0,"a":7,"n":null,"big":12345678901234567890}`},
		"a new value stands at the end":                  {o.With("y", string(json.RawMessage(`7`))), text[:len(text)-1] + `,"y":7}`},
		"a name can be taken out":                        {o.Without("a").Without("big"), `{"z":1.0,"n":null}`},
		"taking out what is not there is no change":      {o.Without("q"), text},
		"setting a name that stood twice leaves it once": {rs.Object{{"a", string(json.RawMessage(`1`))}, {"a", string(json.RawMessage(`2`))}}.With("a", string(json.RawMessage(`3`))), `{"a":3}`},
		"an empty object is one":                         {rs.Object{}, `{}`},
	} {
		t.Run(name, func(t *testing.T) {
			if diff := cmp.Diff(row.want, row.got.JSON()); diff != "" {
				t.Error(diff)
			}
		})
	}
	if data := o.JSON(); data != text {
		t.Errorf("the object itself changed: %s", data)
	}
	for name, want := range map[string]string{"z": "1.0", "n": "", "absent": ""} {
		if got := o.Get(name); got != want {
			t.Errorf("Get(%q) = %s, want %s", name, got, want)
		}
	}
}

func TestReadObjectRefuses(t *testing.T) {
	for name, row := range map[string]struct{ text, want string }{
		"nothing":                     {"", "an object is expected"},
		"an array":                    {"[]", "an object is expected"},
		"a string":                    {`"{}"`, "an object is expected"},
		"an object and more":          {"{} {}", "something follows the object"},
		"an object and garbage":       {"{}x", "something follows the object"},
		"an object that breaks off":   {`{"secret":1`, "the JSON is malformed"},
		"a value that breaks off":     {`{"secret":"x`, "the JSON is malformed"},
		"a name that is not a string": {`{1:2}`, "the JSON is malformed"},
		"a comma too many":            {`{"secret":1,}`, "the JSON is malformed"},
		"a comma too few":             {`{"a":1 "b":2}`, "the JSON is malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			o, err := rs.ReadObject(row.text)
			if err == nil || err.Error() != row.want {
				t.Errorf("ReadObject(%q) = %v, %v; want %q", row.text, o, err, row.want)
			}
		})
	}
}

// FuzzParts compares the members and items of valid JSON with encoding/json. ReadObject refuses anything else.
func FuzzParts(f *testing.F) {
	for _, seed := range []string{`{"a":1,"b":[1,{"c":"}"}],"":null}`, ` [ 1 , "a,b" , {} , [ ] ] `, `{"a\\\"":"\\\\"}`, `{"é":"\u00e9\ud800"}`, `{"a":1,}`, `[1,]`, `{}`, `[]`, `{"a":[}`, `"x"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, raw []byte) {
		object, err := rs.ReadObject(string(raw))
		if !json.Valid(raw) {
			if err == nil {
				t.Fatalf("%q is an object: %v", raw, object)
			}
			rs.AsObject(string(raw)) // must not panic
			rs.AsArray(string(raw))
			return
		}
		var members map[string]json.RawMessage
		isObject := json.Unmarshal(raw, &members) == nil && members != nil
		if isObject != (err == nil) || isObject != (rs.AsObject(string(raw)) != nil) {
			t.Fatalf("%q: %v", raw, err)
		}
		for name, want := range members {
			got := object[0].Value
			for _, m := range object {
				if m.Name == name {
					got = m.Value
				}
			}
			if got != string(want) {
				t.Errorf("%q of %q is %q, want %q", name, raw, got, want)
			}
			if text, ok := rs.AsText(string(want)); ok && rs.Kind(string(want)) == "string" {
				var decoded string
				if err := json.Unmarshal(want, &decoded); err != nil || decoded != text {
					t.Errorf("%q is %q", want, text)
				}
				var again string
				if err := json.Unmarshal([]byte(rs.EncodeJSON(text)), &again); err != nil || again != text {
					t.Errorf("%q is written %s", text, rs.EncodeJSON(text))
				}
			}
		}
		var elements []json.RawMessage
		isArray := json.Unmarshal(raw, &elements) == nil && elements != nil
		list, ok := rs.AsArray(string(raw))
		if ok != isArray || len(list) != len(elements) {
			t.Fatalf("%q has %d elements, want %d", raw, len(list), len(elements))
		}
		for i := range list {
			if list[i] != string(elements[i]) {
				t.Errorf("element %d of %q is %q, want %q", i, raw, list[i], elements[i])
			}
		}
	})
}

// Small and large objects are searched by different code, with the same result.
func TestAmbiguity(t *testing.T) {
	few := make(rs.Object, 16)
	for i := range few {
		few[i].Name = fmt.Sprint("m", i)
	}
	if allocations := testing.AllocsPerRun(10, func() { few.Ambiguity("id") }); allocations > 0 {
		t.Errorf("an object of few members takes %v allocations", allocations)
	}
	for text, want := range map[string]rs.Member{ // the ambiguous member, and the name that it can be read as
		`"id":1,"x":2`:            {},
		`"id":1,"id":2`:           {Name: "id", Value: "id"},
		`"id":1,"ID":2`:           {Name: "ID", Value: "id"},
		`"Id":1`:                  {Name: "Id", Value: "id"},
		`"x":1,"X":2`:             {Name: "X"},
		`"token":1`:               {},
		"\"to\u212aen\":1":        {Name: "to\u212aen", Value: "token"}, // the Kelvin sign
		"\"\u017f\":1,\"S\":2":    {Name: "S"},                          // the long s
		"\"i\":1,\"\u0130\":2":    {},                                   // the dotted I does not fold to i
		`"":1,"":2`:               {},
		`"\u0069d":1,"\u0069d":2`: {Name: "id", Value: "id"},
	} {
		many := ""
		for i := range 20 {
			many += fmt.Sprintf(`"m%d":0,`, i)
		}
		for _, body := range []string{"{" + text + "}", "{" + many + text + "}"} {
			member, name, found := rs.AsObject(body).Ambiguity("id", "token")
			if wants := want != (rs.Member{}) || text == `"":1,"":2`; found != wants || (rs.Member{Name: member, Value: name}) != want {
				t.Errorf("%s: %q of %q, %v", body, member, name, found)
			}
		}
	}
}
