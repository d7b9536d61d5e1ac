package rsclient

import (
	"context"
	"errors"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/wire"
)

// The bounds of a retry.
const (
	maxRetries       = 2 // of a read: GET repeats no effect
	firstRetryWait   = 100 * time.Millisecond
	longestRetryWait = 5 * time.Second        // a longer Retry-After is reported to the caller, not waited for
	leastAttempt     = 100 * time.Millisecond // with less time left there is no further attempt
)

// A Sender sends requests without an effect to one host, for all callers alike: behind circuit breakers, with a few retries
// out of a common budget, and without following redirects. It is safe for concurrent use.
type Sender struct {
	http     *http.Client
	breakers *breakers
	budget   *retryBudget
	host     string
	retries  int
	statuses bool // whether a transient status is retried, or only a connection that failed
	observer Observer
}

// NewSender returns a sender to one host. If statuses is set, it retries a transient status too, not only a failed connection. observer may
// be nil.
func NewSender(host string, transport http.RoundTripper, retries int, statuses, breakerOff bool, observer Observer) *Sender {
	if observer == nil {
		observer = unobserved{}
	}
	b := newBreakers(host, breakerOff, observer)
	return &Sender{
		http: &http.Client{
			// guarded also hides CloseIdleConnections, with which a retry given up would close everybody's connections.
			Transport: guarded{transport, b},
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse // a bearer is never carried to another address
			},
		},
		breakers: b, budget: &retryBudget{}, host: host, retries: retries, statuses: statuses, observer: observer,
	}
}

// Send performs a request with its retries. Its error may be an [*rs.Error] of the breaker.
func (s *Sender) Send(request *retryablehttp.Request) (*http.Response, error) {
	s.budget.read(time.Now())
	if readingFrom(request.Context()) == nil {
		request = request.WithContext(tracing(request.Context(), &httptrace.ClientTrace{}, new(atomic.Bool)))
	}
	t := &trial{Sender: s, began: time.Now()}
	retrying := &retryablehttp.Client{
		HTTPClient: s.http,
		RetryMax:   s.retries,
		CheckRetry: t.again,
		Backoff:    func(time.Duration, time.Duration, int, *http.Response) time.Duration { return t.wait },
		PrepareRetry: func(*http.Request) error {
			s.observer.Retried(s.host)
			t.began = time.Now()
			return nil
		},
		ErrorHandler: keepLast,
	}
	return retrying.Do(request)
}

// keepLast ends a request with its last answer, or without one where there is an error: an answer beside an error would
// never be closed.
func keepLast(response *http.Response, err error, _ int) (*http.Response, error) {
	if err != nil && response != nil {
		_ = response.Body.Close()
		return nil, err
	}
	return response, err
}

// A trial is one request on its way through its attempts.
type trial struct {
	*Sender
	retried int
	began   time.Time     // when the present attempt began
	wait    time.Duration // before the next one
}

// again decides whether another attempt is made: the fault is transient, the deadline leaves time for the wait and for an attempt as
// long as the last one, the circuit breaker is closed, and the retry budget of all callers is not spent.
func (t *trial) again(ctx context.Context, response *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if t.retried >= t.retries || !t.transient(response, err) {
		return false, nil
	}
	asked := time.Duration(0)
	if response != nil {
		asked = wire.RetryAfter(response.Header)
	}
	if asked > longestRetryWait {
		return false, nil
	}
	t.wait = retryWait(t.retried, asked)
	deadline, bounded := ctx.Deadline()
	if bounded && time.Until(deadline) <= t.wait+max(time.Since(t.began), leastAttempt) {
		return false, nil
	}
	if !t.breakers.closed(ctx) {
		return false, nil
	}
	if !t.budget.take(time.Now()) {
		t.observer.RetryDenied(t.host)
		return false, nil
	}
	t.retried++
	return true, nil
}

// transient reports whether the next attempt may succeed after a fault: a connection that failed, 429, 502, 503 and 504. A slow server,
// a bad certificate and an unknown name stay as they are.
func (t *trial) transient(response *http.Response, err error) bool {
	if err != nil {
		var name *net.DNSError
		var ours *rs.Error // the breaker's
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
	return wait/2 + rand.N(wait/2) // #nosec G404 -- jitter is no secret
}

// The bounds of all retries together. A server that fails under load must not be asked three times as much for it.
const (
	retryWindow   = 10 * time.Second
	budgetPercent = 10 // retries per hundred reads of the window
	budgetFloor   = 6  // retries in ten seconds that are always allowed, so that a quiet server is retried at all
)

// A retryBudget bounds the retries of all callers of one host: in any ten seconds 10 % of the reads, or six where that
// is more. It is safe for concurrent use.
type retryBudget struct {
	mu     sync.Mutex
	counts window // reads, and retries
}

func (b *retryBudget) read(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.counts.add(now, retryWindow, 1, 0)
}

// take reports whether one more retry may begin, and notes it.
func (b *retryBudget) take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	reads, retries := b.counts.sums(now, retryWindow)
	if retries >= max(budgetFloor, reads*budgetPercent/100) {
		return false
	}
	b.counts.add(now, retryWindow, 0, 1)
	return true
}
