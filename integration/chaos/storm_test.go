//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// TestTheTimeoutsThatAreConfiguredByDefault checks the manual: without flags, a read that is not answered ends after 10 seconds.
func TestTheTimeoutsThatAreConfiguredByDefault(t *testing.T) {
	t.Parallel()
	const read = 10 * time.Second
	silence := raw(untilClosed)
	server := serveTest(t, func(w http.ResponseWriter, r *http.Request) { silence(w, r) })
	p := start(t, launch{args: asking(server.URL, serveTest(t, introspect).URL)})
	client, checker := newCaller(p.url, 6), newChecker(t)
	var wg sync.WaitGroup
	for _, c := range callsOf("notes") {
		wg.Go(func() {
			a := client.give(t.Context(), "another-caller", c)
			if err := checker.check(a, read+slack); err != nil {
				t.Errorf("%s: %v", c.tool, err)
			} else if a.code != "deadline_exceeded" || a.took < read-100*time.Millisecond {
				t.Errorf("%s: %s after %s", c.tool, a.code, a.took)
			}
		})
	}
	wg.Wait()
	client.close()
	p.quit(t)
}

// TestAStormOfEveryFault sends all faults in random order to clients, some of which disconnect, twice: each answer is typed and in time,
// good calls are served afterwards, no read is left, and the second run leaves no more open than the first. TestSoak is the test for
// memory leaks.
func TestAStormOfEveryFault(t *testing.T) {
	const clients, lasts = 40, 6 * time.Second
	byWord := map[string]fault{}
	var codes []string
	for _, f := range faults {
		byWord[f.word()] = f
		codes = append(codes, f.codes...)
	}
	var under atomic.Int64
	server := serveTest(t, func(w http.ResponseWriter, r *http.Request) {
		under.Add(1)
		defer under.Add(-1)
		if f, ok := byWord[asked(r)]; ok {
			f.answer(w, r)
			return
		}
		healthy(w, r)
	})
	p := start(t, launch{args: asking(server.URL, serveTest(t, introspect).URL, append(unhurried(), quick...)...)})
	checker := newChecker(t, append(codes, "hung up")...)
	storm := func(seed uint64) usage {
		client := newCaller(p.url, clients)
		defer client.close()
		ctx, cancel := context.WithTimeout(t.Context(), lasts)
		defer cancel()
		got := crowd{clients, func(ctx context.Context, c, n int) answer {
			dice := rand.New(rand.NewPCG(seed, uint64(c)<<32|uint64(n)))
			word := faults[dice.IntN(len(faults))].word()
			if dice.IntN(3) == 0 {
				word = "notes"
			}
			if dice.IntN(10) == 0 {
				impatient, cancel := context.WithTimeout(ctx, time.Duration(dice.IntN(300))*time.Millisecond)
				defer cancel()
				ctx = impatient
			}
			calls := callsOf(word)
			a := client.give(ctx, fmt.Sprintf("client-%d", c), calls[dice.IntN(len(calls))])
			if ctx.Err() != nil {
				a = answer{status: http.StatusOK, code: "hung up", message: "its client has gone"}
			}
			return a
		}}.run(ctx, func(a answer) error { return checker.check(a, callDeadline+slack) })
		got.report(t)
		t.Log(got)
		eventually(t, 40*time.Second, "a good call is served again", func() error {
			return onlyGood(client.give(t.Context(), "another-caller", callsOf("notes")[1]))
		})
		client.close()
		eventually(t, readTimeout/2, "no read is under way", func() error {
			if n := under.Load(); n > 0 {
				return fmt.Errorf("%d are", n)
			}
			return nil
		})
		used, err := p.usage()
		if err != nil {
			t.Fatal(err)
		}
		t.Logf("memory %d MiB, at its peak %d MiB; %d descriptors, %d threads", used.rss>>20, used.peak>>20, used.descriptors, used.threads)
		return used
	}
	first := storm(1)
	second := storm(2)
	const most = clients * 16 << 20 // as if every client received an answer of the maximum size at once
	if second.peak > most {
		t.Errorf("it took %d MiB at its peak, more than %d", second.peak>>20, most>>20)
	}
	first.descriptors = max(first.descriptors, 2*clients) // how many idle connections a run leaves is chance: up to one for each client, and its own
	p.waitUntilIdle(t, first)
	p.quit(t)
}

// TestAnOutageUnderLoad has a resource server that answers only 503 for a while: each answer is typed, the number of reads does not
// multiply, and all calls succeed again after the outage.
func TestAnOutageUnderLoad(t *testing.T) {
	const clients = 20
	var ill atomic.Bool
	var asked atomic.Int64
	unwell := status(503, "text/html", secret, "")
	server := serveTest(t, func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if ill.Load() {
			unwell(w, r)
			return
		}
		healthy(w, r)
	})
	p := start(t, launch{args: asking(server.URL, serveTest(t, introspect).URL, unhurried()...)})
	client, checker, calls := newCaller(p.url, clients), newChecker(t), callsOf("notes")
	load := func(lasts time.Duration, check func(answer) error) tally {
		ctx, cancel := context.WithTimeout(t.Context(), lasts)
		defer cancel()
		got := crowd{clients, func(ctx context.Context, c, n int) answer {
			return client.give(ctx, fmt.Sprintf("client-%d", c), calls[(c+n)%len(calls)])
		}}.run(ctx, check)
		got.report(t)
		t.Log(got)
		return got
	}
	load(time.Second, onlyGood)
	ill.Store(true)
	before := asked.Load()
	during := load(3*time.Second, func(a answer) error {
		if a.code == "ok" {
			return fmt.Errorf("a good answer to %s", a.body)
		}
		return checker.check(a, 2*time.Second)
	})
	if n := asked.Load() - before; n > int64(3*len(during.times)+3*clients) {
		t.Errorf("%d calls became %d reads", len(during.times), n)
	} else {
		t.Logf("%d calls became %d reads", len(during.times), n)
	}
	ill.Store(false)
	well := time.Now()
	eventually(t, 20*time.Second, "good calls are served again", func() error {
		return onlyGood(client.give(t.Context(), "another-caller", calls[1]))
	})
	t.Logf("served again %s after the server was well", time.Since(well).Round(10*time.Millisecond))
	load(time.Second, onlyGood)
	client.close()
	p.quit(t)
}

// text returns the body of a page, or "" if there is none.
func (c caller) text(request *http.Request) string {
	defer c.close()
	response, err := c.http.Do(request)
	if err != nil {
		return ""
	}
	defer response.Body.Close()
	var page []byte
	buffer := make([]byte, 1<<16)
	for {
		n, err := response.Body.Read(buffer)
		page = append(page, buffer[:n]...)
		if err != nil {
			return string(page)
		}
	}
}
