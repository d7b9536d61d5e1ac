package rsclient

import (
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The thresholds of the circuit breakers.
const (
	breakerWindow   = 30 * time.Second // in which attempts count, in slices of a tenth
	breakerFailures = 10               // it opens after at least so many failures in the window, which
	breakerShare    = 2                // are at least one attempt in so many
	breakerRest     = 5 * time.Second  // how long nothing is sent after it opens
	breakerPatience = 2 * time.Second  // a deadline sooner than this says nothing about the host

	maxBreakerCallers = 4096 // callers whose last attempts are remembered; beyond that the oldest is forgotten
	callerFailures    = 4    // failures of one caller that count at most, so that ten take at least three callers
	breakerTrials     = 3    // callers that may try the host at a time while half-open; when all fail, the breaker opens again
)

// The states of a breaker; see [Observer].
const (
	breakerClosed   = "closed"
	breakerHalfOpen = "half-open"
	breakerOpen     = "open"
)

// A verdict is what an attempt shows about its host.
type verdict int

const (
	inconclusive verdict = iota // 429, a caller that hung up, a deadline that left no time
	isWell                      // any other answer
	grantFails                  // connected, but: a status of 500 or more other than 501, a truncated answer, or none in time
	hostFails                   // not connected: refused, no such name, no TLS, no connection in time
)

// A breaker stops all reads of one host. It opens when the host cannot be connected to, in ten attempts or more and
// half of all; and when the last attempts of several callers failed, of three at least and of half of those that
// made one in the window. After a rest a few callers find out whether the host is well, each with one attempt: the first
// good answer closes it. It is safe for concurrent use. A nil breaker is never open.
type breaker struct {
	changed func(string) // called with mu held
	used    time.Time    // of a grant; guarded by breakers.mu

	mu         sync.Mutex
	state      string
	generation int       // counts the changes of state: an attempt that began before the last one does not count
	since      time.Time // when it opened after it was closed last
	until      time.Time // when it may be tried
	connects   window    // attempts, and those that failed
	callers    callerOutcomes
	trials     map[breakerKey]time.Time // while half-open: when each caller's attempt failed; zero while it is under way
}

func newBreaker(changed func(string)) *breaker {
	return &breaker{changed: changed, state: breakerClosed}
}

func (b *breaker) closed() bool {
	if b == nil {
		return true
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.state == breakerClosed
}

// begin admits one attempt of a caller, which must be ended with the generation that it returns. failing begins the message of an open
// breaker.
func (b *breaker) begin(caller breakerKey, failing string) (generation int, refused *rs.Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.state == breakerOpen && !now.Before(b.until) {
		b.become(breakerHalfOpen, now)
	}
	switch {
	case b.state == breakerOpen:
		return 0, unavailable(failing, b.since, b.until)
	case b.state == breakerHalfOpen && !b.mayTry(caller, now):
		return 0, unavailable(failing, b.since, now)
	case b.state == breakerHalfOpen:
		b.trials[caller] = time.Time{}
	}
	return b.generation, nil
}

// mayTry reports whether a caller may try the host while half-open: breakerTrials do at a time, and one that failed waits for breakerRest.
func (b *breaker) mayTry(caller breakerKey, now time.Time) bool {
	for key, failed := range b.trials {
		if !failed.IsZero() && now.Sub(failed) >= breakerRest {
			delete(b.trials, key)
		}
	}
	_, tried := b.trials[caller]
	return !tried && len(b.trials) < breakerTrials
}

func (b *breaker) end(caller breakerKey, generation int, v verdict) {
	if b == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if generation != b.generation {
		return
	}
	now := time.Now()
	if b.state == breakerHalfOpen {
		b.endTrial(caller, now, v)
		return
	}
	if v == inconclusive {
		return
	}
	failed := 0
	if v == hostFails {
		failed = 1
	}
	b.connects.add(now, breakerWindow, 1, failed)
	all, bad := b.connects.sums(now, breakerWindow)
	if v != hostFails && caller != (breakerKey{}) {
		b.callers.add(now, caller, v == grantFails)
	}
	if v == hostFails && bad >= breakerFailures && bad*breakerShare >= all || v == grantFails && b.callers.tooMany() {
		b.become(breakerOpen, now)
	}
}

func (b *breaker) endTrial(caller breakerKey, now time.Time, v verdict) {
	delete(b.trials, caller)
	switch v {
	case isWell:
		b.become(breakerClosed, now)
	case hostFails:
		b.become(breakerOpen, now)
	case grantFails:
		b.trials[caller] = now
		failed := 0
		for _, at := range b.trials {
			if !at.IsZero() {
				failed++
			}
		}
		if failed >= breakerTrials {
			b.become(breakerOpen, now)
		}
	}
}

// become changes the state, and forgets what was counted in the one before.
func (b *breaker) become(state string, now time.Time) {
	if state == breakerOpen {
		if b.state == breakerClosed {
			b.since = now
		}
		b.until = now.Add(breakerRest)
	}
	b.state = state
	b.generation++
	b.connects, b.callers, b.trials = window{}, callerOutcomes{}, map[breakerKey]time.Time{}
	b.changed(state)
}

// callerOutcomes are how the last attempts of each caller ended, within the window.
type callerOutcomes struct {
	byCaller *simplelru.LRU[breakerKey, callerOutcome] // in the order of their last attempts
}

type callerOutcome struct {
	at       time.Time
	failures int // since the last good answer, as far as they count
}

func (c *callerOutcomes) add(now time.Time, caller breakerKey, failed bool) {
	if c.byCaller == nil {
		c.byCaller, _ = simplelru.NewLRU[breakerKey, callerOutcome](maxBreakerCallers, nil) // fails for a size below 1 only
	}
	next := callerOutcome{at: now}
	if failed {
		held, _ := c.byCaller.Peek(caller)
		next.failures = min(held.failures+1, callerFailures)
	}
	c.byCaller.Add(caller, next)
	for {
		_, oldest, _ := c.byCaller.GetOldest() // there is one: next
		if now.Sub(oldest.at) < breakerWindow {
			return
		}
		c.byCaller.RemoveOldest()
	}
}

// tooMany reports whether half of the callers failed, and often enough.
func (c *callerOutcomes) tooMany() bool {
	if c.byCaller == nil {
		return false
	}
	failing, failures := 0, 0
	for _, outcome := range c.byCaller.Values() {
		failures += outcome.failures
		failing += min(outcome.failures, 1)
	}
	return failures >= breakerFailures && failing*breakerShare >= c.byCaller.Len()
}

// unavailable is the refusal of an open breaker.
func unavailable(failing string, since, until time.Time) *rs.Error {
	wait := time.Until(until)
	wait = max(wait.Truncate(time.Second)+time.Second, time.Second) // never too early
	return &rs.Error{
		Code: "server_unavailable", RetryAfter: wait,
		Message: fmt.Sprintf("%s since %s and is left alone for a moment; nothing was asked.", failing, since.UTC().Format("15:04:05 UTC")),
		Hint:    "Call again in " + rs.Seconds(wait) + "; if it persists, tell the operator.",
	}
}
