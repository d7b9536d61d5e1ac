package known

import (
	"sync"
	"time"
)

// A held keeps values by a key for some time, at most so many of them. It is safe for concurrent use.
type held[K comparable, V any] struct {
	now  func() time.Time
	ttl  time.Duration
	most int

	mu     sync.Mutex
	values map[K]heldValue[V]
}

type heldValue[V any] struct {
	value V
	until time.Time
}

// Get returns the value of a key; false if there is none, or not any more.
func (h *held[K, V]) Get(key K) (value V, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	v, ok := h.values[key]
	return v.value, ok && h.now().Before(v.until)
}

// Put keeps a value.
func (h *held[K, V]) Put(key K, value V) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.values == nil || len(h.values) >= h.most {
		h.values = map[K]heldValue[V]{}
	}
	h.values[key] = heldValue[V]{value, h.now().Add(h.ttl)}
}

// Refusals remember for ten minutes which grants a resource server refused something that no capability tells, so that it is not asked
// for in vain each time. Nothing is refused because of them.
type Refusals = held[string, bool]

// NewRefusals returns none yet. now is the clock.
func NewRefusals(now func() time.Time) *Refusals {
	return &Refusals{now: now, ttl: 10 * time.Minute, most: 10_000}
}
