package rsclient_test

import (
	"net/http"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// A token that a server repeats in a header or in a blob does not reach the caller.
func TestATokenIsRemovedFromTheHeadersThatAreRead(t *testing.T) {
	const secret = "secret-token-0123"
	for _, header := range []string{"Request-Id", "X-Request-Id", "Content-Type"} {
		h := &host{}
		h.now(func(*http.Request) (*http.Response, error) {
			return answer(200, `PNG "`+secret+`" \u0073ecret-token-0123`, header, "x"+secret), nil
		})
		response, err := clientFor(t, h, rsclient.Options{}).For(caller(secret)).Do(t.Context(), rs.Request{Path: "/v1/blobs/b", Binary: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := response.RequestID + response.ContentType; got != "x[token]" {
			t.Errorf("%s: %q", header, got)
		}
		if response.Body != `PNG "[token]" \u0073ecret-token-0123` { // a blob is not JSON: its escapes are bytes
			t.Errorf("%q", response.Body)
		}
	}
}
