package integration

import (
	"bufio"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"
)

// stopTime is how long a stdio server may take to end. It promises a second; a busy machine gets more.
const stopTime = 5 * time.Second

// A piped is a stdio server whose streams the test controls.
type piped struct {
	*process
	in  io.WriteCloser
	out *os.File
	all *bufio.Reader
}

// startPiped starts pdpp-mcp stdio with a resource server.
func startPiped(t *testing.T, provider string) *piped {
	t.Helper()
	log := newLineLog()
	return startPipedWith(t, provider, log, log)
}

// startPipedWith does so with another stderr.
func startPipedWith(t *testing.T, provider string, stderr io.Writer, log *lineLog) *piped {
	t.Helper()
	cache := cacheFile(t, provider, map[string]any{"access_token": "a-token"})
	home := t.TempDir()
	cmd := exec.Command(binary, "stdio", "--provider-url", provider, "--cache-root", cache)
	cmd.Dir, cmd.Env = home, environment(home)
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	p := &process{cmd: cmd, stdout: newLineLog(), stderr: log, ended: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = writer, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	_ = writer.Close()
	go func() {
		p.err = cmd.Wait()
		p.stderr.end()
		close(p.ended)
	}()
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		<-p.ended
		_ = reader.Close()
	})
	return &piped{p, in, reader, bufio.NewReader(reader)}
}

// fullPipe returns a full pipe that is not read.
func fullPipe(t *testing.T) *os.File {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = reader.Close(), writer.Close() })
	if err := writer.SetWriteDeadline(time.Now().Add(100 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	for err == nil {
		_, err = writer.Write(make([]byte, 4096))
	}
	return writer
}

func (p *piped) send(t *testing.T, lines string) {
	t.Helper()
	if _, err := io.WriteString(p.in, lines); err != nil {
		t.Fatal(err)
	}
}

func (p *piped) receive(t *testing.T) string {
	t.Helper()
	lines := make(chan string, 1)
	go func() {
		line, err := p.all.ReadString('\n')
		if err != nil {
			line = err.Error()
		}
		lines <- strings.TrimSpace(line)
	}()
	return within(t, lines, "answer")
}

// ends waits for the end, and returns the last line of stderr.
func (p *piped) ends(t *testing.T, limit time.Duration) string {
	t.Helper()
	select {
	case <-p.ended:
	case <-time.After(limit):
		t.Fatalf("it did not end within %s\n%s", limit, p.stderr)
	}
	if p.err != nil {
		t.Errorf("it ended with %v", p.err)
	}
	return exit{stderr: p.stderr.String()}.last()
}

const heldCall = `{"jsonrpc":"2.0","id":%s,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"held"}}}` + "\n"

func TestStdioEndsOnRequest(t *testing.T) {
	for _, row := range []struct {
		name   string
		stop   func(t *testing.T, p *piped)
		says   string
		answer bool // the open call is answered
	}{
		{"SIGTERM", func(t *testing.T, p *piped) { signal(t, p.process, syscall.SIGTERM) }, "terminated signal received", true},
		{"SIGINT", func(t *testing.T, p *piped) { signal(t, p.process, os.Interrupt) }, "interrupt signal received", true},
		{"a closed stdout", func(t *testing.T, p *piped) { _ = p.out.Close() }, "the output was closed", false},
	} {
		t.Run(row.name, func(t *testing.T) {
			t.Parallel()
			held := newHeldRS(t)
			p := startPiped(t, held.URL)
			p.send(t, initialize)
			p.receive(t)
			p.send(t, fmt.Sprintf(heldCall, "7"))
			within(t, held.arrived, "read")
			row.stop(t, p)
			if row.answer {
				if got := p.receive(t); !strings.Contains(got, `"id":7`) || !strings.Contains(got, `"server_stopping"`) {
					t.Errorf("the open call is answered %s", got)
				}
			}
			if got, want := p.ends(t, stopTime), "pdpp-mcp: stopped: "+row.says+"; open calls that were canceled: 1"; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
			within(t, held.gone, "end of the read")
		})
		t.Run(row.name+" while nothing is open", func(t *testing.T) {
			t.Parallel()
			held := newHeldRS(t)
			p := startPiped(t, held.URL)
			p.send(t, initialize)
			p.receive(t)
			row.stop(t, p)
			if got, want := p.ends(t, stopTime), "pdpp-mcp: stopped: "+row.says; got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
		t.Run(row.name+" while the provider is asked about the credential", func(t *testing.T) {
			t.Parallel()
			asked := make(chan struct{}, 10)
			silent := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				asked <- struct{}{}
				<-r.Context().Done()
			}))
			t.Cleanup(silent.Close)
			p := startPiped(t, silent.URL)
			within(t, asked, "question")
			row.stop(t, p)
			if got := p.ends(t, stopTime); !strings.HasPrefix(got, "pdpp-mcp: stopped: "+row.says) || strings.Contains(got, "reached") {
				t.Errorf("got %q; want %q", got, row.says)
			}
		})
		t.Run(row.name+" while stderr is not read", func(t *testing.T) {
			t.Parallel()
			held := newHeldRS(t)
			p := startPipedWith(t, held.URL, fullPipe(t), newLineLog())
			p.send(t, initialize)
			p.receive(t)
			row.stop(t, p)
			p.ends(t, stopTime)
		})
	}
}

