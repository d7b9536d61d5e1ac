package rsclient_test

import (
	"net/http"
	"testing"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// Tokens that were never active open the breaker of an authority only if it cannot be reached: any other failure may be due to the token.
func TestNeverActiveTokensOpenABreakerByConnectionsAlone(t *testing.T) {
	for name, row := range map[string]struct {
		fails roundTrip
		opens bool
	}{"it fails": {status(500), false}, "no connection": {refusing, true}} {
		h := &host{}
		h.now(row.fails)
		sender := rsclient.NewSender(rsclient.SenderOptions{Host: "as.example", Transport: h})
		for range 20 {
			request, err := retryablehttp.NewRequestWithContext(rsclient.WithUnknownToken(t.Context()), http.MethodPost, "https://as.example/introspect", nil)
			if err != nil {
				t.Fatal(err)
			}
			if response, err := sender.Send(request); err == nil {
				_ = response.Body.Close()
			}
		}
		if opened := h.requests.Load() == 10; opened != row.opens {
			t.Errorf("%s: %d requests were sent", name, h.requests.Load())
		}
	}
}
