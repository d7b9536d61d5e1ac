package web

import (
	"context"
	"crypto/sha256"
	"math"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A limitKey says whose calls are counted together; see [rsclient.Caller.Key].
type limitKey = [sha256.Size]byte

// concurrencyLimits are one queue for each key, and one of all. A call takes the slot of its own key first, so that in the queue of all
// there are never more of its calls than it may have under way.
type concurrencyLimits struct {
	all      *queue
	perGrant int

	mu     sync.Mutex
	queues map[limitKey]*queue // only those with a call that waits or is under way
}

func newConcurrencyLimits(limits Limits) *concurrencyLimits {
	return &concurrencyLimits{all: newQueue(limits.Calls), perGrant: limits.CallsPerGrant, queues: map[limitKey]*queue{}}
}

// acquire waits for a slot; release gives it back.
func (t *concurrencyLimits) acquire(ctx context.Context, h limitKey, wait time.Duration) (release func(), refusal *rs.Error) {
	until := time.Now().Add(wait) // of both queues together
	own := t.queueOf(h)
	if !own.acquire(ctx, until) {
		t.forget(h, own)
		return nil, tooMany("Too many calls with this grant are under way.", "Wait for the calls under way to end, then send this one again; make fewer calls at a time.")
	}
	if !t.all.acquire(ctx, until) {
		own.release()
		t.forget(h, own)
		return nil, tooMany("The server is answering as many calls as it can.", "Wait a moment, then send the same request again.")
	}
	return func() {
		t.all.release()
		own.release()
		t.forget(h, own)
	}, nil
}

func (t *concurrencyLimits) queueOf(h limitKey) *queue {
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.queues[h]
	if q == nil {
		q = newQueue(t.perGrant)
		t.queues[h] = q
	}
	q.users++
	return q
}

func (t *concurrencyLimits) forget(h limitKey, q *queue) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.users--; q.users == 0 {
		delete(t.queues, h)
	}
}

// A queue lets so many pass at a time, and as many again wait; everybody where no number is set.
type queue struct {
	slots  *semaphore.Weighted
	places *semaphore.Weighted // of those under way and those that wait
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
	if q.slots.Acquire(ctx, 1) != nil { // it refuses where there is no time to wait
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
