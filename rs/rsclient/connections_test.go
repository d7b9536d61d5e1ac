package rsclient_test

import (
	"bufio"
	"context"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/hashicorp/go-retryablehttp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// trusting returns the transport of the program, configured to trust a test server.
func trusting(server *httptest.Server) *http.Transport {
	transport := rsclient.NewTransport()
	if certificate := server.Certificate(); certificate != nil {
		transport.TLSClientConfig.RootCAs = x509.NewCertPool()
		transport.TLSClientConfig.RootCAs.AddCert(certificate)
	}
	return transport
}

// If a server sends an answer without a request, with another caller's data, no caller receives it.
func TestAnUnsolicitedAnswerReachesNobody(t *testing.T) {
	const callers = 8
	log.SetOutput(io.Discard) // net/http reports each unsolicited answer there
	t.Cleanup(func() { log.SetOutput(os.Stderr) })
	for name, row := range map[string]struct {
		secure bool
		bare   bool // as requests to an authority: not as reads of a caller
		calls  int
	}{"plain": {false, false, 400}, "TLS": {true, false, 100}, "plain, of an authority": {false, true, 1500}} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(nil)
			scheme := "http://"
			if row.secure {
				server.StartTLS()
				scheme = "https://"
			} else {
				server.Start()
			}
			defer server.Close()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			defer func() { _ = listener.Close() }()
			go func() {
				for {
					connection, err := listener.Accept()
					if err != nil {
						return
					}
					if row.secure {
						connection = tls.Server(connection, &tls.Config{Certificates: server.TLS.Certificates, NextProtos: []string{"http/1.1"}})
					}
					go answerTwice(connection)
				}
			}()
			client, err := rsclient.New(rsclient.Options{Base: scheme + listener.Addr().String(), Transport: trusting(server), NoBreaker: true})
			if err != nil {
				t.Fatal(err)
			}
			sender := rsclient.NewSender(rsclient.SenderOptions{Host: "rs.example", Transport: rsclient.NewTransport(), Retries: 2, Statuses: true, NoBreaker: true})
			ask := func(own string) (string, error) {
				if row.bare {
					request, err := retryablehttp.NewRequestWithContext(t.Context(), http.MethodGet, client.Base()+"/?own="+own, nil)
					if err != nil {
						return "", err
					}
					response, err := sender.Send(request)
					if err != nil {
						return "", err
					}
					defer func() { _ = response.Body.Close() }()
					body, err := io.ReadAll(response.Body)
					return string(body), err
				}
				response, err := client.For(caller("t")).Do(t.Context(), rs.Request{Path: "/v1/x", Query: url.Values{"own": {own}}})
				if err != nil {
					return "", err
				}
				return response.Body, nil
			}
			var foreign, served atomic.Int64
			var all sync.WaitGroup
			for c := range callers {
				all.Go(func() {
					for i := range row.calls {
						own := fmt.Sprintf("%d-%d", c, i)
						body, err := ask(own)
						switch {
						case err != nil: // an error is allowed
						case body == `{"own":"`+own+`"}`:
							served.Add(1)
						default:
							foreign.Add(1)
						}
					}
				})
			}
			all.Wait()
			if foreign.Load() > 0 || served.Load() < int64(callers*row.calls)*9/10 {
				t.Errorf("of %d calls %d got what they had not asked for, and %d their own", callers*row.calls, foreign.Load(), served.Load())
			}
		})
	}
}

// answerTwice sends two answers to each request: the right one, and then another one.
func answerTwice(connection net.Conn) {
	defer func() { _ = connection.Close() }()
	reader := bufio.NewReader(connection)
	for {
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		if _, err := io.WriteString(connection, answerOf(request.URL.Query().Get("own"))+answerOf("somebody else's")); err != nil {
			return
		}
	}
}

func answerOf(own string) string {
	text := `{"own":"` + own + `"}`
	return fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n%s", len(text), text)
}

