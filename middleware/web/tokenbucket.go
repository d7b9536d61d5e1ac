package web

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// maxTokenBuckets is the most tokens, and the most addresses, with a bucket. Beyond it the least recently used bucket is dropped.
const maxTokenBuckets = 10_000

// tokenBuckets has one bucket for each key, all with the same rate and burst. A nil *tokenBuckets limits nothing.
type tokenBuckets[K comparable] struct {
	rate    rate.Limit
	burst   int
	buckets *lru.Cache[K, *tokenBucket]
}

func newTokenBuckets[K comparable](perSecond float64, burst int) *tokenBuckets[K] {
	if perSecond <= 0 {
		return nil
	}
	buckets, _ := lru.New[K, *tokenBucket](maxTokenBuckets) // fails only for a size less than 1
	return &tokenBuckets[K]{rate.Limit(perSecond), burst, buckets}
}

// of returns the bucket of a key, or nil if there is no limit.
func (b *tokenBuckets[K]) of(key K) *tokenBucket {
	if b == nil {
		return nil
	}
	if found, ok := b.buckets.Get(key); ok {
		return found
	}
	made := &tokenBucket{limiter: rate.NewLimiter(b.rate, b.burst)}
	if found, ok, _ := b.buckets.PeekOrAdd(key, made); ok {
		return found
	}
	return made
}

// A tokenBucket charges for an event at once (take), or when it has ended and turns out to be chargeable (begin, finish). Events that
// began at the same time are all charged, so the bucket may go into debt: over time no more pass than the rate allows, however many
// happen at once. A nil *tokenBucket limits nothing.
type tokenBucket struct {
	mu      sync.Mutex
	limiter *rate.Limiter
	open    int // events begun and not finished
}

// maxOpen is the most open events, in bursts. It is far more than one burst, because a host may connect many people from one address at
// the same time, all with valid tokens.
const maxOpen = 16

// begin reports whether one more event may begin, or how long until it may. If ok, the caller must call finish.
func (b *tokenBucket) begin(now time.Time) (wait time.Duration, ok bool) {
	if b == nil {
		return 0, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait, ok = b.enough(now); !ok {
		return wait, false
	}
	if b.open >= maxOpen*b.limiter.Burst() {
		return time.Second, false
	}
	b.open++
	return 0, true
}

// take charges for one event, or reports how long until it may happen. It checks and charges atomically.
func (b *tokenBucket) take(now time.Time) (wait time.Duration, ok bool) {
	if b == nil {
		return 0, true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if wait, ok = b.enough(now); ok {
		b.limiter.ReserveN(now, 1)
	}
	return wait, ok
}

// enough reports whether the bucket has a token, or how long until it does. The caller must hold mu.
func (b *tokenBucket) enough(now time.Time) (wait time.Duration, ok bool) {
	if lacking := 1 - b.limiter.TokensAt(now); lacking > 0 {
		return time.Duration(lacking / float64(b.limiter.Limit()) * float64(time.Second)), false
	}
	return 0, true
}

// finish ends an event that begin allowed, and charges for it if charge is true.
func (b *tokenBucket) finish(now time.Time, charge bool) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.open--
	if charge {
		b.limiter.ReserveN(now, 1)
	}
}
