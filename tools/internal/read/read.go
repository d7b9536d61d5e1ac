// Package read makes the reads of a call: their requests, several at a time, in the time that there is.
package read

import (
	"context"
	"net/url"
	"strconv"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// atOnce bounds the reads of a call at a time.
const atOnce = 3

// Parallel calls read for each number below n, a few at a time, until one fails. A panic of one becomes the caller's. One alone is the
// caller's own.
func Parallel(ctx context.Context, n int, read func(ctx context.Context, i int) error) error {
	if n == 1 && ctx.Err() == nil {
		return read(ctx, 0)
	}
	var panicked atomic.Pointer[any]
	running, ctx := errgroup.WithContext(ctx)
	running.SetLimit(atOnce)
	for i := range n {
		running.Go(func() error {
			defer func() {
				if p := recover(); p != nil {
					panicked.Store(&p)
				}
			}()
			if err := ctx.Err(); err != nil {
				return &rs.Error{Code: "deadline_exceeded", Cause: err}
			}
			return read(ctx, i)
		})
	}
	err := running.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
	return err
}

// All calls read for each number below n, a few at a time, as long as there is time.
func All(ctx context.Context, n int, read func(ctx context.Context, i int)) {
	_ = Parallel(ctx, n, func(ctx context.Context, i int) error {
		read(ctx, i)
		return nil
	})
}

// Record is the record that the resource server answers, out of a {"data":…} wrapper where there is one (D5).
func Record(response *rs.Response) rs.Object {
	o := response.Object()
	if inner := o.Object("data"); inner.Has("data") {
		return inner
	}
	return o
}

// WithinDeadline leaves a fifth of the time that a call has to the rest of it, so that what further reads do not answer in time does not
// cost the answer.
func WithinDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(deadline)*4/5)
}

// Request is a read of the resource server, under a connection unless that is "".
func Request(connectionID string, segments ...string) rs.Request {
	r := rs.Request{Path: rs.Path(segments...), Query: url.Values{}}
	Set(r.Query, "connection_id", connectionID)
	return r
}

// Set adds a parameter, unless it is empty, zero or nil: a text, a number, or each of some texts.
func Set(query url.Values, name string, value any) {
	switch value := value.(type) {
	case string:
		if value != "" {
			query.Set(name, value)
		}
	case int:
		if value != 0 {
			query.Set(name, strconv.Itoa(value))
		}
	case *int:
		if value != nil {
			query.Set(name, strconv.Itoa(*value))
		}
	case []string:
		if len(value) > 0 {
			query[name] = value // an array is a repeated plain key
		}
	}
}

// BesideDeadline is for what is read beside an answer that can do without it.
const BesideDeadline = time.Second

// Beside is the answer to a read that an answer can do without; nil where it fails, or takes longer than [BesideDeadline].
func Beside(ctx context.Context, d rs.Doer, r rs.Request) *rs.Response {
	ctx, cancel := context.WithTimeout(ctx, BesideDeadline)
	defer cancel()
	response, err := d.Do(ctx, r)
	if err != nil {
		return nil
	}
	return response
}
