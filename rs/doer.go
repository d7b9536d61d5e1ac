package rs

import (
	"context"
	"sync/atomic"
)

// A Doer performs one read under one caller's credentials. Its errors are [*Error] values.
type Doer interface {
	Do(context.Context, Request) (*Response, error)
}

// Reads is a Doer that counts its reads: of a resource server, or of the members of a package. A failed read counts once. It is safe for
// concurrent use.
type Reads struct {
	Doer  Doer
	count atomic.Int64
}

// Do performs one read and counts it.
func (r *Reads) Do(ctx context.Context, request Request) (*Response, error) {
	response, err := r.Doer.Do(ctx, request)
	made := 1
	if err == nil {
		made = max(1, response.Reads)
	}
	r.count.Add(int64(made))
	return response, err
}

// Count returns the number of reads so far.
func (r *Reads) Count() int { return int(r.count.Load()) }
