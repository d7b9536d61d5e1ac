package rs

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"
)

const (
	// DefaultAuthorityTimeout bounds one question to a token authority or a package directory.
	DefaultAuthorityTimeout = 5 * time.Second
	// maxAnswerBytes bounds its answer, which grows with the grant.
	maxAnswerBytes = 1 << 20
)

// A question asks one endpoint about tokens: POST with the form token=…, HTTP Basic, no redirects. Introspection
// (RFC 7662) and the package directory (D17) are asked the same way.
type question struct {
	what     string // names the endpoint in errors
	endpoint string
	clientID string
	secret   Token
	timeout  time.Duration
	http     *http.Client
}

// newQuestion checks the endpoint. Its error shows nothing secret. A timeout of 0 means the default, a nil transport
// one of its own.
func newQuestion(what, endpoint, clientID string, secret Token, timeout time.Duration, transport http.RoundTripper) (*question, error) {
	u, err := url.Parse(endpoint)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%s URL %q must start with http:// or https:// and name a host", what, redactURL(endpoint))
	case u.User != nil:
		return nil, fmt.Errorf("%s URL for host %q must not hold credentials", what, u.Host)
	}
	if timeout == 0 {
		timeout = DefaultAuthorityTimeout
	}
	if transport == nil {
		transport = newTransport()
	}
	return &question{what, endpoint, clientID, secret, timeout, &http.Client{
		Transport:     transport,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }, // a token is never sent on
	}}, nil
}

// ask returns the body of a 200 answer. Any other outcome is an error that says nothing of the token.
func (q *question) ask(ctx context.Context, token Token) ([]byte, error) {
	ctx, cancel := context.WithTimeout(ctx, q.timeout)
	defer cancel()
	form := url.Values{"token": {token.Reveal()}}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, q.endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/json")
	// RFC 6749, section 2.3.1: both parts are form-encoded before they are joined.
	request.SetBasicAuth(url.QueryEscape(q.clientID), url.QueryEscape(q.secret.Reveal()))
	response, err := q.http.Do(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s was answered with status %d", q.what, response.StatusCode)
	}
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes+1))
	if err != nil {
		return nil, err
	}
	if len(body) > maxAnswerBytes {
		return nil, fmt.Errorf("the answer of %s is larger than %d bytes", q.what, maxAnswerBytes)
	}
	return body, nil
}
