//go:build !race

package rs_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A read must not come to allocate many times more unnoticed.
func TestAReadMakesLittleGarbage(t *testing.T) {
	const ceiling = 80
	body := []byte(`{"object":"list","data":[]}`)
	client, err := rs.NewClient(rs.ClientOptions{
		Base: "https://rs.example", UserAgent: "test",
		Transport: roundTrip(func(r *http.Request) (*http.Response, error) {
			return &http.Response{
				StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {"application/json"}, "Request-Id": {"req_1"}},
				ContentLength: int64(len(body)), Body: io.NopCloser(bytes.NewReader(body)), Request: r,
			}, nil
		}),
	})
	if err != nil {
		t.Fatal(err)
	}
	doer, request := client.For(rs.Caller{Token: rs.NewToken("t")}), rs.Request{Path: rs.Path("search"), Query: url.Values{"q": {"invoice"}, "limit": {"25"}}}
	got := testing.AllocsPerRun(200, func() {
		if _, err := doer.Do(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	})
	if got > ceiling {
		t.Errorf("%.0f allocations, want at most %d", got, ceiling)
	}
}

// A compact document costs nearly the same however many fields it has; a full one costs by the field.
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
		"a compact document as it is":   {read("", compact), 30},
		"a stream of it":                {read("messages", compact), 80},
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
