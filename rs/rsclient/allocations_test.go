//go:build !race

package rsclient_test

import (
	"bytes"
	"io"
	"net/http"
	"net/url"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// The number of allocations of a read must not grow unnoticed.
func TestAReadMakesLittleGarbage(t *testing.T) {
	const ceiling = 80
	body := []byte(`{"object":"list","data":[]}`)
	client, err := rsclient.New(rsclient.Options{
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
	doer, request := client.For(
		rsclient.Caller{Token: rs.NewToken("t")},
	), rs.Request{
		Path:  rs.Path("search"),
		Query: url.Values{"q": {"invoice"}, "limit": {"25"}},
	}
	got := testing.AllocsPerRun(200, func() {
		if _, err := doer.Do(t.Context(), request); err != nil {
			t.Fatal(err)
		}
	})
	if got > ceiling {
		t.Errorf("%.0f allocations, want at most %d", got, ceiling)
	}
}
