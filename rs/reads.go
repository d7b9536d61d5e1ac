package rs

import (
	"context"
	"sync/atomic"
)

// Reads counts the reads that are made through it: of a resource server, or of the members of a package. One that fails counts once. It
// is safe for concurrent use.
type Reads struct {
	doer  Doer
	count atomic.Int64
}

// CountReads returns a counter of the reads of a resource server.
func CountReads(doer Doer) *Reads { return &Reads{doer: doer} }

// Do makes a read and counts it.
func (r *Reads) Do(ctx context.Context, request Request) (*Response, error) {
	response, err := r.doer.Do(ctx, request)
	made := 1
	if err == nil {
		made = max(1, response.Reads)
	}
	r.count.Add(int64(made))
	return response, err
}

// Count is how many reads were made.
func (r *Reads) Count() int { return int(r.count.Load()) }
