package rs

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

const (
	// DefaultAuthorityTimeout bounds one question to a token authority or a package directory.
	DefaultAuthorityTimeout = 5 * time.Second
	// maxAnswerBytes bounds its answer, which grows with the grant.
	maxAnswerBytes = 1 << 20
	// questionRetries is how often a question is put again: it is a POST without an effect.
	questionRetries = 1
)

// A question asks one endpoint about tokens: POST with the form token=…, HTTP Basic, no redirects. Introspection
// (RFC 7662) and the package directory (D17) are asked the same way. Asking changes nothing there, so a question whose
// connection failed is put once more; an endpoint that keeps failing is left alone for a while. What anybody can bring about
// by sending an unknown token does not count as such a failure: see [WithUnknownToken].
type question struct {
	questionOptions
	sender *sender
}

type questionOptions struct {
	what      string // names the endpoint in errors
	class     string // names it to the observer
	endpoint  string
	clientID  string
	secret    Token
	timeout   time.Duration     // 0 means the default
	transport http.RoundTripper // nil means one of its own
	noBreaker bool
	observer  Observer // nil means nobody
}

// newQuestion checks the endpoint. Its error shows nothing secret.
func newQuestion(o questionOptions) (*question, error) {
	u, err := url.Parse(o.endpoint)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%s URL %q must start with http:// or https:// and name a host", o.what, redactURL(o.endpoint))
	case u.User != nil:
		return nil, fmt.Errorf("%s URL for host %q must not hold credentials", o.what, u.Host)
	}
	if o.timeout == 0 {
		o.timeout = DefaultAuthorityTimeout
	}
	if o.transport == nil {
		o.transport = NewTransport()
	}
	if o.observer == nil {
		o.observer = unobserved{}
	}
	return &question{o, newSender(u.Host, o.transport, questionRetries, false, o.noBreaker, o.observer)}, nil
}

// ask returns the body of a 200 answer. Any other outcome is an error that says nothing of the token.
func (q *question) ask(ctx context.Context, token Token) ([]byte, error) {
	began := time.Now()
	status, body, err := q.put(ctx, token)
	q.observer.Read(q.class, status, time.Since(began))
	return body, err
}

func (q *question) put(ctx context.Context, token Token) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, q.timeout)
	defer cancel()
	form := url.Values{"token": {token.Reveal()}}
	request, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, q.endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/json")
	// RFC 6749, section 2.3.1: both parts are form-encoded before they are joined.
	request.SetBasicAuth(url.QueryEscape(q.clientID), url.QueryEscape(q.secret.Reveal()))
	response, err := q.sender.send(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return response.StatusCode, nil, &Error{
			Code: UpstreamError, Status: response.StatusCode, RetryAfter: retryAfter(response.Header),
			Message: fmt.Sprintf("%s was answered with status %d", q.what, response.StatusCode),
		}
	}
	body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes+1))
	if err != nil {
		return 0, nil, err
	}
	if len(body) > maxAnswerBytes {
		return 0, nil, fmt.Errorf("the answer of %s is larger than %d bytes", q.what, maxAnswerBytes)
	}
	return http.StatusOK, body, nil
}
