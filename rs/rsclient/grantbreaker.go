package rsclient

import (
	"errors"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/sony/gobreaker/v2"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The bounds of what is remembered of grants.
const (
	maxGrantBreakers = 4096              // beyond that the one that is idle for longest is forgotten
	grantBreakerIdle = 2 * breakerWindow // so long without an attempt, and it is forgotten
)

// grantBreakers are one circuit breaker for each grant that was read lately. It is safe for concurrent use.
type grantBreakers struct {
	mu      sync.Mutex
	byGrant *simplelru.LRU[breakerKey, *grantBreaker]
}

func newGrantBreakers() *grantBreakers {
	byGrant, _ := simplelru.NewLRU[breakerKey, *grantBreaker](maxGrantBreakers, nil) // fails for a size below 1 only
	return &grantBreakers{byGrant: byGrant}
}

func (g *grantBreakers) begin(grant breakerKey) (report func(error), refused *rs.Error) {
	return g.of(grant, time.Now()).begin()
}

// closed reports whether a grant's attempts are made without reserve.
func (g *grantBreakers) closed(grant breakerKey) bool {
	g.mu.Lock()
	b, found := g.byGrant.Peek(grant)
	g.mu.Unlock()
	return !found || b.circuit.State() == gobreaker.StateClosed
}

// of returns a grant's breaker, and forgets those that are idle.
func (g *grantBreakers) of(grant breakerKey, now time.Time) *grantBreaker {
	g.mu.Lock()
	defer g.mu.Unlock()
	b, found := g.byGrant.Get(grant)
	if !found {
		b = newGrantBreaker()
		g.byGrant.Add(grant, b)
	}
	b.used = now
	for {
		_, oldest, _ := g.byGrant.GetOldest() // there is one: b
		if now.Sub(oldest.used) < grantBreakerIdle {
			return b
		}
		g.byGrant.RemoveOldest()
	}
}

// A grantBreaker stops the reads of one grant that keep failing although the host is reached. After a rest one attempt at a time
// finds out whether they still do.
type grantBreaker struct {
	circuit *gobreaker.TwoStepCircuitBreaker[struct{}]
	used    time.Time // guarded by grantBreakers.mu

	mu    sync.Mutex
	since time.Time // when it opened after it was closed last
	until time.Time // when the next attempt is made
}

func newGrantBreaker() *grantBreaker {
	b := &grantBreaker{}
	b.circuit = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		MaxRequests: 1, Interval: breakerWindow, BucketPeriod: breakerWindow / 10, Timeout: breakerRest,
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.TotalFailures >= breakerFailures && c.TotalFailures*breakerShare >= c.TotalFailures+c.TotalSuccesses
		},
		IsExcluded:    func(err error) bool { return errors.Is(err, errUnknown) },
		OnStateChange: func(_ string, from, to gobreaker.State) { b.changed(from, to) },
	})
	return b
}

func (b *grantBreaker) changed(from, to gobreaker.State) {
	if to != gobreaker.StateOpen {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.until = now.Add(breakerRest)
	if from == gobreaker.StateClosed {
		b.since = now
	}
}

// begin admits one attempt. The caller must call what it returns once, with the outcome; see [verdict.ofGrant].
func (b *grantBreaker) begin() (report func(error), refused *rs.Error) {
	report, err := b.circuit.Allow()
	if err != nil {
		b.mu.Lock()
		defer b.mu.Unlock()
		return nil, unavailable("The resource server has been failing for this grant", b.since, b.until)
	}
	return report, nil
}
