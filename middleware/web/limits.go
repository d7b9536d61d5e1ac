package web

import (
	"fmt"
	"math"
	"time"
)

// Limits bound what callers may ask of the [ChainOptions.AuthenticatedChain]. A zero rate, or a zero number of calls, is no limit.
type Limits struct {
	TokenRate     float64       // requests a second of one token, after its burst
	TokenBurst    int           // requests of one token at once
	AddressRate   float64       // refused tokens a second from one client address, after its burst
	AddressBurst  int           // refused tokens from one client address at once
	CallsPerGrant int           // calls of one grant or package under way at a time
	Calls         int           // calls of all under way at a time
	Wait          time.Duration // how long a call may wait for a slot
}

// DefaultLimits are enough for an agent that calls thirty tools in a second, and for many people behind one address.
func DefaultLimits() Limits {
	return Limits{
		TokenRate: 50, TokenBurst: 200,
		AddressRate: 10, AddressBurst: 100,
		CallsPerGrant: 32, Calls: 1024, Wait: time.Second,
	}
}

// Check says what cannot be a limit, naming it as the flags of the program do.
func (l Limits) Check() error {
	for _, r := range []struct {
		name  string
		rate  float64
		burst int
	}{{"token", l.TokenRate, l.TokenBurst}, {"address", l.AddressRate, l.AddressBurst}} {
		switch {
		case math.IsNaN(r.rate) || math.IsInf(r.rate, 0) || r.rate < 0:
			return fmt.Errorf("--%s-rate %v: a number a second is needed, or 0 for no limit", r.name, r.rate)
		case r.rate > 0 && r.burst < 1:
			return fmt.Errorf("--%s-burst %d: at least 1 is needed; --%s-rate 0 is no limit", r.name, r.burst, r.name)
		}
	}
	switch {
	case l.CallsPerGrant < 0:
		return fmt.Errorf("--max-calls-per-grant %d: a number of calls is needed, or 0 for no limit", l.CallsPerGrant)
	case l.Calls < 0:
		return fmt.Errorf("--max-calls %d: a number of calls is needed, or 0 for no limit", l.Calls)
	case l.Wait < 0 || l.Wait > maxWait:
		return fmt.Errorf("--call-wait %s: 0s to %s is needed", l.Wait, maxWait)
	}
	return nil
}

// maxWait is the longest time that a call may wait for a slot: the answer must still come before the host gives up.
const maxWait = 10 * time.Second
