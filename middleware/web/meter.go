package web

import (
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/time/rate"
)

// maxMeters is how many tokens, and how many addresses, are counted at a time; the one not seen for longest is forgotten.
const maxMeters = 10_000

// meters are one meter for each key, all of the same rate and burst. A nil *meters counts nothing and refuses nobody.
type meters[K comparable] struct {
	rate  rate.Limit
	burst int
	held  *lru.Cache[K, *meter]
}

func newMeters[K comparable](perSecond float64, burst int) *meters[K] {
	if perSecond <= 0 {
		return nil
	}
	held, _ := lru.New[K, *meter](maxMeters) // fails for a size of less than 1 alone
	return &meters[K]{rate.Limit(perSecond), burst, held}
}

// of returns the meter of a key, or nil where nothing is counted.
func (m *meters[K]) of(key K) *meter {
	if m == nil {
		return nil
	}
	if found, ok := m.held.Get(key); ok {
		return found
	}
	made := &meter{bucket: rate.NewLimiter(m.rate, m.burst)}
	if found, ok, _ := m.held.PeekOrAdd(key, made); ok {
		return found
	}
	return made
}

// A meter is a bucket that is charged for what turned out to be chargeable. Whatever began at the same time is charged in
// full, so that the bucket may be in debt: over time no more passes than the rate allows, however much is done at once.
type meter struct {
	mu     sync.Mutex
	bucket *rate.Limiter
	open   int // begun and not settled
}

// maxOpen is how many bursts may be under way at once. A host connects many people from one address at the same time, all
// with good tokens, so that this is far more than a burst.
const maxOpen = 16

// begin reports whether one more may happen, or how long until it may. Whatever has begun must be settled.
func (m *meter) begin(now time.Time) (wait time.Duration, ok bool) {
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

// finish ends what has begun, and charges for it or not.
func (m *meter) finish(now time.Time, charge bool) {
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
