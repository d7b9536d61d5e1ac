//go:build chaos

package chaos

import (
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"
)

// TestLargeAnswersOfOneGrant reads 32 answers of 15 MB at a time with one grant: the process stays below the memory limit of our
// manifests, calls that cannot be read in time get a typed error, and small calls of other grants are served.
func TestLargeAnswersOfOneGrant(t *testing.T) {
	const calls, most = 32, 256 << 20
	record := `{"object":"record","id":"%d","stream":"huge","connection_id":"cin_notes","data":{"id":"%d","body":"` + strings.Repeat("All work and no play. ", 7000) + `"}}`
	var page strings.Builder
	page.WriteString(`{"object":"list","data":[`)
	for i := range 100 {
		if i > 0 {
			page.WriteByte(',')
		}
		fmt.Fprintf(&page, record, i, i)
	}
	page.WriteString(`],"has_more":false}`)
	huge := page.String()
	server := serveTest(t, func(w http.ResponseWriter, r *http.Request) {
		if asked(r) == "huge" {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, huge)
			return
		}
		healthy(w, r)
	})
	p := start(t, launch{args: asking(server.URL, serveTest(t, introspect).URL, unhurried()...)})
	client, checker := newCaller(p.url, calls+10), newChecker(t)
	records := func(stream string) call {
		for _, c := range callsOf(stream) {
			if c.tool == "query_records" {
				return c
			}
		}
		t.Fatal("no query_records")
		return call{}
	}
	var mu sync.Mutex
	codes := map[string]int{}
	var large, small sync.WaitGroup
	for range calls {
		large.Go(func() {
			a := client.give(t.Context(), "greedy", records("huge"))
			if err := checker.check(a, time.Minute); err != nil {
				t.Error(err)
			}
			mu.Lock()
			defer mu.Unlock()
			codes[a.code]++
		})
	}
	done := make(chan struct{})
	var times []time.Duration
	for other := range 5 {
		small.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				a := client.give(t.Context(), fmt.Sprint("other-", other), records("notes"))
				if a.code != "ok" {
					t.Errorf("a small call of another grant is answered %s", a)
					return
				}
				mu.Lock()
				times = append(times, a.took)
				mu.Unlock()
			}
		})
	}
	large.Wait()
	close(done)
	small.Wait()
	used, err := p.usage()
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(times)
	t.Logf("large calls %v; %d small ones, p50 %s, p99 %s; peak %d MiB", codes, len(times), times[len(times)/2], times[len(times)*99/100], used.peak>>20)
	if used.peak > most {
		t.Errorf("it took %d MiB at its peak", used.peak>>20)
	}
	client.close()
	p.quit(t)
}
