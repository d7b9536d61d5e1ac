package rs

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"time"

	"github.com/hashicorp/go-retryablehttp"
)

// The bounds of a retry. Reads are GET, so a retry repeats no effect.
const (
	maxRetries       = 2
	firstRetryWait   = 100 * time.Millisecond
	longestRetryWait = 5 * time.Second // a longer Retry-After is reported to the caller, not waited for
)

// newTransport returns a transport that keeps connections to one server open for many callers.
func newTransport() *http.Transport {
	return &http.Transport{
		Proxy:                 http.ProxyFromEnvironment,
		DialContext:           (&net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}).DialContext,
		TLSHandshakeTimeout:   5 * time.Second,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          256,
		MaxIdleConnsPerHost:   256,
		IdleConnTimeout:       90 * time.Second,
		ResponseHeaderTimeout: 0, // the read's own deadline bounds it

		MaxResponseHeaderBytes: 64 << 10, // net/http would read ten megabytes
	}
}

func newRetrying(transport http.RoundTripper) *retryablehttp.Client {
	return &retryablehttp.Client{
		HTTPClient: &http.Client{
			Transport: transport,
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse // a bearer is never carried to another address
			},
		},
		RetryMax:     maxRetries,
		RetryWaitMin: firstRetryWait,
		RetryWaitMax: longestRetryWait,
		CheckRetry:   shouldRetry,
		Backoff:      retryWait,
		ErrorHandler: retryablehttp.PassthroughErrorHandler, // keeps the last error's body
	}
}

// shouldRetry retries what may pass by itself: no connection, 429, 502, 503 and 504.
func shouldRetry(ctx context.Context, response *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		return !isTimeout(err) && !isCertificateError(err), nil
	}
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		wait := retryAfter(response.Header)
		deadline, bounded := ctx.Deadline()
		return wait <= longestRetryWait && (!bounded || time.Until(deadline) > wait), nil
	}
	return false, nil
}

// retryWait honours Retry-After and otherwise doubles, with jitter so that callers do not come back together.
func retryWait(first, longest time.Duration, attempt int, response *http.Response) time.Duration {
	if response != nil {
		if wait := retryAfter(response.Header); wait > 0 {
			return min(wait, longest)
		}
	}
	wait := min(first<<attempt, longest)
	return wait/2 + rand.N(wait/2+1)
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
	return errors.As(err, &verification) || errors.As(err, &authority) || errors.As(err, &hostname)
}
