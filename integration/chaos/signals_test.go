//go:build chaos

package chaos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// ends waits for the process to end with exit code 0.
func (p *program) ends(t *testing.T, limit time.Duration) {
	t.Helper()
	select {
	case <-p.ended:
		if p.err != nil {
			t.Errorf("it ended with %v\n%.2000s", p.err, p.stderr)
		}
	case <-time.After(limit):
		t.Errorf("it did not end within %s", limit)
	}
}

// A gate holds reads until it is opened.
type gate struct {
	waiting atomic.Int64
	open    chan struct{}
}

func (g *gate) hold(w http.ResponseWriter, r *http.Request) {
	g.waiting.Add(1)
	select {
	case <-g.open:
		healthy(w, r)
	case <-r.Context().Done():
	}
}

// atTheGate starts clients and returns when all of their calls are in flight. The answers come when the calls end.
func atTheGate(t *testing.T, p *program, g *gate, clients int) chan answer {
	t.Helper()
	answers := make(chan answer, clients)
	client, calls := newCaller(p.url, clients), callsOf("notes")
	for i := range clients {
		go func() { answers <- client.give(t.Context(), fmt.Sprintf("client-%d", i), calls[i%len(calls)]) }()
	}
	eventually(t, startTime, "all calls are in flight", func() error {
		select {
		case a := <-answers:
			t.Fatalf("a call was answered before its time: %s", a)
		default:
		}
		if n := g.waiting.Load(); n < int64(clients) {
			return fmt.Errorf("%d are", n)
		}
		return nil
	})
	return answers
}

// TestSIGTERMLetsCallsInFlightEnd stops a program while every client waits for an answer: all of them get it.
func TestSIGTERMLetsCallsInFlightEnd(t *testing.T) {
	t.Parallel()
	const clients = 200
	g := &gate{open: make(chan struct{})}
	server := serveTest(t, g.hold)
	p := start(t, launch{args: asking(server.URL, serveTest(t, introspect).URL, unhurried()...)})
	answers := atTheGate(t, p, g, clients)
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	stranger := newCaller(p.url, 1)
	eventually(t, 5*time.Second, "new connections are refused", func() error {
		stranger.close()
		ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
		defer cancel()
		if a := stranger.give(ctx, "stranger", callsOf("notes")[0]); !errors.Is(a.err, syscall.ECONNREFUSED) {
			return errors.New(a.String())
		}
		return nil
	})
	close(g.open)
	for range clients {
		if err := onlyGood(<-answers); err != nil {
			t.Errorf("a call in flight: %v", err)
		}
	}
	p.ends(t, 10*time.Second)
}

// TestSIGTERMEndsCallsThatDoNotEnd stops a program whose resource server does not answer: after the limit, each call in flight is
// answered with an error, and the program ends.
func TestSIGTERMEndsCallsThatDoNotEnd(t *testing.T) {
	t.Parallel()
	if !flags["--drain-time"] {
		t.Skip("the program does not end calls by itself")
	}
	const clients = 50
	g := &gate{open: make(chan struct{})}
	server := serveTest(t, g.hold)
	p := start(t, launch{args: asking(server.URL, serveTest(t, introspect).URL, append(unhurried(), "--read-timeout", "30s", "--drain-time", "2s")...)})
	answers := atTheGate(t, p, g, clients)
	_ = p.cmd.Process.Signal(syscall.SIGTERM)
	checker := newChecker(t)
	for range clients {
		a := <-answers
		if err := checker.check(a, 10*time.Second); err != nil || a.code == "ok" {
			t.Errorf("a call in flight: %s %v", a.code, err)
		}
	}
	p.ends(t, 5*time.Second)
}

// TestSIGTERMUnderLoadLosesNothing stops a program while clients call without a pause: every call that reached the resource server is
// answered completely.
func TestSIGTERMUnderLoadLosesNothing(t *testing.T) {
	t.Parallel()
	got, p := interrupted(t, syscall.SIGTERM)
	p.ends(t, 15*time.Second)
	if len(got.lost) > 0 {
		t.Errorf("%d of %d calls reached the resource server and were not answered, such as %v", len(got.lost), got.answered, got.lost[0])
	}
	t.Logf("%d answered, %d refused for want of a listener", got.answered, got.unheard)
}

// TestSIGKILLLosesWhatIsInFlightAndNothingElse kills a program under load: no client hangs, and another program at the same address
// serves the same clients immediately.
func TestSIGKILLLosesWhatIsInFlightAndNothingElse(t *testing.T) {
	t.Parallel()
	got, p := interrupted(t, syscall.SIGKILL)
	<-p.ended
	if len(got.lost) > interruptedClients {
		t.Errorf("%d calls were lost, and only %d can have been in flight", len(got.lost), interruptedClients)
	}
	t.Logf("%d answered, %d lost in flight, %d refused for want of a listener", got.answered, len(got.lost), got.unheard)
	address := strings.TrimSuffix(strings.TrimPrefix(p.url, "http://"), "/mcp")
	again := start(t, launch{args: p.cmd.Args[4:], address: address})
	client := newCaller(again.url, 1)
	for _, c := range callsOf("notes") {
		if err := onlyGood(client.give(t.Context(), "client-1", c)); err != nil {
			t.Errorf("%s after the restart: %v", c.tool, err)
		}
	}
	client.close()
}

const interruptedClients = 50

// An interruption is what clients observed when their server was stopped.
type interruption struct {
	answered, unheard int
	lost              []error // calls that reached the resource server and were not answered
}

// interrupted signals a program under load, and lets each client continue until it fails. Each call searches for a different word, so
// that it is known which calls had reached the resource server.
func interrupted(t *testing.T, signal syscall.Signal) (interruption, *program) {
	t.Helper()
	var begun sync.Map
	server := serveTest(t, func(w http.ResponseWriter, r *http.Request) {
		begun.Store(asked(r), true)
		healthy(w, r)
	})
	p := start(t, launch{args: asking(server.URL, serveTest(t, introspect).URL, unhurried()...)})
	client := newCaller(p.url, interruptedClients)
	var mu sync.Mutex
	var got interruption
	var total atomic.Int64
	var wg sync.WaitGroup
	for i := range interruptedClients {
		wg.Go(func() {
			for n := 0; ; n++ {
				word := fmt.Sprintf("word-%d-%d", i, n)
				a := client.give(t.Context(), fmt.Sprintf("client-%d", i), call{"search", `{"q":"` + word + `"}`})
				if total.Add(1) == 1000 {
					_ = p.cmd.Process.Signal(signal)
				}
				_, reached := begun.Load(word)
				mu.Lock()
				switch {
				case a.code == "ok":
					got.answered++
				case reached:
					got.lost = append(got.lost, fmt.Errorf("%s: %s", word, a))
				default:
					got.unheard++
				}
				mu.Unlock()
				if a.code != "ok" {
					return
				}
			}
		})
	}
	wg.Wait()
	return got, p
}
