package service

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/netip"
	"slices"
	"sync"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// A clientListener closes new connections of a client address that already has too many, so that one address cannot use up all
// connections.
type clientListener struct {
	net.Listener
	service *Service
	most    int // connections of one address; 0: no limit

	mu      sync.Mutex
	clients map[netip.Prefix]clientCount
}

// A clientCount has the number of open connections of a client, and whether reaching the limit was logged.
type clientCount struct {
	open     int
	reported bool
}

// Accept returns the next connection that the limit allows, and closes those before it.
func (l *clientListener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if connection, ok := l.admit(accepted); ok {
			return connection, nil
		}
		_ = accepted.Close()
	}
}

// admit counts a connection, or returns false if its client has reached the limit. Connections of trusted proxies are not counted: they
// carry many clients.
func (l *clientListener) admit(accepted net.Conn) (*connection, bool) {
	serving, uncounted := l.service.current.Load(), &connection{Conn: accepted, release: func() {}}
	peer, ok := accepted.RemoteAddr().(*net.TCPAddr)
	if !ok || l.most <= 0 {
		return uncounted, true // the peer of a Unix socket is a proxy on this machine
	}
	address := peer.AddrPort().Addr()
	plain := address.Unmap().WithZone("")
	if slices.ContainsFunc(serving.Proxies, func(proxy netip.Prefix) bool { return proxy.Contains(plain) }) {
		return uncounted, true
	}
	client := web.ClientNetwork(address)
	l.mu.Lock()
	defer l.mu.Unlock()
	count := l.clients[client]
	if count.open < l.most {
		count.open++
		l.clients[client] = count
		return &connection{Conn: accepted, release: sync.OnceFunc(func() { l.release(client) })}, true
	}
	if !count.reported {
		l.clients[client] = clientCount{count.open, true}
		serving.Logger.Warn().Stringer("client", client).Msg("this client address has as many connections as it may; further ones are closed")
	}
	return nil, false
}

func (l *clientListener) release(client netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	count := l.clients[client]
	if count.open--; count.open == 0 {
		delete(l.clients, client)
		return
	}
	l.clients[client] = count
}

// A connection calls release when it is closed, and detects requests with both Content-Length and Transfer-Encoding.
type connection struct {
	net.Conn
	release func()
	head    headScanner
	request web.RequestHead

	// Between requests only, when no other goroutine reads:
	idle   bool // nothing was read since the last request
	awaits bool // net/http has set the deadline until which it awaits the next one
}

// SetReadDeadline detects that the next request began before the last one had ended. net/http awaits the first bytes of a request until one
// deadline, and the rest until another. If nothing was read before the second, the first bytes were already in its buffer, and the scanner
// took them for the last request's.
func (c *connection) SetReadDeadline(until time.Time) error {
	if c.idle {
		c.head.early, c.awaits = c.awaits, true
	}
	return c.Conn.SetReadDeadline(until)
}

func (c *connection) Read(p []byte) (int, error) {
	if c.idle { // not set again during a request, in which SetReadDeadline may read it at the same time
		c.idle = false
	}
	n, err := c.Conn.Read(p)
	c.head.scan(p[:n])
	return n, err
}

func (c *connection) Close() error {
	c.release()
	return c.Conn.Close()
}

// watchState is the [http.Server.ConnState] hook that records the head of each request. For one connection, net/http reads no head before
// the previous answer, and calls the hook from one goroutine at a time.
func watchState(accepted net.Conn, state http.ConnState) {
	c, ok := accepted.(*connection)
	if !ok {
		return
	}
	switch state {
	case http.StateActive: // the head of a request was read
		c.idle = false
		c.request = web.RequestHead{TwoLengths: c.head.length && c.head.encoding, Unseen: c.head.early || !c.head.done}
	case http.StateIdle:
		c.head, c.idle, c.awaits = headScanner{}, true, false
	}
}

// withRequestHead is the [http.Server.ConnContext] hook that gives requests the head that watchState records.
func withRequestHead(ctx context.Context, accepted net.Conn) context.Context {
	c, ok := accepted.(*connection)
	if !ok {
		return ctx
	}
	return c.request.In(ctx)
}

// A headScanner finds Content-Length and Transfer-Encoding in the head of one request, as its bytes arrive.
type headScanner struct {
	line             [len("Transfer-Encoding:")]byte // the first bytes of the current line
	size             int                             // bytes of the current line so far
	started          bool                            // a line that is not empty was read
	early            bool                            // the head began before this scanner
	done             bool                            // the head has ended
	length, encoding bool                            // the header was found
}

func (h *headScanner) scan(text []byte) {
	for len(text) > 0 && !h.done {
		part, rest, ended := bytes.Cut(text, []byte{'\n'})
		if h.size < len(h.line) {
			copy(h.line[h.size:], part)
		}
		h.size += len(part)
		if ended {
			h.endLine()
		}
		text = rest
	}
}

func (h *headScanner) endLine() {
	name, _, named := bytes.Cut(h.line[:min(h.size, len(h.line))], []byte{':'})
	switch {
	case h.size == 0 || h.size == 1 && h.line[0] == '\r':
		h.done = h.started
	case named && bytes.EqualFold(name, []byte("Content-Length")):
		h.length = true
	case named && bytes.EqualFold(name, []byte("Transfer-Encoding")):
		h.encoding = true
	}
	h.started = h.started || h.size > 1
	h.size = 0
}
