// Package rechecked caches what a check of another server found, and checks again when that is old.
package rechecked

import (
	"context"
	"sync"
	"time"
)

// A Value is what the last check found. When it is old, one caller at a time starts a check and waits for it, as long as its context
// lasts; meanwhile others get the old value. It is safe for concurrent use.
type Value[T any] struct {
	Fresh bool // callers never get an old value: all wait for the check

	look func(ctx context.Context, before T) (found T, life time.Duration)
	now  func() time.Time

	mutex   sync.Mutex
	value   T
	due     time.Time     // of the next check; zero before the first, for which all callers wait
	looking chan struct{} // closed at the end of the check under way; nil without one
}

// New returns a Value before its first check. look performs a check and returns what it found, and how long that is valid.
func New[T any](now func() time.Time, look func(ctx context.Context, before T) (found T, life time.Duration)) *Value[T] {
	return &Value[T]{look: look, now: now}
}

// Set sets the value, as a check would.
func (r *Value[T]) Set(found T, life time.Duration) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.value, r.due = found, r.now().Add(life)
}

// Get returns the value, after a check if it is old.
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

// Last returns the value without a check.
func (r *Value[T]) Last() T {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.value
}
