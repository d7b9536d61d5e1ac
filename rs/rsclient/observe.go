package rsclient

import (
	"context"
	"strings"
	"time"
)

// An Observer is notified of what happens between this program and the servers that it asks, so that it can be counted. Its
// methods are called while a caller waits, by many goroutines at a time: they must be quick and must not block. What
// they are given holds no secret, no query and no id; class and state come from short fixed lists, host from the
// configuration.
type Observer interface {
	// Read is called once for each read that ended, retries included. class is what was read: schema, streams, stream,
	// records, record, window, aggregate, search, blob, introspection, packages or other. status is the answer's HTTP status,
	// 0 when no whole answer came. Reads that an open breaker stopped are reported with status 0 as well.
	Read(class string, status int, took time.Duration)
	// Retried is called when an attempt is made anew.
	Retried(host string)
	// RetryDenied is called when an attempt is not made anew, because the retry budget is spent.
	RetryDenied(host string)
	// BreakerChanged is called when the breaker of a host changes its state: closed, half-open (one attempt at a time finds out
	// whether the host answers again) or open (it is not asked). It must not ask that host.
	BreakerChanged(host, state string)
}

// The states of a breaker; see [Observer].
const (
	breakerClosed   = "closed"
	breakerHalfOpen = "half-open"
	breakerOpen     = "open"
)

// unobserved is the [Observer] that records nothing.
type unobserved struct{}

func (unobserved) Read(string, int, time.Duration) {}
func (unobserved) Retried(string)                  {}
func (unobserved) RetryDenied(string)              {}
func (unobserved) BreakerChanged(string, string)   {}

// ClassFrom names what the read reads that a request was sent for: schema, streams, records and so on, as an [Observer]
// gets it. It is "" for a request that belongs to no read of a resource server.
func ClassFrom(ctx context.Context) string {
	if r := readingFrom(ctx); r != nil {
		return r.class
	}
	return ""
}

// readClass names what a path below a resource server's base reads, from a short fixed list.
func readClass(path string) string {
	kind, below, more := strings.Cut(strings.TrimPrefix(path, "/v1/"), "/")
	switch {
	case kind == "schema" && !more:
		return "schema"
	case kind == "search":
		return "search"
	case kind == "blobs":
		return "blob"
	case kind == "streams" && !more:
		return "streams"
	case kind == "streams":
		return streamClass(below)
	}
	return "other"
}

// streamClass names what is read of a stream: below is STREAM, STREAM/aggregate, STREAM/records, STREAM/records/ID and so on.
func streamClass(below string) string {
	_, below, more := strings.Cut(below, "/")
	if !more {
		return "stream"
	}
	kind, record, more := strings.Cut(below, "/")
	switch {
	case kind == "aggregate":
		return "aggregate"
	case kind == "records" && !more:
		return "records"
	case kind != "records":
		return "other"
	}
	_, part, more := strings.Cut(record, "/")
	switch part, _, _ = strings.Cut(part, "/"); {
	case !more:
		return "record"
	case part == "field-window":
		return "window"
	}
	return "other"
}
