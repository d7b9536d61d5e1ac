package rs_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

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
