package web

import (
	"net/http"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A deferredWriter is a ResponseWriter that can still refuse a request (D7). Once the authority has refused the caller,
// and as long as nothing has been written, the pipeline's answer is dropped and the refusal takes its place. The pipeline
// writes from a goroutine of its own, hence the lock.
type deferredWriter struct {
	w      http.ResponseWriter
	refuse func(error)

	asking sync.Mutex // one question at a time; held while asking

	mu      sync.Mutex
	asked   bool
	dead    error // why the caller is out; nil while in
	started bool  // the pipeline's answer is on its way
	refused bool  // the refusal is on its way
}

// settle asks once per request whether the caller is still good. An authority that cannot tell settles nothing.
func (s *deferredWriter) revalidate(ask func() error) {
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

// drop writes the refusal when it is due, and reports whether the pipeline's answer is to be dropped.
func (s *deferredWriter) drop() bool {
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
func (s *deferredWriter) Header() http.Header { return s.w.Header() }

// WriteHeader begins the pipeline's answer, unless the caller is out.
func (s *deferredWriter) WriteHeader(status int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drop() {
		return
	}
	s.started = s.started || status >= http.StatusOK
	s.w.WriteHeader(status)
}

// Write writes the pipeline's answer, unless the caller is out.
func (s *deferredWriter) Write(p []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drop() {
		return len(p), nil
	}
	s.started = true
	return s.w.Write(p)
}

// FlushError sends what has been written.
func (s *deferredWriter) FlushError() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.drop() {
		return nil
	}
	s.started = true
	return http.NewResponseController(s.w).Flush()
}

// Flush sends what has been written.
func (s *deferredWriter) Flush() { _ = s.FlushError() }

// SetWriteDeadline is for [http.ResponseController].
func (s *deferredWriter) SetWriteDeadline(t time.Time) error {
	return http.NewResponseController(s.w).SetWriteDeadline(t)
}

// finish writes a refusal that is still due when the pipeline returned without an answer.
func (s *deferredWriter) finish() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.drop()
}
