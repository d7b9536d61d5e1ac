//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/dns/dnsmessage"
)

// outages are failures that affect all calls: of the resource server, the name server, the authority or the log.
func outages() []scenario {
	rows := []scenario{{name: "Resource server does not listen", setup: unlistened}}
	rows = append(rows, certificateRows()...)
	rows = append(rows,
		scenario{name: "Host name unknown", setup: named(refuseName)},
		scenario{name: "Name server says that it failed", setup: named(failName)},
		scenario{name: "Name server silent", after: afterRead, setup: named(ignoreName)},
		scenario{name: "Name server slow, by 500 ms", setup: named(delayName)},
		scenario{name: "Token authority does not listen", setup: withAuthority(nil)},
		scenario{name: "Token authority silent", after: afterAuthority, together: true, setup: withAuthority(raw(untilClosed))},
		scenario{name: "Token authority answers at a byte per 100 ms", after: afterAuthority, together: true, setup: withAuthority(raw(func(c *net.TCPConn) {
			say(c, head("Content-Length: 1000"))
			drip(c, page)
		}))},
		scenario{name: "Token authority answers 500", setup: withAuthority(status(500, "text/html", secret, ""))},
		scenario{name: "Token authority answers with a page", setup: withAuthority(status(200, "text/html", "<html>"+secret+"</html>", ""))},
		scenario{name: "Token authority answers with a body without end", setup: withAuthority(func(w http.ResponseWriter, _ *http.Request) {
			for piece := strings.Repeat(" ", 1<<16); ; {
				if _, err := io.WriteString(w, piece); err != nil {
					return
				}
			}
		})},
		scenario{name: "Disk of the log full", setup: logToFullDisk},
		scenario{name: "Reader of the log gone", setup: logUnread},
		scenario{name: "Reader of the log stuck", setup: logToStuckReader},
	)
	return rows
}

// unlistened is a resource server that is stopped and started again at the same address.
func unlistened(t *testing.T) stage {
	address := freeAddress(t)
	var server *httptest.Server
	listen := func() {
		listener, err := net.Listen("tcp", address)
		if err != nil {
			t.Fatal(err)
		}
		server = quiet(healthy)
		_ = server.Listener.Close()
		server.Listener = listener
		server.Start()
	}
	listen()
	t.Cleanup(func() { server.Close() })
	return stage{
		program: start(t, launch{args: asking("http://"+address, serveTest(t, introspect).URL, quick...)}),
		broken:  func() { server.CloseClientConnections(); server.Close() }, mended: listen,
	}
}

// What a name server does with a query.
const (
	answerName = iota
	refuseName
	failName
	ignoreName
	delayName
)

