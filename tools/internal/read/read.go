// Package read makes the reads of a call: it builds their requests and runs several at a time, within the call's deadline.
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

// maxConcurrent is the most reads of a call that run at a time.
const maxConcurrent = 3

// Parallel calls read for each number below n, at most 3 at a time, until one fails. A panic of a read is raised again in the caller's
// goroutine. A single read runs in the caller's goroutine.
func Parallel(ctx context.Context, n int, read func(ctx context.Context, i int) error) error {
	if n == 1 && ctx.Err() == nil {
		return read(ctx, 0)
	}
	var panicked atomic.Pointer[any]
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxConcurrent)
	for i := range n {
		group.Go(func() error {
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
	err := group.Wait()
	if p := panicked.Load(); p != nil {
		panic(*p)
	}
	return err
}

// All calls read for each number below n, at most 3 at a time, until ctx ends.
func All(ctx context.Context, n int, read func(ctx context.Context, i int)) {
	_ = Parallel(ctx, n, func(ctx context.Context, i int) error {
		read(ctx, i)
		return nil
	})
}

// Record returns the record in a response of the resource server, without the {"data":…} wrapper if there is one (D5).
func Record(response *rs.Response) rs.Object {
	o := response.Object()
	if inner := o.Object("data"); inner.Has("data") {
		return inner
	}
	return o
}

// WithinDeadline returns a context with four fifths of the time that is left for a call, so that slow further reads do not cost the
// answer.
func WithinDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(deadline)*4/5)
}

// Request returns a request to read from the resource server, under a connection unless connectionID is "".
func Request(connectionID string, segments ...string) rs.Request {
	r := rs.Request{Path: rs.Path(segments...), Query: url.Values{}}
	Set(r.Query, "connection_id", connectionID)
	return r
}

// Set adds a parameter unless it is empty, zero or nil. value is a string, int, *int or []string.
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

// OptionalDeadline is the time for a read that an answer can do without.
const OptionalDeadline = time.Second

// Optional returns the response to a read that an answer can do without; nil if it fails or takes longer than [OptionalDeadline].
func Optional(ctx context.Context, d rs.Doer, r rs.Request) *rs.Response {
	ctx, cancel := context.WithTimeout(ctx, OptionalDeadline)
	defer cancel()
	response, err := d.Do(ctx, r)
	if err != nil {
		return nil
	}
	return response
}

// MaxCountedMembers is the number of members of a package up to which optional reads ask every member.
const MaxCountedMembers = 8

// IsEmpty reports whether a response is a list that has neither items nor a further page.
func IsEmpty(response *rs.Response) bool {
	list, ok := response.List()
	return ok && len(list.Items) == 0 && !list.Envelope.Has("next_cursor") && !list.Envelope.Flag("has_more")
}

// limited is a resource server of which few reads are left.
type limited struct {
	server rs.Doer
	left   atomic.Int64
}

// Limited returns a resource server that makes at most most reads; every other read fails. It is safe for concurrent use.
func Limited(server rs.Doer, most int) rs.Doer {
	l := &limited{server: server}
	l.left.Store(int64(most))
	return l
}

func (l *limited) Do(ctx context.Context, r rs.Request) (*rs.Response, error) {
	if l.left.Add(-1) < 0 {
		return nil, &rs.Error{Code: "deadline_exceeded", Message: "No reads are left for hints."}
	}
	return l.server.Do(ctx, r)
}
