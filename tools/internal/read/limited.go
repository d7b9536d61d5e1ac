package read

import (
	"context"
	"sync/atomic"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

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