// Idle connections to a healthy server are reused although they are guarded.
func TestIdleConnectionsAreUsedAgain(t *testing.T) {
	var opened atomic.Int64
	server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, `{}`) }))
	server.Config.ConnState = func(_ net.Conn, state http.ConnState) {
		if state == http.StateNew {
			opened.Add(1)
		}
	}
	server.StartTLS()
	defer server.Close()
	client, err := rsclient.New(rsclient.Options{Base: server.URL, Transport: trusting(server)})
	if err != nil {
		t.Fatal(err)
	}
	for range 200 {
		if _, err := client.For(caller("t")).Do(t.Context(), rs.Request{Path: "/v1/x"}); err != nil {
			t.Fatal(err)
		}
	}
	if opened.Load() != 1 {
		t.Errorf("%d connections for one caller", opened.Load())
	}
}

// A frozen peer keeps its connections open but silent, and answers over new ones. Pings detect the dead connection, so
// that calls are served again. This holds for reads and for introspection.
func TestADeadHTTP2ConnectionIsFoundOut(t *testing.T) {
	if ping := rsclient.NewTransport().HTTP2; ping.SendPingTimeout != 5*time.Second || ping.PingTimeout != 3*time.Second {
		t.Errorf("a ping after %s, closed %s later: docs/reliability.md says 5 and 3 seconds", ping.SendPingTimeout, ping.PingTimeout)
	}
	for name, build := range map[string]func(*testing.T, string, *http.Transport) func(context.Context) error{
		"reads": func(t *testing.T, base string, transport *http.Transport) func(context.Context) error {
			client, err := rsclient.New(rsclient.Options{Base: base, Transport: transport, NoBreaker: true, ReadTimeout: time.Second})
			if err != nil {
				t.Fatal(err)
			}
			return func(ctx context.Context) error {
				_, err := client.For(caller("t")).Do(ctx, rs.Request{Path: "/v1/x"})
				return err
			}
		},
		"questions": func(t *testing.T, base string, transport *http.Transport) func(context.Context) error {
			introspector, err := auth.NewIntrospector(auth.IntrospectorOptions{LookupOptions: auth.LookupOptions{Endpoint: base + "/introspect", ClientID: "c", ClientSecret: rs.NewToken("s"), Transport: transport, NoBreaker: true, Timeout: time.Second}})
			if err != nil {
				t.Fatal(err)
			}
			return func(ctx context.Context) error {
				_, err := introspector.Introspect(ctx, rs.NewToken("t"))
				return err
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if r.ProtoMajor != 2 {
					t.Errorf("asked over %s", r.Proto)
				}
				_, _ = io.WriteString(w, `{"active":false}`)
			}))
			server.EnableHTTP2 = true
			server.StartTLS()
			defer server.Close()
			relay := newRelay(t, strings.TrimPrefix(server.URL, "https://"))
			ask := build(t, "https://"+relay.Addr().String(), trusting(server))
			if err := ask(t.Context()); err != nil {
				t.Fatal(err)
			}
			relay.freeze()
			for tries := 1; ; tries++ {
				if err := ask(t.Context()); err == nil {
					t.Logf("served again at try %d", tries)
					return
				}
				if tries == 20 {
					t.Fatalf("none of %d calls was served", tries)
				}
			}
		})
	}
}

// A relay forwards bytes in both directions. When it freezes, open connections stay open but forward nothing.
type relay struct {
	net.Listener
	mu   sync.Mutex
	open []*atomic.Bool
}

func newRelay(t *testing.T, target string) *relay {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	r := &relay{Listener: listener}
	t.Cleanup(func() { _ = listener.Close() })
	go func() {
		for {
			here, err := listener.Accept()
			if err != nil {
				return
			}
			there, err := net.Dial("tcp", target)
			if err != nil {
				_ = here.Close()
				return
			}
			t.Cleanup(func() { _, _ = here.Close(), there.Close() })
			frozen := &atomic.Bool{}
			r.mu.Lock()
			r.open = append(r.open, frozen)
			r.mu.Unlock()
			go pass(there, here, frozen)
			go pass(here, there, frozen)
		}
	}()
	return r
}

func (r *relay) freeze() {
	r.mu.Lock()
	defer r.mu.Unlock()
	for _, frozen := range r.open {
		frozen.Store(true)
	}
}

func pass(to io.Writer, from io.Reader, frozen *atomic.Bool) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if err != nil {
			return
		}
		if !frozen.Load() {
			_, _ = to.Write(buffer[:n])
		}
	}
}
