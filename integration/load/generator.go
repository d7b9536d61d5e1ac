package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"sync"
	"time"
)

// A subject is what is asked, and the process that answers.
type subject struct {
	name string
	process
	newCaller func(w workload, client int) (caller, error)
	whole     func(w workload, answer []byte) error // what is wrong with an answer
}

// A sample is what one slice of time showed. What could not be measured is NaN.
type sample struct {
	calls            int
	perSecond        float64
	p50, p99, p999   float64 // seconds
	cpu              float64 // seconds a call
	bytes, allocated float64 // bytes and allocations a call
	peak             float64 // bytes
}

// A worker is one client: it makes its next call when it has the answer to the last.
type worker struct {
	caller
	length int // of the answer that was looked at whole; all have the same
	times  []time.Duration
	ended  time.Time
}

// begin makes a call that is not counted and looks at the answer whole.
func (w *worker) begin(s subject, load workload) error {
	answer, err := w.call()
	if err == nil {
		err = s.whole(load, answer)
	}
	if err != nil {
		return fmt.Errorf("%s, %s: %w: %.500s", s.name, load.name, err, answer)
	}
	w.length = len(answer)
	return nil
}

// run calls until the time is over.
func (w *worker) run(until time.Time) error {
	begun := time.Now()
	for begun.Before(until) {
		answer, err := w.call()
		w.ended = time.Now()
		if err != nil {
			return err
		}
		if len(answer) != w.length || bytes.Contains(answer[:min(len(answer), 200)], []byte(`"error":`)) {
			return fmt.Errorf("an answer of %d bytes where the first, which was right, had %d: %.500s", len(answer), w.length, answer)
		}
		w.times = append(w.times, w.ended.Sub(begun))
		begun = w.ended
	}
	return nil
}

// slice has so many clients call the subject for so long.
func slice(ctx context.Context, s subject, load workload, clients int, lasts time.Duration) (sample, error) {
	workers := make([]*worker, clients)
	for i := range workers {
		c, err := s.newCaller(load, i)
		if err != nil {
			return sample{}, err
		}
		workers[i] = &worker{caller: c}
	}
	peakIsKnown := s.forgetPeak()
	if err := all(workers, func(w *worker) error { return w.begin(s, load) }); err != nil {
		return sample{}, err
	}
	reading, err := s.spent(ctx)
	if err != nil {
		return sample{}, err
	}
	before, err := s.spent(ctx)
	if err != nil {
		return sample{}, err
	}
	begun := time.Now()
	if err := all(workers, func(w *worker) error { return w.run(begun.Add(lasts)) }); err != nil {
		return sample{}, fmt.Errorf("%s, %s, %d clients: %w", s.name, load.name, clients, err)
	}
	after, err := s.spent(ctx)
	if err != nil {
		return sample{}, err
	}
	var times []time.Duration
	ended := begun
	for _, w := range workers {
		times = append(times, w.times...)
		if w.ended.After(ended) {
			ended = w.ended
		}
	}
	slices.Sort(times)
	spent, calls := after.since(before, reading), float64(len(times))
	result := sample{
		calls: len(times), perSecond: calls / ended.Sub(begun).Seconds(),
		p50: percentile(times, 0.5).Seconds(), p99: percentile(times, 0.99).Seconds(), p999: percentile(times, 0.999).Seconds(),
		cpu: spent.cpu.Seconds() / calls, bytes: spent.bytes / calls, allocated: spent.allocations / calls,
		peak: math.NaN(),
	}
	if spent.noCPU {
		result.cpu = math.NaN()
	}
	if peakIsKnown {
		result.peak = s.memory("VmHWM")
	}
	return result, nil
}

// all has each worker do something at the same time.
func all(workers []*worker, do func(*worker) error) error {
	failures := make([]error, len(workers))
	var wg sync.WaitGroup
	for i, w := range workers {
		wg.Go(func() { failures[i] = do(w) })
	}
	wg.Wait()
	return errors.Join(failures[:min(len(failures), 3)]...)
}
