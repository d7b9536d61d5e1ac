package rsclient

import (
	"context"
	"crypto/sha256"
	"net/http/httptrace"
	"sync/atomic"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A breakerKey identifies a grant or a caller by a hash, so that no credential is kept. The zero key has no caller.
type breakerKey = [sha256.Size]byte

// A Caller is a token, and the grant or package that it is of. Before the token is introspected it has neither kind nor grant.
type Caller struct {
	Token   rs.Token
	Kind    string // of the token, from its authority
	GrantID string
}

// Key identifies a grant with all its tokens or, where the authority names none, a token; by a hash, so that no credential is kept.
func (c Caller) Key() [sha256.Size]byte {
	switch {
	case c.GrantID != "":
		return sha256.Sum256([]byte(c.Kind + "\x00" + c.GrantID))
	case c.Token != rs.Token{}:
		return sha256.Sum256([]byte("\x00" + c.Token.Reveal()))
	}
	return [sha256.Size]byte{}
}

type callerKey struct{}

// WithCaller returns a context whose reads all count for one admitted caller, those of all members of a package too.
func WithCaller(ctx context.Context, c Caller) context.Context {
	return context.WithValue(ctx, callerKey{}, c.Key())
}

// A reading is what the circuit breakers and observers need to know of a read: whose it is, what it reads, and how far its attempt has come.
type reading struct {
	grant  breakerKey // whose token is sent: a grant; each member of a package is one
	caller breakerKey // who asks: a grant or a package; zero for a token that is not introspected yet
	class  string     // see [ClassFrom]

	connecting atomic.Bool // a connection was asked for and did not come yet
	trace      httptrace.ClientTrace
}

type readingKey struct{}

func withReading(ctx context.Context, grant, caller breakerKey, class string) context.Context {
	r := &reading{grant: grant, caller: caller, class: class}
	return context.WithValue(tracing(ctx, &r.trace, &r.connecting), readingKey{}, r)
}

// readingFrom returns nil for a request that is not part of a read.
func readingFrom(ctx context.Context) *reading {
	r, _ := ctx.Value(readingKey{}).(*reading)
	return r
}

func (r *reading) waits() bool { return r != nil && r.connecting.Load() }

// payer returns whose share of the answer budget the read is charged to.
func (r *reading) payer() breakerKey {
	if r.caller == (breakerKey{}) {
		return r.grant
	}
	return r.caller
}
