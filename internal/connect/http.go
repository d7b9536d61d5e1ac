package connect

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// Bounds of one request.
const (
	maxAnswer   = 1 << 20 // bytes
	requestTime = 20 * time.Second
	maxWait     = 300 // seconds
)

// A client sends requests to the servers of a provider.
type client struct {
	once  *rsclient.Once
	agent string
}

func newClient(agent string) *client { return &client{rsclient.NewOnce(requestTime), agent} }

// A RefusedError is the error of an answer that is not a success.
type RefusedError struct {
	Status int
	Code   string        // the OAuth error code; empty if the body has none
	text   string        // the server's description, bounded; it may repeat what was sent
	wait   time.Duration // from a Retry-After in seconds, at most maxWait
}

// Error returns status and code. It never returns the server's text, which may repeat a secret.
func (r *RefusedError) Error() string {
	return strings.TrimSpace(fmt.Sprintf("the server answered %d %s", r.Status, r.Code))
}

// refusalOf returns the RefusedError that err wraps, or a zero one.
func refusalOf(err error) RefusedError {
	if refused, ok := errors.AsType[*RefusedError](err); ok {
		return *refused
	}
	return RefusedError{}
}

// retryable reports whether a refusal shows that the server did not process the request, so that it may be sent again. An HTML page or a
// 503 without Retry-After does not show that: a proxy sends them in place of an answer that it lost.
func (r RefusedError) retryable() bool {
	switch r.Status {
	case http.StatusTooManyRequests:
		return true
	case http.StatusServiceUnavailable:
		return r.wait > 0
	}
	return r.Status >= 400 && r.Status < 500 && slices.Contains([]string{"invalid_request", "slow_down", "temporarily_unavailable"}, r.Code)
}

var errNotSent = errors.New("the server cannot be reached")

func (c *client) get(ctx context.Context, address string, into any) error {
	body, err := c.send(ctx, http.MethodGet, address, nil, "")
	if err != nil {
		return err
	}
	return decode(body, into)
}

// post sends a document like send. An empty address means that the server does not offer this way: the error is errNoWay.
func (c *client) post(ctx context.Context, address string, document any) ([]byte, error) {
	if address == "" {
		return nil, errNoWay
	}
	return c.send(ctx, http.MethodPost, address, document, "")
}

// send performs one request and returns the body of a success, at most maxAnswer bytes. document may be nil, url.Values for a form, or a
// value to send as JSON. Its errors name only the host: paths and bodies contain secrets.
func (c *client) send(ctx context.Context, method, address string, document any, authorization string) ([]byte, error) {
	target, err := SecureURL(address)
	if err != nil {
		return nil, err
	}
	sent, contentType := encode(document)
	request, err := http.NewRequestWithContext(ctx, method, target.String(), bytes.NewReader(sent))
	if err != nil {
		return nil, errors.New("the address cannot be asked")
	}
	for name, value := range map[string]string{
		"Accept": "application/json", "User-Agent": c.agent, "Content-Type": contentType, "Authorization": authorization,
	} {
		if value != "" {
			request.Header.Set(name, value)
		}
	}
	response, connected, err := c.once.Do(request)
	switch {
	case err != nil && !connected: // network, proxy or handshake failed: nothing of the request was written
		return nil, fmt.Errorf("%s: %w (%w)", target.Host, errNotSent, rs.NetworkError(err))
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case err != nil:
		return nil, fmt.Errorf("%s did not answer", target.Host)
	}
	defer func() { _ = response.Body.Close() }()
	return success(response, target.Host)
}

// encode returns the body of a request and its content type; both are empty for nil.
func encode(document any) (body []byte, contentType string) {
	switch d := document.(type) {
	case nil:
		return nil, ""
	case url.Values:
		return []byte(d.Encode()), "application/x-www-form-urlencoded"
	}
	body, _ = json.Marshal(document) // strings only: cannot fail
	return body, "application/json"
}

