// Package middlewaretest helps to test what stands around a call: [Spy] stands for the rest of a chain, [RS] for the
// resource server below it. Both remember what reached them, so that a test of a refusal can prove silence.
package middlewaretest

import (
	"context"
	"slices"
	"sync"

	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A Spy is a core that performs nothing: it remembers each call and answers as it was set up. The zero value answers with the
// zero Reply. It is safe for concurrent use.
type Spy struct {
	// Reply and Err are the answer to every call. A Reply without a Call gets the call that arrived.
	Reply tools.Reply
	Err   error
	// Do, when set, runs within each call, after it was remembered: to look at the context, to wait, to panic.
	Do func(context.Context, tools.Call)

	mu    sync.Mutex
	calls []tools.Call
}

// Handle is the Spy's [tools.Handler].
func (s *Spy) Handle(ctx context.Context, call tools.Call) (tools.Reply, error) {
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
func (s *Spy) Calls() []tools.Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}
