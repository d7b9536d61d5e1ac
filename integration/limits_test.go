package integration

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// A countingRS accepts every token, counts its requests, and holds reads of the stream "stuck" until the reader disconnects.
type countingRS struct {
	*httptest.Server
	introspected, read atomic.Int64
	begun, ended       chan struct{}
}

func newCountingRS(t *testing.T) *countingRS {
	t.Helper()
	s := &countingRS{begun: make(chan struct{}, 64), ended: make(chan struct{}, 64)}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/v1/schema" && strings.Contains(r.Header.Get("Authorization"), "guess"):
			s.introspected.Add(1)
			body(401, "application/json", `{"error":{"code":"token_inactive","message":"No."}}`)(w, r)
		case r.URL.Path == "/v1/schema":
			s.introspected.Add(1)
			body(200, "application/json", `{"object":"schema","bearer":{"token_kind":"client","grant_id":"g"},"connectors":[]}`)(w, r)
		case strings.HasPrefix(r.URL.Path, "/v1/streams/stuck"):
			s.begun <- struct{}{}
			<-r.Context().Done()
			s.ended <- struct{}{}
		default:
			s.read.Add(1)
			body(200, "application/json", `{"object":"list","data":[],"has_more":false}`)(w, r)
		}
	}))
	t.Cleanup(func() {
		s.CloseClientConnections()
		s.Close()
	})
	return s
}

// readOf returns a call that reads a stream.
func readOf(stream string) string {
	return `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"` + stream + `"}}}`
}

// A flood of calls with one token: the burst is served, the rest is refused with Retry-After, and only the burst reaches the resource
// server.
func TestAFloodGetsRetryAfter(t *testing.T) {
	server := newCountingRS(t)
	url, _ := serve(t, "--rs-url", server.URL, "--token-rate", "0.01", "--token-burst", "7", "--allowed-origins", "https://app.example")
	var served, refused atomic.Int64
	var flood sync.WaitGroup
	for range 60 {
		flood.Go(func() {
			request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(readOf("notes")))
			if err != nil {
				t.Error(err)
				return
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Authorization", "Bearer one-token")
			request.Header.Set("Origin", "https://app.example")
			response, err := http.DefaultClient.Do(request)
			if err != nil {
				t.Error(err)
				return
			}
			_ = response.Body.Close()
			switch h := response.Header; {
			case response.StatusCode == http.StatusOK:
				served.Add(1)
			case response.StatusCode != http.StatusTooManyRequests, h.Get("Retry-After") == "", h.Get("Content-Type") != "application/json",
				h.Get("Access-Control-Allow-Origin") != "https://app.example", !strings.Contains(h.Get("Access-Control-Expose-Headers"), "Retry-After"):
				t.Errorf("answered %d %v", response.StatusCode, h)
			default:
				refused.Add(1)
			}
		})
	}
	flood.Wait()
	// An empty page also reads the time limit of the grant, and the freshness of the streams, which is cached.
	if reads := server.read.Load(); served.Load() != 7 || refused.Load() != 53 || reads < 15 || reads > 21 {
		t.Errorf("%d served, %d refused, %d reads; want 7, 53, 15 to 21", served.Load(), refused.Load(), reads)
	}
	status, _, text := post(t, url, "one-token", readOf("notes"))
	if status != http.StatusTooManyRequests || !strings.Contains(text, `"code":"rate_limited"`) {
		t.Errorf("%d %s", status, text)
	}
	if status, _, text := post(t, url, "another-token", readOf("notes")); status != http.StatusOK {
		t.Errorf("another token is answered %d %s", status, text)
	}
}

// The number of guessed tokens that reach the authority, here the resource server's schema, is limited.
func TestGuessesStopInTheHTTPChain(t *testing.T) {
	server := newCountingRS(t)
	url, _ := serve(t, "--rs-url", server.URL, "--address-rate", "0.01", "--address-burst", "5")
	for i := range 40 {
		status, header, text := post(t, url, fmt.Sprint("guess-", i), readOf("notes"))
		if want := map[bool]int{true: 401, false: 429}[i < 5]; status != want || want == 429 && header.Get("Retry-After") == "" {
			t.Fatalf("guess %d is answered %d %s; want %v", i, status, text, want)
		}
	}
	if server.introspected.Load() != 5 || server.read.Load() != 0 {
		t.Errorf("%d introspections and %d reads, want 5 and 0", server.introspected.Load(), server.read.Load())
	}
}

// One grant cannot take all concurrent calls: those beyond its limit are refused without a read, and a host that disconnects frees its
// place.
func TestConcurrentCallsAreLimited(t *testing.T) {
	server := newCountingRS(t)
	url, _ := serve(t, "--rs-url", server.URL, "--max-calls-per-grant", "2", "--call-wait", "0s")
	ctx, hangUp := context.WithCancel(t.Context())
	defer hangUp()
	var under sync.WaitGroup
	for range 2 {
		under.Go(func() {
			request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, strings.NewReader(readOf("stuck")))
			if err != nil {
				t.Error(err)
				return
			}
			request.Header.Set("Content-Type", "application/json")
			request.Header.Set("Authorization", "Bearer a-token")
			if response, err := http.DefaultClient.Do(request); err == nil {
				_ = response.Body.Close()
			}
		})
		within(t, server.begun, "the read")
	}
	status, header, text := post(t, url, "a-token", readOf("notes"))
	if status != http.StatusTooManyRequests || !strings.Contains(text, `"code":"too_many_calls"`) || header.Get("Retry-After") != "1" {
		t.Errorf("%d %v %s", status, header, text)
	}
	if server.read.Load() != 0 {
		t.Error("the resource server was read for a call that was refused")
	}
	hangUp()
	under.Wait()
	for range 2 {
		within(t, server.ended, "the end of the read")
	}
	for tries := 0; ; tries++ { // the place is freed shortly after the read has ended
		if status, _, text = post(t, url, "a-token", readOf("notes")); status == http.StatusOK {
			break
		}
		if tries == 1000 {
			t.Fatalf("%d %s", status, text)
		}
	}
}

// If a host cancels, in both eras and over both transports, the read at the resource server ends long before any deadline, and the
// session continues.
func TestCancellingEndsTheRead(t *testing.T) {
	for _, era := range []string{legacyEra, modernEra} {
		for _, way := range []string{"http", "stdio"} {
			t.Run(way+" "+era, func(t *testing.T) {
				server := newCountingRS(t)
				var s session
				if way == "http" {
					url, _ := serve(t, "--rs-url", server.URL, "--read-timeout", "3m", "--deadline", "4m")
					s = overHTTPIn(t, url, "a-token", era)
				} else {
					root := cacheFile(t, server.URL, map[string]any{"access_token": "a-token", "grant_id": "g"})
					s = overStdioIn(t, era, "--provider-url", server.URL, "--cache-root", root)
				}
				ctx, giveUp := context.WithCancel(t.Context())
				defer giveUp()
				answered := make(chan error, 1)
				go func() {
					_, err := s.CallTool(ctx, &mcp.CallToolParams{Name: "query_records", Arguments: args(`{"stream":"stuck"}`)})
					answered <- err
				}()
				within(t, server.begun, "the read")
				giveUp()
				within(t, server.ended, "the end of the read")
				if err := <-answered; err == nil {
					t.Error("the call was answered")
				}
				s.text("query_records", args(`{"stream":"notes"}`))
			})
		}
	}
}
