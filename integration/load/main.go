// Command load measures what a call costs. In one run, clients call three servers in turn, each in front of a resource server with fixed
// answers: a bare forwarder, the MCP library alone, and the built program. Slow calls do not fail a run; a wrong answer does. Run it with
// make load.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime/debug"
	"strings"
	"syscall"
	"time"

	"golang.org/x/tools/benchmark/parse"
)

type options struct {
	rounds, starts int
	slice          time.Duration
	only           string // part of the names of the calls to measure
}

func main() {
	role := flag.String("role", "", "what to serve instead, as a child of a run: stub, bare or sdk")
	rs := flag.String("rs", "", "with -role: the stub's URL")
	var o options
	flag.IntVar(&o.rounds, "rounds", 5, "how often each figure is measured; reported are medians")
	flag.DurationVar(&o.slice, "slice", time.Second, "how long each subject is called at a time")
	flag.IntVar(&o.starts, "starts", 20, "how often the local server is started")
	flag.StringVar(&o.only, "only", "", "measure the calls whose name has this in it, such as search")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	var err error
	if *role != "" {
		err = play(ctx, *role, *rs)
	} else {
		debug.SetGCPercent(400) // collections of the clients would be measured too
		err = run(ctx, o)
	}
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// results are all measurements. The keys of cells are the name of a call and a subject.
type results struct {
	cells               map[[2]string][]sample
	starts              []float64 // milliseconds
	binary, peak        float64   // bytes
	ownTime, ownObjects float64   // of a search in one process: milliseconds and allocations
}

// run takes all samples, round by round, and reports. Each round begins with another subject, so that their order varies.
func run(ctx context.Context, o options) (err error) {
	dir, err := os.MkdirTemp("", "pdpp-mcp-load")
	if err != nil {
		return err
	}
	ctx, cancel := context.WithCancel(ctx)
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	defer cancel() // ends the children
	p, err := startAll(ctx, dir)
	if err != nil {
		return err
	}
	r := results{cells: map[[2]string][]sample{}}
	subjects := []string{"bare", "sdk", "ours"}
	for round := range o.rounds {
		fmt.Fprintf(os.Stderr, "load: round %d of %d\n", round+1, o.rounds)
		for _, c := range allCalls {
			for i := 0; i < len(subjects) && strings.Contains(c.name, o.only); i++ {
				at := [2]string{c.name, subjects[(i+round)%len(subjects)]}
				got, err := slice(ctx, p.urls[at[1]], c, o.slice)
				if err != nil {
					return err
				}
				r.cells[at] = append(r.cells[at], got)
			}
		}
	}
	r.peak = p.peakMemory()
	for range o.starts {
		took, err := p.startStdio()
		if err != nil {
			return err
		}
		r.starts = append(r.starts, milliseconds(took))
	}
	program, err := os.Stat(p.program)
	if err == nil {
		r.binary, err = float64(program.Size()), r.measureOwn(ctx)
	}
	if err == nil {
		fmt.Print(r.report(o))
	}
	return err
}

// measureOwn measures a search in one process, next to a floor that makes the same read and sends the same bytes. The difference of the
// medians is the cost of our own code: HTTP chain, pipeline and parsing the answer. GOGC is that of the product.
func (r *results) measureOwn(ctx context.Context) error {
	bench := exec.CommandContext(ctx, "go", "test", "-run", "^$", "-bench", "^BenchmarkCall$/^search$/^"+protocol+"$", "-benchmem", "-count", "5", "./transport") // #nosec G204 -- constant
	bench.Env = productEnvironment()
	output, err := bench.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%w: %s", err, output)
	}
	measured, err := parse.ParseSet(bytes.NewReader(output))
	times, objects := map[bool][]float64{}, map[bool][]float64{} // true: of the floor
	for name, runs := range measured {
		isFloor := strings.Contains(name, "/floor")
		for _, one := range runs {
			times[isFloor] = append(times[isFloor], one.NsPerOp/1e6)
			objects[isFloor] = append(objects[isFloor], float64(one.AllocsPerOp))
		}
	}
	r.ownTime = median(times[false]) - median(times[true])
	r.ownObjects = median(objects[false]) - median(objects[true])
	return err
}
