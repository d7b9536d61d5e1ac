package rsclient

import (
	"sync"
	"time"
)

// The bounds of all retries together. A server that fails under load must not be asked three times as much for it.
const (
	budgetPercent = 10 // retries per hundred reads of the last ten seconds
	budgetFloor   = 6  // retries in ten seconds that are always allowed, so that a quiet server is retried at all
)

// A retryBudget bounds the retries of all callers of one host: in any ten seconds 10 % of the reads, or six where that
// is more. It is safe for concurrent use.
type retryBudget struct {
	mu      sync.Mutex
	seconds window // reads, and retries
}

// read notes that a read began.
func (b *retryBudget) read(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.seconds.add(now.Unix(), 1, 0)
}

// take reports whether one more retry may begin, and notes it.
func (b *retryBudget) take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	reads, retries := b.seconds.sums(now.Unix())
	if retries >= max(budgetFloor, reads*budgetPercent/100) {
		return false
	}
	b.seconds.add(now.Unix(), 0, 1)
	return true
}

// windowPeriods is how many periods a [window] looks back upon.
const windowPeriods = 10

// A window counts two kinds of events in the last periods, which are numbered since 1970.
type window [windowPeriods]struct {
	period      int64 // of another round it counts for nothing
	some, other int
}

func (w *window) add(period int64, some, other int) {
	s := &w[(period%windowPeriods+windowPeriods)%windowPeriods]
	if s.period != period {
		s.period, s.some, s.other = period, 0, 0
	}
	s.some, s.other = s.some+some, s.other+other
}

func (w *window) sums(period int64) (some, other int) {
	for _, s := range w {
		if age := period - s.period; age >= 0 && age < windowPeriods {
			some, other = some+s.some, other+s.other
		}
	}
	return some, other
}