// success returns the body of a success. For a 202 and for any status that is not 2xx, the error is a *[RefusedError].
func success(response *http.Response, host string) ([]byte, error) {
	body, err := io.ReadAll(io.LimitReader(response.Body, maxAnswer+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the answer of %s ended early", host)
	case len(body) > maxAnswer:
		return nil, fmt.Errorf("the answer of %s is larger than %d bytes", host, maxAnswer)
	case response.StatusCode < 200 || response.StatusCode > 299 || response.StatusCode == http.StatusAccepted:
		refused := refusedBy(response.StatusCode, body)
		if after, err := strconv.Atoi(response.Header.Get("Retry-After")); err == nil {
			refused.wait = time.Duration(min(max(after, 0), maxWait)) * time.Second
		}
		return nil, refused
	}
	return body, nil
}

// refusedBy reads an error in the form of OAuth, or of the reference implementation's own endpoints. 202 means authorization_pending.
func refusedBy(status int, answer []byte) *RefusedError {
	refused := &RefusedError{Status: status}
	if status == http.StatusAccepted {
		refused.Code = "authorization_pending"
		return refused
	}
	body, _ := rs.ReadObject(string(answer))
	code, message := body.JSONString("error"), body.JSONString("error_description")
	if inner := body.Object("error"); inner != nil {
		code, message = inner.JSONString("code"), inner.JSONString("message")
	}
	if isCode(code) {
		refused.Code = code
	}
	refused.text = rs.ErrorText(message)
	return refused
}

// isCode reports whether a text from a server has the form of a code, which is safe to show in a terminal.
func isCode(text string) bool {
	return len(text) <= 64 && (text == "" || rs.Code(text).Valid())
}

// errNoDocument means that the answer is not the expected JSON, but for instance a page of a proxy.
var errNoDocument = errors.New("the answer is not the JSON document that was expected")

// decode reads a JSON body. Its error does not quote the body.
func decode(body []byte, into any) error {
	if json.Unmarshal(body, into) != nil {
		return errNoDocument
	}
	return nil
}

// SecureURL parses an absolute https URL. It accepts plain http only for loopback hosts, for which net/http uses no proxy.
func SecureURL(text string) (*url.URL, error) {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" || u.User != nil || u.Fragment != "" || u.Opaque != "" {
		return nil, errors.New("an address in an answer is not an absolute URL without credentials")
	}
	if u.Scheme != "https" && (u.Scheme != "http" || !rsclient.IsLoopback(strings.ToLower(u.Hostname()))) {
		return nil, fmt.Errorf("http is only for this machine, and %s is another", u.Host)
	}
	return u, nil
}

// origin returns scheme, host and port of a URL (RFC 6454), always with a port.
func origin(u *url.URL) string {
	port := cmp.Or(u.Port(), map[string]string{"https": "443", "http": "80"}[u.Scheme])
	return u.Scheme + "://" + net.JoinHostPort(strings.ToLower(u.Hostname()), port)
}

var errNoWay = errors.New("it does not offer this way to connect")

// explained returns the error of a refused step, with its reason. It returns invalid_client unchanged, so that registered can try again.
func explained(step string, err error) error {
	refused := refusalOf(err)
	switch {
	case refused.Status == 0 || refused.Code == "invalid_client":
		return err
	case refused.Status == http.StatusNotFound || refused.Status == http.StatusMethodNotAllowed || refused.Status == http.StatusNotImplemented:
		return errNoWay
	case refused.Status == http.StatusTooManyRequests:
		return errors.New("too many requests were sent; try again in a few minutes")
	}
	return fmt.Errorf("it refuses to %s: %w: %s", step, &refused, cmp.Or(refused.text, "no reason given"))
}

// unidentifiedError returns the error of a read whose token was not identified.
func unidentifiedError(err error) *rs.Error {
	refused := &rs.Error{Code: "grant_unusable", Message: err.Error(), Cause: err}
	if failed, ok := errors.AsType[*exit.Error](err); ok {
		refused.Message = failed.Message
	}
	switch exit.CodeOf(err) {
	case 0:
	case exit.Unavailable:
		refused.Code, refused.Hint = rs.AuthorityUnreachable, "Retry in a moment."
	default:
		refused.Status = http.StatusForbidden // so that the member is not read again for refusalHold
	}
	return refused
}
