package web

import (
	"net/http"
	"sync"
	"time"
)

// A deferredWriter is a ResponseWriter that can still refuse a request (D7). Before the pipeline's answer begins it checks the
// caller again; a caller that is refused then gets the refusal instead of the answer. The pipeline writes from a goroutine of its
// own, hence the lock.
type deferredWriter struct {
	w      http.ResponseWriter
	check  func() error // nil: the caller is still admitted
	refuse func(error)

	mu      sync.Mutex
	started bool // the pipeline's answer is on its way
	refused bool // the refusal is on its way
}

// begin checks the caller before the first byte of the answer, and reports whether the pipeline may write.
func (d *deferredWriter) begin(final bool) bool {
	if d.refused {
		return false
	}
	if d.started {
		return true
	}
	if err := d.check(); err != nil {
		d.refused = true
		d.refuse(err)
		return false
	}
	d.started = final
	return true
}

// Header returns the headers of the answer.
func (d *deferredWriter) Header() http.Header { return d.w.Header() }

// WriteHeader begins the pipeline's answer, unless the caller is refused.
func (d *deferredWriter) WriteHeader(status int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.begin(status >= http.StatusOK) {
		d.w.WriteHeader(status)
	}
}

// Write writes the pipeline's answer, unless the caller is refused.
func (d *deferredWriter) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.begin(true) {
		return len(p), nil
	}
	return d.w.Write(p)
}

// FlushError sends what has been written.
func (d *deferredWriter) FlushError() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.begin(true) {
		return nil
	}
	return http.NewResponseController(d.w).Flush()
}

// Flush sends what has been written.
func (d *deferredWriter) Flush() { _ = d.FlushError() }

// SetWriteDeadline is for [http.ResponseController].
func (d *deferredWriter) SetWriteDeadline(t time.Time) error {
	return http.NewResponseController(d.w).SetWriteDeadline(t)
}

// finish checks the caller after the pipeline has returned, and writes the refusal if there was no answer. A caller that was
// answered is checked as well, so that the authenticator remembers the result.
func (d *deferredWriter) finish() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refused {
		return
	}
	if err := d.check(); err != nil && !d.started {
		d.refused = true
		d.refuse(err)
	}
}
