package auth

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

const (
	// defaultAuthorityTimeout bounds one request to a token authority or a package directory.
	defaultAuthorityTimeout = 5 * time.Second
	// maxAnswerBytes bounds the response, whose size grows with the grant.
	maxAnswerBytes = 1 << 20
	// lookupRetries is how often a request is repeated; it changes nothing at the endpoint.
	lookupRetries = 1
)

// A Lookup asks one endpoint about tokens: POST with the form token=…, HTTP Basic, no redirects. Introspection
// (RFC 7662) and the package directory (D17) are asked this way. A request whose connection fails is repeated once.
// An endpoint that keeps failing is not called for some seconds (circuit breaker); failures that any caller can cause by
// sending an unknown token do not count: see [rsclient.WithUnknownToken].
type Lookup struct {
	what, class string // the endpoint in errors, and to the observer
	options     LookupOptions
	sender      *rsclient.Sender
}

// LookupOptions name an endpoint, and how it is asked.
type LookupOptions struct {
	Endpoint     string
	ClientID     string // HTTP Basic
	ClientSecret rs.Token
	Timeout      time.Duration     // of one request; 0 means 5 s
	Transport    http.RoundTripper // nil means a pooled transport
	NoBreaker    bool              // no circuit breaker
	Observer     rsclient.Observer // may be nil
}

// NewLookup returns an error if the endpoint is not an HTTP URL without credentials. The error contains nothing secret.
func NewLookup(what, class string, o LookupOptions) (*Lookup, error) {
	u, err := url.Parse(o.Endpoint)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%s URL %q must start with http:// or https:// and name a host", what, rsclient.RedactURL(o.Endpoint))
	case u.User != nil:
		return nil, fmt.Errorf("%s URL for host %q must not hold credentials", what, u.Host)
	}
	if o.Timeout == 0 {
		o.Timeout = defaultAuthorityTimeout
	}
	if o.Transport == nil {
		o.Transport = rsclient.NewTransport()
	}
	return &Lookup{what, class, o, rsclient.NewSender(u.Host, o.Transport, lookupRetries, false, o.NoBreaker, o.Observer)}, nil
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
	ctx, cancel := context.WithTimeout(ctx, l.options.Timeout)
	defer cancel()
	form := url.Values{"token": {token.Reveal()}}
	request, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, l.options.Endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, nil, err
	}
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
			Code: rs.UpstreamError, Status: response.StatusCode, RetryAfter: rs.RetryAfter(response.Header),
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
