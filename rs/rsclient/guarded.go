package rsclient

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// maxGrantBreakers is how many breakers are kept for grants. Beyond that the one that was idle longest is dropped.
const maxGrantBreakers = 4096

// breakers are the circuit breakers of one host: one for the host, and one for each grant that was read recently. An attempt needs both to
// admit it. Failing answers to one grant open no breaker but the grant's. It is safe for concurrent use.
type breakers struct {
	host    *breaker                        // nil: never open
	byGrant *lru.Cache[CallerKey, *breaker] // each stops the reads of a grant that keep failing although the host can be reached
}

func newBreakers(host string, observer Observer) *breakers {
	b := &breakers{host: newBreaker(func(s string) { observer.BreakerChanged(host, s) })}
	b.byGrant, _ = lru.New[CallerKey, *breaker](maxGrantBreakers) // fails only for a size below 1
	return b
}

// begin admits one attempt, which must record its verdict. Breakers that are switched off admit every attempt.
func (b *breakers) begin(ctx context.Context) (a *attempt, refused *rs.Error) {
	a = &attempt{ctx: ctx, began: time.Now(), read: readingFrom(ctx), unknownToken: ctx.Value(unknownTokenKey{}) != nil}
	if b.host == nil {
		return a, nil
	}
	if a.read != nil {
		grant := b.forGrant(a.read.grant)
		if a.grantGeneration, refused = grant.begin(CallerKey{}, "The resource server has been failing for this grant"); refused != nil {
			return nil, refused
		}
		a.grant = grant
	}
	if a.hostGeneration, refused = b.host.begin(callerIn(ctx), "The resource server has been failing"); refused != nil {
		a.record(inconclusive)
		return nil, refused
	}
	a.host = b.host
	return a, nil
}

func (b *breakers) forGrant(grant CallerKey) *breaker {
	if own, found := b.byGrant.Get(grant); found {
		return own
	}
	made := newBreaker(func(string) {}) // an Observer is notified of hosts only
	if own, found, _ := b.byGrant.PeekOrAdd(grant, made); found {
		return own
	}
	return made
}

// closed reports whether the breakers of the host and of the grant are closed.
func (b *breakers) closed(ctx context.Context) bool {
	read := readingFrom(ctx)
	if b.host == nil || read == nil {
		return b.host.closed()
	}
	grant, found := b.byGrant.Peek(read.grant)
	return b.host.closed() && (!found || grant.closed())
}

// guarded is a transport behind breakers, whose attempts are traced.
type guarded struct {
	next     http.RoundTripper
	breakers *breakers
	trace    Trace
}

// RoundTrip performs one attempt, unless a breaker is open. A panic in next counts as a failure.
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
			a.record(grantFailed)
		}
	}()
	r, a.traced = g.trace(r)
	response, err := g.next.RoundTrip(r)
	returned = true
	if err != nil {
		a.traced(0, 0, err)
		a.fail(err)
		return nil, err
	}
	a.status = response.StatusCode
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests:
		a.record(inconclusive)
	case status >= 500 && status != http.StatusNotImplemented:
		a.record(grantFailed)
	}
	response.Header.Del("Location") // otherwise http.Client would parse it: a redirect is not followed, even if its address is invalid
	a.ReadCloser, response.Body = response.Body, a
	return response, nil
}

// An attempt is one request with the body of its answer: the attempt may still fail while the body is read.
type attempt struct {
	io.ReadCloser
	ctx   context.Context
	began time.Time
	read  *reading // the read that the attempt belongs to; nil for none

	grant, host                     *breaker // nil if there is none
	grantGeneration, hostGeneration int
	unknownToken                    bool      // the request asks an authority about a token that it has never accepted
	once                            sync.Once // a body may be read and closed by two goroutines

	traced        func(status, bytes int, err error)
	closed        sync.Once // traced was called
	status, bytes int       // of the answer
}

// record records how the attempt ended; the first verdict counts.
func (a *attempt) record(v verdict) { a.once.Do(func() { a.end(v) }) }

func (a *attempt) end(v verdict) {
	grantVerdict := v
	switch v {
	case hostFailed:
		grantVerdict = inconclusive // an unreachable host tells nothing about a grant
	case grantFailed:
		grantVerdict = hostFailed // the grant's breaker guards only this grant, which fails
	}
	a.grant.end(CallerKey{}, a.grantGeneration, grantVerdict)
	switch {
	case v == grantFailed && a.unknownToken:
		v = inconclusive // the token may be the reason
	case v == grantFailed && a.read == nil && a.host.closed():
		v = hostFailed // of an authority; while its breaker is half-open, one token must not keep it open for others
	}
	a.host.end(callerIn(a.ctx), a.hostGeneration, v)
}

// fail records a failed attempt. After a deadline, the elapsed time tells whether the deadline was too short or the host too slow.
func (a *attempt) fail(err error) {
	switch {
	case errors.Is(a.ctx.Err(), context.Canceled), a.ctx.Err() != nil && time.Since(a.began) < breakerPatience:
		a.record(inconclusive)
	case a.read.waitsForConnection() || isConnectError(err):
		a.record(hostFailed)
	default:
		a.record(grantFailed)
	}
}

// Read reads the body. An error other than io.EOF fails the attempt.
func (a *attempt) Read(p []byte) (int, error) {
	n, err := a.ReadCloser.Read(p)
	a.bytes += n
	if err != nil && !errors.Is(err, io.EOF) {
		a.fail(err)
	}
	return n, err
}

// Close ends the attempt, which succeeded if it has not failed before.
func (a *attempt) Close() error {
	err := a.ReadCloser.Close()
	a.record(succeeded)
	a.closed.Do(func() { a.traced(a.status, a.bytes, nil) })
	return err
}
