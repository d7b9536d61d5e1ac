package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"net/http"
	"slices"
	"time"

	"golang.org/x/sync/errgroup"
)

// maxClients is the most clients that call concurrently, and the size of connection pools.
const maxClients = 64

// protocol is the MCP version that clients use.
const protocol = "2025-11-25"

// A call is a tool call that clients repeat.
type call struct {
	name      string
	tool      string
	arguments string
	holds     string // a text that the correct answer contains
	clients   int    // concurrent ones
}

var allCalls = []call{
	{name: "schema", tool: "schema", arguments: `{}`, holds: "messages", clients: 16},
	{name: "records", tool: "query_records", arguments: `{"stream":"messages"}`, holds: "m-0000", clients: 16},
	{name: "search", tool: "search", arguments: `{"q":"invoice"}`, holds: "m-0000", clients: 16},
	{name: "schema-large", tool: "schema", arguments: `{"connection_id":"cin_archive"}`, holds: "messages", clients: maxClients},
	{name: "records-large", tool: "query_records", arguments: `{"stream":"letters","limit":100}`, holds: "m-0000", clients: maxClients},
	{name: "search-large", tool: "search", arguments: `{"q":"everything","limit":100}`, holds: "m-0000", clients: maxClients},
}

// A caller is one client with one prepared request.
type caller struct {
	ctx     context.Context
	what    call
	url     string
	header  http.Header
	body    []byte
	client  *http.Client
	answer  bytes.Buffer
	length  int // of the correct answer
	times   []time.Duration
	elapsed time.Duration
}

func newCaller(ctx context.Context, base string, what call, client int) *caller {
	header := http.Header{
		"Authorization": {fmt.Sprintf("Bearer client-%d", client)}, "Content-Type": {"application/json"},
		"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {protocol},
	}
	return &caller{
		ctx: ctx, url: base + "/mcp", header: header, what: what,
		body:   fmt.Appendf(nil, `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, what.tool, what.arguments),
		client: &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1, DisableCompression: true}},
	}
}

// call sends the request and returns the answer, which is valid until the next call.
func (c *caller) call() ([]byte, error) {
	request, err := http.NewRequestWithContext(c.ctx, http.MethodPost, c.url, bytes.NewReader(c.body))
	if err != nil {
		return nil, err
	}
	request.Header = c.header
	response, err := c.client.Do(request) // #nosec G704 -- a process that this one started
	if err != nil {
		return nil, err
	}
	c.answer.Reset()
	_, err = c.answer.ReadFrom(response.Body)
	_ = response.Body.Close()
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("status %d: %.300s", response.StatusCode, c.answer.Bytes())
	}
	return c.answer.Bytes(), err
}

// run repeats the call for a time, at least once. It checks the content of the first answer, and that all others have the same length.
func (c *caller) run(lasts time.Duration) error {
	c.times, c.elapsed = nil, 0
	for begun := time.Now(); len(c.times) == 0 || c.elapsed < lasts; {
		answer, err := c.call()
		if c.length == 0 && bytes.Contains(answer, []byte(c.what.holds)) {
			c.length = len(answer)
		}
		if err == nil && (len(answer) != c.length || bytes.Contains(answer, []byte(`"error":{"code"`)) || bytes.Contains(answer, []byte(`"isError":true`))) {
			err = errors.New("a wrong answer")
		}
		if err != nil {
			return fmt.Errorf("%s at %s: %w: %d bytes, %.500s", c.what.name, c.url, err, len(answer), answer)
		}
		now := time.Since(begun)
		c.times = append(c.times, now-c.elapsed)
		c.elapsed = now
	}
	return nil
}

// A sample is the result of one slice of time.
type sample struct {
	perSecond, p50, p99 float64 // milliseconds
}

// slice lets clients repeat a call for a time, each as soon as it has its previous answer.
func slice(ctx context.Context, base string, what call, lasts time.Duration) (sample, error) {
	callers := make([]*caller, what.clients)
	for i := range callers {
		callers[i] = newCaller(ctx, base, what, i)
		defer callers[i].client.CloseIdleConnections()
	}
	for _, lasts := range []time.Duration{0, lasts} { // the first pass warms up
		var all errgroup.Group
		for _, c := range callers {
			all.Go(func() error { return c.run(lasts) })
		}
		if err := all.Wait(); err != nil {
			return sample{}, err
		}
	}
	var times []time.Duration
	var longest time.Duration
	for _, c := range callers {
		times, longest = append(times, c.times...), max(longest, c.elapsed)
	}
	slices.Sort(times)
	return sample{float64(len(times)) / longest.Seconds(), milliseconds(percentile(times, 0.5)), milliseconds(percentile(times, 0.99))}, nil
}

// percentile returns the smallest of the sorted times that is at least as long as a share of them.
func percentile(times []time.Duration, share float64) time.Duration {
	return times[max(int(math.Ceil(share*float64(len(times))))-1, 0)]
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// median returns the median of some values, or NaN if there are none.
func median(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	return (sorted[(len(sorted)-1)/2] + sorted[len(sorted)/2]) / 2
}
