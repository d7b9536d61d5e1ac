package rsclient

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The bounds of what is remembered of grants.
const (
	maxGrantBreakers = 4096              // beyond that the one that was idle longest is forgotten
	grantBreakerIdle = 2 * breakerWindow // after so long without an attempt it is forgotten
)

// breakers are the circuit breakers of one host: one of all, and one for each grant that was read lately. An
// attempt needs both closed. The answers that one grant gets open no breaker but its own. It is safe for concurrent use.
type breakers struct {
	host *breaker // nil: never open

	mu      sync.Mutex
	byGrant *simplelru.LRU[breakerKey, *breaker] // each stops the reads of one grant that keep failing although the host is reached
}

func newBreakers(host string, off bool, observer Observer) *breakers {
	if off {
		return &breakers{}
	}
	b := &breakers{host: newBreaker(func(s string) { observer.BreakerChanged(host, s) })}
	b.byGrant, _ = simplelru.NewLRU[breakerKey, *breaker](maxGrantBreakers, nil) // fails for a size below 1 only
	return b
}

// begin admits one attempt, which must record its verdict. Breakers that are switched off admit every one.
func (b *breakers) begin(ctx context.Context) (a *attempt, refused *rs.Error) {
	a = &attempt{ctx: ctx, began: time.Now(), read: readingFrom(ctx), unknownToken: ctx.Value(unknownTokenKey{}) != nil}
	if b.host == nil {
		return a, nil
	}
	if a.read != nil {
		own := b.of(a.read.grant, a.began)
		if a.grantGeneration, refused = own.begin(breakerKey{}, "The resource server has been failing for this grant"); refused != nil {
			return nil, refused
		}
		a.grant = own
	}
	if a.hostGeneration, refused = b.host.begin(a.caller(), "The resource server has been failing"); refused != nil {
		a.record(inconclusive)
		return nil, refused
	}
	a.host = b.host
	return a, nil
}

// of returns a grant's breaker, and forgets those that are idle.
func (b *breakers) of(grant breakerKey, now time.Time) *breaker {
	b.mu.Lock()
	defer b.mu.Unlock()
	own, found := b.byGrant.Get(grant)
	if !found {
		own = newBreaker(func(string) {}) // an Observer learns of hosts only
		b.byGrant.Add(grant, own)
	}
	own.used = now
	for {
		_, oldest, _ := b.byGrant.GetOldest() // there is one: its own
		if now.Sub(oldest.used) < grantBreakerIdle {
			return own
		}
		b.byGrant.RemoveOldest()
	}
}

// closed reports whether the breakers of the host and of the grant are closed.
func (b *breakers) closed(ctx context.Context) bool {
	read := readingFrom(ctx)
	if b.host == nil || read == nil {
		return b.host.closed()
	}
	b.mu.Lock()
	own, found := b.byGrant.Peek(read.grant)
	b.mu.Unlock()
	return b.host.closed() && (!found || own.closed())
}

type unknownTokenKey struct{}

// WithUnknownToken returns a context for the lookup of a token that was never active. Only a failure to connect, which no
// token can cause, then counts against the endpoint.
func WithUnknownToken(ctx context.Context) context.Context {
	return context.WithValue(ctx, unknownTokenKey{}, true)
}

// guarded is a transport behind breakers.
type guarded struct {
	next     http.RoundTripper
	breakers *breakers
}

// RoundTrip performs one attempt, unless a breaker is open. A panic below it is a failure of the attempt.
func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	a, refused := g.breakers.begin(r.Context())
	if refused != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, refused
	}
	returned := false
	defer func() {
		if !returned {
			a.record(grantFails)
		}
	}()
	response, err := g.next.RoundTrip(r)
	returned = true
	if err != nil {
		a.fail(err)
		return nil, err
	}
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests:
		a.record(inconclusive)
	case status >= 500 && status != http.StatusNotImplemented:
		a.record(grantFails)
	}
	a.ReadCloser, response.Body = response.Body, a
	return response, nil
}

// An attempt is one request and the body of its answer, whose reading shows how the attempt ended.
type attempt struct {
	io.ReadCloser
	ctx   context.Context
	began time.Time
	read  *reading // that the attempt belongs to; nil for none

	grant, host                     *breaker // nil without one
	grantGeneration, hostGeneration int
	unknownToken                    bool      // an authority is asked about a token that it has never accepted
	once                            sync.Once // a body may be read and closed by two goroutines
}

func (a *attempt) caller() breakerKey {
	if a.read == nil {
		return breakerKey{}
	}
	return a.read.caller
}

// record records how the attempt went; the first verdict counts.
func (a *attempt) record(v verdict) { a.once.Do(func() { a.end(v) }) }

func (a *attempt) end(v verdict) {
	ofGrant := v
	switch v {
	case hostFails:
		ofGrant = inconclusive // a host that cannot be reached says nothing of a grant
	case grantFails:
		ofGrant = hostFails // the whole of what its breaker guards fails
	}
	a.grant.end(breakerKey{}, a.grantGeneration, ofGrant)
	switch {
	case v == grantFails && a.unknownToken:
		v = inconclusive // the token may be the reason
	case v == grantFails && a.read == nil:
		v = hostFails // without a caller to blame, the endpoint fails
	}
	a.host.end(a.caller(), a.hostGeneration, v)
}

// fail records a failed attempt. After a deadline, the time that the host had shows whether the deadline was too short or the host too
// slow.
func (a *attempt) fail(err error) {
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(a.ctx.Err(), context.Canceled):
		a.record(inconclusive)
	case a.ctx.Err() != nil && time.Since(a.began) < breakerPatience:
		a.record(inconclusive)
	case a.read.waits() || isConnectError(err):
		a.record(hostFails)
	default:
		a.record(grantFails)
	}
}

// Read reads on. An error but the end is the attempt's.
func (a *attempt) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		a.fail(err)
	}
	return n, err
}

// Close ends the attempt, which is well if it has not failed before.
func (a *attempt) Close() error {
	err := a.ReadCloser.Close()
	a.record(isWell)
	return err
}
