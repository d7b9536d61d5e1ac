package middleware_test

import (
	"context"
	"slices"
	"sync"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A spy is a core handler that only records each call and returns a fixed answer. The zero value returns the zero Reply. It is safe for
// concurrent use.
type spy struct {
	// Reply and Err are the answer to every call. If Reply.Call is empty, the answer has the call that arrived.
	Reply tools.Reply
	Err   error
	// Do, if not nil, runs within each call after it was recorded: to inspect the context, to wait or to panic.
	Do func(context.Context, tools.Call)

	mu    sync.Mutex
	calls []tools.Call
}

// Handle is the spy's tools.Handler.
func (s *spy) Handle(ctx context.Context, call tools.Call) (tools.Reply, error) {
	s.mu.Lock()
	s.calls = append(s.calls, call)
	s.mu.Unlock()
	if s.Do != nil {
		s.Do(ctx, call)
	}
	reply := s.Reply
	if reply.Call.Tool == nil {
		reply.Call = call
	}
	return reply, s.Err
}

// Calls returns what arrived, in order.
func (s *spy) Calls() []tools.Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}
