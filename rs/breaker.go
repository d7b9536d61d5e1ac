package rs

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"sync"
	"time"

	"github.com/sony/gobreaker/v2"
)

// When a host is left alone, and for how long.
const (
	breakerWindow   = 30 * time.Second // what is looked back upon, in slices of a tenth
	breakerFailures = 10               // failed attempts in the window, at least, and
	breakerShare    = 2                // at least one attempt in so many
	breakerRest     = 5 * time.Second  // how long the host then hears nothing
	breakerPatience = 2 * time.Second  // a deadline sooner than this says nothing about the host
)

// A breaker stops asking one host that keeps failing: with transport failures, answers that break off, and statuses of
// the 5xx class. 501 is an answer like any other; 429 and a caller that hung up say nothing. After a rest one attempt at
// a time finds out whether the host answers again. It is safe for concurrent use.
type breaker struct {
	circuit *gobreaker.TwoStepCircuitBreaker[struct{}] // nil: never open

	mu    sync.Mutex
	since time.Time // when it opened after it was closed last
	until time.Time // when the next attempt is made
}

// What an attempt says about its host; nil says that it is well.
var (
	errHostFails    = errors.New("the host fails")
	errNothingKnown = errors.New("nothing is known of the host")
)

func newBreaker(host string, off bool, observer Observer) *breaker {
	b := &breaker{}
	if off {
		return b
	}
	b.circuit = gobreaker.NewTwoStepCircuitBreaker[struct{}](gobreaker.Settings{
		Name: host, MaxRequests: 1, Interval: breakerWindow, BucketPeriod: breakerWindow / 10, Timeout: breakerRest,
		ReadyToTrip: func(c gobreaker.Counts) bool {
			return c.TotalFailures >= breakerFailures && c.TotalFailures*breakerShare >= c.TotalFailures+c.TotalSuccesses
		},
		IsExcluded: func(err error) bool { return errors.Is(err, errNothingKnown) },
		OnStateChange: func(_ string, from, to gobreaker.State) {
			b.changed(from, to)
			observer.BreakerChanged(host, breakerState(to))
		},
	})
	return b
}

func breakerState(s gobreaker.State) BreakerState {
	switch s {
	case gobreaker.StateOpen:
		return BreakerOpen
	case gobreaker.StateHalfOpen:
		return BreakerHalfOpen
	}
	return BreakerClosed
}

func (b *breaker) changed(from, to gobreaker.State) {
	if to != gobreaker.StateOpen {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.until = now.Add(breakerRest)
	if from == gobreaker.StateClosed {
		b.since = now
	}
}

// closed reports whether the host is asked without reserve.
func (b *breaker) closed() bool {
	return b.circuit == nil || b.circuit.State() == gobreaker.StateClosed
}

// begin asks for leave for one attempt. What it returns must be called with the outcome; further calls do nothing.
func (b *breaker) begin() (func(error), *Error) {
	if b.circuit == nil {
		return func(error) {}, nil
	}
	done, err := b.circuit.Allow()
	if err != nil {
		return nil, b.unavailable()
	}
	var once sync.Once
	return func(outcome error) { once.Do(func() { done(outcome) }) }, nil
}

func (b *breaker) unavailable() *Error {
	b.mu.Lock()
	since, wait := b.since, time.Until(b.until)
	b.mu.Unlock()
	wait = max(wait.Truncate(time.Second)+time.Second, time.Second) // never too early
	return &Error{
		Code: ServerUnavailable, RetryAfter: wait,
		Message: fmt.Sprintf("The resource server has been failing since %s and is left alone for a moment; nothing was asked.", since.UTC().Format("15:04:05 UTC")),
		Hint:    fmt.Sprintf("Call again in %d seconds; if it persists, tell the operator.", int(wait/time.Second)),
	}
}

// guarded is a transport behind a breaker.
type guarded struct {
	next    http.RoundTripper
	breaker *breaker
}

// RoundTrip performs one attempt, unless the breaker is open.
func (g guarded) RoundTrip(r *http.Request) (*http.Response, error) {
	settle, refused := g.breaker.begin()
	if refused != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, refused
	}
	began := time.Now()
	judge := func(err error) error { return judgeFailure(r.Context(), err, time.Since(began)) }
	response, err := g.next.RoundTrip(r)
	if err != nil {
		settle(judge(err))
		return nil, err
	}
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests:
		settle(errNothingKnown)
	case status >= 500 && status != http.StatusNotImplemented:
		settle(errHostFails)
	}
	response.Body = &judgedBody{response.Body, func(err error) {
		if err != nil {
			err = judge(err)
		}
		settle(err)
	}}
	return response, nil
}

// judgeFailure says what a failed attempt tells about its host. Whether a caller's own deadline was too short or the
// host too slow shows in how long the host had.
func judgeFailure(ctx context.Context, err error, had time.Duration) error {
	switch {
	case errors.Is(err, context.Canceled) || errors.Is(ctx.Err(), context.Canceled):
		return errNothingKnown
	case ctx.Err() != nil && had < breakerPatience:
		return errNothingKnown
	}
	return errHostFails
}

// A judgedBody tells how its reading ended: an error, or its end or early closing as nil.
type judgedBody struct {
	io.ReadCloser
	settle func(error)
}

// Read reads on.
func (b *judgedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err != nil && !errors.Is(err, io.EOF) {
		b.settle(err)
	}
	return n, err
}

// Close ends the reading.
func (b *judgedBody) Close() error {
	err := b.ReadCloser.Close()
	b.settle(nil)
	return err
}
