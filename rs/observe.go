package rs

import (
	"strings"
	"time"
)

// An Observer is told what happens between this program and the servers that it asks, so that it can be counted. Its
// methods are called while a caller waits, by many goroutines at a time: they must be quick and must not block. What
// they are given holds no secret, no query and no id; class and state come from short fixed lists, host from the
// configuration.
type Observer interface {
	// Read is called once for each read that ended, retries included. class is what was read: schema, streams, stream,
	// records, record, window, aggregate, search, blob, introspection, packages or other. status is the answer's HTTP status,
	// 0 when no whole answer came. Reads that an open breaker stopped are told with status 0 as well.
	Read(class string, status int, took time.Duration)
	// Retried is called when an attempt is made anew.
	Retried(host string)
	// RetryDenied is called when an attempt is not made anew, because the retry budget is spent.
	RetryDenied(host string)
	// BreakerChanged is called when the breaker of a host changes its state. It must not ask that host.
	BreakerChanged(host string, state BreakerState)
}

// A BreakerState says whether a host is asked.
type BreakerState string

// The states of a breaker.
const (
	BreakerClosed   BreakerState = "closed"    // it is asked
	BreakerHalfOpen BreakerState = "half-open" // one attempt at a time finds out whether it answers again
	BreakerOpen     BreakerState = "open"      // it is not asked
)

// unobserved is the observer of whoever has none.
type unobserved struct{}

func (unobserved) Read(string, int, time.Duration)     {}
func (unobserved) Retried(string)                      {}
func (unobserved) RetryDenied(string)                  {}
func (unobserved) BreakerChanged(string, BreakerState) {}

// readClass names what a path below a resource server's base reads, from a short fixed list.
func readClass(path string) string {
	segments := strings.Split(strings.TrimPrefix(path, "/v1/"), "/")
	switch {
	case segments[0] == "schema" && len(segments) == 1:
		return "schema"
	case segments[0] == "search":
		return "search"
	case segments[0] == "blobs":
		return "blob"
	case segments[0] != "streams":
		return "other"
	}
	switch below := segments[min(2, len(segments)):]; {
	case len(segments) == 1:
		return "streams"
	case len(below) == 0:
		return "stream"
	case below[0] == "aggregate":
		return "aggregate"
	case below[0] != "records":
		return "other"
	case len(below) == 1:
		return "records"
	case len(below) == 2:
		return "record"
	case below[2] == "field-window":
		return "window"
	}
	return "other"
}
