// Package integration tests the program from outside: its tests build the binary, start the demo and run journeys over HTTP and stdio.
package integration

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	// The program is built by a command that go test does not track; without this import it would reuse results of an older program.
	_ "github.com/pdp-connect/pdpp-mcp/internal/cli"
)

// startTime is how long a program may take until it serves, and exitTime how long to end after a signal. Both are generous; tests have
// their own, shorter limits.
const (
	startTime = 3 * time.Minute
	exitTime  = 20 * time.Second
)

var (
	binary string    // the program under test, built once
	sample addresses // a demo that tests only read
)

func TestMain(m *testing.M) {
	code, err := withSample(m.Run)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// withSample builds the program, starts the demo, and runs the tests.
func withSample(run func() int) (code int, err error) {
	dir, err := os.MkdirTemp("", "pdpp-mcp")
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	binary = filepath.Join(dir, "pdpp-mcp")
	for _, file := range []string{"../main.go", "../server.go"} { // go test repeats a test if a file that it has read changes
		if _, err := os.ReadFile(file); err != nil {
			return 0, err
		}
	}
	build := exec.Command("go", "build", "-o", binary, "..")
	if out, err := build.CombinedOutput(); err != nil {
		return 0, fmt.Errorf("build: %w\n%s", err, out)
	}
	year, err := startDemo(dir)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, year.stop()) }()
	sample = year.addresses
	return run(), nil
}

// addresses is the line that demo --json prints.
type addresses struct {
	MCPURL                    string `json:"mcp_url"`
	RSURL                     string `json:"rs_url"`
	IntrospectionURL          string `json:"introspection_url"`
	IntrospectionClientID     string `json:"introspection_client_id"`
	IntrospectionClientSecret string `json:"introspection_client_secret"`
	ClientToken               string `json:"client_token"`
	NarrowToken               string `json:"narrow_token"`
	PackagesURL               string `json:"packages_url"`
	PackageToken              string `json:"package_token"`
	OwnerToken                string `json:"owner_token"`
	ExpiredToken              string `json:"expired_token"`
	RevokedToken              string `json:"revoked_token"`
	OwnerSecret               string `json:"owner_secret"`
}

// A process is one run of the program.
type process struct {
	cmd    *exec.Cmd
	stdout *lineLog
	stderr *lineLog
	ended  chan struct{}
	err    error // how it ended; valid after ended is closed
	killed bool  // by the test, so the exit code does not matter
}

// environment returns the environment of a process: without this machine's settings for the program, and with a separate home.
func environment(home string, extra ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + home, "TMPDIR=" + os.TempDir()}, extra...)
}

// start runs the program. dir is its home and its working directory.
func start(dir string, env []string, args ...string) (*process, error) {
	cmd := exec.Command(binary, args...)
	cmd.Dir, cmd.Env = dir, environment(dir, env...)
	return run(cmd)
}

// run starts a command.
func run(cmd *exec.Cmd) (*process, error) {
	p := &process{cmd: cmd, stdout: newLineLog(), stderr: newLineLog(), ended: make(chan struct{})}
	p.cmd.Stdout, p.cmd.Stderr = p.stdout, p.stderr
	p.cmd.WaitDelay = exitTime
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() {
		p.err = p.cmd.Wait()
		p.stdout.end()
		p.stderr.end()
		close(p.ended)
	}()
	return p, nil
}

// stop interrupts the process, as a person does, and returns an error if it does not exit with 0.
func (p *process) stop() error {
	_ = p.cmd.Process.Signal(os.Interrupt)
	select {
	case <-p.ended:
	case <-time.After(exitTime):
		_ = p.cmd.Process.Kill()
		<-p.ended
		return fmt.Errorf("%v did not end when interrupted\n%s", p.cmd.Args, p.stderr)
	}
	if p.err != nil && !p.killed {
		return fmt.Errorf("%v: %w\n%s", p.cmd.Args, p.err, p.stderr)
	}
	return nil
}

// A running is a running demo --json.
type running struct {
	*process
	addresses
}

func startDemo(dir string, args ...string) (*running, error) {
	p, err := start(dir, nil, append([]string{"demo", "--json", "--listen", "127.0.0.1:0"}, args...)...)
	if err != nil {
		return nil, err
	}
	line, err := p.stdout.find(startTime, func(string) bool { return true })
	d := &running{process: p}
	if err == nil {
		err = json.Unmarshal([]byte(line), &d.addresses)
	}
	if err != nil {
		_ = p.cmd.Process.Kill()
		<-p.ended
		return nil, fmt.Errorf("demo --json: %w\n%s", err, p.stderr)
	}
	return d, nil
}

