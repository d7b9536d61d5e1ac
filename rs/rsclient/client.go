// Package rsclient reads from a resource server: bounded answers, deadlines, retries out of a budget for each caller, and circuit breakers
// for the server and for each grant.
package rsclient

import (
	"cmp"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/wire"
)

// Defaults of [Options].
const (
	DefaultReadTimeout      = 10 * time.Second
	defaultMaxResponseBytes = 16 << 20
)

// Options configure a [Client]. Zero values mean the defaults.
type Options struct {
	// Base is the resource server's URL, such as https://rs.example. A path below it is kept, a query is refused.
	Base string
	// UserAgent is sent with every read.
	UserAgent string
	// ReadTimeout bounds one read with all its retries.
	ReadTimeout time.Duration
	// MaxResponseBytes bounds one answer, decompressed; 0 means 16 MiB.
	MaxResponseBytes int64
	// AnswerBytes bounds the bytes of all answers that are in memory at a time, decompressed; see [WithCallReads]. 0 means 64 MiB. At
	// least two answers of the largest size plus 8 MiB are always allowed.
	AnswerBytes int64
	// Transport performs the requests; nil means a new pooled transport.
	Transport http.RoundTripper
	// Retries is how often a failed read is retried, at most 2; 0 means 2, a negative number means never.
	Retries int
	// NoBreaker turns the circuit breakers off.
	NoBreaker bool
	// Trace is called for each attempt of a read, and [ClassFrom] of the request's context returns what is read; may be nil.
	Trace Trace
	// Observer is notified of reads, retries and breakers; may be nil.
	Observer Observer
}

// A Client reads from one resource server: GET only, no redirects, bounded answers, a few short retries, and no requests while the server
// keeps failing. All readers from [Client.For] share the host's breaker, and those of one caller its retry budget. It is safe for
// concurrent use.
type Client struct {
	base    string
	options Options
	sender  *Sender
	answers *answerBudget
	chunks  sync.Pool // buffers for reading bodies: *[chunkBytes]byte
}

// New returns a client of the resource server at o.Base. Its error names what is wrong with the URL.
func New(o Options) (*Client, error) {
	base, err := ParseBase(o.Base)
	if err != nil {
		return nil, err
	}
	o.ReadTimeout = cmp.Or(o.ReadTimeout, DefaultReadTimeout)
	o.MaxResponseBytes = cmp.Or(o.MaxResponseBytes, defaultMaxResponseBytes)
	o.AnswerBytes = cmp.Or(o.AnswerBytes, defaultAnswerBytes)
	if o.Transport == nil {
		transport := NewTransport()
		// A plain http server is on this machine or near it. There, decompressing an answer of 38 KB takes 0.3 ms: longer than sending the
		// bytes that compression saves, and longer than all other work on the answer.
		transport.DisableCompression = strings.HasPrefix(base, "http:")
		o.Transport = transport
	}
	o.Retries = min(cmp.Or(o.Retries, maxRetries), maxRetries)
	server, _ := url.Parse(base) // ParseBase has parsed it
	return &Client{
		base: base, options: o,
		sender: NewSender(SenderOptions{
			Host: server.Host, Transport: o.Transport, Retries: o.Retries, Statuses: true, NoBreaker: o.NoBreaker,
			Trace: o.Trace, Observer: o.Observer,
		}),
		answers: newAnswerBudget(o.AnswerBytes, o.MaxResponseBytes),
		chunks:  sync.Pool{New: func() any { return new([chunkBytes]byte) }},
	}, nil
}

// Base returns the resource server's URL without a trailing slash.
func (c *Client) Base() string { return c.base }

// For returns a reader of the resource server that sends the caller's token with every read.
func (c *Client) For(caller Caller) rs.Doer {
	b := boundClient{client: c, token: caller.Token, grant: caller.Key()}
	if caller.Kind != "" { // otherwise the token has not been introspected yet
		b.caller = b.grant
	}
	return b
}

// ForToken returns a reader with a token that is not introspected, or whose reads count for the caller in their context; see [WithCaller].
func (c *Client) ForToken(token rs.Token) rs.Doer { return c.For(Caller{Token: token}) }

// A boundClient is a client with one caller's token. The token is bound once, so that no request can be sent with another's.
type boundClient struct {
	client        *Client
	token         rs.Token
	grant, caller CallerKey // see reading
}

// Do performs one read. See [Client].
func (b boundClient) Do(ctx context.Context, r rs.Request) (answer *rs.Response, err error) {
	if caller, ok := ctx.Value(callerContextKey{}).(CallerKey); ok {
		b.caller = caller // reads of all members of a package count for one caller
	}
	c, began, class := b.client, time.Now(), readClass(r.Path)
	ctx, reads, begun := WithCallReads(ctx)
	if begun {
		defer reads.End()
	}
	defer func() {
		reads.note(err)
		status := 0
		if answer != nil {
			status = answer.Status
		} else if err != nil {
			status = rs.AsError(err).Status
		}
		c.sender.options.Observer.Read(class, status, time.Since(began))
	}()
	ctx, cancel := context.WithTimeout(withReading(ctx, b.grant, b.caller, class), c.options.ReadTimeout)
	defer cancel()

	target := c.base + r.Path
	if len(r.Query) > 0 {
		target = c.base + r.Path + "?" + r.Query.Encode()
	}
	request, err := c.request(ctx, target)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", "Bearer "+b.token.Reveal())
	if r.Binary {
		request.Header.Set("Accept", "*/*")
	}
	response, err := c.sender.Send(&retryablehttp.Request{Request: request})
	if err != nil {
		return nil, transportError(err)
	}
	defer func() { _ = response.Body.Close() }()
	body := &answerBody{answers: &reads.answers, budget: c.answers, caller: cmp.Or(b.caller, b.grant), ctx: ctx}
	if answer, err = c.read(response, r.Binary, body, reads.tokens.Redactor(b.token)); err != nil {
		reads.answers.refund(int64(body.text.Len()))
	}
	return answer, err
}

