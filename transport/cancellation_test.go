package transport_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// stuckRS answers for the schema, and lets every other read wait until its reader is gone.
type stuckRS struct {
	*httptest.Server
	begun, ended chan string

	mu   sync.Mutex
	open map[net.Conn]bool
}

func newStuckRS(t *testing.T) *stuckRS {
	t.Helper()
	s := &stuckRS{begun: make(chan string, 8), ended: make(chan string, 8), open: map[net.Conn]bool{}}
	s.Server = httptest.NewUnstartedServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/v1/schema" {
			_, _ = io.WriteString(w, `{"object":"schema","bearer":{"token_kind":"client","grant_id":"g"},"connectors":[]}`)
			return
		}
		s.begun <- r.URL.Path
		<-r.Context().Done()
		s.ended <- r.URL.Path
	}))
	s.Config.ConnState = func(c net.Conn, state http.ConnState) {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.open[c] = true
		if state == http.StateClosed {
			delete(s.open, c)
		}
	}
	s.Start()
	t.Cleanup(func() {
		s.CloseClientConnections() // a read that nobody ended must not keep the test from saying so
		s.Close()
	})
	return s
}

func (s *stuckRS) connections() int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.open)
}

// eventually wants a condition within ten seconds; it looks again whenever the scheduler lets it.
func eventually(t *testing.T, what string, holds func() bool) {
	t.Helper()
	deadline := time.After(10 * time.Second)
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	for !holds() {
		select {
		case <-deadline:
			stacks := make([]byte, 1<<20)
			t.Fatalf("%s does not come true\n%s", what, stacks[:runtime.Stack(stacks, true)])
		case <-tick.C:
		}
	}
}

// arrives wants a signal within ten seconds.
func arrives(t *testing.T, what string, signal <-chan string) {
	t.Helper()
	select {
	case <-signal:
	case <-time.After(10 * time.Second):
		t.Fatalf("%s does not come", what)
	}
}

// A host that gives a call up ends the read at the resource server, in every protocol era, over both transports: with it
// go the call's goroutines and its connection, and the session is good for further calls.
func TestCancellationReachesTheResourceServer(t *testing.T) {
	for _, era := range eras {
		for name, open := range map[string]func(*testing.T, *rsclient.Client, string) *mcp.ClientSession{"http": openHTTP, "stdio": openStdio} {
			t.Run(name+" "+era, func(t *testing.T) {
				stuck := newStuckRS(t)
				client, err := rsclient.New(rsclient.Options{Base: stuck.URL, ReadTimeout: time.Minute})
				if err != nil {
					t.Fatal(err)
				}
				session := open(t, client, era)
				once := func() {
					ctx, giveUp := context.WithCancel(t.Context())
					defer giveUp()
					answered := make(chan error, 1)
					go func() {
						_, err := session.CallTool(ctx, &mcp.CallToolParams{Name: "query_records", Arguments: map[string]any{"stream": "messages"}})
						answered <- err
					}()
					arrives(t, "the read", stuck.begun)
					giveUp()
					arrives(t, "the end of the read", stuck.ended)
					if err := <-answered; !errors.Is(err, context.Canceled) {
						t.Errorf("the host gets %v", err)
					}
				}
				once() // what the first call leaves open on purpose, such as idle connections, is there from now on
				var before int
				eventually(t, "an end to the connections of the first call", func() bool { return stuck.connections() == 0 })
				before = steadyGoroutines()
				for range 5 {
					once()
				}
				eventually(t, "an end to the connections", func() bool { return stuck.connections() == 0 })
				eventually(t, "an end to the goroutines", func() bool { return runtime.NumGoroutine() <= before })
				if result, err := session.CallTool(t.Context(), &mcp.CallToolParams{Name: "schema"}); err != nil || result.IsError {
					t.Errorf("a further call: %v %v", result, err)
				}
			})
		}
	}
}

// steadyGoroutines is the number of goroutines once it has not changed for a while.
func steadyGoroutines() int {
	last, same := runtime.NumGoroutine(), 0
	for same < 50 {
		time.Sleep(time.Millisecond)
		if n := runtime.NumGoroutine(); n == last {
			same++
		} else {
			last, same = n, 0
		}
	}
	return last
}

func pipeline(client *rsclient.Client) *transport.Server {
	return transport.NewPipeline(transport.PipelineOptions{Client: client, Version: "test", Logger: zerolog.Nop()})
}

func openHTTP(t *testing.T, client *rsclient.Client, era string) *mcp.ClientSession {
	t.Helper()
	server := httptest.NewServer(transport.Handler(transport.HandlerOptions{
		Server: pipeline(client), Authenticator: &authority{}, Public: web.Public{Origin: "https://mcp.example"}, Logger: zerolog.Nop(),
	}))
	t.Cleanup(server.Close)
	// A connection for each request, as a host that goes away takes its own with it.
	own := &http.Transport{DisableKeepAlives: true}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil).Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: server.URL + "/mcp", MaxRetries: -1, DisableStandaloneSSE: true, HTTPClient: &http.Client{Transport: bearingOver{own}},
	}, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = session.Close() })
	return session
}

type bearingOver struct{ transport http.RoundTripper }

func (b bearingOver) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer good")
	return b.transport.RoundTrip(r)
}

func openStdio(t *testing.T, client *rsclient.Client, era string) *mcp.ClientSession {
	t.Helper()
	hear, out := io.Pipe()
	in, say := io.Pipe()
	ended := make(chan error, 1)
	go func() { ended <- serveStdio(context.Background(), pipeline(client), in, out) }()
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil).Connect(
		t.Context(), &mcp.IOTransport{Reader: hear, Writer: say}, &mcp.ClientSessionOptions{ProtocolVersion: era})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = session.Close()
		_ = say.Close()
		if err := <-ended; err != nil && !strings.Contains(err.Error(), "closed") {
			t.Errorf("the session ended with %v", err)
		}
	})
	return session
}
