package known

import (
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// A held is a cache of values that expire, bounded in number and in bytes. It is safe for concurrent use.
type held[K comparable, V any] struct {
	now         func() time.Time
	ttl         time.Duration
	most, bytes int // of all values
	values      *lru.Cache[K, heldValue[V]]

	mu    sync.Mutex     // for what follows
	taken map[string]int // bytes, by owner
	all   int            // of them
}

// share is the part of the bytes, one in so many, that the values of one owner may have: no owner costs the others more.
const share = 4

type heldValue[V any] struct {
	value V
	until time.Time
	owner string
	bytes int
}

func newHeld[K comparable, V any](now func() time.Time, ttl time.Duration, most, bytes int) *held[K, V] {
	h := &held[K, V]{now: now, ttl: ttl, most: most, bytes: bytes, taken: map[string]int{}}
	h.values, _ = lru.NewWithEvict(most, func(_ K, v heldValue[V]) { h.take(v.owner, -v.bytes) }) // fails for none alone
	return h
}

// take counts bytes of an owner. The mutex is held: only [held.PutOf] drops values.
func (h *held[K, V]) take(owner string, bytes int) {
	h.all += bytes
	if h.taken[owner] += bytes; h.taken[owner] == 0 {
		delete(h.taken, owner)
	}
}

// Get returns the value of a key; false if there is none, or not any more.
func (h *held[K, V]) Get(key K) (value V, ok bool) {
	v, ok := h.values.Get(key)
	return v.value, ok && h.now().Before(v.until)
}

// Put keeps a value without an owner.
func (h *held[K, V]) Put(key K, value V) { h.PutOf("", 0, key, value) }

// PutOf keeps a value of an owner where it fits into what is left of the bytes, and of the owner's share. Those not used for longest whose
// time is over are dropped first: a schema may have megabytes. Each counts for the bytes that there are for one at least, so that an
// owner's share is one of the number, too.
func (h *held[K, V]) PutOf(owner string, bytes int, key K, value V) {
	h.mu.Lock()
	defer h.mu.Unlock()
	now := h.now()
	h.values.Remove(key)
	for oldest, v, ok := h.values.GetOldest(); ok && !now.Before(v.until); oldest, v, ok = h.values.GetOldest() {
		h.values.Remove(oldest)
	}
	bytes = max(bytes, h.bytes/h.most)
	if h.all+bytes > h.bytes || h.taken[owner]+bytes > h.bytes/share {
		return
	}
	h.take(owner, bytes)
	h.values.Add(key, heldValue[V]{value, now.Add(h.ttl), owner, bytes})
}

// How many bytes all schemas have that are held, and all lists of streams.
const (
	schemasBytes = 64 << 20
	listsBytes   = 16 << 20
)

// weigh is an upper estimate of the memory of a document with what is parsed of it: short parts take more than their text.
func weigh(text string, rows int) int {
	const part, member = 4, 256 // bytes of memory for one of the text, and for a member or a row
	return part*len(text) + member*(strings.Count(text, ":")+rows)
}

// Refusals remember for ten minutes for which grants a resource server refused something that no schema announces, such as filters, so
// that it is not asked for in vain each time. Nothing is refused because of them.
type Refusals = held[string, bool]

// NewRefusals returns none yet. now is the clock.
func NewRefusals(now func() time.Time) *Refusals {
	return newHeld[string, bool](now, 10*time.Minute, 10_000, 0)
}
