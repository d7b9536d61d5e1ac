//go:build !race

package rs_test

import (
	"bytes"
	"io"
	"net/http"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A ceiling is exact where a time is not: whoever meets one either finds what has come to be made in vain for each read,
// or raises it.
func TestAReadMakesLittleGarbage(t *testing.T) {
	const ceiling = 44 // of which ten are the stub's
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
	doer, request := client.For(rs.Principal{Token: rs.NewToken("t")}), searchRequest("limit", "25")
	got := testing.AllocsPerRun(200, func() {
		if _, err := doer.Do(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	})
	if got > ceiling {
		t.Errorf("%.0f allocations, want at most %d", got, ceiling)
	}
}
