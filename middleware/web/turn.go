package web

import (
	"context"
	"crypto/sha256"
	"net/http"
	"sync"
	"time"

	"github.com/justinas/alice"
	"golang.org/x/sync/semaphore"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// Turn bounds how many calls of one grant or package, and how many of all, are under way at a time. A further call waits a
// moment for its turn, first come first served, and is then refused with 429. As many calls may wait as may be under way.
// It must come after [Bearer].
func Turn(limiter *Limiter) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			state := limiter.state.Load()
			leave, refusal := state.turns.enter(r.Context(), holderOf(auth.PrincipalFrom(r.Context())), state.limits.Wait)
			if refusal != nil {
				refuseLater(w, refusal)
				return
			}
			defer leave()
			next.ServeHTTP(w, r)
		})
	}
}

// A holder is whose calls are counted together: a grant with all its tokens or, where the authority names none, a token.
type holder struct {
	kind, grant string
	token       [sha256.Size]byte
}

func holderOf(p auth.Principal) holder {
	if p.GrantID != "" {
		return holder{kind: p.Kind, grant: p.GrantID}
	}
	return holder{token: sha256.Sum256([]byte(p.Token.Reveal()))}
}

// turns are the queue of each holder, and the one of all. A holder takes its own turn first, so that in the queue of all
// there are never more of its calls than it may have under way.
type turns struct {
	all      *queue
	perGrant int

	mu      sync.Mutex
	holders map[holder]*queue // only those with a call that waits or is under way
}

func newTurns(limits Limits) *turns {
	return &turns{all: newQueue(limits.Calls), perGrant: limits.CallsPerGrant, holders: map[holder]*queue{}}
}

// enter waits for a turn; leave gives it back.
func (t *turns) enter(ctx context.Context, h holder, wait time.Duration) (leave func(), refusal *rs.Error) {
	until := time.Now().Add(wait) // of both queues together
	own := t.queueOf(h)
	if !own.enter(ctx, until) {
		t.giveBack(h, own)
		return nil, tooMany("Too many calls with this grant are under way.", "Wait for the calls under way to end, then send this one again; make fewer calls at a time.")
	}
	if !t.all.enter(ctx, until) {
		own.leave()
		t.giveBack(h, own)
		return nil, tooMany("The server is answering as many calls as it can.", "Wait a moment, then send the same request again.")
	}
	return func() {
		t.all.leave()
		own.leave()
		t.giveBack(h, own)
	}, nil
}

func (t *turns) queueOf(h holder) *queue {
	if t.perGrant <= 0 {
		return nil
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	q := t.holders[h]
	if q == nil {
		q = newQueue(t.perGrant)
		t.holders[h] = q
	}
	q.users++
	return q
}

func (t *turns) giveBack(h holder, q *queue) {
	if q == nil {
		return
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if q.users--; q.users == 0 {
		delete(t.holders, h)
	}
}

// A queue lets so many pass at a time, and as many again wait. A nil queue lets everybody pass.
type queue struct {
	turns *semaphore.Weighted
	room  *semaphore.Weighted // of those under way and those that wait
	users int                 // guarded by turns.mu
}

func newQueue(size int) *queue {
	if size <= 0 {
		return nil
	}
	return &queue{turns: semaphore.NewWeighted(int64(size)), room: semaphore.NewWeighted(2 * int64(size))}
}

func (q *queue) enter(ctx context.Context, until time.Time) bool {
	if q == nil {
		return true
	}
	if !q.room.TryAcquire(1) {
		return false
	}
	if q.turns.TryAcquire(1) {
		return true
	}
	ctx, cancel := context.WithDeadline(ctx, until)
	defer cancel()
	if q.turns.Acquire(ctx, 1) != nil { // it refuses where there is no time to wait
		q.room.Release(1)
		return false
	}
	return true
}

func (q *queue) leave() {
	if q != nil {
		q.turns.Release(1)
		q.room.Release(1)
	}
}

func tooMany(message, hint string) *rs.Error {
	return &rs.Error{Code: rs.TooManyCalls, Message: message, Hint: hint, RetryAfter: time.Second}
}
