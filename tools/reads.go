package tools

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// Reads counts the reads that are made through it: of a resource server, or of the members of a package. One that fails counts once. It
// is safe for concurrent use.
type Reads struct {
	doer  rs.Doer
	count atomic.Int64
}

// CountReads returns a counter of the reads of a resource server.
func CountReads(doer rs.Doer) *Reads { return &Reads{doer: doer} }

// Do makes a read and counts it.
func (r *Reads) Do(ctx context.Context, request rs.Request) (*rs.Response, error) {
	response, err := r.doer.Do(ctx, request)
	made := 1
	if err == nil {
		made = max(1, response.Reads)
	}
	r.count.Add(int64(made))
	return response, err
}

// maxParallelReads bounds the reads of a call at a time.
const maxParallelReads = 3

// inParallel calls read for each number below n, a few at a time, until one fails. A panic of one becomes the caller's.
func inParallel(ctx context.Context, n int, read func(ctx context.Context, i int) error) error {
	var panicked atomic.Pointer[any]
	running, ctx := errgroup.WithContext(ctx)
	running.SetLimit(maxParallelReads)
	for i := range n {
		running.Go(func() error {
			defer func() {
				if p := recover(); p != nil {
					panicked.Store(&p)
				}
			}()
			if err := ctx.Err(); err != nil {
				return &rs.Error{Code: rs.DeadlineExceeded, Cause: err}
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

// withinDeadline leaves a fifth of the time that a call has to the rest of it, so that what further reads do not answer in time does not
// cost the answer.
func withinDeadline(ctx context.Context) (context.Context, context.CancelFunc) {
	deadline, ok := ctx.Deadline()
	if !ok {
		return ctx, func() {}
	}
	return context.WithTimeout(ctx, time.Until(deadline)*4/5)
}

// Count is how many reads were made.
func (r *Reads) Count() int { return int(r.count.Load()) }
