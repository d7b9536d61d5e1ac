package middleware

import "context"

type requestIDKey struct{}

// WithRequestID returns a context that carries the id of an HTTP request, for the logs of both chains.
func WithRequestID(ctx context.Context, id string) context.Context {
	return context.WithValue(ctx, requestIDKey{}, id)
}

// RequestIDFrom returns the request's id, or "" where there was no HTTP request.
func RequestIDFrom(ctx context.Context) string {
	id, _ := ctx.Value(requestIDKey{}).(string)
	return id
}
