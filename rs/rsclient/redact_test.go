package rsclient_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// A token that a server repeats in a header or in a blob does not reach the caller.
func TestATokenIsRemovedFromTheHeadersThatAreRead(t *testing.T) {
	const secret = "secret-token-0123"
	for _, header := range []string{"Request-Id", "X-Request-Id", "Content-Type"} {
		h := &host{}
		h.now(func(*http.Request) (*http.Response, error) {
			return answer(200, `PNG "`+secret+`" "\u0073ecret-token-0123"`, header, "x"+secret), nil
		})
		response, err := clientFor(t, h, rsclient.Options{}).For(caller(secret)).Do(t.Context(), rs.Request{Path: "/v1/blobs/b", Binary: true})
		if err != nil {
			t.Fatal(err)
		}
		if got := response.RequestID + response.ContentType; got != "x[token]" {
			t.Errorf("%s: %q", header, got)
		}
		if response.Body != `PNG "[token]" "\u0073ecret-token-0123"` { // a blob is not JSON: its escapes are bytes
			t.Errorf("%q", response.Body)
		}
	}
}

// A token that invisible characters split is removed from the request id and from the texts of an error; so is one that truncation would
// split at the end of a text.
func TestATokenThatIsPartedIsRemoved(t *testing.T) {
	const secret = "secret-token-0123"
	for _, between := range []string{"", "\u00ad", "\u200b", "\u2060\ufeff", "\u200d", "\u202e", "\x1b[31m", "\U000e0041"} {
		parted := strings.Join(strings.Split(secret, ""), between)
		h := &host{}
		h.now(func(*http.Request) (*http.Response, error) {
			body := `{"error":{"code":"not_found","message":` + rs.EncodeJSON("No "+parted+strings.Repeat(".", 580)+parted) + `,"param":` + rs.EncodeJSON(parted) +
				`,"retry_with":` + rs.EncodeJSON(parted) + `}}`
			return answer(404, body, "Request-Id", "req."+parted), nil
		})
		_, err := clientFor(t, h, rsclient.Options{}).For(caller(secret)).Do(t.Context(), rs.Request{Path: "/v1/streams"})
		e := rs.AsError(err)
		got := []string{e.Message, e.Param, e.RetryWith, e.RequestID}
		want := []string{"No [token]" + strings.Repeat(".", 580) + "[token]", "[token]", "[token]", "req.[token]"}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("parted by %q: %s", between, diff)
		}
	}
}
