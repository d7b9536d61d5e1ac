package web

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"net/http"
	"net/netip"
	"sync/atomic"
	"time"

	"github.com/justinas/alice"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// Limits bound the [Authenticated] requests. A zero rate, or a zero number of calls, means no limit.
type Limits struct {
	TokenRate     float64       // requests per second with one token, after its burst
	TokenBurst    int           // requests with one token at once
	AddressRate   float64       // refused tokens per second from one client address, after its burst
	AddressBurst  int           // refused tokens from one client address at once
	CallsPerGrant int           // concurrent calls of one grant or package; a call counts as one for each 8 KiB of its body
	Calls         int           // concurrent calls in all, counted in the same way
	Wait          time.Duration // how long a call may wait for a slot
}

// A Limiter counts callers against [Limits], which may be changed while it is in use. It is safe for concurrent use.
type Limiter struct {
	now   func() time.Time
	state atomic.Pointer[limiterState]
}

// limiterState has the counters for one set of limits. A slot is released to the state that it was taken from.
type limiterState struct {
	limits    Limits
	tokens    *tokenBuckets[rs.TokenKey]
	addresses *tokenBuckets[netip.Prefix]
	bodies    *concurrencyLimits // that are being received
	calls     *concurrencyLimits
}

// NewLimiter returns a limiter; a nil now means time.Now.
func NewLimiter(limits Limits, now func() time.Time) *Limiter {
	if now == nil {
		now = time.Now
	}
	l := &Limiter{now: now}
	l.Set(limits)
	return l
}

// Set changes the limits from the next request on. Requests under way keep their slots and do not count against the new limits. Every token
// bucket starts full again. Limits that equal the current ones change nothing.
func (l *Limiter) Set(limits Limits) {
	if current := l.state.Load(); current != nil && current.limits == limits {
		return
	}
	l.state.Store(&limiterState{
		limits:    limits,
		tokens:    newTokenBuckets[rs.TokenKey](limits.TokenRate, limits.TokenBurst),
		addresses: newTokenBuckets[netip.Prefix](limits.AddressRate, limits.AddressBurst),
		bodies:    newConcurrencyLimits(limits),
		calls:     newConcurrencyLimits(limits),
	})
}

// limit refuses requests with one token above its rate with 429. It bounds how many calls of one grant or package, and how many in all, run
// at a time, once their bodies have come ([receive]). Further calls wait at most [Limits.Wait] for a slot, first come first
// served, and are then refused with 429. As many calls may wait as may run. limit must come after [bearer], so that no caller uses up
// another's rate or slots. Tokens are counted under their SHA-256; they are not kept.
func limit(limiter *Limiter) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			state, principal := limiter.state.Load(), auth.PrincipalFrom(r.Context())
			if wait, ok := state.tokens.of(principal.Token.Key()).take(limiter.now()); !ok {
				Refuse(w, r, tooFast("Requests with this access token come too fast.", wait))
				return
			}
			caller := principal.Caller().Key()
			body, refusal := receive(r, caller, state.bodies, state.limits.Wait)
			if refusal != nil {
				Refuse(w, r, refusal)
				return
			}
			release, refusal := state.calls.acquire(r.Context(), caller, slots(int64(len(body))), state.limits.Wait)
			if refusal != nil {
				Refuse(w, r, refusal)
				return
			}
			defer release()
			r.Body = io.NopCloser(bytes.NewReader(body))
			next.ServeHTTP(w, r)
		})
	}
}

// ChargeAddress charges the client address of a request for it, and reports whether [Limits.AddressRate] allows the request. A refused
// request is not charged.
func (l *Limiter) ChargeAddress(r *http.Request) bool {
	_, ok := l.state.Load().addresses.of(middleware.RequestFrom(r.Context()).Client).take(l.now())
	return ok
}

func tooFast(message string, wait time.Duration) *rs.Error {
	wait = wholeSeconds(wait)
	return &rs.Error{
		Code: "rate_limited", Message: message, RetryAfter: wait,
		Hint: fmt.Sprintf("Wait %s, then send the same request again.", rs.Seconds(wait)),
	}
}

// wholeSeconds rounds up: Retry-After has whole seconds, and a retry must not come too early.
func wholeSeconds(wait time.Duration) time.Duration {
	return max(time.Second, (wait + time.Second - 1).Truncate(time.Second))
}

// DefaultLimits are enough for an agent that calls thirty tools in a second, and for many people behind one address.
func DefaultLimits() Limits {
	return Limits{
		TokenRate: 50, TokenBurst: 200,
		AddressRate: 10, AddressBurst: 100,
		CallsPerGrant: 32, Calls: 1024, Wait: time.Second,
	}
}

// Check returns an error about an invalid value. The error names the program's flag for it.
func (l Limits) Check() error {
	err := cmp.Or(auth.CheckRate("token", l.TokenRate, l.TokenBurst), auth.CheckRate("address", l.AddressRate, l.AddressBurst))
	switch {
	case err != nil:
		return err
	case l.CallsPerGrant < 0:
		return fmt.Errorf("--max-calls-per-grant %d: it cannot be negative; 0 is no limit", l.CallsPerGrant)
	case l.Calls < 0:
		return fmt.Errorf("--max-calls %d: it cannot be negative; 0 is no limit", l.Calls)
	case l.Wait < 0 || l.Wait > maxWait:
		return fmt.Errorf("--call-wait %s: it must be 0s to %s", l.Wait, maxWait)
	}
	return nil
}

// maxWait is the largest valid [Limits.Wait]: the answer must still come before the host gives up.
const maxWait = 10 * time.Second
