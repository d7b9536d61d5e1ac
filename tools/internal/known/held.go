package known

import (
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// A held keeps values by a key for some time, at most so many of them. It is safe for concurrent use.
type held[K comparable, V any] struct {
	now    func() time.Time
	ttl    time.Duration
	values *lru.Cache[K, heldValue[V]]
}

type heldValue[V any] struct {
	value V
	until time.Time
}

func newHeld[K comparable, V any](now func() time.Time, ttl time.Duration, most int) *held[K, V] {
	values, _ := lru.New[K, heldValue[V]](most) // fails for none alone
	return &held[K, V]{now, ttl, values}
}

// Get returns the value of a key; false if there is none, or not any more.
func (h *held[K, V]) Get(key K) (value V, ok bool) {
	v, ok := h.values.Get(key)
	return v.value, ok && h.now().Before(v.until)
}

// Put keeps a value, and drops those not used for longest whose time is over: a schema may have megabytes.
func (h *held[K, V]) Put(key K, value V) {
	now := h.now()
	for oldest, v, ok := h.values.GetOldest(); ok && !now.Before(v.until); oldest, v, ok = h.values.GetOldest() {
		h.values.Remove(oldest)
	}
	h.values.Add(key, heldValue[V]{value, now.Add(h.ttl)})
}

// Refusals remember for ten minutes for which grants a resource server refused something that no schema announces, such as filters, so
// that it is not asked for in vain each time. Nothing is refused because of them.
type Refusals = held[string, bool]

// NewRefusals returns none yet. now is the clock.
func NewRefusals(now func() time.Time) *Refusals {
	return newHeld[string, bool](now, 10*time.Minute, 10_000)
}
