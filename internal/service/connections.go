package service

import (
	"bytes"
	"context"
	"net"
	"net/http"
	"net/netip"
	"sync"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// A clientListener closes connections of a client address that has too many already. One address cannot use up the
// connections of all.
type clientListener struct {
	net.Listener
	most   int                   // 0: no limit
	exempt func(netip.Addr) bool // a proxy, whose connections are those of many clients
	report func(netip.Prefix)    // called when a first connection of a client is closed

	mu       sync.Mutex
	open     map[netip.Prefix]int
	reported map[netip.Prefix]bool
}

func newClientListener(listener net.Listener, most int, exempt func(netip.Addr) bool, report func(netip.Prefix)) *clientListener {
	return &clientListener{
		Listener: listener, most: most, exempt: exempt, report: report, open: map[netip.Prefix]int{}, reported: map[netip.Prefix]bool{},
	}
}

// Accept returns the next connection that is not closed at once.
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

// admit counts a connection, unless its client has as many as it may.
func (l *clientListener) admit(accepted net.Conn) (*connection, bool) {
	peer, ok := accepted.RemoteAddr().(*net.TCPAddr)
	if !ok || l.most <= 0 || l.exempt(peer.AddrPort().Addr().Unmap().WithZone("")) {
		return &connection{Conn: accepted, release: func() {}}, true // at a Unix socket is a proxy of this machine
	}
	client := web.ClientNetwork(peer.AddrPort().Addr())
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[client] >= l.most {
		if !l.reported[client] {
			l.reported[client] = true
			l.report(client)
		}
		return nil, false
	}
	l.open[client]++
	return &connection{Conn: accepted, release: sync.OnceFunc(func() { l.release(client) })}, true
}

func (l *clientListener) release(client netip.Prefix) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.open[client]--; l.open[client] == 0 {
		delete(l.open, client)
		delete(l.reported, client)
	}
}

// A connection is one that counts, and that notices requests with two lengths.
type connection struct {
	net.Conn
	release func()
	head    headScanner
	request web.RequestHead
}

// Read reads from the client.
func (c *connection) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	c.head.scan(p[:n])
	return n, err
}

// Close ends the connection.
func (c *connection) Close() error {
	c.release()
	return c.Conn.Close()
}

// watchState is what a server is to call whenever the state of a connection changes. It reads no request's head before the
// last request's answer, and is called by one goroutine at a time.
func watchState(accepted net.Conn, state http.ConnState) {
	c, ok := accepted.(*connection)
	if !ok {
		return
	}
	switch state {
	case http.StateActive: // the head of a request was read
		c.request = web.RequestHead{TwoLengths: c.head.length && c.head.encoding, Unseen: !c.head.done}
	case http.StateIdle:
		c.head = headScanner{}
	}
}

// withRequestHead returns the context of a connection's requests.
func withRequestHead(ctx context.Context, accepted net.Conn) context.Context {
	c, ok := accepted.(*connection)
	if !ok {
		return ctx
	}
	return c.request.In(ctx)
}

// A headScanner reads the names in the head of one request, as its bytes arrive.
type headScanner struct {
	line             [len("Transfer-Encoding:")]byte // the first bytes of the line at hand
	size             int                             // bytes of the line at hand
	started          bool                            // a line that is not empty was read
	done             bool                            // the head has ended
	length, encoding bool
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
