// Package rechecked caches the result of a check of another server, and repeats the check when the result has expired.
package rechecked

import (
	"context"
	"sync"
	"time"
)

// A Value is the result of the last check. When it has expired, one caller starts a check and waits for it, as long as its context lasts;
// meanwhile other callers get the expired value. It is safe for concurrent use.
type Value[T any] struct {
	Fresh bool // callers never get an expired value: all wait for the check

	check func(ctx context.Context, before T) (found T, life time.Duration)
	now   func() time.Time

	mutex    sync.Mutex
	value    T
	due      time.Time     // when the next check is due; zero before the first, for which all callers wait
	checking chan struct{} // closed at the end of the check under way; nil if there is none
}

// New returns a Value before its first check. check returns a result, and how long it is valid.
func New[T any](now func() time.Time, check func(ctx context.Context, before T) (found T, life time.Duration)) *Value[T] {
	return &Value[T]{check: check, now: now}
}

// Set sets the value, as a check would.
func (r *Value[T]) Set(found T, life time.Duration) {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	r.value, r.due = found, r.now().Add(life)
}

// Get returns the value, after a check if it has expired.
func (r *Value[T]) Get(ctx context.Context) T {
	r.mutex.Lock()
	wait := r.checking
	switch {
	case wait == nil && !r.now().Before(r.due):
		wait = make(chan struct{})
		r.checking = wait
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
	r.Set(r.check(ctx, before))
	r.mutex.Lock()
	defer r.mutex.Unlock()
	close(r.checking)
	r.checking = nil
}

// Last returns the value without a check.
func (r *Value[T]) Last() T {
	r.mutex.Lock()
	defer r.mutex.Unlock()
	return r.value
}
