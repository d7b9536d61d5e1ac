package main

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"slices"
	"time"
)

// A cell is what one subject did under one workload with so many clients, once a round.
type cell struct {
	subject, workload string
	clients           int
}

// results are all that was measured.
type results struct {
	cells  map[cell][]sample
	width  map[cell][]sample // of packages; clients is their number of children
	starts []time.Duration
	binary int64   // bytes
	idle   float64 // bytes of memory
}

// widths are how many children the packages have that are searched.
func widths() []int { return []int{1, 2, 4, 8, 16, 32, maxMembers} }

// measure takes all samples, round by round.
func measure(ctx context.Context, o options, f *field) (results, error) {
	r := results{cells: map[cell][]sample{}, width: map[cell][]sample{}, idle: f.idle}
	program, err := os.Stat(f.program)
	if err != nil {
		return results{}, err
	}
	r.binary = program.Size()
	for round := range o.rounds {
		fmt.Fprintf(os.Stderr, "load: round %d of %d\n", round+1, o.rounds)
		if slices.Contains(o.parts, partCalls) {
			err = f.measureCalls(ctx, o, round, r.cells)
		}
		if err == nil && slices.Contains(o.parts, partFanOut) {
			err = f.measureFanOut(ctx, o, r.width)
		}
		if err != nil {
			return results{}, err
		}
	}
	if slices.Contains(o.parts, partStart) {
		for range o.starts {
			took, err := f.startOnce()
			if err != nil {
				return results{}, err
			}
			r.starts = append(r.starts, took)
		}
	}
	return r, nil
}

// measureCalls gives each subject its slice for each workload and number of clients. Each round begins with another one,
// so that none always follows the same.
func (f *field) measureCalls(ctx context.Context, o options, round int, cells map[cell][]sample) error {
	var subjects []subject
	for _, name := range o.subjects {
		s, err := f.named(name)
		if err != nil {
			return err
		}
		subjects = append(subjects, s)
	}
	for _, w := range workloads() {
		if !slices.Contains(o.workloads, w.name) {
			continue
		}
		for _, clients := range o.clients {
			for i := range subjects {
				s := subjects[(i+round)%len(subjects)]
				got, err := slice(ctx, s, w, clients, o.slice)
				if err != nil {
					return err
				}
				at := cell{s.name, w.name, clients}
				cells[at] = append(cells[at], got)
				if err := f.served.emptyLog(); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// measureFanOut has one client search packages of ever more children, at a resource server that answers at once and at
// one that takes its time.
func (f *field) measureFanOut(ctx context.Context, o options, width map[cell][]sample) error {
	s, err := f.named(oursLegacy)
	if err != nil {
		return err
	}
	for _, slow := range []bool{false, true} {
		for _, children := range widths() {
			got, err := slice(ctx, s, packageSearch(children, slow), 1, o.slice)
			if err != nil {
				return err
			}
			at := fanOutCell(children, slow)
			width[at] = append(width[at], got)
		}
	}
	return f.served.emptyLog()
}

func fanOutCell(children int, slow bool) cell {
	return cell{oursLegacy, map[bool]string{false: "at once", true: "slow"}[slow], children}
}

// startOnce is the time from starting the local server to its first answer.
func (f *field) startOnce() (time.Duration, error) {
	begun := time.Now()
	l, err := f.stdio(f.program, f.stub, f.cacheRoot)
	if err != nil {
		return 0, err
	}
	if err := sayHello(l.in); err != nil {
		return 0, err
	}
	if err := readHello(bufio.NewReader(l.out)); err != nil {
		return 0, err
	}
	took := time.Since(begun)
	if err := l.in.Close(); err != nil {
		return 0, err
	}
	return took, l.end()
}
