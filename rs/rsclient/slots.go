package rsclient

import (
	"context"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Slots bound the requests to a server that are under way. One caller may take a quarter of them, so that hanging requests of one caller do
// not stop those of others. The zero K is an unknown caller, who may take all. They are safe for concurrent use.
type Slots[K comparable] struct {
	size    int64
	all     *semaphore.Weighted
	mu      sync.Mutex
	callers map[K]*callerSlots // only those with a request that waits or is under way
}

type callerSlots struct {
	slots *semaphore.Weighted
	users int // guarded by Slots.mu
}

// NewSlots returns slots for a number of requests.
func NewSlots[K comparable](size int) *Slots[K] {
	return &Slots[K]{size: int64(size), all: semaphore.NewWeighted(int64(size)), callers: map[K]*callerSlots{}}
}

// Acquire takes a slot, or reports false if none is free in time. The caller must call release when the request has ended.
func (s *Slots[K]) Acquire(ctx context.Context, caller K, wait time.Duration) (release func(), ok bool) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	own := s.enter(caller)
	if !acquire(ctx, own.slots) {
		s.leave(caller, own)
		return nil, false
	}
	if !acquire(ctx, s.all) {
		own.slots.Release(1)
		s.leave(caller, own)
		return nil, false
	}
	return func() {
		s.all.Release(1)
		own.slots.Release(1)
		s.leave(caller, own)
	}, true
}

func acquire(ctx context.Context, slots *semaphore.Weighted) bool {
	return slots.TryAcquire(1) || slots.Acquire(ctx, 1) == nil
}

func (s *Slots[K]) enter(caller K) *callerSlots {
	s.mu.Lock()
	defer s.mu.Unlock()
	own := s.callers[caller]
	if own == nil {
		share, unknown := max(1, s.size/4), *new(K)
		if caller == unknown {
			share = s.size
		}
		own = &callerSlots{slots: semaphore.NewWeighted(share)}
		s.callers[caller] = own
	}
	own.users++
	return own
}

func (s *Slots[K]) leave(caller K, own *callerSlots) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if own.users--; own.users == 0 {
		delete(s.callers, caller)
	}
}
