package web

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// maxTokenBuckets is how many tokens, and how many addresses, are counted at a time; the one not seen for longest is forgotten.
const maxTokenBuckets = 10_000

// tokenBuckets are one bucket for each key, all of the same rate and burst. A nil *tokenBuckets limits nothing.
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

// of returns the bucket of a key, or nil where nothing is counted.
func (b *tokenBuckets[K]) of(key K) *tokenBucket {
	if b == nil {
		return nil
	}
	if found, ok := b.held.Get(key); ok {
		return found
	}
	made := &tokenBucket{limiter: rate.NewLimiter(b.rate, b.burst)}
	if found, ok, _ := b.held.PeekOrAdd(key, made); ok {
		return found
	}
	return made
}

// A tokenBucket charges at once (take), or for what turns out to be chargeable when it has ended (begin, finish). All that
// began at the same time is charged in full, so that the bucket may be in debt: over time no more passes than the rate
// allows, however much is done at once. A nil *tokenBucket limits nothing.
type tokenBucket struct {
	mu      sync.Mutex
	limiter *rate.Limiter
	open    int // begun and not finished
}

// maxOpen is how many bursts may be under way at once. A host connects many people from one address at the same time, all
// with good tokens, so that this is far more than a burst.
const maxOpen = 16

// begin reports whether one more may happen, or how long until it may. The caller must call finish.
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

// take charges for one that happens now, or reports how long until it may: no other call comes between the look and the charge.
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

// enough reports whether the bucket holds one more, or how long until it does. The caller holds mu.
func (b *tokenBucket) enough(now time.Time) (wait time.Duration, ok bool) {
	if lacking := 1 - b.limiter.TokensAt(now); lacking > 0 {
		return time.Duration(lacking / float64(b.limiter.Limit()) * float64(time.Second)), false
	}
	return 0, true
}

// finish ends what has begun, and charges for it or not.
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
