package main

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// A wrong answer ends a run, at the first call or at a later one.
func TestAWrongAnswerEndsTheRun(t *testing.T) {
	const (
		good  = `{"jsonrpc":"2.0","id":1,"result":{"content":[{"type":"text","text":"m-0000 and more"}]}}`
		wrong = `{"jsonrpc":"2.0","id":1,"result":{"isError":true,"content":[{"type":"text","text":"m-0000 "}]}}`
		fault = `{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"broken, broken, broken, ......."}}`
	)
	for name, row := range map[string]struct {
		answers []string // the last one is repeated
		fails   bool
	}{
		"good answers":                       {[]string{good}, false},
		"an error at first":                  {[]string{fault}, true},
		"a result that is an error at first": {[]string{wrong}, true},
		"another record at first":            {[]string{strings.ReplaceAll(good, "m-", "n-")}, true},
		"an error of the same length later":  {[]string{good, good, (fault + good)[:len(good)]}, true},
		"a shorter answer later":             {[]string{good, good, good[:len(good)-1]}, true},
		"a status later":                     {[]string{good, good, ""}, true},
	} {
		calls := 0
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
			answer := row.answers[min(calls, len(row.answers)-1)]
			if calls++; answer == "" {
				w.WriteHeader(http.StatusBadGateway)
			}
			fmt.Fprint(w, answer)
		}))
		lasts := time.Millisecond
		if row.fails { // the fault ends the run, however slow the machine is
			lasts = time.Minute
		}
		got, err := slice(context.Background(), server.URL, call{name: "c", holds: "m-0000", clients: 1}, lasts)
		server.Close()
		if (err != nil) != row.fails || !row.fails && got.perSecond <= 0 {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
	}
}

func TestMediansAndPercentiles(t *testing.T) {
	ten := []time.Duration{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	if got := []time.Duration{percentile(ten, 0), percentile(ten, 0.5), percentile(ten, 0.9), percentile(ten, 0.99)}; fmt.Sprint(got) != "[1ns 5ns 9ns 10ns]" {
		t.Error(got)
	}
	if got := []float64{median([]float64{9, 1, 4}), median([]float64{8, 1, 2, 4}), median(nil)}; fmt.Sprint(got) != "[4 3 NaN]" {
		t.Error(got)
	}
	r := results{cells: map[[2]string][]sample{{"search", "ours"}: {{perSecond: 10}, {perSecond: 100}, {perSecond: 40}}, {"search", "sdk"}: {{perSecond: 5}, {perSecond: 100}, {perSecond: 10}}}}
	if got := r.against("search", "sdk"); got != 2 {
		t.Errorf("ratios are not computed within a round: %v", got)
	}
}

// The bodies have the sizes that the page states.
func TestBodiesHaveTheirSizes(t *testing.T) {
	s := newStub()
	size := func(list string, items int) int { return len(strings.Join(s.lists[list][:items], ",")) }
	for name, row := range map[string]struct{ got, want int }{
		"schema": {len(s.schemas[""]), 2_500}, "large schema": {len(s.schemas["cin_archive"]), 100_000},
		"25 records": {size("/v1/streams/messages/records", 25), 25 * 800}, "100 large records": {size("/v1/streams/letters/records", 100), 100 * 8_000},
		"25 hits": {size("/v1/search", 25), 25 * 1_520}, "100 hits": {size("/v1/search", 100), 100 * 1_520},
	} {
		if row.got < row.want*85/100 || row.got > row.want*115/100 {
			t.Errorf("%s: %d bytes, not about %d", name, row.got, row.want)
		}
	}
}
