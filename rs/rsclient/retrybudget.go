package rsclient

import (
	"sync"
	"time"
)

// The bounds of all retries together. A server that fails under load must not be asked three times as much for it.
const (
	budgetWindow  = 10 // seconds looked back upon
	budgetPercent = 10 // retries per hundred reads in the window
	budgetFloor   = 6  // retries in the window that are always allowed, so that a quiet server is retried at all
)

// A retryBudget bounds the retries of all callers of one host: in any ten seconds 10 % of the reads, or six where that
// is more. It is safe for concurrent use.
type retryBudget struct {
	mu      sync.Mutex
	seconds [budgetWindow]budgetSecond // by the second of the clock, modulo the window
}

type budgetSecond struct {
	at             int64 // Unix time; a slot of another round counts for nothing
	reads, retries int
}

// read notes that a read began.
func (b *retryBudget) read(now time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.second(now).reads++
}

// take reports whether one more retry may begin, and notes it.
func (b *retryBudget) take(now time.Time) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	reads, retries := 0, 0
	for _, s := range b.seconds {
		if age := now.Unix() - s.at; age >= 0 && age < budgetWindow {
			reads, retries = reads+s.reads, retries+s.retries
		}
	}
	if retries >= max(budgetFloor, reads*budgetPercent/100) {
		return false
	}
	b.second(now).retries++
	return true
}

func (b *retryBudget) second(now time.Time) *budgetSecond {
	at := now.Unix()
	s := &b.seconds[(at%budgetWindow+budgetWindow)%budgetWindow]
	if s.at != at {
		*s = budgetSecond{at: at}
	}
	return s
}
