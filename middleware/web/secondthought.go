package web

import (
	"net/http"
	"sync"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A secondThought is a ResponseWriter that can still turn a request away (D7). Once settled against the caller,
// and as long as nothing has been written, the room's answer is dropped and the refusal takes its place. The room
// writes from a goroutine of its own, hence the lock.
type secondThought struct {
	w      http.ResponseWriter
	refuse func(error)

	asking sync.Mutex // one question at a time; held while asking

	mu      sync.Mutex
	asked   bool
	dead    error // why the caller is out; nil while in
	started bool  // the room's answer is on its way
	refused bool  // the refusal is on its way
}

// settle asks once per request whether the caller is still good. An authority that cannot tell settles nothing.
func (s *secondThought) settle(ask func() error) {
	s.asking.Lock()
	defer s.asking.Unlock()
	s.mu.Lock()
	done := s.asked
	s.mu.Unlock()
	if done {
		return
	}
	err := ask()
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asked = true
	if err != nil && refusalStatus(rs.AsError(err).Code) < http.StatusInternalServerError {
		s.dead = err
	}
}

// drop writes the refusal when it is due, and reports whether the room's answer is to be dropped.
func (s *secondThought) drop() bool {
	if s.refused {
		return true
	}
	if s.dead == nil || s.started {
		return false
	}
	s.refused = true
	s.refuse(s.dead)
	return true
}

// Header returns the headers of the answer.
func (s *secondThought) Header() http.Header { return s.w.Header() }

// WriteHeader begins the room's answer, unless the caller is out.
func (s *secondThought) WriteHeader(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drop() {
		return
	}
	s.started = s.started || status >= http.StatusOK
	s.w.WriteHeader(status)
}

// Write writes the room's answer, unless the caller is out.
func (s *secondThought) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drop() {
		return len(p), nil
	}
	s.started = true
	return s.w.Write(p)
}

// FlushError sends what has been written.
func (s *secondThought) FlushError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drop() {
		return nil
	}
	s.started = true
	return http.NewResponseController(s.w).Flush()
}

// Flush sends what has been written.
func (s *secondThought) Flush() { _ = s.FlushError() }

// finish writes a refusal that is still due when the room returned without an answer.
func (s *secondThought) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}
