package rs

import (
	"context"
	"sync/atomic"
)

// A Doer performs one read under one caller's credentials. Its errors are [*Error] values.
type Doer interface {
	Do(context.Context, Request) (*Response, error)
}

// Reads counts the reads that are made through it: of a resource server, or of the members of a package. One that fails counts once. It
// is safe for concurrent use.
type Reads struct {
	Doer Doer
	// Failed gets the error of each read that fails, with the context of the read; nil for nothing.
	Failed func(context.Context, error)

	count atomic.Int64
}

// Do makes a read and counts it.
func (r *Reads) Do(ctx context.Context, request Request) (*Response, error) {
	response, err := r.Doer.Do(ctx, request)
	made := 1
	switch {
	case err == nil:
		made = max(1, response.Reads)
	case r.Failed != nil:
		r.Failed(ctx, err)
	}
	r.count.Add(int64(made))
	return response, err
}

// Count is how many reads were made.
func (r *Reads) Count() int { return int(r.count.Load()) }
