package web

import (
	"net/http"
	"sync"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A deferredWriter is a ResponseWriter that can still refuse a request (D7). It checks the caller again before the pipeline's answer
// begins. A caller that is refused then gets the refusal instead of the answer. mu is needed because the pipeline writes from another
// goroutine than the one that calls finish.
type deferredWriter struct {
	w       http.ResponseWriter
	r       *http.Request
	token   rs.Token // of the caller
	options *ChainOptions

	mu          sync.Mutex
	revalidated bool // check has asked the authenticator again
	started     bool // the pipeline's answer has begun
	refused     bool // the refusal was written
}

// check asks the authenticator again, once, if the resource server has refused the token. It returns an error if the caller is no longer
// admitted, or should sign in for more scope. If the authenticator cannot tell, the caller stays admitted.
func (d *deferredWriter) check() error {
	request := middleware.RequestFrom(d.r.Context())
	if reason, noted := request.Unauthorized(); noted && !d.revalidated {
		d.revalidated = true
		principal, err := d.options.revalidate(d.r.Context(), d.token, reason)
		if err == nil {
			err = principal.Admissible()
		}
		if err != nil && refusalStatus(rs.AsError(err).Code) < http.StatusInternalServerError {
			return err
		}
	}
	missing, refused := request.Ungranted()
	if refused == nil || d.options.Offers == nil || !d.options.Offers(missing) {
		return nil
	}
	return &rs.Error{Code: "insufficient_scope", Message: refused.Message, Hint: "The owner can grant it at a new sign-in."}
}

func (d *deferredWriter) refuse(err error) {
	d.refused = true
	refuseCaller(d.w, d.r, d.options.Public, err)
}

// begin checks the caller before the first byte of the answer, and reports whether the pipeline may write. An informational status (1xx)
// does not begin the answer. The caller must hold mu.
func (d *deferredWriter) begin(status int) bool {
	if d.refused {
		return false
	}
	if d.started {
		return true
	}
	if err := d.check(); err != nil {
		d.refuse(err)
		return false
	}
	d.started = status >= http.StatusOK
	return true
}

func (d *deferredWriter) Header() http.Header { return d.w.Header() }

// WriteHeader begins the pipeline's answer, unless the caller is refused.
func (d *deferredWriter) WriteHeader(status int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.begin(status) {
		d.w.WriteHeader(status)
	}
}

// Write writes the pipeline's answer, unless the caller is refused.
func (d *deferredWriter) Write(p []byte) (int, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.begin(http.StatusOK) {
		return len(p), nil
	}
	return d.w.Write(p)
}

func (d *deferredWriter) FlushError() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if !d.begin(http.StatusOK) {
		return nil
	}
	return http.NewResponseController(d.w).Flush()
}

// Unwrap lets http.ResponseController reach the connection.
func (d *deferredWriter) Unwrap() http.ResponseWriter { return d.w }

// finish checks the caller after the pipeline has returned, and writes the refusal if no answer has begun. It checks a caller that got an
// answer as well, so that the authenticator caches the result.
func (d *deferredWriter) finish() {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.refused {
		return
	}
	if err := d.check(); err != nil && !d.started {
		d.refuse(err)
	}
}
