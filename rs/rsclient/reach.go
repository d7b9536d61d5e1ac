package rsclient

import (
	"context"
	"fmt"
	"io"
	"net/http"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// maxReachBytes is how much of a probe's answer is read, so that its connection can be used again.
const maxReachBytes = 16 << 10

// Reach asks whether the resource server answers at all, without a token and without a retry. Whatever is no 5xx counts:
// a 401 or a 404 comes from a server that is up. Its error is a *Error; ctx bounds it.
func (c *Client) Reach(ctx context.Context) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.base+"/.well-known/oauth-protected-resource", nil)
	if err != nil {
		return &rs.Error{Code: rs.Internal, Message: "The probe could not be expressed as a URL.", Cause: err}
	}
	request.Header.Set("Accept", "application/json")
	if c.options.UserAgent != "" {
		request.Header.Set("User-Agent", c.options.UserAgent)
	}
	response, err := c.options.Transport.RoundTrip(request) // a redirect is an answer, too
	if err != nil {
		return transportError(err)
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.CopyN(io.Discard, response.Body, maxReachBytes)
	if response.StatusCode >= http.StatusInternalServerError {
		return &rs.Error{Code: "server_unreachable", Status: response.StatusCode, Message: fmt.Sprintf("The resource server answered a probe with status %d.", response.StatusCode)}
	}
	return nil
}
