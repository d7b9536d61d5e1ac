package rsclient

import (
	"cmp"
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
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/internal/wire"
)

// The limits of a retry.
const (
	maxRetries       = 2 // of a read: repeating a GET is safe
	firstRetryWait   = 100 * time.Millisecond
	longestRetryWait = 5 * time.Second        // a longer Retry-After is reported to the caller, not waited for
	leastAttempt     = 100 * time.Millisecond // the least time left for which another attempt is made
)

// A Sender sends requests without side effects to one host, for all callers: behind circuit breakers, with a few retries out of each
// caller's budget, and without following redirects. It is safe for concurrent use.
type Sender struct {
	options  SenderOptions
	http     *http.Client
	breakers *breakers
	budget   *retryBudget
}

// SenderOptions configure [NewSender].
type SenderOptions struct {
	Host      string
	Transport http.RoundTripper
	Retries   int      // of one request
	Statuses  bool     // retry a transient status too, not only a failed connection
	NoBreaker bool     // no circuit breakers
	Trace     Trace    // of each attempt; may be nil
	Observer  Observer // may be nil
}

// NewSender returns a sender to one host.
func NewSender(o SenderOptions) *Sender {
	o.Observer = cmp.Or[Observer](o.Observer, unobserved{})
	if o.Trace == nil {
		o.Trace = untraced
	}
	b := &breakers{} // never open
	if !o.NoBreaker {
		b = newBreakers(o.Host, o.Observer)
	}
	return &Sender{
		options: o, breakers: b, budget: newRetryBudget(),
		http: &http.Client{
			// guarded also hides CloseIdleConnections, with which retryablehttp would close all callers' connections when it gives up.
			Transport: guarded{o.Transport, b, o.Trace},
			CheckRedirect: func(*http.Request, []*http.Request) error {
				return http.ErrUseLastResponse // a bearer token is never sent to another address
			},
		},
	}
}

// Send performs a request with its retries. Its error may be an [*rs.Error] of the breaker.
func (s *Sender) Send(request *retryablehttp.Request) (*http.Response, error) {
	caller := callerIn(request.Context())
	s.budget.read(caller, time.Now())
	if readingFrom(request.Context()) == nil {
		request = request.WithContext(tracing(request.Context(), &httptrace.ClientTrace{}, new(atomic.Bool)))
	}
	t := &retrier{Sender: s, caller: caller, began: time.Now()}
	retrying := &retryablehttp.Client{
		HTTPClient: s.http,
		RetryMax:   s.options.Retries,
		CheckRetry: t.shouldRetry,
		Backoff:    func(time.Duration, time.Duration, int, *http.Response) time.Duration { return t.wait },
		PrepareRetry: func(*http.Request) error {
			s.options.Observer.Retried(s.options.Host)
			t.began = time.Now()
			return nil
		},
	}
	return retrying.Do(request)
}

// A retrier makes the attempts of one request.
type retrier struct {
	*Sender
	caller  CallerKey
	retried int
	began   time.Time     // when the current attempt began
	wait    time.Duration // before the next attempt
}

// shouldRetry decides whether to make another attempt: the fault is transient, the deadline leaves time for the wait and for an attempt as
// long as the last one, the circuit breaker is closed, and the caller's retry budget is not spent.
func (t *retrier) shouldRetry(ctx context.Context, response *http.Response, err error) (bool, error) {
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if t.retried >= t.options.Retries || !t.transient(response, err) {
		return false, nil
	}
	retryAfter := time.Duration(0)
	if response != nil {
		retryAfter = wire.RetryAfter(response.Header)
	}
	if retryAfter > longestRetryWait {
		return false, nil
	}
	t.wait = retryWait(t.retried, retryAfter)
	deadline, bounded := ctx.Deadline()
	if bounded && time.Until(deadline) <= t.wait+max(time.Since(t.began), leastAttempt) {
		return false, nil
	}
	if !t.breakers.closed(ctx) {
		return false, nil
	}
	if !t.budget.take(t.caller, time.Now()) {
		t.options.Observer.RetryDenied(t.options.Host)
		return false, nil
	}
	t.retried++
	return true, nil
}

// transient reports whether the next attempt may succeed after a fault: a failed connection, 429, 502, 503 and 504. A timeout, a bad
// certificate and an unknown name are not transient.
func (t *retrier) transient(response *http.Response, err error) bool {
	if err != nil {
		name, unknownName := errors.AsType[*net.DNSError](err)
		_, refused := errors.AsType[*rs.Error](err) // by the breaker
		return !isTimeout(err) && !isCertificateError(err) && !refused && (!unknownName || !name.IsNotFound)
	}
	switch response.StatusCode {
	case http.StatusTooManyRequests, http.StatusBadGateway, http.StatusServiceUnavailable, http.StatusGatewayTimeout:
		return t.options.Statuses
	}
	return false
}

// retryWait returns the wait that the server asked for, or one that doubles with each retry, with jitter to spread the callers.
func retryWait(retried int, retryAfter time.Duration) time.Duration {
	if retryAfter > 0 {
		return retryAfter
	}
	wait := firstRetryWait << retried
	return wait/2 + rand.N(wait/2) // #nosec G404 -- jitter is no secret
}

// The limits of retries: all together, they must not triple the load of a server that fails under load, and one caller must not use up the
// retries of others.
const (
	retryWindow      = 10 * time.Second
	budgetPercent    = 10   // retries of one caller per hundred of its reads in the window
	budgetFloor      = 6    // retries of a caller that reads less, so that it is retried at all
	sharedFloor      = 60   // divided among all callers of the window, if that is less than budgetFloor; each gets at least one
	maxBudgetCallers = 4096 // callers whose reads are counted; beyond that the one that was idle longest is forgotten
)

// A retryBudget bounds the retries at one host: in any ten seconds, each caller gets 10 % of its own reads or, if that is more, an equal
// share of sixty. The share depends on how many callers read, not on what they use. It is safe for concurrent use.
type retryBudget struct {
	mu      sync.Mutex
	callers *simplelru.LRU[CallerKey, *window] // of reads, and of retries; the one that was idle longest first
}

func newRetryBudget() *retryBudget {
	callers, _ := simplelru.NewLRU[CallerKey, *window](maxBudgetCallers, nil) // fails only for a size below 1
	return &retryBudget{callers: callers}
}

func (b *retryBudget) read(caller CallerKey, now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.of(caller, now).add(now, retryWindow, 1, 0)
}

// take reports whether one more retry of a caller is allowed, and counts it.
func (b *retryBudget) take(caller CallerKey, now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	own := b.of(caller, now)
	reads, retries := own.sums(now, retryWindow)
	share := min(max(sharedFloor/b.callers.Len(), 1), budgetFloor)
	if retries >= max(reads*budgetPercent/100, share) {
		return false
	}
	own.add(now, retryWindow, 0, 1)
	return true
}

// of returns the counts of a caller, and forgets callers that were idle for retryWindow; mu must be held.
func (b *retryBudget) of(caller CallerKey, now time.Time) *window {
	for _, oldest, found := b.callers.GetOldest(); found; _, oldest, found = b.callers.GetOldest() {
		if reads, retries := oldest.sums(now, retryWindow); reads+retries > 0 {
			break
		}
		b.callers.RemoveOldest()
	}
	counts, found := b.callers.Get(caller)
	if !found {
		counts = new(window)
		b.callers.Add(caller, counts)
	}
	return counts
}