// runDemo starts a demo for one test.
func runDemo(t *testing.T, args ...string) *running {
	t.Helper()
	d, err := startDemo(t.TempDir(), args...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := d.stop(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// serve starts pdpp-mcp serve for one test and returns the URL of its endpoint.
func serve(t *testing.T, args ...string) (string, *process) {
	t.Helper()
	p, err := start(t.TempDir(), nil, append([]string{"serve", "--listen", "127.0.0.1:0"}, args...)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.stop(); err != nil {
			t.Error(err)
		}
	})
	line, err := p.stderr.find(startTime, func(line string) bool { return strings.Contains(line, `"serving /mcp"`) })
	if err != nil {
		t.Fatalf("serve: %v\n%s", err, p.stderr)
	}
	var event struct {
		Address string `json:"address"`
	}
	if err := json.Unmarshal([]byte(line), &event); err != nil {
		t.Fatal(err)
	}
	return "http://" + event.Address + "/mcp", p
}

// introspected returns the flags for a server that introspects tokens at the demo, needed when it reads the demo through a proxy at
// another URL.
func introspected(d addresses) []string {
	return []string{
		"--introspection-url", d.IntrospectionURL, "--introspection-client-id", d.IntrospectionClientID,
		"--introspection-client-secret", d.IntrospectionClientSecret,
		"--audiences", d.RSURL + "," + d.RSURL + "/mcp",
	}
}

// cacheFile writes a credential cache for a provider and returns its root. credential is the inner object.
func cacheFile(t *testing.T, provider string, credential map[string]any) string {
	t.Helper()
	root := t.TempDir()
	body, err := json.Marshal(map[string]any{"provider_url": provider, "credential": credential})
	if err != nil {
		t.Fatal(err)
	}
	_, host, _ := strings.Cut(provider, "://")
	path := filepath.Join(root, "clients", strings.ReplaceAll(host, ":", "_")+".json")
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, body, 0o600); err != nil {
		t.Fatal(err)
	}
	return root
}

// An exit is how a run of the program ended.
type exit struct {
	code           int
	stdout, stderr string
}

// last returns the last line of stderr, which hosts show.
func (e exit) last() string {
	lines := strings.Split(strings.TrimRight(e.stderr, "\n"), "\n")
	return lines[len(lines)-1]
}

// finish runs the program to its end, with input on stdin.
func finish(t *testing.T, env []string, input string, args ...string) exit {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), startTime)
	defer cancel()
	home := t.TempDir()
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Dir, cmd.Env, cmd.Stdin = home, environment(home, env...), strings.NewReader(input)
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	var failed *exec.ExitError
	if err != nil && (!errors.As(err, &failed) || ctx.Err() != nil) {
		t.Fatalf("%v: %v\n%s", args, err, &stderr)
	}
	return exit{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// A lineLog keeps what a process writes and lets a test wait for a line.
type lineLog struct {
	mu      sync.Mutex
	text    bytes.Buffer
	over    bool
	changed chan struct{} // closed and replaced at every change
}

func newLineLog() *lineLog { return &lineLog{changed: make(chan struct{})} }

// Write appends to the log.
func (l *lineLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.changed)
	l.changed = make(chan struct{})
	return l.text.Write(p)
}

func (l *lineLog) end() {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.over = true
	close(l.changed)
	l.changed = make(chan struct{})
}

// String returns the whole log.
func (l *lineLog) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.text.String()
}

// find waits for the first complete line that is wanted and returns it.
func (l *lineLog) find(wait time.Duration, wanted func(string) bool) (string, error) {
	return l.findAfter(0, wait, wanted)
}

// findAfter does the same from a position of the log on.
func (l *lineLog) findAfter(begin int, wait time.Duration, wanted func(string) bool) (string, error) {
	deadline := time.After(wait)
	for {
		l.mu.Lock()
		text, over, changed := l.text.String()[begin:], l.over, l.changed
		l.mu.Unlock()
		reader := bufio.NewReader(strings.NewReader(text))
		for {
			line, err := reader.ReadString('\n')
			if err != nil {
				break
			}
			if wanted(strings.TrimSuffix(line, "\n")) {
				return strings.TrimSuffix(line, "\n"), nil
			}
		}
		if over {
			return "", io.ErrUnexpectedEOF
		}
		select {
		case <-changed:
		case <-deadline:
			return "", context.DeadlineExceeded
		}
	}
}
