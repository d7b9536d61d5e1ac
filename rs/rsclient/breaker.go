package rsclient

import (
	"cmp"
	"fmt"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The thresholds of the circuit breakers.
const (
	breakerWindow   = 30 * time.Second // how long attempts count
	breakerFailures = 10               // so many failures in the window open it
	breakerShare    = 2                // if at least one in so many attempts failed
	breakerRest     = 5 * time.Second  // how long nothing is sent after it opens
	breakerPatience = 2 * time.Second  // a timeout sooner than this tells nothing about the host

	maxBreakerCallers = 4096 // callers whose last attempts are remembered; beyond that the oldest is forgotten
	callerFailures    = 4    // the most failures of one caller that count, so that ten failures take at least three callers
)

// The states of a breaker; see [Observer].
const (
	breakerClosed   = "closed"
	breakerHalfOpen = "half-open"
	breakerOpen     = "open"
)

// A verdict is what an attempt tells about its host.
type verdict int

const (
	inconclusive verdict = iota // 429, a caller that hung up, a deadline that left no time
	succeeded                   // any other answer
	grantFailed                 // connected, but: a status of 500 or more other than 501, a truncated answer, or none in time
	hostFailed                  // not connected: refused, no such name, no TLS, no connection in time
)

// A breaker stops all reads of one host. It opens when ten or more attempts in the window, and at least half of all, could not connect. It
// also opens when recent attempts of three or more callers, and of at least half of the callers in the window, failed after they had
// connected, ten times in all. After breakerRest it is half-open: each caller may try the host with one attempt, and after a failure again
// after breakerRest, whatever other callers do. The first good answer closes it, and the first failed connection opens it again. It is safe
// for concurrent use. A nil breaker is never open.
type breaker struct {
	changed func(string) // called with mu held

	mu         sync.Mutex
	state      string
	generation int       // the number of state changes; an attempt that began before the last change does not count
	since      time.Time // when it opened; kept until it is closed
	until      time.Time // when it becomes half-open
	connects   window    // attempts, and those that could not connect
	callers    callerOutcomes
	trials     *simplelru.LRU[CallerKey, time.Time] // the callers that tried while half-open: when they failed, or zero while they try
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

// begin admits or refuses one attempt of a caller. An admitted attempt must call end with the generation. failing is the start of the
// message of a refusal.
func (b *breaker) begin(caller CallerKey, failing string) (generation int, refused *rs.Error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if b.state == breakerOpen && !now.Before(b.until) {
		b.setState(breakerHalfOpen, now)
	}
	switch b.state {
	case breakerOpen:
		return 0, unavailable(failing, b.since, b.until)
	case breakerHalfOpen:
		if failed, tried := b.trials.Peek(caller); tried && (failed.IsZero() || now.Sub(failed) < breakerRest) {
			return 0, unavailable(failing, b.since, now)
		}
		b.trials.Add(caller, time.Time{})
	}
	return b.generation, nil
}

func (b *breaker) end(caller CallerKey, generation int, v verdict) {
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
	if v == hostFailed {
		b.connects.add(now, breakerWindow, 1, 1)
		if all, bad := b.connects.sums(now, breakerWindow); bad >= breakerFailures && bad*breakerShare >= all {
			b.setState(breakerOpen, now)
		}
		return
	}
	b.connects.add(now, breakerWindow, 1, 0)
	if caller != (CallerKey{}) {
		b.callers.add(now, caller, v == grantFailed)
	}
	if v == grantFailed && b.callers.tooManyFailed() {
		b.setState(breakerOpen, now)
	}
}

func (b *breaker) endTrial(caller CallerKey, now time.Time, v verdict) {
	switch v {
	case succeeded:
		b.setState(breakerClosed, now)
	case hostFailed:
		b.setState(breakerOpen, now)
	case grantFailed:
		b.trials.Add(caller, now)
	case inconclusive:
		b.trials.Remove(caller)
	}
}

// setState changes the state and discards all counts.
func (b *breaker) setState(state string, now time.Time) {
	switch state {
	case breakerOpen:
		b.since, b.until = cmp.Or(b.since, now), now.Add(breakerRest)
	case breakerHalfOpen:
		b.trials, _ = simplelru.NewLRU[CallerKey, time.Time](maxBreakerCallers, nil) // fails only for a size below 1
	case breakerClosed:
		b.since = time.Time{}
	}
	b.state = state
	b.generation++
	b.connects, b.callers = window{}, callerOutcomes{}
	b.changed(state)
}

// callerOutcomes records how the attempts of each caller in the window ended.
type callerOutcomes struct {
	byCaller *simplelru.LRU[CallerKey, callerOutcome] // in the order of their last attempts
}

type callerOutcome struct {
	at       time.Time
	failures int // since the last good answer, at most callerFailures
}

func (c *callerOutcomes) add(now time.Time, caller CallerKey, failed bool) {
	if c.byCaller == nil {
		c.byCaller, _ = simplelru.NewLRU[CallerKey, callerOutcome](maxBreakerCallers, nil) // fails only for a size below 1
	}
	next := callerOutcome{at: now}
	if failed {
		previous, _ := c.byCaller.Peek(caller)
		next.failures = min(previous.failures+1, callerFailures)
	}
	c.byCaller.Add(caller, next)
	for {
		_, oldest, _ := c.byCaller.GetOldest() // never empty: next is in it
		if now.Sub(oldest.at) < breakerWindow {
			return
		}
		c.byCaller.RemoveOldest()
	}
}

// tooManyFailed reports whether at least half of the callers failed, with at least breakerFailures failures in all.
func (c *callerOutcomes) tooManyFailed() bool {
	if c.byCaller == nil {
		return false
	}
	failing, failures := 0, 0
	for _, outcome := range c.byCaller.Values() {
		if outcome.failures > 0 {
			failing, failures = failing+1, failures+outcome.failures
		}
	}
	return failures >= breakerFailures && failing*breakerShare >= c.byCaller.Len()
}

// unavailable returns the error of an open breaker.
func unavailable(failing string, since, until time.Time) *rs.Error {
	wait := time.Until(until)
	wait = max(wait.Truncate(time.Second)+time.Second, time.Second) // rounded up
	return &rs.Error{
		Code: "server_unavailable", RetryAfter: wait,
		Message: fmt.Sprintf("%s since %s and is not called for a moment; nothing was sent.", failing, since.UTC().Format("15:04:05 UTC")),
		Hint:    "Call again in " + rs.Seconds(wait) + "; if it persists, tell the operator.",
	}
}
