//go:build chaos

// Package chaos runs the built program against a resource server, an authority, a network and a machine that fail in every way that we
// could think of, and writes what a caller receives to docs/reliability.md. It is slow and loads the machine, so it needs a build tag:
// make chaos, make load-clients, make soak.
package chaos

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

var update = flag.Bool("update", false, "rewrite the table of docs/reliability.md")

// Time that the machine may need in addition to what the program promises: it may have two cores, shared with others.
const (
	startTime = 30 * time.Second
	slack     = 2 * time.Second
)

var (
	binary string          // the program under test, built once
	flags  map[string]bool // the flags of its serve command
)

func TestMain(m *testing.M) {
	flag.Parse()
	code, err := withProgram(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

func withProgram(run func() int) (code int, err error) {
	dir, err := os.MkdirTemp("", "pdpp-mcp-chaos")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	binary = filepath.Join(dir, "pdpp-mcp")
	if out, err := exec.Command("go", "build", "-o", binary, "../..").CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build: %w\n%s", err, out)
	}
	help, err := exec.Command(binary, "serve", "--help").Output()
	if err != nil {
		return 0, fmt.Errorf("serve --help: %w", err)
	}
	flags = map[string]bool{}
	for _, name := range regexp.MustCompile(`--[a-z-]+`).FindAllString(string(help), -1) {
		flags[name] = true
	}
	return run(), nil
}

// A program is one run of pdpp-mcp serve.
type program struct {
	cmd    *exec.Cmd
	url    string // of its endpoint
	stderr *tail
	ended  chan struct{}
	err    error // how it ended; valid after ended is closed
}

// A launch has the settings of a program to start.
type launch struct {
	args    []string
	env     []string
	resolv  string   // replaces /etc/resolv.conf; needs a mount namespace
	address string   // empty: any free port, which the program prints
	stderr  *os.File // nil: kept for the test
}

// start runs serve until the test ends.
func start(t testing.TB, l launch) *program {
	t.Helper()
	listen := l.address
	if listen == "" {
		listen = "127.0.0.1:0"
	}
	argv := append([]string{binary, "serve", "--listen", listen}, l.args...)
	if l.resolv != "" {
		argv = append([]string{"unshare", "-m", "sh", "-c", `mount --bind "$0" /etc/resolv.conf && exec "$@"`, l.resolv}, argv...)
	}
	p := &program{cmd: exec.Command(argv[0], argv[1:]...), stderr: newTail(), ended: make(chan struct{})}
	p.cmd.Dir = t.TempDir()
	p.cmd.Env = append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.cmd.Dir, "GOTRACEBACK=all"}, l.env...)
	for _, name := range []string{"GOGC", "GOMEMLIMIT"} { // so that they can be set for an experiment
		if value, ok := os.LookupEnv(name); ok {
			p.cmd.Env = append(p.cmd.Env, name+"="+value)
		}
	}
	p.cmd.Stderr = p.stderr
	if l.stderr != nil {
		p.cmd.Stderr = l.stderr
	}
	if err := p.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	go func() {
		p.err = p.cmd.Wait()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = p.cmd.Process.Kill()
		<-p.ended
	})
	address := l.address
	if address == "" {
		select {
		case address = <-p.stderr.address:
		case <-p.ended:
			t.Fatalf("serve ended: %v\n%s", p.err, p.stderr)
		case <-time.After(startTime):
			_ = p.cmd.Process.Signal(syscall.SIGQUIT) // it prints the stacks of its goroutines and ends
			<-p.ended
			t.Fatalf("serve does not print that it serves\n%s", p.stderr)
		}
	}
	p.url = "http://" + address + "/mcp"
	eventually(t, startTime, "the port accepts connections", func() error {
		connection, err := net.Dial("tcp", address)
		if err == nil {
			_ = connection.Close()
		}
		return err
	})
	return p
}

// freeAddress returns an address without a listener, for programs that cannot print theirs.
func freeAddress(t testing.TB) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