func (c *Client) request(ctx context.Context, target string) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, target, nil)
	if err != nil {
		return nil, &rs.Error{Code: "internal_error", Message: "The read could not be expressed as a URL.", Cause: err}
	}
	request.Header.Set("Accept", "application/json")
	if c.options.UserAgent != "" {
		request.Header.Set("User-Agent", c.options.UserAgent)
	}
	return request, nil
}

// read checks an answer's status, size and type. It first removes the token of the request from all parts of the answer. An error status
// counts even if the body cannot be read.
func (c *Client) read(response *http.Response, binary bool, b *answerBody, redactor *rs.Redactor) (*rs.Response, error) {
	status := response.StatusCode
	body, err := c.readBody(response, b)
	contentType := redactor.ErrorText(response.Header.Get("Content-Type"))
	requestID := redactor.ErrorText(cmp.Or(response.Header.Get("Request-Id"), response.Header.Get("X-Request-Id")))
	switch {
	case err != nil && (status/100 == 2 || errors.Is(err, context.Canceled)):
		return nil, bodyError(err, requestID)
	case status/100 == 3:
		return nil, &rs.Error{
			Code: "redirect_refused", Status: status, RequestID: requestID,
			Message: fmt.Sprintf("The resource server answered with a redirect (%d), which is never followed.", status),
			Hint:    "Tell the operator: the resource server's URL must be its final one.",
		}
	}
	if binary {
		body = redactor.Text(body)
	} else {
		body = redactor.JSON(body)
	}
	if status/100 != 2 {
		e := wire.ReadError(status, response.Header, []byte(body), redactor)
		e.RequestID = cmp.Or(e.RequestID, requestID)
		return nil, e
	}
	answer := &rs.Response{Body: body}
	if !binary {
		if answer, err = rs.ReadResponse(body); err != nil {
			e, ok := errors.AsType[*rs.Error](err)
			if !ok { // not JSON: the type tells what it may be instead
				e = &rs.Error{
					Code:    "invalid_response",
					Message: fmt.Sprintf("The resource server answered %s of type %.100q where JSON is expected.", describeBody(body), contentType),
					Hint:    "Retry once; if it persists, tell the operator: the resource server's URL may point at something else.",
				}
			}
			e.Status, e.RequestID = status, requestID
			return nil, e
		}
	}
	answer.Status, answer.ContentType, answer.RequestID = status, contentType, requestID
	return answer, nil
}

const chunkBytes = 32 << 10

// readBody reads a body of at most MaxResponseBytes, decompressed, into b. If it fails, it returns no part of the body.
func (c *Client) readBody(response *http.Response, b *answerBody) (string, error) {
	sent, limit := io.Reader(response.Body), c.options.MaxResponseBytes+1
	switch strings.ToLower(strings.Join(response.Header.Values("Content-Encoding"), ",")) { // the transport decompresses what it requested
	case "", "identity":
	case "gzip":
		unpacked, err := gzip.NewReader(sent)
		if errors.Is(err, io.EOF) {
			return "", nil // an empty body
		}
		if err != nil {
			return "", err
		}
		sent = unpacked
	default:
		return "", errEncoding
	}
	chunk := c.chunks.Get().(*[chunkBytes]byte)
	defer c.chunks.Put(chunk)
	b.announced = min(max(response.ContentLength, 0), limit)
	switch n, err := io.CopyBuffer(b, io.LimitReader(sent, limit), chunk[:]); {
	case err != nil:
		return "", err
	case n == limit:
		return "", tooLarge(fmt.Sprintf("The resource server's answer is larger than %d bytes.", c.options.MaxResponseBytes))
	case response.StatusCode == http.StatusPartialContent: // no part was requested
		return "", io.ErrUnexpectedEOF
	}
	return b.text.String(), nil
}

func describeBody(body string) string {
	if strings.TrimSpace(body) == "" {
		return "an empty body"
	}
	return fmt.Sprintf("%d bytes", len(body))
}

// maxReachBytes is how much of a probe's answer is read, so that its connection can be reused.
const maxReachBytes = 16 << 10

// Reach returns nil if the resource server answers at all, without a token and without a retry. Any status below 500 counts: a 401 or a
// 404 comes from a server that is up. Its error is an [*rs.Error]; ctx bounds it.
func (c *Client) Reach(ctx context.Context) error {
	request, err := c.request(ctx, c.base+rs.MetadataPath)
	if err != nil {
		return err
	}
	request, end := c.sender.options.Trace(request)
	response, err := c.options.Transport.RoundTrip(request) // a redirect is an answer, too
	if err != nil {
		end(0, 0, err)
		return transportError(err)
	}
	defer func() { _ = response.Body.Close() }()
	n, _ := io.CopyN(io.Discard, response.Body, maxReachBytes)
	end(response.StatusCode, int(n), nil)
	if response.StatusCode >= http.StatusInternalServerError {
		return &rs.Error{Code: "server_unreachable", Status: response.StatusCode, Message: fmt.Sprintf("The resource server answered a probe with status %d.", response.StatusCode)}
	}
	return nil
}
