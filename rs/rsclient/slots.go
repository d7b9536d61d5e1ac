package rsclient

import (
	"context"
	"time"

	"golang.org/x/sync/semaphore"
)

// Slots bound the requests to a server that are under way. One caller may take a quarter of them, so that hanging requests of one caller do
// not stop those of others. The zero K is an unknown caller, who may take all. They are safe for concurrent use.
type Slots[K comparable] struct {
	all     *semaphore.Weighted
	callers PerCaller[K, *semaphore.Weighted] // those with a request that waits or is under way
}

// NewSlots returns slots for a number of requests.
func NewSlots[K comparable](size int) *Slots[K] {
	s := &Slots[K]{all: semaphore.NewWeighted(int64(size))}
	s.callers.Make = func(caller K) *semaphore.Weighted {
		if caller == *new(K) {
			return semaphore.NewWeighted(int64(size))
		}
		return semaphore.NewWeighted(int64(max(1, size/4)))
	}
	return s
}

// Acquire takes a slot, or reports false if none is free in time. The caller must call release when the request has ended.
func (s *Slots[K]) Acquire(ctx context.Context, caller K, wait time.Duration) (release func(), ok bool) {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	own := *s.callers.Enter(caller)
	if !acquire(ctx, own) {
		s.callers.Leave(caller)
		return nil, false
	}
	if !acquire(ctx, s.all) {
		own.Release(1)
		s.callers.Leave(caller)
		return nil, false
	}
	return func() {
		s.all.Release(1)
		own.Release(1)
		s.callers.Leave(caller)
	}, true
}

func acquire(ctx context.Context, slots *semaphore.Weighted) bool {
	return slots.TryAcquire(1) || slots.Acquire(ctx, 1) == nil
}
