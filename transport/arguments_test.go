package transport_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// Arguments as deep or as wide as a message may be are refused in little time, and the resource server hears nothing.
func TestArgumentsOfAnyShapeAreRefusedSoon(t *testing.T) {
	const levels, most = 900, 128<<10 - 1000 // bytes of the arguments
	wide := func(unit string) string { return strings.TrimSuffix(strings.Repeat(unit, most/len(unit)), ",") }
	for _, test := range []struct{ name, filter, says string }{
		{"deep objects", strings.Repeat(`{"a":`, levels) + "1" + strings.Repeat("}", levels), "invalid_filter"},
		{"deep arrays", `{"a":` + strings.Repeat("[", levels) + strings.Repeat("]", levels) + "}", "invalid_filter"},
		{"deep, and wide within", strings.Repeat(`{"a":`, levels) + `"` + strings.Repeat("x", 120_000) + `"` + strings.Repeat("}", levels), "invalid_filter"},
		{"deeper than a message is read", strings.Repeat(`{"a":`, 10*levels) + "1" + strings.Repeat("}", 10*levels), "-32600"},
		{"deeper than JSON is read", strings.Repeat("[", 60_000) + strings.Repeat("]", 60_000), "-32700"},
		{"many members of a name", "{" + wide(`"a":1,`) + "}", "invalid_filter"},
		{"many empty objects", "[" + wide(`{},`) + "]", "invalid_filter"},
		{"many numbers", `{"a":[` + wide(`1,`) + "]}", "invalid_filter"},
		{"a number of a hundred thousand digits", `{"a":` + strings.Repeat("9", most) + "}", "invalid_filter"},
	} {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				t.Errorf("the resource server was asked for %s", r.URL.Path)
			}))
			defer server.Close()
			client, err := rsclient.New(rsclient.Options{Base: server.URL})
			if err != nil {
				t.Fatal(err)
			}
			f := fixture{Server: httptest.NewServer(transport.Handler(transport.HandlerOptions{
				Server: pipeline(client), Authenticator: &authority{}, Public: web.Public{Origin: "https://mcp.example"}, Logger: zerolog.Nop(),
			}))}
			defer f.Close()
			begin := time.Now()
			got := f.post(t, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"messages","filter":`+test.filter+`}}}`, nil)
			if !strings.Contains(got.body, test.says) || len(got.body) > 8<<10 {
				t.Errorf("%d, %d bytes: %.300s", got.status, len(got.body), got.body)
			}
			if took := time.Since(begin); took > time.Minute { // a fraction of a second, where no work grows with its square
				t.Errorf("took %s", took)
			}
		})
	}
}