// eventually repeats ask until it returns no error, and fails the test after the limit.
func eventually(t testing.TB, limit time.Duration, what string, ask func() error) {
	t.Helper()
	tick := time.NewTicker(20 * time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); ; <-tick.C {
		err := ask()
		if err == nil {
			return
		}
		if time.Since(begin) > limit {
			t.Fatalf("not within %s: %s: %v", limit, what, err)
		}
	}
}

// usage is what a process uses, as reported by the kernel.
type usage struct {
	descriptors, threads int
	rss, peak            int64 // bytes
}

func (p *program) usage() (usage, error) {
	dir := fmt.Sprintf("/proc/%d/", p.cmd.Process.Pid)
	open, err := os.ReadDir(dir + "fd")
	if err != nil {
		return usage{}, err
	}
	status, err := os.ReadFile(dir + "status")
	if err != nil {
		return usage{}, err
	}
	u := usage{descriptors: len(open)}
	for line := range strings.Lines(string(status)) {
		name, rest, _ := strings.Cut(line, ":")
		number, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
		n, _ := strconv.ParseInt(number, 10, 64)
		switch name {
		case "VmRSS":
			u.rss = n << 10
		case "VmHWM":
			u.peak = n << 10
		case "Threads":
			u.threads = int(n)
		}
	}
	return u, nil
}

// waitUntilIdle waits until the process uses no more than before, except for a few idle connections.
func (p *program) waitUntilIdle(t testing.TB, before usage) {
	t.Helper()
	const idle, spare = 8, 12
	eventually(t, 10*time.Second, "what was opened is closed", func() error {
		now, err := p.usage()
		switch {
		case err != nil:
			return err
		case now.descriptors > before.descriptors+idle:
			return fmt.Errorf("%d descriptors, %d before", now.descriptors, before.descriptors)
		case now.threads > before.threads+spare:
			return fmt.Errorf("%d threads, %d before", now.threads, before.threads)
		}
		return nil
	})
}

// quit ends the process with the stacks of its goroutines, and fails the test if one of them still works for a call, or if there are more
// than an idle server has in addition to those of idle connections.
func (p *program) quit(t testing.TB) {
	t.Helper()
	_ = p.cmd.Process.Signal(syscall.SIGQUIT)
	select {
	case <-p.ended:
	case <-time.After(startTime):
		t.Fatal("SIGQUIT did not end it")
	}
	const resting = 40
	_, dump, found := strings.Cut(p.stderr.String(), "SIGQUIT: quit")
	if !found {
		t.Fatalf("SIGQUIT left no stacks\n%s", p.stderr)
	}
	others := 0
	for stack := range strings.SplitSeq(dump, "\n\ngoroutine ") {
		if !strings.Contains(stack, "net/http.(*persistConn).") && !strings.Contains(stack, "net/http.(*conn).serve") {
			others++
		}
		stack, _, _ = strings.Cut(stack, "\ncreated by ")
		if strings.Contains(stack, "pdpp-mcp/middleware.") || strings.Contains(stack, "pdpp-mcp/tools.") || strings.Contains(stack, "pdpp-mcp/rs.(*Client)") {
			t.Errorf("a goroutine outlived its call:\n%s", stack)
		}
	}
	if others > resting {
		t.Errorf("%d goroutines when idle, without those of idle connections", others)
	}
}

// A tail keeps the last part of what a process writes, and finds the address in it.
type tail struct {
	address chan string

	mu    sync.Mutex
	text  []byte
	found bool
}

const tailBytes = 4 << 20

func newTail() *tail { return &tail{address: make(chan string, 1)} }

// Write appends p.
func (l *tail) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.text = append(l.text, p...)
	if !l.found {
		for line := range bytes.Lines(l.text) {
			var event struct {
				Address string `json:"address"`
				Message string `json:"message"`
			}
			if json.Unmarshal(line, &event) == nil && event.Message == "serving /mcp" {
				l.found = true
				l.address <- event.Address
			}
		}
	}
	if len(l.text) > 2*tailBytes {
		l.text = append([]byte(nil), l.text[len(l.text)-tailBytes:]...)
	}
	return len(p), nil
}

// String returns the kept part.
func (l *tail) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return string(l.text)
}
