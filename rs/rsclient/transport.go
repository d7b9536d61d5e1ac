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

// idleConnections is how many idle connections are kept: as many as there are concurrent calls where no other limit is set. HTTP/2, where
// the server offers it, needs few.
const idleConnections = 1024

// An HTTP/2 connection that is silent for pingAfter is pinged, and closed if no reply comes within pingTimeout: a frozen peer closes
// nothing itself, and every call would wait for it in vain.
const (
	pingAfter   = 5 * time.Second
	pingTimeout = 3 * time.Second
)

// NewTransport returns a transport that keeps connections to one server open for many callers.
func NewTransport() *http.Transport {
	dialer := &net.Dialer{Timeout: 5 * time.Second}
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

		MaxResponseHeaderBytes: 64 << 10, // the default of net/http is 10 MB
	}
}

// errUnsolicited is the error of a connection on which the server sent something before a request was written.
var errUnsolicited = errors.New("the server sent bytes that no request asked for")

// An idleGuard is a connection that closes when bytes arrive on it before the request that they could answer is written. net/http closes
// such a connection too, but only if it notices before the next request takes the connection; otherwise that request gets the bytes as its
// answer, which may be another caller's.
// [idleGuard.reuse] is called when a request takes an idle connection. It waits until a goroutine blocks in Read, which shows that the
// buffers of net/http and TLS contain nothing of the last answer. From then on, bytes that are read, or that wait in the kernel, before the
// first Write close the connection, and net/http sends the request on another one.
type idleGuard struct {
	net.Conn

	mu      sync.Mutex
	changed *sync.Cond
	reading bool // Read is blocked
	closed  bool
	armed   bool // reused, and nothing written since
}

func guardIdle(connection net.Conn) net.Conn {
	g := &idleGuard{Conn: connection}
	g.changed = sync.NewCond(&g.mu)
	return g
}

// Read reads from the connection. Bytes that arrive before the request is written are an error.
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

// Write writes to the connection, unless the server has already sent something.
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

// reuse waits until the last answer is read to its end, or the connection is closed; either happens without delay.
func (g *idleGuard) reuse() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for !g.reading && !g.closed {
		g.changed.Wait()
	}
	g.armed = true
}

// guardOf returns the guard of an HTTP/1 connection, or nil.
func guardOf(connection net.Conn) *idleGuard {
	if secure, ok := connection.(interface {
		NetConn() net.Conn
		ConnectionState() tls.ConnectionState
	}); ok {
		if secure.ConnectionState().NegotiatedProtocol == "h2" {
			return nil // many requests share it, and each answer names its request
		}
		connection = secure.NetConn()
	}
	guard, _ := connection.(*idleGuard)
	return guard
}

// tracing returns a context whose request guards the connection that it reuses, and sets connecting while it waits for a connection.
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
