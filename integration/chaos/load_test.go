//go:build chaos

package chaos

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// A crowd is many callers, each of which sends its next call after the answer to the previous one.
type crowd struct {
	clients int
	// act makes call n of a client. Its context outlives the crowd's, so that no client disconnects.
	act func(ctx context.Context, client, n int) answer
}

// A tally has the results of a crowd.
type tally struct {
	codes   map[string]int
	bad     []error         // the first few errors of check
	refused int             // the number of errors of check
	times   []time.Duration // sorted
	lasted  time.Duration
}

// run makes calls until ctx ends, and waits for the last answers.
func (c crowd) run(ctx context.Context, check func(answer) error) tally {
	begin := time.Now()
	var mu sync.Mutex
	all := tally{codes: map[string]int{}}
	var wg sync.WaitGroup
	for client := range c.clients {
		wg.Go(func() {
			mine := tally{codes: map[string]int{}}
			for n := 0; ctx.Err() == nil; n++ {
				a := c.act(context.WithoutCancel(ctx), client, n)
				mine.times = append(mine.times, a.took)
				mine.codes[a.code]++
				if err := check(a); err != nil {
					mine.refused++
					mine.bad = append(mine.bad, err)
					mine.bad = mine.bad[:min(len(mine.bad), 3)]
				}
			}
			mu.Lock()
			defer mu.Unlock()
			all.times = append(all.times, mine.times...)
			all.refused += mine.refused
			all.bad = append(all.bad, mine.bad...)
			for code, n := range mine.codes {
				all.codes[code] += n
			}
		})
	}
	wg.Wait()
	all.lasted = time.Since(begin)
	slices.Sort(all.times)
	return all
}

// at returns the time within which this share of the answers came.
func (t tally) at(share float64) time.Duration {
	if len(t.times) == 0 {
		return 0
	}
	return t.times[min(int(share*float64(len(t.times))), len(t.times)-1)].Round(100 * time.Microsecond)
}

// String returns a summary in one line.
func (t tally) String() string {
	return fmt.Sprintf("%d answers in %.1f s, %.0f/s, %v; p50 %s, p99 %s, longest %s", len(t.times), t.lasted.Seconds(),
		float64(len(t.times))/t.lasted.Seconds(), t.codes, t.at(0.5), t.at(0.99), t.at(1))
}

// report fails the test if check refused an answer.
func (t tally) report(tb testing.TB) {
	tb.Helper()
	if t.refused > 0 {
		tb.Errorf("%d of %d answers are not as they should be, such as: %v", t.refused, len(t.times), t.bad[:min(len(t.bad), 5)])
	}
	if len(t.times) == 0 {
		tb.Error("there were no answers")
	}
}

// onlyGood refuses all answers except successful ones.
func onlyGood(a answer) error {
	if a.code != "ok" {
		return errors.New(a.String())
	}
	return nil
}

// duration returns how long a test runs, from a variable; if it is not set, the test is skipped.
func duration(t *testing.T, variable string) time.Duration {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		t.Skipf("%s is not set", variable)
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// TestLoad reads through the program with CLIENTS callers, each with a different token, for the duration LOAD: no call fails, and memory
// stays small. It reports the response times, and those of the resource server alone.
func TestLoad(t *testing.T) {
	lasts := duration(t, "LOAD")
	clients, err := strconv.Atoi(os.Getenv("CLIENTS"))
	if err != nil {
		t.Fatalf("CLIENTS: %v", err)
	}
	const memory = 200 << 20
	server := serveTest(t, healthy)
	p := start(t, launch{args: asking(server.URL, serveTest(t, introspect).URL)})
	calls := callsOf("notes")

	floor := newCaller("", clients)
	ctx, cancel := context.WithTimeout(t.Context(), min(lasts, 10*time.Second))
	defer cancel()
	stub := crowd{clients, func(ctx context.Context, _, _ int) answer {
		return floor.read(ctx, server.URL+"/v1/search?q=notes")
	}}.run(ctx, onlyGood)
	floor.close()
	stub.report(t)

	client := newCaller(p.url, clients)
	ctx, cancel = context.WithTimeout(t.Context(), lasts)
	defer cancel()
	through := crowd{clients, func(ctx context.Context, client_, n int) answer {
		return client.give(ctx, fmt.Sprintf("client-%d", client_), calls[(client_+n)%len(calls)])
	}}.run(ctx, onlyGood)
	through.report(t)
	used, err := p.usage()
	if err != nil {
		t.Fatal(err)
	}
	t.Logf("%d clients through the program: %s", clients, through)
	t.Logf("%d clients at the resource server itself: %s", clients, stub)
	t.Logf("memory %d MiB, at its peak %d MiB; %d descriptors, %d threads", used.rss>>20, used.peak>>20, used.descriptors, used.threads)
	if used.peak > memory {
		t.Errorf("the program took %d MiB, more than %d", used.peak>>20, memory>>20)
	}
	client.close()
}

// read makes a plain read of a resource server.
func (c caller) read(ctx context.Context, url string) (a answer) {
	begin := time.Now()
	defer func() { a.took = time.Since(begin) }()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return answer{err: err}
	}
	response, err := c.http.Do(request)
	if err != nil {
		return answer{err: err}
	}
	defer response.Body.Close()
	if _, err := io.Copy(io.Discard, response.Body); err != nil {
		return answer{err: err}
	}
	return answer{status: response.StatusCode, code: "ok"}
}

