package rs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"
)

// The bounds of a retry.
const (
	maxRetries       = 2 // of a read: GET repeats no effect
	questionRetries  = 1 // of a question to an authority, which is a POST without an effect
	firstRetryWait   = 100 * time.Millisecond
	longestRetryWait = 5 * time.Second        // a longer Retry-After is reported to the caller, not waited for
	leastAttempt     = 100 * time.Millisecond // less time than this is not worth another attempt
)

// idleConnections is how many connections are kept for the next reads: as many as there are calls at a time where no
// other limit is set. HTTP/2, where the server offers it, needs few.
const idleConnections = 1024

// NewTransport returns a transport that keeps connections to one server open for many callers.
func NewTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   5 * time.Second,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          idleConnections,
		MaxIdleConnsPerHost:   idleConnections,
		IdleConnTimeout:       90 * time.Second,
		ResponseHeaderTimeout: 0, // the read's own deadline bounds it

		MaxResponseHeaderBytes: 64 << 10, // net/http would read ten megabytes
	}
}

// A sender sends requests without an effect to one host, for all callers alike: behind a breaker, with a few retries
// out of a common budget. It follows no redirect, so that a bearer is never carried to another address. It is safe for
// concurrent use.
type sender struct {
	transport guarded
	breaker   *breaker
	budget    *retryBudget
	host      string
	retries   int
	statuses  bool // whether a status that may pass is retried, or only a connection that failed
	observer  Observer
}

func newSender(host string, transport http.RoundTripper, retries int, statuses, breakerOff bool, observer Observer) *sender {
	b := newBreaker(host, breakerOff, observer)
	return &sender{guarded{transport, b}, b, &retryBudget{}, host, retries, statuses, observer}
}

// send performs a request with its retries. Its error may be an [*Error] of the breaker.
func (s *sender) send(request *http.Request) (*http.Response, error) {
	ctx := request.Context()
	s.budget.read(time.Now())
	for t := (trial{sender: s}); ; s.observer.Retried(s.host) {
		t.began = time.Now()
		response, err := s.transport.RoundTrip(request)
		if ctx.Err() == nil && !t.again(ctx, response, err) {
			return response, err
		}
		if response != nil {
			_, _ = io.CopyN(io.Discard, response.Body, maxDrained) // so that its connection can be used again
			_ = response.Body.Close()
		}
		if err := rest(ctx, t.wait); err != nil {
			return nil, err
		}
		if request, err = repeated(request); err != nil {
			return nil, err
		}
	}
}

// maxDrained is how much of an answer that is not used is read to its end.
const maxDrained = 4 << 10

// rest waits, unless the context ends before that.
func rest(ctx context.Context, wait time.Duration) error {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return ctx.Err()
}

// repeated is a request to be sent once more, with its body from the start. What sent it before may still be reading it.
func repeated(r *http.Request) (*http.Request, error) {
	r = r.WithContext(r.Context())
	if r.GetBody == nil {
		return r, nil
	}
	body, err := r.GetBody()
	r.Body = body
	return r, err
}

// A trial is one request on its way through its attempts.
type trial struct {
	*sender
	retried int
	began   time.Time     // when the present attempt began
	wait    time.Duration // before the next one
}

// again decides whether another attempt is made: what failed may pass by itself, the deadline has room for the wait and
// for an attempt as long as the last one, the host is not left alone, and the budget of all callers has a retry left.
func (t *trial) again(ctx context.Context, response *http.Response, err error) bool {
	if t.retried >= t.retries || !t.mayPass(response, err) {
		return false
	}
	asked := time.Duration(0)
	if response != nil {
		asked = retryAfter(response.Header)
	}
	if asked > longestRetryWait {
		return false
	}
	t.wait = retryWait(t.retried, asked)
	deadline, bounded := ctx.Deadline()
	if bounded && time.Until(deadline) <= t.wait+max(time.Since(t.began), leastAttempt) {
		return false
	}
	if !t.breaker.closed() {
		return false
	}
	if !t.budget.take(time.Now()) {
		t.observer.RetryDenied(t.host)
		return false
	}
	t.retried++
	return true
}

// mayPass reports what may be gone at the next attempt: a connection that failed, 429, 502, 503 and 504. A slow server,
// a bad certificate and an unknown name stay as they are.
func (t *trial) mayPass(response *http.Response, err error) bool {
	if err != nil {
		var name *net.DNSError
		var ours *Error // the breaker's
		return !isTimeout(err) && !isCertificateError(err) && !errors.As(err, &ours) && (!errors.As(err, &name) || !name.IsNotFound)
	}
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return t.statuses
	}
	return false
}

// retryWait is what the server asked for, and otherwise doubles, with jitter so that callers do not come back together.
func retryWait(retried int, asked time.Duration) time.Duration {
	if asked > 0 {
		return asked
	}
	wait := firstRetryWait << retried
	return wait/2 + rand.N(wait/2+1) // #nosec G404 -- jitter is no secret
}

// retryAfter reads Retry-After, in seconds or as a date, at most a day; anything else counts as unsaid (RFC 9110,
// section 10.2.3). A date is compared with the answer's own Date, so that a skewed clock does no harm.
func retryAfter(header http.Header) time.Duration {
	const day = 24 * time.Hour
	value := header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds >= 0 && seconds <= int(day/time.Second) {
		return time.Duration(seconds) * time.Second
	}
	until, err := http.ParseTime(value)
	if err != nil {
		return 0
	}
	now, err := http.ParseTime(header.Get("Date"))
	if err != nil {
		return 0
	}
	return min(max(until.Sub(now), 0), day)
}

// isCertificateError reports faults that no retry mends.
func isCertificateError(err error) bool {
	var verification *tls.CertificateVerificationError
	var authority x509.UnknownAuthorityError
	var hostname x509.HostnameError
	var invalid x509.CertificateInvalidError
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &hostname) || errors.As(err, &invalid)
}
