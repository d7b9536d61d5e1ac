package rsclient

import (
	"context"
	"crypto/tls"
	"errors"
	"net"
	"net/http"
	"net/http/httptrace"
	"sync"
	"sync/atomic"
	"time"
)

// idleConnections is how many connections are kept for the next reads: as many as there are calls at a time where no
// other limit is set. HTTP/2, where the server offers it, needs few.
const idleConnections = 1024

// A connection of HTTP/2 that is silent for pingAfter is asked for a sign of life, and closed when none comes within
// pingTimeout: a peer that froze closes nothing itself, and every call would wait for it in vain.
const (
	pingAfter   = 5 * time.Second
	pingTimeout = 3 * time.Second
)

// NewTransport returns a transport that keeps connections to one server open for many callers.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second, KeepAlive: 30 * time.Second}
	return &http.Transport{
		Proxy: http.ProxyFromEnvironment,
		DialContext: func(ctx context.Context, network, address string) (net.Conn, error) {
			connection, err := dialer.DialContext(ctx, network, address)
			if err != nil {
				return nil, err
			}
			return guardIdle(connection), nil
		},
		HTTP2:                 &http.HTTP2Config{SendPingTimeout: pingAfter, PingTimeout: pingTimeout},
		TLSHandshakeTimeout:   5 * time.Second,
		TLSClientConfig:       &tls.Config{MinVersion: tls.VersionTLS12},
		ForceAttemptHTTP2:     true,
		MaxIdleConns:          idleConnections,
		MaxIdleConnsPerHost:   idleConnections,
		IdleConnTimeout:       90 * time.Second,
		ResponseHeaderTimeout: 0, // the read's own deadline bounds it

		MaxResponseHeaderBytes: 64 << 10, // net/http would read ten megabytes
	}
}

// errUnsolicited is the error of a connection that sent something although nothing was asked.
var errUnsolicited = errors.New("the server sent bytes that no request asked for")

// An idleGuard is a connection that is closed when bytes arrive on it before the request they could answer was written.
// net/http closes such a connection too, but only if it looks before the next request takes it; otherwise the bytes are
// that request's answer, and may be another caller's.
// [idleGuard.reuse] is called when a request takes a connection that was idle. It waits until a goroutine blocks in Read,
// which shows that nothing of the last answer is left in a buffer above: of net/http, or of TLS. From then on bytes that
// are read, or that wait in the kernel, before the first Write close the connection, and net/http sends the request on
// another one.
type idleGuard struct {
	net.Conn

	mu      sync.Mutex
	changed *sync.Cond
	reading bool // Read is blocked
	closed  bool
	armed   bool // in reuse, and nothing written since
}

func guardIdle(connection net.Conn) net.Conn {
	g := &idleGuard{Conn: connection}
	g.changed = sync.NewCond(&g.mu)
	return g
}

// Read reads; what comes before it was asked for is an error.
func (g *idleGuard) Read(p []byte) (int, error) {
	g.mu.Lock()
	g.reading = true
	g.changed.Broadcast()
	g.mu.Unlock()
	n, err := g.Conn.Read(p)
	g.mu.Lock()
	g.reading = false
	unsolicited := n > 0 && g.armed
	g.mu.Unlock()
	if unsolicited {
		clear(p[:n])
		return 0, g.refuse()
	}
	return n, err
}

// Write writes, unless something was sent already.
func (g *idleGuard) Write(p []byte) (int, error) {
	g.mu.Lock()
	unsolicited := g.armed && (!g.reading || pending(g.Conn))
	if !unsolicited {
		g.armed = false
	}
	g.mu.Unlock()
	if unsolicited {
		return 0, g.refuse()
	}
	return g.Conn.Write(p)
}

func (g *idleGuard) refuse() error {
	_ = g.Close()
	return errUnsolicited
}

func (g *idleGuard) Close() error {
	g.mu.Lock()
	g.closed = true
	g.changed.Broadcast()
	g.mu.Unlock()
	return g.Conn.Close()
}

// reuse waits until the last answer was read to its end, or the connection is closed; one of both comes at once.
func (g *idleGuard) reuse() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.reading && !g.closed {
		g.changed.Wait()
	}
	g.armed = true
}

// guardOf returns the guard of a connection that speaks HTTP/1, where there is one.
func guardOf(connection net.Conn) *idleGuard {
	if secure, ok := connection.(interface {
		NetConn() net.Conn
		ConnectionState() tls.ConnectionState
	}); ok {
		if secure.ConnectionState().NegotiatedProtocol == "h2" {
			return nil // many requests share it, and each answer names its own
		}
		connection = secure.NetConn()
	}
	guard, _ := connection.(*idleGuard)
	return guard
}

// tracing returns a context whose request has its connection guarded, and sets connecting while the request waits for one.
func tracing(ctx context.Context, trace *httptrace.ClientTrace, connecting *atomic.Bool) context.Context {
	trace.GetConn = func(string) { connecting.Store(true) }
	trace.GotConn = func(info httptrace.GotConnInfo) {
		connecting.Store(false)
		if guard := guardOf(info.Conn); info.Reused && guard != nil {
			guard.reuse()
		}
	}
	return httptrace.WithClientTrace(ctx, trace)
}
