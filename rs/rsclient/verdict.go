package rsclient

import (
	"errors"
	"fmt"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// The thresholds of the circuit breakers.
const (
	breakerWindow   = 30 * time.Second // what is looked back upon, in slices of a tenth
	breakerFailures = 10               // failed attempts in the window, at least, and
	breakerShare    = 2                // at least one attempt in so many
	breakerRest     = 5 * time.Second  // how long nothing is sent once a breaker opens
	breakerPatience = 2 * time.Second  // a deadline sooner than this says nothing about the host
)

// A verdict is what an attempt shows about its host.
type verdict int

const (
	inconclusive verdict = iota // 429, a caller that hung up, a deadline that left no time
	isWell                      // an answer other than a failure
	grantFails                  // connected, and then: a status of the 5xx class but 501, an answer that breaks off, silence
	hostFails                   // not connected: refused, no such name, no TLS, no connection in time
)

// What gobreaker is notified of an attempt; nil is a success.
var (
	errFailed  = errors.New("the attempt failed")
	errUnknown = errors.New("the attempt says nothing")
)

// ofGrant is the verdict as a grant's breaker takes it. A host that cannot be reached says nothing of a grant.
func (v verdict) ofGrant() error {
	switch v {
	case isWell:
		return nil
	case grantFails:
		return errFailed
	default:
		return errUnknown
	}
}

// unavailable is the refusal of an open breaker.
func unavailable(what string, since, until time.Time) *rs.Error {
	wait := time.Until(until)
	wait = max(wait.Truncate(time.Second)+time.Second, time.Second) // never too early
	return &rs.Error{
		Code: rs.ServerUnavailable, RetryAfter: wait,
		Message: fmt.Sprintf("%s since %s and is left alone for a moment; nothing was asked.", what, since.UTC().Format("15:04:05 UTC")),
		Hint:    fmt.Sprintf("Call again in %d seconds; if it persists, tell the operator.", int(wait/time.Second)),
	}
}
