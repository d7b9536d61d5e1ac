// Package rechecked holds what is found by looking at other servers, and is found again when it is old.
package rechecked

import (
	"context"
	"sync"
	"time"
)

// A Value is looked at again when it is old. One caller at a time does so and waits for what is found, as long as its context
// lasts; all others have what was found before. It is safe for concurrent use.
type Value[T any] struct {
	Fresh bool // no caller gets what is old: all wait

	look func(ctx context.Context, before T) (found T, life time.Duration)
	now  func() time.Time

	mutex   sync.Mutex
	value   T
	due     time.Time     // zero: nothing was found yet, and all wait
	looking chan struct{} // closed when there is something to see; nil: no caller looks
}

// New returns a value at which nothing has looked yet. look returns what it finds, and how long that holds.
func New[T any](now func() time.Time, look func(ctx context.Context, before T) (found T, life time.Duration)) *Value[T] {
	return &Value[T]{look: look, now: now}
}

// Set sets what was found.
func (r *Value[T]) Set(found T, life time.Duration) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.value, r.due = found, r.now().Add(life)
}

// Get returns what was found, and looks where that is old.
func (r *Value[T]) Get(ctx context.Context) T {
	r.mutex.Lock()
	wait := r.looking
	switch {
	case wait == nil && !r.now().Before(r.due):
		wait = make(chan struct{})
		r.looking = wait
		go r.renew(context.WithoutCancel(ctx), r.value)
	case !r.due.IsZero() && !r.Fresh:
		wait = nil
	}
	r.mutex.Unlock()
	if wait != nil {
		select {
		case <-wait:
		case <-ctx.Done():
		}
	}
	return r.Last()
}

func (r *Value[T]) renew(ctx context.Context, before T) {
	r.Set(r.look(ctx, before))
	r.mutex.Lock()
	defer r.mutex.Unlock()
	close(r.looking)
	r.looking = nil
}

// Last is what was found last. It does not look.
func (r *Value[T]) Last() T {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.value
}
