package rs_test

import (
	"encoding/json"
	"strings"
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

// FuzzParts: of any valid JSON, the parts are those that encoding/json finds; of anything else, ReadObject takes nothing.
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

// What stands inside an object or array can be read in the same pass as that, and changes nothing of how that is read.
func TestPartsAreReadInsideOneAnother(t *testing.T) {
	for name, row := range map[string]struct{ raw, want string }{
		"an object in an object":               {`{"a":{"read":{"x":1}},"b":2}`, `x=1`},
		"in a list":                            {`{"list":[{"read":{"x":1}},{"read":{"x":2}}],"b":2}`, `x=1 x=2`},
		"with space between all":               {" { \"list\" : [ { \"read\" : { \"x\" : 1 } } ] , \"b\" : 2 } ", `x=1`},
		"what is not asked for is passed over": {`{"other":{"read":{"x":1}},"list":["read",[{"read":0}],{"no":{"read":3}}]}`, ``},
		"what is no object is left as it is":   {`{"a":{"read":[1]},"list":{"read":{"x":1}}}`, ``},
		"of an object that breaks off too":     {`{"a":{"read":{"x":1,}},"b":2}`, ``},
	} {
		t.Run(name, func(t *testing.T) {
			var found []string
			w := rs.Walk(row.raw)
			read := func(name string) {
				if name != "read" {
					return
				}
				for _, m := range w.Object(nil, nil) {
					found = append(found, m.Name+"="+m.Value)
				}
			}
			object := w.Object(nil, func(name string) {
				switch name {
				case "a":
					w.Object(nil, read)
				case "list":
					w.Array(nil, func() { w.Object(nil, read) })
				}
			})
			if got := strings.Join(found, " "); got != row.want {
				t.Errorf("inside stands %s, want %s", got, row.want)
			}
			if !cmp.Equal(rs.AsObject(row.raw), object) || !w.AtEnd() {
				t.Errorf("the whole is %v, want %v", object, rs.AsObject(row.raw))
			}
		})
	}
}

// A record and its data, read together, are what they are when each is read alone.
func TestARecordIsReadWithItsData(t *testing.T) {
	for name, raw := range map[string]string{
		"a record":                               `{"id":"a","data":{"n":-1.5e3,"t":"},\"","data":{"x":[]},"f":[{"a":"]"},{}]},"z":true}`,
		"an empty record":                        `{"data":{}}`,
		"an empty object":                        `{}`,
		"no data":                                `{"id":"a"}`,
		"data that are null":                     `{"id":"a","data":null}`,
		"data that are a text":                   `{"id":"a","data":"{}"}`,
		"data that are a list":                   `{"data":[{"id":1},"x"],"id":"a"}`,
		"of data given twice the last":           `{"data":{"a":1},"data":{"b":2}}`,
		"also where the last are null":           `{"data":{"a":1},"data":null}`,
		"also where the last are something else": `{"data":{"a":1},"data":[2,3]}`,
		"names and texts with escapes":           `{"d\u0061ta":{"\u00e9\"":"\\"},"\n":"\ud83d\ude80"}`,
		"space between all":                      "\t{ \"data\" :\n{ \"a\" : { } , \"b\" : true }\n, \"x\" : [ ] } ",
		"no object":                              `[{"data":{}}]`,
		"nothing":                                ``,
	} {
		t.Run(name, func(t *testing.T) {
			want := rs.AsObject(raw)
			record, data := rs.Object{{Name: "old"}}.RereadRecord(raw, rs.Object{{Name: "older"}})
			if !cmp.Equal(want, record) || !cmp.Equal(want.Object("data"), data) {
				t.Errorf("the record is %v with %v, want %v", record, data, want)
			}
		})
	}
}

// What breaks off is no record, and no part of it is given out as one.
func TestARecordThatBreaksOff(t *testing.T) {
	const whole = `{"id":"a","data":{"t":"x\"","f":[1,{"b":true}]},"z":12}`
	for end := range len(whole) {
		if record, data := rs.Object(nil).RereadRecord(whole[:end], nil); record != nil || data != nil {
			t.Errorf("%s is read as %v with %v", whole[:end], record, data)
		}
	}
	if record, _ := rs.Object(nil).RereadRecord(whole+"}", nil); record != nil {
		t.Errorf("a record with something behind it is read as %v", record)
	}
}