// TestMoreThanAllowed exceeds the limits: each answer is a successful one or a 429 that says when to retry.
func TestMoreThanAllowed(t *testing.T) {
	if !flags["--max-calls"] || !flags["--token-rate"] {
		t.Skip("the program has no such limits")
	}
	for name, row := range map[string]struct {
		args []string
		code string
		who  func(client int) string
	}{
		"calls of all":        {[]string{"--max-calls", "10", "--call-wait", "0s", "--token-rate", "0"}, "too_many_calls", func(c int) string { return fmt.Sprintf("t-%d", c) }},
		"calls of one grant":  {[]string{"--max-calls-per-grant", "5", "--call-wait", "0s", "--token-rate", "0"}, "too_many_calls", func(int) string { return "t" }},
		"rate of one token":   {[]string{"--token-rate", "20", "--token-burst", "10"}, "rate_limited", func(int) string { return "t" }},
		"calls that may wait": {[]string{"--max-calls", "10", "--call-wait", "100ms", "--token-rate", "0"}, "too_many_calls", func(c int) string { return fmt.Sprintf("t-%d", c) }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var asked atomic.Int64
			server := serveTest(t, func(w http.ResponseWriter, r *http.Request) {
				asked.Add(1)
				select {
				case <-time.After(50 * time.Millisecond):
				case <-r.Context().Done():
				}
				healthy(w, r)
			})
			p := start(t, launch{args: asking(server.URL, serveTest(t, introspect).URL, row.args...)})
			client, calls, checker := newCaller(p.url, 100), callsOf("notes"), newChecker(t)
			ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
			defer cancel()
			got := crowd{100, func(ctx context.Context, c, n int) answer {
				return client.give(ctx, row.who(c), calls[(c+n)%len(calls)])
			}}.run(ctx, func(a answer) error {
				if a.code != "ok" && (a.status != http.StatusTooManyRequests || a.code != row.code) {
					return errors.New(a.String())
				}
				return checker.check(a, slack)
			})
			got.report(t)
			t.Log(got)
			if got.codes["ok"] == 0 || got.codes[row.code] == 0 {
				t.Errorf("got %v, want both good answers and refusals", got.codes)
			}
			if most := int64(2*got.codes["ok"] + 100); asked.Load() > most { // a count reads the schema of its grant first
				t.Errorf("the resource server got %d requests for %d answers: refused calls reached it", asked.Load(), got.codes["ok"])
			}
			client.close()
		})
	}
}

// TestManyNewTokensFromOneAddress has many callers arrive at once from one address, like those of a host, while the authority is slow.
// Their tokens are valid, so no call is refused.
func TestManyNewTokensFromOneAddress(t *testing.T) {
	const clients = 300
	authority := serveTest(t, func(w http.ResponseWriter, r *http.Request) {
		select {
		case <-time.After(200 * time.Millisecond):
		case <-r.Context().Done():
		}
		introspect(w, r)
	})
	p := start(t, launch{args: asking(serveTest(t, healthy).URL, authority.URL)})
	client, calls := newCaller(p.url, clients), callsOf("notes")
	ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
	defer cancel()
	got := crowd{clients, func(ctx context.Context, c, n int) answer {
		return client.give(ctx, fmt.Sprintf("client-%d-%d", c, n), calls[(c+n)%len(calls)])
	}}.run(ctx, onlyGood)
	got.report(t)
	t.Log(got)
	client.close()
}
