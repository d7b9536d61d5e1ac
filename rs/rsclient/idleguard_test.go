//go:build unix

package rsclient

import (
	"crypto/tls"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"
)

// A connection that is not a socket has no bytes pending in the kernel.
func TestAPipeHasNothingPending(t *testing.T) {
	here, there := net.Pipe()
	defer func() { _, _ = here.Close(), there.Close() }()
	if pending(here) {
		t.Error("bytes wait in a pipe")
	}
}

// A secure is a TLS connection that agreed on a protocol.
type secure struct {
	net.Conn
	protocol string
}

func (s secure) NetConn() net.Conn { return s.Conn }

func (s secure) ConnectionState() tls.ConnectionState {
	return tls.ConnectionState{NegotiatedProtocol: s.protocol}
}

// A connection of HTTP/1 is guarded, also below TLS. One of HTTP/2 is not: its answers name their requests.
func TestConnectionsOfOneRequestAtATimeAreGuarded(t *testing.T) {
	here, there := net.Pipe()
	defer func() { _, _ = here.Close(), there.Close() }()
	guarded := guardIdle(here)
	for name, row := range map[string]struct {
		connection net.Conn
		guarded    bool
	}{
		"plain":                     {guarded, true},
		"TLS":                       {secure{guarded, ""}, true},
		"TLS, with HTTP/1":          {secure{guarded, "http/1.1"}, true},
		"TLS, with HTTP/2":          {secure{guarded, "h2"}, false},
		"of another transport":      {here, false},
		"TLS, of another transport": {secure{here, ""}, false},
	} {
		if got := guardOf(row.connection); (got != nil) != row.guarded {
			t.Errorf("%s: guarded %v", name, got != nil)
		}
	}
}

// A request that reuses a connection waits until somebody reads from it, so that nothing of the last answer is left, or until it is closed.
func TestAReusedConnectionWaitsForItsReader(t *testing.T) {
	for name, happens := range map[string]func(*idleGuard){
		"it is read":   func(g *idleGuard) { go func() { _, _ = g.Read(make([]byte, 1)) }() },
		"it is closed": func(g *idleGuard) { _ = g.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				here, there := net.Pipe()
				defer func() { _, _ = here.Close(), there.Close() }()
				g, _ := guardIdle(here).(*idleGuard)
				reused := make(chan struct{})
				go func() {
					g.reuse()
					close(reused)
				}()
				synctest.Wait()
				select {
				case <-reused:
					t.Error("it does not wait")
				default:
				}
				happens(g)
				<-reused
			})
		})
	}
}

// Bytes that arrive after a request has taken a connection but before it writes close the connection, whether they were read
// already or wait in the kernel. Bytes that arrive later are the answer.
func TestBytesBeforeTheRequestCloseTheConnection(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = listener.Close() }()
	pair := func() (*idleGuard, net.Conn) {
		here, err := net.Dial("tcp", listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		there, err := listener.Accept()
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _, _ = here.Close(), there.Close() })
		guard, _ := guardIdle(here).(*idleGuard)
		return guard, there
	}
	read := func(g *idleGuard, into []byte) <-chan error {
		ended := make(chan error, 1)
		go func() {
			_, err := g.Read(into)
			ended <- err
		}()
		return ended
	}

	g, peer := pair()
	into := make([]byte, 16)
	ended := read(g, into)
	g.reuse()                                            // waits for the reader
	if _, err := io.WriteString(peer, "u"); err != nil { // one byte is enough
		t.Fatal(err)
	}
	if err := <-ended; !errors.Is(err, errUnsolicited) || into[0] != 0 { // no byte is left that could pass for an answer
		t.Errorf("read: %q, %v", into, err)
	}
	if _, err := io.WriteString(g, "request"); err == nil {
		t.Error("the request was written all the same")
	}

	g, peer = pair()
	g.mu.Lock()
	g.reading, g.armed = true, true // a reader that is not awake yet
	g.mu.Unlock()
	if _, err := io.WriteString(peer, "unasked"); err != nil {
		t.Fatal(err)
	}
	_ = peer.(*net.TCPConn).CloseWrite()
	for end := time.Now().Add(5 * time.Second); !pending(g.Conn) && time.Now().Before(end); { // loopback delivers at once
	}
	if written, err := io.WriteString(g, "request"); !errors.Is(err, errUnsolicited) || written != 0 { // net/http retries only if nothing was written
		t.Errorf("write: %d, %v", written, err)
	}

	g, peer = pair()
	ended = read(g, into)
	g.reuse()
	_ = peer.Close()
	if err := <-ended; !errors.Is(err, io.EOF) {
		t.Errorf("an end is not what somebody sent: %v", err)
	}

	g, peer = pair()
	ended = read(g, into)
	g.reuse()
	if _, err := io.WriteString(g, "request"); err != nil {
		t.Fatal(err)
	}
	if _, err := io.WriteString(peer, "answer"); err != nil {
		t.Fatal(err)
	}
	if err := <-ended; err != nil {
		t.Errorf("an answer: %v", err)
	}
}
