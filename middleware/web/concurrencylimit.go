package web

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// concurrencyLimits has a queue for each key and one for all calls. A call first takes a slot of its key, so that the queue for all never
// has more calls of one key than that key's limit.
type concurrencyLimits struct {
	all     queue
	callers rsclient.PerCaller[rsclient.CallerKey, queue] // those with a call that waits or runs
}

func newConcurrencyLimits(limits Limits) *concurrencyLimits {
	l := &concurrencyLimits{all: newQueue(limits.Calls)}
	l.callers.Make = func(rsclient.CallerKey) queue { return newQueue(limits.CallsPerGrant) }
	return l
}

// acquire waits for n slots, at most for wait. A call that needs more than a limit has takes all of it. The caller must call release after
// the call.
func (l *concurrencyLimits) acquire(
	ctx context.Context, key rsclient.CallerKey, n int64, wait time.Duration,
) (release func(), refusal *rs.Error) {
	until := time.Now().Add(wait) // for both queues together
	own := l.callers.Enter(key)
	if !own.acquire(ctx, n, until) {
		l.callers.Leave(key)
		return nil, tooMany("Too many calls with this grant are under way.", "Wait for the calls under way to end, then send this one again; make fewer calls at a time.")
	}
	if !l.all.acquire(ctx, n, until) {
		own.release(n)
		l.callers.Leave(key)
		return nil, tooMany("The server is answering as many calls as it can.", "Wait a moment, then send the same request again.")
	}
	return func() {
		l.all.release(n)
		own.release(n)
		l.callers.Leave(key)
	}, nil
}

// A queue lets calls with size slots run at a time and as many more wait. In one of size 0 every call takes 0 slots, so it limits nothing.
type queue struct {
	size   int64
	slots  *semaphore.Weighted
	places *semaphore.Weighted // for calls that run or wait
}

func newQueue(calls int) queue {
	size := int64(max(0, calls))
	return queue{size: size, slots: semaphore.NewWeighted(size), places: semaphore.NewWeighted(2 * size)}
}

func (q *queue) acquire(ctx context.Context, n int64, until time.Time) bool {
	n = min(n, q.size)
	if !q.places.TryAcquire(n) {
		return false
	}
	if q.slots.TryAcquire(n) {
		return true
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	if q.slots.Acquire(ctx, n) != nil { // fails at once if until has passed
		q.places.Release(n)
		return false
	}
	return true
}

func (q *queue) release(n int64) {
	n = min(n, q.size)
	q.slots.Release(n)
	q.places.Release(n)
}

func tooMany(message, hint string) *rs.Error {
	return &rs.Error{Code: "too_many_calls", Message: message, Hint: hint, RetryAfter: time.Second}
}
