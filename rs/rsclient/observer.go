package rsclient

import (
	"context"
	"net/http"
	"path"
	"time"
)

// An Observer is notified of requests to other servers, so that they can be counted. Its methods are called concurrently, while callers
// wait: they must be quick and must not block. Their arguments contain no secret, no query and no id; class and state come from short fixed
// lists, host from the configuration.
type Observer interface {
	// Read is called once for each read that ended, retries included. class is what was read: schema, streams, stream, records, record,
	// window, aggregate, search, blob, introspection, packages or other. status is the answer's HTTP status, 0 if no complete answer came.
	// Reads that an open breaker stopped are reported with status 0 as well.
	Read(class string, status int, took time.Duration)
	// Retried is called when a request is retried.
	Retried(host string)
	// RetryDenied is called when a request is not retried because the retry budget is spent.
	RetryDenied(host string)
	// BreakerChanged is called when the breaker of a host changes its state: closed, half-open (each caller tries once whether the host
	// answers again) or open (nothing is sent). It must not send a request to that host.
	BreakerChanged(host, state string)
}

type unobserved struct{}

func (unobserved) Read(string, int, time.Duration) {}
func (unobserved) Retried(string)                  {}
func (unobserved) RetryDenied(string)              {}
func (unobserved) BreakerChanged(string, string)   {}

// A Trace is called before each attempt of a request. It returns the request to send, which may have more headers, and a function that is
// called once when the attempt has ended: with the status of the answer and the bytes that were read of its body, or with the error if
// there was no answer.
type Trace func(*http.Request) (traced *http.Request, end func(status, bytes int, err error))

func untraced(request *http.Request) (traced *http.Request, end func(status, bytes int, err error)) {
	return request, func(int, int, error) {}
}

// ClassFrom returns what the read of a request's context reads: schema, streams, records and so on, as for [Observer]. It returns "" for a
// request that is not a read of a resource server.
func ClassFrom(ctx context.Context) string {
	if r := readingFrom(ctx); r != nil {
		return r.class
	}
	return ""
}

// readClasses map a path below a resource server's base to what it reads. The first pattern that matches wins.
var readClasses = [...]struct{ pattern, class string }{
	{"/v1/schema", "schema"}, {"/v1/search", "search"}, {"/v1/search/*", "search"}, {"/v1/blobs/*", "blob"}, {"/v1/streams", "streams"},
	{"/v1/streams/*", "stream"}, {"/v1/streams/*/aggregate", "aggregate"}, {"/v1/streams/*/records", "records"},
	{"/v1/streams/*/records/*", "record"}, {"/v1/streams/*/records/*/field-window", "window"},
}

func readClass(read string) string {
	for _, c := range readClasses {
		if fits, _ := path.Match(c.pattern, read); fits { // fails only for a malformed pattern
			return c.class
		}
	}
	return "other"
}
