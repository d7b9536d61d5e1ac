// Package lookup asks token authorities and package directories about tokens.
package lookup

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/wire"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

const (
	// DefaultTimeout bounds one request to a token authority or a package directory.
	DefaultTimeout = 5 * time.Second
	// maxAnswerBytes bounds the response, whose size grows with the grant.
	maxAnswerBytes = 1 << 20
	// retries is how often a failed request is repeated, which is safe: it changes nothing at the endpoint.
	retries = 1
)

// A Lookup asks one endpoint about tokens: POST with the form token=…, HTTP Basic, no redirects. It serves introspection (RFC 7662) and
// the package directory (D17). A request whose connection fails is repeated once. An endpoint that keeps failing is not called for some
// seconds (circuit breaker). Failures that any caller can cause by sending an unknown token do not count: see [rsclient.WithUnknownToken].
type Lookup struct {
	what, class string // the endpoint's name in errors, and for the observer
	options     Options
	sender      *rsclient.Sender
}

// Options describe an endpoint and how to call it.
type Options struct {
	Endpoint     string
	ClientID     string // HTTP Basic
	ClientSecret rs.Token
	Timeout      time.Duration     // of one request; 0 means 5 s
	Transport    http.RoundTripper // nil means a pooled transport
	NoBreaker    bool              // no circuit breaker
	Trace        rsclient.Trace    // of each attempt; may be nil
	Observer     rsclient.Observer // may be nil
}

// New returns an error if the endpoint is not an HTTP URL without credentials. The error contains nothing secret.
func New(what, class string, o Options) (*Lookup, error) {
	u, err := rsclient.ParseURL(what, o.Endpoint)
	if err != nil {
		return nil, err
	}
	o.Timeout = cmp.Or(o.Timeout, DefaultTimeout)
	if o.Transport == nil {
		o.Transport = rsclient.NewTransport()
	}
	sender := rsclient.NewSender(rsclient.SenderOptions{
		Host: u.Host, Transport: o.Transport, Retries: retries, NoBreaker: o.NoBreaker, Trace: o.Trace, Observer: o.Observer,
	})
	return &Lookup{what, class, o, sender}, nil
}

// Ask returns the body of a 200 response. Any other outcome is an error, which never contains the token.
func (l *Lookup) Ask(ctx context.Context, token rs.Token) ([]byte, error) {
	began := time.Now()
	status, body, err := l.post(ctx, token)
	if l.options.Observer != nil {
		l.options.Observer.Read(l.class, status, time.Since(began))
	}
	return body, err
}

func (l *Lookup) post(ctx context.Context, token rs.Token) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(rsclient.WithCaller(ctx, rsclient.Caller{Token: token}), l.options.Timeout)
	defer cancel()
	form := url.Values{"token": {token.Reveal()}}
	// New has parsed the endpoint.
	request, _ := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, l.options.Endpoint, strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/json")
	// RFC 6749, section 2.3.1: both parts are form-encoded before they are joined.
	request.SetBasicAuth(url.QueryEscape(l.options.ClientID), url.QueryEscape(l.options.ClientSecret.Reveal()))
	response, err := l.sender.Send(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return response.StatusCode, nil, &rs.Error{
			Code: "upstream_error", Status: response.StatusCode, RetryAfter: wire.RetryAfter(response.Header),
			Message: fmt.Sprintf("%s was answered with status %d", l.what, response.StatusCode),
		}
	}
	body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes+1))
	if err != nil {
		return 0, nil, err
	}
	if len(body) > maxAnswerBytes {
		return 0, nil, fmt.Errorf("the answer of %s is larger than %d bytes", l.what, maxAnswerBytes)
	}
	return http.StatusOK, body, nil
}

// Unreachable returns the error of an authority or directory that gave no answer.
func Unreachable(cause error) *rs.Error {
	e := &rs.Error{
		Code: rs.AuthorityUnreachable, Cause: cause,
		Message: "The token authority could not say whether this access token is good.",
		Hint:    "Retry in a moment; if it persists, tell the operator.",
	}
	if refused, ok := errors.AsType[*rs.Error](cause); ok {
		e.RetryAfter, e.RequestID = refused.RetryAfter, refused.RequestID
	}
	return e
}
