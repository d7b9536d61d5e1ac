package importer

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/schema"
)

// A deeply nested object stays one field instead of fields with unreadably long names.
func TestADeepObjectStaysWhole(t *testing.T) {
	stream := inferred(t, strings.Repeat(`{"a":`, 150)+"1"+strings.Repeat("}", 150))
	if len(stream.Fields) != 1 || stream.Fields[0].Name != "a" || stream.Fields[0].Type != "object" {
		t.Errorf("got %v", stream.Fields)
	}
}

// Members of objects become fields with dotted names, and numeric timestamps become times; the rest of a record is unchanged.
func TestObjectsBecomeFields(t *testing.T) {
	var many strings.Builder
	for number := range schema.MaxMembers + 1 {
		fmt.Fprintf(&many, `,"k%d":1`, number)
	}
	large := `{` + many.String()[1:] + `}`
	for _, test := range []struct {
		name, manifest string
		lines, want    []string
		fields         string // with their types
	}{
		{"nested objects, and unchanged lists", "", []string{`{"a":1,"place":{"city":"Bonn","at":{"lat":1.5}},"tags":[{"x":1}]}`, `{"a":2}`},
			[]string{`{"a":1,"place.city":"Bonn","place.at.lat":1.5,"tags":[{"x":1}]}`, `{"a":2}`}, "a integer, place.city string|null, place.at.lat number|null, tags array|null"},
		{"null and an empty object", "", []string{`{"p":{"a":1}}`, `{"p":null,"b":1}`, `{"p":{},"b":1}`}, []string{`{"p.a":1}`, `{"b":1}`, `{"b":1}`}, "p.a integer|null, b integer|null"},
		{"a text instead of an object is unchanged", "", []string{`{"p":{"a":1}}`, `{"p":"x"}`}, []string{`{"p.a":1}`, `{"p":"x"}`}, "p string|null, p.a integer|null"},
		{"a map is unchanged", "", []string{`{"p":` + large + `}`}, []string{`{"p":` + large + `}`}, "p object"},
		{"an object with a repeated member is unchanged", "", []string{`{"p":{"a":1,"a":2}}`, `{"p":{"a":3}}`}, []string{`{"p":{"a":1,"a":2}}`, `{"p":{"a":3}}`}, "p object"},
		{"an object whose member would get the name of another field is unchanged", "", []string{`{"p":{"a":1},"p.a":2}`}, []string{`{"p":{"a":1},"p.a":2}`}, "p object, p.a integer"},
		{"a declared object is unchanged", `{"streams":{"s":{"types":{"p":"object"}}}}`, []string{`{"p":{"a":1}}`}, []string{`{"p":{"a":1}}`}, "p object"},
		{"lists that never have more than one object", "",
			[]string{`{"t":"a","l":[{"href":"x","timestamp":1768443300}]}`, `{"l":[ {"href":"y","value":"é","timestamp":1768443301} ]}`, `{"l":[]}`, `{"l":null}`, `{"l":[{"timestamp":1768443302}]}`, `{"l":[{"href":"]}"}]}`, `{"l":[{"href":"z"}]}`},
			[]string{`{"t":"a","l.href":"x","l.timestamp":"2026-01-15T02:15:00Z"}`, `{"l.href":"y","l.value":"é","l.timestamp":"2026-01-15T02:15:01Z"}`, `{}`, `{}`, `{"l.timestamp":"2026-01-15T02:15:02Z"}`, `{"l.href":"]}"}`, `{"l.href":"z"}`},
			"t string|null, l.href string|null, l.timestamp timestamp|null, l.value string|null"},
		{"lists with more objects, with texts, or few lists", "", []string{`{"l":[{"a":1}],"m":[{"a":1}]}`, `{"l":[{"a":1}],"m":[{"a":1}]}`, `{"l":[{"a":1}],"m":["x"]}`, `{"l":[{"a":1}],"n":[{"a":1}]}`, `{"l":[{"a":1}]}`, `{"l":[{"a":1},{"a":2}]}`},
			[]string{`{"l":[{"a":1}],"m":[{"a":1}]}`, `{"l":[{"a":1}],"m":[{"a":1}]}`, `{"l":[{"a":1}],"m":["x"]}`, `{"l":[{"a":1}],"n":[{"a":1}]}`, `{"l":[{"a":1}]}`, `{"l":[{"a":1},{"a":2}]}`}, "l array, m array|null, n array|null"},
		{"an object, or a list of it", "", []string{`{"p":{"a":1}}`, `{"p":[{"a":2}]}`, `{"p":{"a":3}}`}, []string{`{"p.a":1}`, `{"p":[{"a":2}]}`, `{"p.a":3}`}, "p array|null, p.a integer|null"},
		{"seconds, milliseconds and microseconds since 1970, and as Chrome counts", "",
			[]string{`{"ts":1768443300,"sentAt":1768443300123,"time_usec":"1768443300123456","visit":{"last_visited":13412916900123456}}`, `{"ts":null}`},
			[]string{`{"ts":"2026-01-15T02:15:00Z","sentAt":"2026-01-15T02:15:00.123Z","time_usec":"2026-01-15T02:15:00.123456Z","visit.last_visited":"2026-01-15T02:15:00.123456Z"}`, `{"ts":null}`},
			"ts timestamp|null, sentAt timestamp|null, time_usec timestamp|null, visit.last_visited timestamp|null"},
		{"the Unix epoch", "", []string{`{"at":"2026-01-15T02:15:00Z"}`, `{"at":"1970-01-01T01:00:00+01:00"}`}, []string{`{"at":"2026-01-15T02:15:00Z"}`, `{"at":null}`}, "at timestamp|null"},
		{"numbers that are not times", "", []string{`{"ts":12,"lat":525200000,"format":1768443300,"n":1768443300}`}, []string{`{"ts":12,"lat":525200000,"format":1768443300,"n":1768443300}`},
			"ts integer, lat integer, format integer, n integer"},
		{"one that is not a time leaves all unchanged", "", []string{`{"ts":1768443300}`, `{"ts":5}`}, []string{`{"ts":1768443300}`, `{"ts":5}`}, "ts integer"},
		{"a time that is declared to be a number", `{"streams":{"s":{"types":{"ts":"integer"}}}}`, []string{`{"ts":1768443300}`}, []string{`{"ts":1768443300}`}, "ts integer"},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{"s.jsonl": strings.Join(test.lines, "\n")}
			if test.manifest != "" {
				files["manifest.json"] = test.manifest
			}
			corpus, skips := openFolder(t, writeFolder(t, files))
			if len(skips) > 0 {
				t.Errorf("skipped: %v", skips)
			}
			var got, fields []string
			for _, record := range collectRecords(t, corpus) {
				got = append(got, string(record.Data))
			}
			for _, field := range corpus.Connectors[0].Streams[0].Fields {
				fields = append(fields, field.Name+" "+field.Type+map[bool]string{true: "|null"}[field.Nullable])
			}
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if diff := cmp.Diff(test.fields, strings.Join(fields, ", ")); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}
