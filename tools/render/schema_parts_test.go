package render

import (
	"fmt"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// What surely fits is not tried: that rests on how much more than the whole a part can take.
func TestAPartOfASchemaTakesLittleMoreThanTheWhole(t *testing.T) {
	twins := func(connectors int) string {
		var list []string
		for i := range connectors {
			list = append(list, fmt.Sprintf(`{"connector_key":"k%d","connection_id":"cin_%d","streams":[{"name":"s","field_capabilities":{%s}},{"name":"t"},{"name":"u"},{"name":"%s"}]}`,
				i, i, strings.Repeat(`"f":"t=string,eq",`, 12)+`"g":"lex"`, strings.Repeat("v", 200)))
		}
		return `{"connectors":[` + strings.Join(list, ",") + `]}`
	}
	of := func(g grant, stream string) string {
		body, _ := g.document(stream)
		return string(body)
	}
	for name, row := range map[string]struct {
		body string
		q    SchemaQuery
	}{
		"fields that other connectors have too": {twins(9), SchemaQuery{Stream: "s"}},
		"fields in full":                        {of(grant{connectors: 2, streams: 2, fields: 9, connections: 2, full: true, fieldBytes: 300, name: long}, "s"), SchemaQuery{Stream: "s", Full: true}},
		"many fields that were asked for":       {twins(3), SchemaQuery{Stream: "s", Fields: append([]string{"f", "g"}, strings.Repeat("w", 1400))}},
	} {
		t.Run(name, func(t *testing.T) {
			d := readSchema(rs.ReadSchema(row.body), row.q)
			all, l, c := len(d.units), new(lines), d.cut()
			if all < 2 {
				t.Fatalf("%d units", all)
			}
			d.write(l, 0, all)
			bytes, count, structured := len(l.b), l.count(), len(c.page(0, all))
			for n := range all {
				d.write(l, 0, n)
				if len(l.b) > 2*bytes+TextHard/3 || l.count() > 2*count+TextLines/3 {
					t.Errorf("%d of %d take %d bytes of text in %d lines, all of them %d in %d", n, all, len(l.b), l.count(), bytes, count)
				}
				if size := len(c.page(0, n)); size > structured+nextBytes {
					t.Errorf("%d of %d take %d bytes of structured output, all of them %d", n, all, size, structured)
				}
			}
		})
	}
}
