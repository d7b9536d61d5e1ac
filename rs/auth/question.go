package auth

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	// defaultAuthorityTimeout bounds one question to a token authority or a package directory.
	defaultAuthorityTimeout = 5 * time.Second
	// maxAnswerBytes bounds its answer, which grows with the grant.
	maxAnswerBytes = 1 << 20
	// questionRetries is how often a question is put again: it is a POST without an effect.
	questionRetries = 1
)

// A Question asks one endpoint about tokens: POST with the form token=…, HTTP Basic, no redirects. Introspection
// (RFC 7662) and the package directory (D17) are asked the same way. Asking changes nothing there, so a question whose
// connection failed is put once more; an endpoint that keeps failing is left alone for a while. What anybody can bring about
// by sending an unknown token does not count as such a failure: see [rsclient.WithUnknownToken].
type Question struct {
	QuestionOptions
	sender *rsclient.Sender
}

// QuestionOptions configure a [Question].
type QuestionOptions struct {
	What      string // names the endpoint in errors
	Class     string // names it to the observer
	Endpoint  string
	ClientID  string
	Secret    rs.Token
	Timeout   time.Duration     // 0 means the default
	Transport http.RoundTripper // nil means one of its own
	NoBreaker bool
	Observer  rsclient.Observer // nil means nobody
}

// NewQuestion checks the endpoint. Its error shows nothing secret.
func NewQuestion(o QuestionOptions) (*Question, error) {
	u, err := url.Parse(o.Endpoint)
	switch {
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return nil, fmt.Errorf("%s URL %q must start with http:// or https:// and name a host", o.What, rsclient.RedactURL(o.Endpoint))
	case u.User != nil:
		return nil, fmt.Errorf("%s URL for host %q must not hold credentials", o.What, u.Host)
	}
	if o.Timeout == 0 {
		o.Timeout = defaultAuthorityTimeout
	}
	if o.Transport == nil {
		o.Transport = rsclient.NewTransport()
	}
	if o.Observer == nil {
		o.Observer = rsclient.Unobserved{}
	}
	return &Question{o, rsclient.NewSender(u.Host, o.Transport, questionRetries, false, o.NoBreaker, o.Observer)}, nil
}

// Ask returns the body of a 200 answer. Any other outcome is an error that says nothing of the token.
func (q *Question) Ask(ctx context.Context, token rs.Token) ([]byte, error) {
	began := time.Now()
	status, body, err := q.put(ctx, token)
	q.Observer.Read(q.Class, status, time.Since(began))
	return body, err
}

func (q *Question) put(ctx context.Context, token rs.Token) (status int, body []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, q.Timeout)
	defer cancel()
	form := url.Values{"token": {token.Reveal()}}
	request, err := retryablehttp.NewRequestWithContext(ctx, http.MethodPost, q.Endpoint, strings.NewReader(form.Encode()))
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Accept", "application/json")
	// RFC 6749, section 2.3.1: both parts are form-encoded before they are joined.
	request.SetBasicAuth(url.QueryEscape(q.ClientID), url.QueryEscape(q.Secret.Reveal()))
	response, err := q.sender.Send(request)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return response.StatusCode, nil, &rs.Error{
			Code: rs.UpstreamError, Status: response.StatusCode, RetryAfter: rs.RetryAfter(response.Header),
			Message: fmt.Sprintf("%s was answered with status %d", q.What, response.StatusCode),
		}
	}
	body, err = io.ReadAll(io.LimitReader(response.Body, maxAnswerBytes+1))
	if err != nil {
		return 0, nil, err
	}
	if len(body) > maxAnswerBytes {
		return 0, nil, fmt.Errorf("the answer of %s is larger than %d bytes", q.What, maxAnswerBytes)
	}
	return http.StatusOK, body, nil
}
