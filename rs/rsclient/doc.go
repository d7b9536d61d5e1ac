// Package rsclient reads from a resource server: bounded answers, deadlines, retries out of a budget, and circuit breakers for the
// server, a grant and a caller.
package rsclient
