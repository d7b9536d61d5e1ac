//go:build chaos

package chaos

import (
	"context"
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestSoak uses new tokens for the duration SOAK, far more than the caches keep, and checks that nothing grows: the program uses no more
// in the last third of the time than in the second.
func TestSoak(t *testing.T) {
	lasts := duration(t, "SOAK")
	const clients, fewest = 50, 10_000
	server := serveTest(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(asked(r), "fails-") {
			status(500, "text/html", secret, "")(w, r)
			return
		}
		healthy(w, r)
	})
	args := append(asking(server.URL, serveTest(t, introspect).URL), unhurried()...) // as many new tokens as there are calls
	admin := ""
	if flags["--admin-listen"] {
		admin = freeAddress(t)
		args = append(args, "--admin-listen", admin)
	}
	p := start(t, launch{args: args})
	client, calls, checker := newCaller(p.url, clients), callsOf("notes"), newChecker(t)

	type sample struct {
		usage
		goroutines int
	}
	var samples []sample
	ctx, cancel := context.WithTimeout(t.Context(), lasts)
	defer cancel()
	watched := make(chan struct{})
	go func() {
		defer close(watched)
		tick := time.NewTicker(max(lasts/300, 200*time.Millisecond))
		defer tick.Stop()
		for {
			select {
			case <-ctx.Done():
				return
			case <-tick.C:
				if used, err := p.usage(); err == nil {
					samples = append(samples, sample{used, goroutines(ctx, admin)})
				}
			}
		}
	}()
	var turn atomic.Int64
	got := crowd{clients, func(ctx context.Context, _, _ int) answer {
		n := turn.Add(1)
		c := calls[n%int64(len(calls))]
		if n%50 == 0 { // some reads fail, so that errors are cached and expire too
			c = call{"search", fmt.Sprintf(`{"q":"fails-%d"}`, n)}
		}
		return client.give(ctx, fmt.Sprintf("soak-%d", n/2), c) // each token is used twice
	}}.run(ctx, func(a answer) error { return checker.check(a, 10*time.Second) })
	<-watched
	client.close()
	got.report(t)
	if good := got.codes["ok"]; good < len(got.times)*9/10 {
		t.Errorf("only %d of %d answers are good: %v", good, len(got.times), got.codes)
	}
	tokens := turn.Load() / 2
	if lasts >= time.Minute && tokens < fewest {
		t.Errorf("only %d tokens were used; %d are needed", tokens, fewest)
	}

	third := len(samples) / 3
	if third < 10 {
		t.Fatalf("only %d samples", len(samples))
	}
	held := func(part []sample, of func(sample) int64) int64 {
		var values []int64
		for _, s := range part {
			values = append(values, of(s))
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	t.Logf("%d tokens: %s", tokens, got)
	for _, row := range []struct {
		what   string
		spare  int64
		of     func(sample) int64
		factor float64
	}{
		{"memory in bytes", 12 << 20, func(s sample) int64 { return s.rss }, 1.1},
		{"descriptors", 20, func(s sample) int64 { return int64(s.descriptors) }, 1},
		{"threads", 4, func(s sample) int64 { return int64(s.threads) }, 1},
		{"goroutines", 40, func(s sample) int64 { return int64(s.goroutines) }, 1},
	} {
		first, middle, last := held(samples[:third], row.of), held(samples[third:2*third], row.of), held(samples[2*third:], row.of)
		t.Logf("%s: %d, then %d, then %d", row.what, first, middle, last)
		if most := int64(float64(middle)*row.factor) + row.spare; last > most {
			t.Errorf("%s grows: %d, then %d, then %d", row.what, first, middle, last)
		}
	}
	p.quit(t)
}

var goroutineCount = regexp.MustCompile(`(?m)^go_goroutines ([0-9]+)`)

// goroutines returns their number from the program's metrics, or 0 without metrics.
func goroutines(ctx context.Context, admin string) int {
	if admin == "" {
		return 0
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+admin+"/metrics", nil)
	if err != nil {
		return 0
	}
	a := newCaller("", 1).text(request)
	match := goroutineCount.FindStringSubmatch(a)
	if match == nil {
		return 0
	}
	n, _ := strconv.Atoi(match[1])
	return n
}
