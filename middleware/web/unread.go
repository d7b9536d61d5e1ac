package web

import (
	"io"
	"net/http"
	"sync/atomic"
	"time"
)

// lingerTime is how long the rest of an unread body is awaited before its connection is closed. Closing at once would reset
// the connection, and a client that is still sending might not see its answer.
const lingerTime = 500 * time.Millisecond

// closeUnread closes the connection of a request that is answered before its body has been read. net/http would wait for
// the rest of that body for as long as a request may take: a client that sends none of it would hold the connection, without
// any token.
func closeUnread(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body == nil || r.ContentLength == 0 {
			next.ServeHTTP(w, r)
			return
		}
		u := &unread{ResponseWriter: w, body: watchedBody{ReadCloser: r.Body}, request: *r}
		u.request.Body = &u.body
		next.ServeHTTP(u, &u.request)
	})
}

// A watchedBody notes whether it was read to its end.
type watchedBody struct {
	io.ReadCloser
	read atomic.Bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.read.Store(true)
	}
	return n, err
}

// An unread is a ResponseWriter that ends the connection with an answer that begins before the request's body was read.
type unread struct {
	http.ResponseWriter
	body    watchedBody
	request http.Request
	started bool
}

// WriteHeader begins the answer.
func (w *unread) WriteHeader(status int) {
	if !w.started && status >= http.StatusOK {
		w.started = true
		if !w.body.read.Load() {
			w.Header().Set("Connection", "close")
			_ = http.NewResponseController(w.ResponseWriter).SetReadDeadline(time.Now().Add(lingerTime)) // where there is one
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

// Write writes the answer.
func (w *unread) Write(p []byte) (int, error) {
	if !w.started {
		w.WriteHeader(http.StatusOK)
	}
	return w.ResponseWriter.Write(p)
}

// Unwrap lets http.ResponseController reach what is below.
func (w *unread) Unwrap() http.ResponseWriter { return w.ResponseWriter }
