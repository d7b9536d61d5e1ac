package rsclient

import "context"

type classKey struct{}

// ClassFrom names what the read reads that a request was sent for: schema, streams, records and so on, as an [Observer] is
// gets it. It is "" for a request that belongs to no read of a resource server.
func ClassFrom(ctx context.Context) string {
	class, _ := ctx.Value(classKey{}).(string)
	return class
}
