package known

import (
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
)

// A cache keeps values until they expire, bounded in number and in bytes. It is safe for concurrent use.
type cache[K comparable, V any] struct {
	now         func() time.Time
	ttl         time.Duration
	most, bytes int // limits for all values
	values      *lru.Cache[K, entry[V]]

	mu    sync.Mutex     // guards the fields below
	taken map[string]int // bytes by owner
	all   int            // bytes of all owners
}

// share limits the values of one owner to 1/share of the bytes, so that it cannot crowd out the others.
const share = 4

type entry[V any] struct {
	value V
	until time.Time
	owner string
	bytes int
}

func newCache[K comparable, V any](now func() time.Time, ttl time.Duration, most, bytes int) *cache[K, V] {
	h := &cache[K, V]{now: now, ttl: ttl, most: most, bytes: bytes, taken: map[string]int{}}
	h.values, _ = lru.NewWithEvict(most, func(_ K, v entry[V]) { h.take(v.owner, -v.bytes) }) // fails only if most is 0 or less
	return h
}

// take counts bytes of an owner. The caller holds mu: only [cache.PutOf] drops values.
func (h *cache[K, V]) take(owner string, bytes int) {
	h.all += bytes
	if h.taken[owner] += bytes; h.taken[owner] == 0 {
		delete(h.taken, owner)
	}
}

// Get returns the value of a key; false if it is absent or expired.
func (h *cache[K, V]) Get(key K) (value V, ok bool) {
	if v, found := h.values.Get(key); found && h.now().Before(v.until) {
		return v.value, true
	}
	return value, false
}

// Put stores a value without an owner.
func (h *cache[K, V]) Put(key K, value V) { h.PutOf("", 0, key, value) }

// PutOf stores a value of an owner if it fits into the remaining bytes and into the owner's share. First it drops the least recently used
// values that expired: a schema may have megabytes. Each value counts for at least bytes/most, so that the share also limits the number of
// an owner's values.
func (h *cache[K, V]) PutOf(owner string, bytes int, key K, value V) {
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
	h.values.Add(key, entry[V]{value, now.Add(h.ttl), owner, bytes})
}

// Limits for the bytes of all cached schemas, and of all cached lists of streams.
const (
	schemasBytes = 64 << 20
	listsBytes   = 16 << 20
)

// weigh returns an upper estimate of the memory of a document and its parsed form: short parts take more than their text.
func weigh(text string, rows int) int {
	const part, member = 4, 256 // bytes of memory per byte of text, and per member or row
	return part*len(text) + member*(strings.Count(text, ":")+rows)
}

// Refusals remembers for ten minutes which grants a resource server refused something that no schema announces, such as filters, so that
// calls do not try it again each time. No call is refused because of it.
type Refusals = cache[string, bool]

// NewRefusals returns an empty cache. now is the clock.
func NewRefusals(now func() time.Time) *Refusals {
	return newCache[string, bool](now, 10*time.Minute, 10_000, 0)
}
