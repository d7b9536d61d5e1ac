package web

import (
	"context"
	"math"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// concurrencyLimits has a queue for each key and one for all calls. A call first takes a slot of its key, so that the queue for all never
// has more calls of one key than that key's limit.
type concurrencyLimits struct {
	all      *queue
	perGrant int

	mu     sync.Mutex
	queues map[rsclient.CallerKey]*queue // only those with a call that waits or runs
}

func newConcurrencyLimits(limits Limits) *concurrencyLimits {
	return &concurrencyLimits{all: newQueue(limits.Calls), perGrant: limits.CallsPerGrant, queues: map[rsclient.CallerKey]*queue{}}
}

// acquire waits for a slot, at most for wait. The caller must call release after the call.
func (l *concurrencyLimits) acquire(ctx context.Context, key rsclient.CallerKey, wait time.Duration) (release func(), refusal *rs.Error) {
	until := time.Now().Add(wait) // for both queues together
	own := l.queueOf(key)
	if !own.acquire(ctx, until) {
		l.forget(key, own)
		return nil, tooMany("Too many calls with this grant are under way.", "Wait for the calls under way to end, then send this one again; make fewer calls at a time.")
	}
	if !l.all.acquire(ctx, until) {
		own.release()
		l.forget(key, own)
		return nil, tooMany("The server is answering as many calls as it can.", "Wait a moment, then send the same request again.")
	}
	return func() {
		l.all.release()
		own.release()
		l.forget(key, own)
	}, nil
}

func (l *concurrencyLimits) queueOf(key rsclient.CallerKey) *queue {
	l.mu.Lock()
	defer l.mu.Unlock()
	q := l.queues[key]
	if q == nil {
		q = newQueue(l.perGrant)
		l.queues[key] = q
	}
	q.users++
	return q
}

func (l *concurrencyLimits) forget(key rsclient.CallerKey, q *queue) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if q.users--; q.users == 0 {
		delete(l.queues, key)
	}
}

// A queue lets size calls run at a time and size more wait. Without a size it limits nothing.
type queue struct {
	slots  *semaphore.Weighted
	places *semaphore.Weighted // for calls that run or wait
	users  int                 // guarded by concurrencyLimits.mu
}

func newQueue(size int) *queue {
	if size <= 0 {
		size = math.MaxInt32
	}
	return &queue{slots: semaphore.NewWeighted(int64(size)), places: semaphore.NewWeighted(2 * int64(size))}
}

func (q *queue) acquire(ctx context.Context, until time.Time) bool {
	if !q.places.TryAcquire(1) {
		return false
	}
	if q.slots.TryAcquire(1) {
		return true
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	if q.slots.Acquire(ctx, 1) != nil { // fails at once if until has passed
		q.places.Release(1)
		return false
	}
	return true
}

func (q *queue) release() {
	q.slots.Release(1)
	q.places.Release(1)
}

func tooMany(message, hint string) *rs.Error {
	return &rs.Error{Code: "too_many_calls", Message: message, Hint: hint, RetryAfter: time.Second}
}
