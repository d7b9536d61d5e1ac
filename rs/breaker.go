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

// begin asks for leave for one attempt. What it returns must be called with the outcome, once.
func (b *breaker) begin() (func(error), *Error) {
	if b.circuit == nil {
		return func(error) {}, nil
	}
	done, err := b.circuit.Allow()
	if err != nil {
		return nil, b.unavailable()
	}
	return done, nil
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
	done, refused := g.breaker.begin()
	if refused != nil {
		if r.Body != nil {
			_ = r.Body.Close()
		}
		return nil, refused
	}
	a := &attempt{ctx: r.Context(), began: time.Now(), done: done}
	response, err := g.next.RoundTrip(r)
	if err != nil {
		a.fail(err)
		return nil, err
	}
	switch status := response.StatusCode; {
	case status == http.StatusTooManyRequests:
		a.settle(errNothingKnown)
	case status >= 500 && status != http.StatusNotImplemented:
		a.settle(errHostFails)
	}
	a.ReadCloser, response.Body = response.Body, a
	return response, nil
}

// An attempt is one request and the body of its answer, whose reading shows how the attempt ended.
type attempt struct {
	io.ReadCloser
	ctx   context.Context
	began time.Time
	done  func(error)
	once  sync.Once // a body may be read and closed by two goroutines
}

// settle tells the breaker the outcome; the first one counts.
func (a *attempt) settle(outcome error) { a.once.Do(func() { a.done(outcome) }) }

func (a *attempt) fail(err error) { a.settle(judgeFailure(a.ctx, err, time.Since(a.began))) }

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
	a.settle(nil)
	return err
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
