package main

import (
	"bufio"
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// A process is one whose cost is counted: a child of this program or the product.
type process struct {
	pid   int
	usage string // where it says what it has allocated; empty when it does not
}

// A cost is what a process has used since it began. What could not be read is NaN.
type cost struct {
	cpu                time.Duration // user and system
	noCPU              bool
	bytes, allocations float64
}

// spent reads the cost up to now.
func (p process) spent(ctx context.Context) (cost, error) {
	c := cost{bytes: math.NaN(), allocations: math.NaN()}
	var err error
	c.cpu, err = cpuTime(p.pid)
	c.noCPU = err != nil // not on this system
	if p.usage == "" {
		return c, nil
	}
	figures, err := readFigures(ctx, p.usage)
	if err != nil {
		return cost{}, err
	}
	c.bytes, c.allocations = figures[allocatedBytes], figures[allocations]
	return c, nil
}

// since is what was used between two readings, without the price of the reading itself.
func (c cost) since(before, reading cost) cost {
	own := cost{bytes: before.bytes - reading.bytes, allocations: before.allocations - reading.allocations}
	return cost{
		cpu: c.cpu - before.cpu, noCPU: c.noCPU || before.noCPU,
		bytes: c.bytes - before.bytes - own.bytes, allocations: c.allocations - before.allocations - own.allocations,
	}
}

// cpuTime adds up what the kernel says of each thread, in nanoseconds; /proc/PID/stat counts in hundredths of a second.
// Threads of a Go program do not end while it is at work.
func cpuTime(pid int) (time.Duration, error) {
	threads, err := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	if err != nil || len(threads) == 0 {
		return 0, fmt.Errorf("no schedstat of process %d: %w", pid, os.ErrNotExist)
	}
	var total time.Duration
	for _, path := range threads {
		text, err := os.ReadFile(path) // #nosec G304 -- of a process that this one started
		if err != nil {
			return 0, err
		}
		first, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			return 0, err
		}
		total += time.Duration(n)
	}
	return total, nil
}

// forgetPeak makes the kernel count the peak of memory from now on. It reports whether the kernel did.
func (p process) forgetPeak() bool {
	return os.WriteFile(fmt.Sprintf("/proc/%d/clear_refs", p.pid), []byte("5"), 0) == nil
}

// memory is a line of the process's status, such as VmHWM or VmRSS, in bytes; NaN where there is none.
func (p process) memory(name string) float64 {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	if err != nil {
		return math.NaN()
	}
	for line := range strings.Lines(string(text)) {
		if rest, found := strings.CutPrefix(line, name+":"); found {
			kilobytes, err := strconv.ParseFloat(strings.TrimSuffix(strings.TrimSpace(rest), " kB"), 64)
			if err == nil {
				return kilobytes * 1024
			}
		}
	}
	return math.NaN()
}

// readFigures reads metrics without labels in Prometheus' form.
func readFigures(ctx context.Context, url string) (map[string]float64, error) {
	body, err := get(ctx, url)
	if err != nil {
		return nil, err
	}
	figures := map[string]float64{}
	for line := range strings.Lines(string(body)) {
		name, text, found := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseFloat(text, 64); found && err == nil {
			figures[name] = n
		}
	}
	for _, name := range []string{allocatedBytes, allocations} {
		if _, found := figures[name]; !found {
			return nil, fmt.Errorf("%s says nothing of %s", url, name)
		}
	}
	return figures, nil
}

func get(ctx context.Context, url string) ([]byte, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, url, nil)
	if err != nil {
		return nil, err
	}
	response, err := http.DefaultClient.Do(request) // #nosec G704 -- a process that this one started
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s answered %d", url, response.StatusCode)
	}
	return io.ReadAll(response.Body)
}

// children are the processes of one run. All of them end with it.
type children struct {
	ctx context.Context
	dir string // for their files
}

// gogc is what the product sets for itself where the environment does not. The others get the same, so that none
// collects more often than another.
func gogc() string { return cmp.Or(os.Getenv("GOGC"), "175") }

func (c children) command(program string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(c.ctx, program, args...) // #nosec G204 -- this program, or the one that it built
	cmd.Stderr = os.Stderr
	return cmd
}

// role starts this program as something else.
func (c children) role(name, rs string) (addresses, process, error) {
	self, err := os.Executable()
	if err != nil {
		return addresses{}, process{}, err
	}
	cmd := c.command(self, "-role", name, "-rs", rs, "-tools", c.toolsFile())
	cmd.Env = append(os.Environ(), "GOGC="+gogc())
	out, err := cmd.StdoutPipe()
	if err != nil {
		return addresses{}, process{}, err
	}
	if _, err := cmd.StdinPipe(); err != nil { // it stays open as long as this process lives
		return addresses{}, process{}, err
	}
	if err := cmd.Start(); err != nil {
		return addresses{}, process{}, err
	}
	line, err := bufio.NewReader(out).ReadBytes('\n')
	if err != nil {
		return addresses{}, process{}, fmt.Errorf("%s did not start: %w", name, err)
	}
	said, err := decode[addresses](line)
	return said, process{cmd.Process.Pid, said.Usage}, err
}

func (c children) toolsFile() string { return filepath.Join(c.dir, "tools.json") }
