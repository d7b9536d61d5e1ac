package web

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// maxTokenBuckets is how many tokens, and how many addresses, are counted at a time; the one not seen for longest is forgotten.
const maxTokenBuckets = 10_000

// tokenBuckets are one bucket for each key, all of the same rate and burst. A nil *tokenBuckets counts and refuses nothing.
type tokenBuckets[K comparable] struct {
	rate  rate.Limit
	burst int
	held  *lru.Cache[K, *tokenBucket]
}

func newTokenBuckets[K comparable](perSecond float64, burst int) *tokenBuckets[K] {
	if perSecond <= 0 {
		return nil
	}
	held, _ := lru.New[K, *tokenBucket](maxTokenBuckets) // fails for a size of less than 1 alone
	return &tokenBuckets[K]{rate.Limit(perSecond), burst, held}
}

// of returns the bucket of a key, or nil if nothing is counted.
func (m *tokenBuckets[K]) of(key K) *tokenBucket {
	if m == nil {
		return nil
	}
	if found, ok := m.held.Get(key); ok {
		return found
	}
	made := &tokenBucket{bucket: rate.NewLimiter(m.rate, m.burst)}
	if found, ok, _ := m.held.PeekOrAdd(key, made); ok {
		return found
	}
	return made
}

// A tokenBucket is charged at the end of an event, if the event turned out to be chargeable. Events that began at the same time are
// all charged, so the bucket may be in debt: over time no more passes than the rate allows, however much is done at once.
type tokenBucket struct {
	mu     sync.Mutex
	bucket *rate.Limiter
	open   int // begun and not ended
}

// maxOpen is how many bursts may be under way at once. A host connects many people from one address at the same time, all
// with good tokens, so that this is far more than a burst.
const maxOpen = 16

// begin reports whether one more event may begin, or how long until it may. What has begun must be ended.
func (m *tokenBucket) begin(now time.Time) (wait time.Duration, ok bool) {
	if m == nil {
		return 0, true
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if lacking := 1 - m.bucket.TokensAt(now); lacking > 0 {
		return time.Duration(lacking / float64(m.bucket.Limit()) * float64(time.Second)), false
	}
	if m.open >= maxOpen*m.bucket.Burst() {
		return time.Second, false
	}
	m.open++
	return 0, true
}

// end ends an event, and charges for it or not.
func (m *tokenBucket) end(now time.Time, charge bool) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open--
	if charge {
		m.bucket.ReserveN(now, 1)
	}
}
