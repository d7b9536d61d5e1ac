package signin

import (
	"context"
	"sync"
	"time"
)

// A rechecked value is looked at again when it is old. One caller at a time does so and waits for what is found, as long as its context
// lasts; all others have what was found before. It is safe for concurrent use.
type rechecked[T any] struct {
	look func(ctx context.Context, before T) (found T, life time.Duration)
	now  func() time.Time

	mutex   sync.Mutex
	value   T
	due     time.Time     // zero: nothing was found yet, and all wait
	looking chan struct{} // closed when there is something to see; nil: no caller looks
}

func (r *rechecked[T]) get(ctx context.Context) T {
	r.mutex.Lock()
	wait := r.looking
	switch {
	case wait == nil && !r.now().Before(r.due):
		wait = make(chan struct{})
		r.looking = wait
		go r.renew(context.WithoutCancel(ctx), r.value)
	case !r.due.IsZero():
		wait = nil
	}
	r.mutex.Unlock()
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
		}
	}
	return r.last()
}

func (r *rechecked[T]) renew(ctx context.Context, before T) {
	found, life := r.look(ctx, before)
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.value, r.due = found, r.now().Add(life)
	close(r.looking)
	r.looking = nil
}

// last is what was found last. It does not look.
func (r *rechecked[T]) last() T {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.value
}
