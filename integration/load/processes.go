package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// processes are the child processes of a run. They end with ctx.
type processes struct {
	ctx     context.Context
	dir     string            // for their files
	program string            // path of the built program
	urls    map[string]string // by name: stub, bare, sdk and ours
	pid     int               // of ours
}

// startAll builds the program as for a release and starts every process.
func startAll(ctx context.Context, dir string) (*processes, error) {
	p := &processes{ctx: ctx, dir: dir, program: filepath.Join(dir, "pdpp-mcp"), urls: map[string]string{}}
	build := p.command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", p.program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if err := build.Run(); err != nil {
		return nil, fmt.Errorf("build: %w", err)
	}
	return p, errors.Join(p.role("stub"), p.role("bare"), p.role("sdk"), p.serve())
}

func (p *processes) command(program string, arguments ...string) *exec.Cmd {
	cmd := exec.CommandContext(p.ctx, program, arguments...) // #nosec G204 G702 -- this program, go, or what it built
	cmd.Stderr = os.Stderr
	return cmd
}

// productEnvironment is the environment with the GOGC setting of the product.
func productEnvironment() []string {
	return append(os.Environ(), "GOGC="+cmp.Or(os.Getenv("GOGC"), "175"))
}

// role starts this program as a server.
func (p *processes) role(name string) error {
	cmd := p.command(os.Args[0], "-role", name, "-rs", p.urls["stub"])
	cmd.Env = productEnvironment()
	out, err := cmd.StdoutPipe()
	if err = errors.Join(err, cmd.Start()); err != nil {
		return err
	}
	line, err := bufio.NewReader(out).ReadString('\n')
	p.urls[name] = strings.TrimSpace(line)
	return err
}

// play serves as the stub or a floor, and prints its address.
func play(ctx context.Context, role, rs string) error {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	handler := map[string]http.Handler{"stub": newStub(), "bare": newBare(rs), "sdk": newSDK(rs)}[role]
	server := &http.Server{Handler: handler, ReadHeaderTimeout: 10 * time.Second}
	context.AfterFunc(ctx, func() { _ = server.Close() })
	fmt.Println("http://" + listener.Addr().String())
	return server.Serve(listener)
}

// serve starts the hosted server as an operator does, with introspection and metrics. No rate limit is set, because each
// client calls as fast as it can.
func (p *processes) serve() error {
	listener, err := new(net.ListenConfig).Listen(p.ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	address, stub := listener.Addr().String(), p.urls["stub"]
	_ = listener.Close() // the port is free again
	cmd := p.command(p.program, "serve", "--listen", address, "--rs-url", stub, "--admin-listen", "127.0.0.1:0",
		"--introspection-url", stub+"/introspect", "--introspection-client-id", "load", "--introspection-client-secret", "load",
		"--audiences", "load", "--token-rate", "0")
	cmd.Stderr = nil // its log is not read
	if err := cmd.Start(); err != nil {
		return err
	}
	p.urls["ours"], p.pid = "http://"+address, cmd.Process.Pid
	for begun := time.Now(); time.Since(begun) < 30*time.Second; time.Sleep(5 * time.Millisecond) {
		if newCaller(p.ctx, p.urls["ours"], allCalls[0], 0).run(0) == nil {
			return nil
		}
	}
	return fmt.Errorf("it does not answer: %s", cmd)
}

// peakMemory returns the peak memory of the product in bytes, 0 if the system does not report it.
func (p *processes) peakMemory() float64 {
	text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.pid))
	_, rest, _ := strings.Cut(string(text), "\nVmHWM:")
	kilobytes, _, _ := strings.Cut(strings.TrimSpace(rest), " ")
	n, _ := strconv.ParseFloat(kilobytes, 64)
	return n * 1024
}

// startStdio measures the time from starting the local server to its first answer.
func (p *processes) startStdio() (time.Duration, error) {
	stub := p.urls["stub"]
	host := strings.ReplaceAll(strings.TrimPrefix(stub, "http://"), ":", "_")
	credential := filepath.Join(p.dir, "cache", "clients", host+".json")
	text := fmt.Sprintf(`{"provider_url":%q,"credential":{"access_token":"client-stdio","token_type":"Bearer","grant_id":"grt_load"}}`, stub)
	if err := errors.Join(os.MkdirAll(filepath.Dir(credential), 0o700), os.WriteFile(credential, []byte(text), 0o600)); err != nil {
		return 0, err
	}
	cmd := p.command(p.program, "stdio", "--provider-url", stub, "--cache-root", filepath.Join(p.dir, "cache"))
	in, inErr := cmd.StdinPipe()
	out, outErr := cmd.StdoutPipe()
	begun := time.Now()
	if err := errors.Join(inErr, outErr, cmd.Start()); err != nil {
		return 0, err
	}
	_, err := io.WriteString(in, `{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"`+protocol+`","capabilities":{},"clientInfo":{"name":"load","version":"1"}}}`+"\n")
	line, readErr := bufio.NewReader(out).ReadString('\n')
	took := time.Since(begun)
	if !strings.Contains(line, `"serverInfo"`) {
		err = fmt.Errorf("stdio answers initialize with %.300s", line)
	}
	return took, errors.Join(err, readErr, in.Close(), cmd.Wait())
}
