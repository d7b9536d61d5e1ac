//go:build !race

package rs_test

import (
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A compact document takes nearly the same number of allocations however many fields it has; a full one takes some for each field.
func TestASchemaMakesLittleGarbage(t *testing.T) {
	document := func(field string) string {
		fields := strings.Repeat(`"f":`+field+`,`, 30) + `"g":` + field
		streams := strings.Repeat(`{"name":"other","field_capabilities":{`+fields+`}},`, 20) + `{"name":"messages","field_capabilities":{` + fields + `}}`
		return `"connectors":[{"connector_key":"mail","granted_connections":[{"connection_id":"cin_a"}],"streams":[` + streams + `]}]}`
	}
	compact := `{"detail":"compact",` + document(`"t=string,eq"`)
	full := `{` + document(`{"type":"string","granted":true,"exact_filter":{"usable":true},"range_filter":{"usable":true,"operators":["gte","lt"]},"aggregation":{"min":{"usable":true},"max":{"usable":true}}}`)
	read := func(stream, body string) func() error {
		server := &schemaServer{compact: body}
		return func() error {
			_, err := rs.CompactSchema(t.Context(), server, stream, "")
			server.reads = server.reads[:0]
			return err
		}
	}
	for name, row := range map[string]struct {
		deed    func() error
		ceiling float64
	}{
		"a compact document as it is":   {read("", compact), 60},
		"a stream of it":                {read("messages", compact), 90},
		"a full document, made compact": {read("", full), 20_000},
		"its rows":                      {func() error { return rs.ReadSchema(compact).Check() }, 60},
	} {
		got := testing.AllocsPerRun(50, func() {
			if err := row.deed(); err != nil {
				t.Fatal(err)
			}
		})
		if got > row.ceiling {
			t.Errorf("%s: %.0f allocations, want at most %.0f", name, got, row.ceiling)
		}
	}
}

// A name that occurs twice makes no garbage for the elements of arrays, which may be half a million.
func TestANameThatOccursTwiceMakesLittleGarbage(t *testing.T) {
	body := `{"a":1,"a":2,"data":[` + strings.Repeat(`0,`, 10_000) + `{},[]]}`
	got := testing.AllocsPerRun(5, func() {
		if response, err := rs.ReadResponse(body); err != nil || response.Body != body[:1]+body[len(`{"a":1,`):] {
			t.Fatal(err)
		}
	})
	if got > 100 {
		t.Errorf("%.0f allocations", got)
	}
}
