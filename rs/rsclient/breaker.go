package rsclient

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// breakers are the circuit breakers of one host: one of each grant ([grantBreakers]) and one of all ([hostBreaker]). An
// attempt needs both closed. The answers that one grant gets open no breaker but its own. It is safe for concurrent use.
type breakers struct {
	host   *hostBreaker // nil: never open
	grants *grantBreakers
}

func newBreakers(host string, off bool, observer Observer) *breakers {
	if off {
		return &breakers{}
	}
	return &breakers{host: newHostBreaker(func(s string) { observer.BreakerChanged(host, s) }), grants: newGrantBreakers()}
}

// begin admits one attempt, whose end must be called once.
func (b *breakers) begin(ctx context.Context) (admission, *rs.Error) {
	if b.host == nil {
		return admission{}, nil
	}
	a := admission{host: b.host, read: readingFrom(ctx), unknownToken: isAboutUnknownToken(ctx)}
	var refused *rs.Error
	if a.read != nil {
		if a.own, refused = b.grants.begin(a.read.grant); refused != nil {
			return admission{}, refused
		}
	}
	if a.generation, refused = b.host.begin(a.caller()); refused != nil {
		a.host = nil
		a.end(inconclusive)
		return admission{}, refused
	}
	return a, nil
}

type unknownTokenKey struct{}

// WithUnknownToken returns a context for the lookup of a token that was never active. Only a failure to connect, which no
// token can cause, then counts against the endpoint.
func WithUnknownToken(ctx context.Context) context.Context {
	return context.WithValue(ctx, unknownTokenKey{}, true)
}

func isAboutUnknownToken(ctx context.Context) bool { return ctx.Value(unknownTokenKey{}) != nil }

// An admission is the permission for one attempt. Its zero value belongs to breakers that are switched off.
type admission struct {
	own        func(error)  // reports to the grant's breaker; nil without one
	host       *hostBreaker // nil without one
	generation int          // of host
	read       *reading     // that the attempt belongs to; nil for none

	unknownToken bool // the attempt asks an authority about a token that it has never accepted
}

func (a admission) caller() breakerKey {
	if a.read == nil {
		return breakerKey{}
	}
	return a.read.caller
}

// end reports how the attempt went.
func (a admission) end(v verdict) {
	if a.own != nil {
		a.own(v.ofGrant())
	}
	if a.host == nil {
		return
	}
	switch {
	case v == grantFails && a.unknownToken:
		v = inconclusive // the token may be the reason
	case v == grantFails && a.read == nil:
		v = hostFails // without a caller to blame, the endpoint fails
	}
	a.host.end(a.caller(), a.generation, v)
}

// closed reports whether an attempt would be made without reserve.
func (b *breakers) closed(ctx context.Context) bool {
	if b.host == nil {
		return true
	}
	read := readingFrom(ctx)
	return b.host.closed() && (read == nil || b.grants.closed(read.grant))
}

// guarded is a transport behind breakers.
type guarded struct {
	next     http.RoundTripper
	breakers *breakers
}

// RoundTrip performs one attempt, unless a breaker is open. A panic below it is a failure of the attempt.
func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	admitted, refused := g.breakers.begin(r.Context())
	if refused != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, refused
	}
	a := &attempt{ctx: r.Context(), began: time.Now(), admission: admitted}
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
	ctx       context.Context
	began     time.Time
	admission admission
	once      sync.Once // a body may be read and closed by two goroutines
}

// record records the verdict; the first one counts.
func (a *attempt) record(v verdict) { a.once.Do(func() { a.admission.end(v) }) }

// fail records a failed attempt. Whether a caller's own deadline was too short or the host too slow shows in how long the
// host had.
func (a *attempt) fail(err error) {
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(a.ctx.Err(), context.Canceled):
		a.record(inconclusive)
	case a.ctx.Err() != nil && time.Since(a.began) < breakerPatience:
		a.record(inconclusive)
	case a.admission.read.waits() || isConnectError(err):
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

// Close ends the reading. What had not failed until then is well.
func (a *attempt) Close() error {
	err := a.ReadCloser.Close()
	a.record(isWell)
	return err
}
