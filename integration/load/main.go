// Command load says what a call costs. In one run, taking turns, it has clients call a resource server with fixed answers,
// a bare forwarder before it, the MCP library without any of ours, and the built program over HTTP in both eras of the
// protocol and over stdio. Nothing in it fails for being slow; a wrong answer ends it. Run it by make load.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// options are the command line.
type options struct {
	rounds, starts   int
	slice            time.Duration
	workloads        []string
	subjects, parts  []string
	clients          []int
	update, markdown string // files to write; empty for none
}

// What a run can measure.
const (
	partCalls  = "calls"
	partFanOut = "fan-out"
	partStart  = "start"
)

func main() {
	role := flag.String("role", "", "what to serve instead, as a child of a run: stub, bare or sdk")
	rs := flag.String("rs", "", "with -role: the stub's URL")
	toolsFile := flag.String("tools", "", "with -role: file with the answer to tools/list")
	var o options
	flag.IntVar(&o.rounds, "rounds", 5, "how often each figure is measured; reported are medians")
	flag.DurationVar(&o.slice, "slice", time.Second, "how long each subject is called at a time")
	flag.IntVar(&o.starts, "starts", 20, "how often the local server is started")
	listFlag(&o.workloads, "workloads", names(workloads()), "what is called")
	listFlag(&o.subjects, "subjects", subjectNames(), "what is measured")
	listFlag(&o.parts, "parts", []string{partCalls, partFanOut, partStart}, "which measurements")
	clients := []string{"1", "16", "64"}
	flag.Func("clients", "how many call at a time; "+strings.Join(clients, ",")+" if absent", func(text string) error {
		clients = strings.Split(text, ",")
		return nil
	})
	quick := flag.Bool("quick", false, "one round of slices of 0.2 s, and three starts: enough to see whether everything works")
	update := flag.Bool("update", false, "rewrite the figures of "+page+"; needs all of them")
	flag.StringVar(&o.markdown, "markdown", "", "write what -update would to this file")
	flag.Parse()
	if *quick {
		o.rounds, o.slice, o.starts = 1, 200*time.Millisecond, 3
	}
	if *update {
		o.update = page
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	signal.Ignore(syscall.SIGPIPE) // whoever reads the report may go; the children end all the same
	var err error
	switch {
	case *role != "":
		err = play(ctx, *role, *rs, *toolsFile)
	default:
		if err = o.check(clients); err == nil {
			debug.SetGCPercent(400) // the generator's own collections would be measured as well
			err = run(ctx, o)
		}
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// listFlag is a flag of names separated by commas, each of which must be one of those known; without it all are meant.
func listFlag(chosen *[]string, name string, known []string, usage string) {
	*chosen = known
	flag.Func(name, usage+", by commas; "+strings.Join(known, ",")+" if absent", func(text string) error {
		*chosen = strings.Split(text, ",")
		for _, one := range *chosen {
			if !slices.Contains(known, one) {
				return fmt.Errorf("%q is none of %s", one, strings.Join(known, ", "))
			}
		}
		return nil
	})
}

// check reads the numbers of clients and says what is wrong.
func (o *options) check(clients []string) error {
	for _, text := range clients {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > maxClients {
			return fmt.Errorf("-clients %q: numbers from 1 to %d are needed", text, maxClients)
		}
		o.clients = append(o.clients, n)
	}
	if o.rounds < 1 || o.starts < 1 || o.slice < time.Millisecond {
		return errors.New("-rounds, -starts and -slice: at least 1, 1 and 1ms are needed")
	}
	if o.update == "" {
		return nil
	}
	if !o.complete() {
		return errors.New("-update needs all workloads, subjects, parts and the usual clients")
	}
	_, _, err := place(o.update) // now, and not after a quarter of an hour
	return err
}

// complete reports whether nothing is left out.
func (o *options) complete() bool {
	return len(o.workloads) == len(workloads()) && len(o.subjects) == len(subjectNames()) && len(o.parts) == 3 && slices.Equal(o.clients, []int{1, 16, 64})
}

func names(all []workload) []string {
	var names []string
	for _, w := range all {
		names = append(names, w.name)
	}
	return names
}

// run measures and reports.
func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "pdpp-mcp-load")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	defer cancel() // ends the children
	fmt.Fprintln(os.Stderr, "load: building")
	all, err := startAll(ctx, dir)
	if err != nil {
		return err
	}
	results, err := measure(ctx, o, all)
	if err != nil {
		return errors.Join(err, all.served.lastWords())
	}
	return report(o, results)
}
