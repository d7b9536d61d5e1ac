package auth

import (
	"context"
	"fmt"
	"math"
	"net/netip"
	"time"

	"golang.org/x/time/rate"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// LookupLimits bound the requests to an authority about tokens that it has never accepted. A zero Rate or AtOnce means
// no limit. Requests for one client address are at most a quarter of AtOnce; see [WithAddress].
type LookupLimits struct {
	Rate   float64       // requests a second, after the burst
	Burst  int           // requests at one instant
	AtOnce int           // concurrent requests
	Wait   time.Duration // how long a request beyond AtOnce may wait
}

// defaultLookupLimits let a thousand clients connect at once.
func defaultLookupLimits() LookupLimits {
	return LookupLimits{Rate: 100, Burst: 1000, AtOnce: 256, Wait: time.Second}
}

// Check returns an error that names the flag with an invalid value.
func (l LookupLimits) Check() error {
	if l.AtOnce < 0 {
		return fmt.Errorf("--max-unknown-tokens %d: it cannot be negative; 0 is no limit", l.AtOnce)
	}
	return CheckRate("unknown-token", l.Rate, l.Burst)
}

// CheckRate returns an error that names the flag --NAME-rate or --NAME-burst if its value is invalid.
func CheckRate(name string, perSecond float64, burst int) error {
	switch {
	case math.IsNaN(perSecond) || math.IsInf(perSecond, 0) || perSecond < 0:
		return fmt.Errorf("--%s-rate %v: it must be a number of at least 0; 0 is no limit", name, perSecond)
	case perSecond > 0 && burst < 1:
		return fmt.Errorf("--%s-burst %d: it must be at least 1; --%[1]s-rate 0 is no limit", name, burst)
	}
	return nil
}

type lookupLimiter struct {
	limits LookupLimits
	now    func() time.Time
	bucket *rate.Limiter                 // nil: no limit
	atOnce *rsclient.Slots[netip.Prefix] // nil: no limit
}

func newLookupLimiter(limits LookupLimits, now func() time.Time) *lookupLimiter {
	l := &lookupLimiter{limits: limits, now: now}
	if limits.Rate > 0 {
		l.bucket = rate.NewLimiter(rate.Limit(limits.Rate), limits.Burst)
	}
	if limits.AtOnce > 0 {
		l.atOnce = rsclient.NewSlots[netip.Prefix](limits.AtOnce)
	}
	return l
}

// acquire admits one lookup or returns "authority_busy". The caller must call release when the lookup has ended. Only a lookup that has a
// slot counts against the rate: those that wait in vain for one of their address cost other addresses nothing.
func (l *lookupLimiter) acquire(ctx context.Context) (release func(), refusal *rs.Error) {
	release = func() {}
	if l.atOnce != nil {
		var address netip.Prefix
		if known, ok := ctx.Value(addressKey{}).(*netip.Prefix); ok {
			address = *known
		}
		var ok bool
		if release, ok = l.atOnce.Acquire(ctx, address, l.limits.Wait); !ok {
			return nil, authorityBusy()
		}
	}
	if l.bucket != nil && !l.bucket.AllowN(l.now(), 1) {
		release()
		return nil, authorityBusy()
	}
	return release, nil
}

type addressKey struct{}

// WithAddress returns a context for the lookup of a token that came from a client address.
func WithAddress(ctx context.Context, address *netip.Prefix) context.Context {
	return context.WithValue(ctx, addressKey{}, address)
}

func authorityBusy() *rs.Error {
	return &rs.Error{
		Code: "authority_busy", RetryAfter: time.Second,
		Message: "The token authority is being asked about as many unknown access tokens as it may be; this one was not asked about.",
		Hint:    "Wait 1 second, then send the same request again.",
	}
}