func TestStdioAnswersOpenCallsAfterItsInputEnds(t *testing.T) {
	held := newHeldRS(t)
	p := startPiped(t, held.URL)
	p.send(t, initialize)
	p.receive(t)
	p.send(t, fmt.Sprintf(heldCall, "7"))
	within(t, held.arrived, "read")
	_ = p.in.Close()
	close(held.released)
	if got := p.receive(t); !strings.Contains(got, `"id":7,"result"`) || strings.Contains(got, `"isError":true`) {
		t.Errorf("the open call is answered %s", got)
	}
	if got := p.ends(t, stopTime); got != "" {
		t.Errorf("got %q", got)
	}
}

// oddIDs are ids, some of which the SDK does not return unchanged.
var oddIDs = []string{
	`1`, `-1`, `0`, `1.5`, `-0`, `1.0`, `1e2`, `9007199254740991`, `9007199254740993`, `9223372036854775808`, `-9223372036854775809`, `123456789012345678901234567890`,
	`"a"`, `"1.5"`, `""`, `"\u0061"`, `"\ud800"`, `"<&>"`, `"é\n"`,
}

func TestIDsAreReturnedUnchanged(t *testing.T) {
	held := newHeldRS(t)
	url, _ := serve(t, "--rs-url", held.URL)
	p := startPiped(t, held.URL)
	p.send(t, initialize)
	p.receive(t)
	for _, id := range oddIDs {
		for _, message := range []string{
			`{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`,
			`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}}}`,
			`{"jsonrpc":"2.0","id":` + id + `,"method":"tools/call","params":{"name":"unknown"}}`,
			`{"jsonrpc":"2.0","id":` + id + `,"method":"unknown"}`,
		} {
			want := `{"jsonrpc":"2.0","id":` + id + `,"`
			p.send(t, message+"\n")
			if got := p.receive(t); !strings.HasPrefix(got, want) {
				t.Errorf("over stdio %s is answered %.200s; want %q", message, got, want)
			}
			if status, _, got := post(t, url, "a-token", message); !strings.HasPrefix(got, want) {
				t.Errorf("over HTTP %s is answered %d %.200s; want %q", message, status, got, want)
			}
		}
	}
	for _, id := range []string{`null`, `true`, `[1]`, `{}`} {
		message := `{"jsonrpc":"2.0","id":` + id + `,"method":"ping"}`
		p.send(t, message+"\n")
		if got := p.receive(t); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":null,"error":{"code":-32600,`) {
			t.Errorf("over stdio %s is answered %.200s", message, got)
		}
		if status, _, got := post(t, url, "a-token", message); status != 400 || !strings.Contains(got, `"code":-32600`) {
			t.Errorf("over HTTP %s is answered %d %.200s", message, status, got)
		}
	}
}

func TestACallIsCanceledByTheIDItWasSentWith(t *testing.T) {
	for _, id := range []string{`1.5`, `9007199254740993`, `9007199254740992`, `"\u0061"`} {
		t.Run(id, func(t *testing.T) {
			t.Parallel()
			held := newHeldRS(t)
			p := startPiped(t, held.URL)
			p.send(t, initialize)
			p.receive(t)
			p.send(t, fmt.Sprintf(heldCall, id))
			within(t, held.arrived, "read")
			p.send(t, fmt.Sprintf(heldCall, id))
			if got := p.receive(t); !strings.Contains(got, `"id":null`) || !strings.Contains(got, "still under way") {
				t.Errorf("the same id again is answered %s", got)
			}
			p.send(t, `{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":`+id+`}}`+"\n")
			within(t, held.gone, "end of the read")
			if got := p.receive(t); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":`+id+`,`) {
				t.Errorf("the call is answered %s", got)
			}
		})
	}
}

func TestAnErrorBeforeInitializeHasACode(t *testing.T) {
	held := newHeldRS(t)
	p := startPiped(t, held.URL)
	for _, method := range []string{"tools/list", "tools/call", "resources/list", "prompts/get", "unknown"} {
		p.send(t, `{"jsonrpc":"2.0","id":1.5,"method":"`+method+`","params":{}}`+"\n")
		if got := p.receive(t); !strings.HasPrefix(got, `{"jsonrpc":"2.0","id":1.5,"error":{"code":-32`) {
			t.Errorf("%s is answered %s", method, got)
		}
	}
	p.send(t, initialize)
	if got := p.receive(t); !strings.Contains(got, `"result"`) {
		t.Errorf("initialize is answered %s", got)
	}
}

// A call that is canceled before it starts is reported as canceled, not as failed.
func TestACallCanceledAtOnceIsNotAFailure(t *testing.T) {
	held := newHeldRS(t)
	p := startPiped(t, held.URL)
	p.send(t, initialize)
	p.receive(t)
	const pairs = 60
	var all strings.Builder
	for id := 1; id <= pairs; id++ {
		fmt.Fprintf(&all, `{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":"query_records","arguments":{"stream":"notes"}}}`+"\n"+
			`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":%d}}`+"\n", id, id)
	}
	p.send(t, all.String())
	for range pairs {
		if got := p.receive(t); strings.Contains(got, `"code":`) && !strings.Contains(got, `"code":"canceled"`) {
			t.Fatalf("it is answered %s", got)
		}
	}
}