// named is a resource server whose name is resolved by a name server of the test. That server needs port 53, and the program another
// /etc/resolv.conf, so both need privileges.
func named(fault int32) func(*testing.T) stage {
	return func(t *testing.T) stage {
		if err := exec.Command("unshare", "-m", "true").Run(); err != nil {
			t.Skipf("no mount namespace of one's own: %v", err)
		}
		socket, err := net.ListenPacket("udp", fmt.Sprintf("127.53.%d.%d:53", fault, os.Getpid()%250+1))
		if err != nil {
			t.Skipf("no name server of one's own: %v", err)
		}
		t.Cleanup(func() { socket.Close() })
		var mode atomic.Int32
		go serveNames(socket, &mode)
		host, _, _ := net.SplitHostPort(socket.LocalAddr().String())
		resolv := filepath.Join(t.TempDir(), "resolv.conf")
		if err := os.WriteFile(resolv, []byte("nameserver "+host+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		server := serveTest(t, func(w http.ResponseWriter, r *http.Request) {
			if now := mode.Load(); now == answerName || now == delayName {
				healthy(w, r)
				return
			}
			raw(reset)(w, r) // a dial for an ended call has succeeded since: its connection needed no name
		})
		server.Config.SetKeepAlivesEnabled(false) // each read needs the name
		_, port, _ := net.SplitHostPort(server.Listener.Addr().String())
		return stage{
			program: start(t, launch{
				args: asking("http://rs.example:"+port, serveTest(t, introspect).URL, quick...),
				env:  []string{"GODEBUG=netdns=go"}, resolv: resolv,
			}),
			broken: func() { mode.Store(fault); server.CloseClientConnections() }, mended: func() { mode.Store(answerName) },
		}
	}
}

// serveNames resolves every name to this machine, or fails as set in mode.
func serveNames(socket net.PacketConn, mode *atomic.Int32) {
	buffer := make([]byte, 1500)
	for {
		n, from, err := socket.ReadFrom(buffer)
		if err != nil {
			return
		}
		var message dnsmessage.Message
		if message.Unpack(buffer[:n]) != nil || len(message.Questions) != 1 {
			continue
		}
		message.Response, message.Additionals = true, nil
		question := message.Questions[0]
		delay := time.Duration(0)
		switch mode.Load() {
		case ignoreName:
			continue
		case refuseName:
			message.RCode = dnsmessage.RCodeNameError
		case failName:
			message.RCode = dnsmessage.RCodeServerFailure
		case delayName:
			delay = 500 * time.Millisecond
		}
		if message.RCode == dnsmessage.RCodeSuccess && question.Type == dnsmessage.TypeA {
			message.Answers = []dnsmessage.Resource{{
				Header: dnsmessage.ResourceHeader{Name: question.Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET},
				Body:   &dnsmessage.AResource{A: [4]byte{127, 0, 0, 1}},
			}}
		}
		packed, err := message.Pack()
		if err != nil {
			continue
		}
		time.AfterFunc(delay, func() { _, _ = socket.WriteTo(packed, from) })
	}
}

// withAuthority is a token authority that answers with answer, or does not listen if that is nil.
func withAuthority(answer func(http.ResponseWriter, *http.Request)) func(*testing.T) stage {
	return func(t *testing.T) stage {
		var broken atomic.Bool
		authority := serveTest(t, func(w http.ResponseWriter, r *http.Request) {
			switch {
			case !broken.Load():
				introspect(w, r)
			case answer != nil:
				answer(w, r)
			default:
				raw(reset)(w, r) // like the kernel of a stopped server, from a listener that stays for later
			}
		})
		return stage{
			program: start(t, launch{args: asking(serveTest(t, healthy).URL, authority.URL, quick...)}),
			broken:  func() { broken.Store(true) }, mended: func() { broken.Store(false) },
			strangers: true,
		}
	}
}

// logToFullDisk is a program that cannot write its log, from the first line on.
func logToFullDisk(t *testing.T) stage {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	return logTo(t, full, func() {}, func() {})
}

// logUnread is a program whose log is a pipe that is no longer read.
func logUnread(t *testing.T) stage {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer writer.Close()
	go func() { _, _ = io.Copy(io.Discard, reader) }()
	return logTo(t, writer, func() { _ = reader.Close() }, func() {})
}

// logToStuckReader is a program whose log is a full pipe.
func logToStuckReader(t *testing.T) stage {
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { reader.Close() })
	defer writer.Close()
	var stop context.CancelFunc
	drain := func() {
		var ctx context.Context
		ctx, stop = context.WithCancel(context.Background())
		go func() {
			buffer := make([]byte, 1<<16)
			for ctx.Err() == nil {
				_ = reader.SetReadDeadline(time.Now().Add(100 * time.Millisecond))
				_, _ = reader.Read(buffer)
			}
		}()
	}
	drain()
	t.Cleanup(func() { stop() })
	// Another description of the same pipe, since one shared with a child does not support deadlines.
	second, err := os.OpenFile(fmt.Sprintf("/proc/self/fd/%d", reader.Fd()), os.O_WRONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { second.Close() })
	return logTo(t, writer, func() {
		stop()
		filler := []byte(strings.Repeat("\n", 1024))
		for {
			_ = second.SetWriteDeadline(time.Now().Add(300 * time.Millisecond)) // longer than the last read may take
			if _, err := second.Write(filler); err != nil {
				return
			}
		}
	}, drain)
}

func logTo(t *testing.T, log *os.File, broken, mended func()) stage {
	return stage{
		program: start(t, launch{
			args:    asking(serveTest(t, healthy).URL, serveTest(t, introspect).URL, quick...),
			address: freeAddress(t), stderr: log,
		}),
		broken: broken, mended: mended, unlogged: true,
	}
}
