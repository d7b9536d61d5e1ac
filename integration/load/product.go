package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// build makes the program as it is released.
func build(ctx context.Context, dir string) (string, error) {
	path := filepath.Join(dir, "pdpp-mcp")
	cmd := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags", "-s -w", "-o", path, "github.com/pdp-connect/pdpp-mcp") // #nosec G204 -- constant but for the folder
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("build: %w\n%s", err, out)
	}
	return path, nil
}

// startTime is how long a process may take until it serves.
const startTime = 30 * time.Second

// A product is the program under test, as serve.
type product struct {
	process
	url string // of its origin
	log string // a file
}

// serve starts the hosted server as an operator does, with introspection, a directory and metrics. Nobody is slowed down,
// because here each caller calls as fast as it can. The log goes to a file.
func (c children) serve(program, rs string) (product, error) {
	address, err := freeAddress(c.ctx)
	if err != nil {
		return product{}, err
	}
	admin, err := freeAddress(c.ctx)
	if err != nil {
		return product{}, err
	}
	p := product{url: "http://" + address, log: filepath.Join(c.dir, "serve.log")}
	log, err := os.OpenFile(p.log, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		return product{}, err
	}
	defer func() { _ = log.Close() }() // the child has its own
	cmd := c.command(program, "serve", "--listen", address, "--rs-url", rs, "--admin-listen", admin,
		"--introspection-url", rs+"/introspect", "--introspection-client-id", "load", "--introspection-client-secret", "load",
		"--packages-url", rs+"/packages", "--audiences", "load", "--token-rate", "0")
	cmd.Stderr = log
	if err := cmd.Start(); err != nil {
		return product{}, err
	}
	p.process = process{cmd.Process.Pid, "http://" + admin + "/metrics"}
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for begin := time.Now(); time.Since(begin) < startTime; <-tick.C {
		if _, err := get(c.ctx, p.url+"/livez"); err == nil {
			return p, nil
		}
	}
	return product{}, errors.Join(errors.New("serve does not answer"), p.lastWords())
}

// lastWords are the end of its log.
func (p product) lastWords() error {
	said, err := os.ReadFile(p.log)
	if err != nil {
		return err
	}
	return fmt.Errorf("the end of its log: %s", said[max(0, len(said)-2000):])
}

// emptyLog keeps a long run from filling the disk.
func (p product) emptyLog() error { return os.Truncate(p.log, 0) }

// freeAddress is one that nobody listens on.
func freeAddress(ctx context.Context) (string, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// credential writes what pdpp connect leaves behind, and returns the folder.
func (c children) credential(rs string) (string, error) {
	at, err := url.Parse(rs)
	if err != nil {
		return "", err
	}
	root := filepath.Join(c.dir, "cache")
	if err := os.MkdirAll(filepath.Join(root, "clients"), 0o700); err != nil {
		return "", err
	}
	text := fmt.Sprintf(`{"provider_url":%q,"credential":{"access_token":"client-stdio","token_type":"Bearer","grant_id":"grt_load"}}`, rs)
	return root, os.WriteFile(filepath.Join(root, "clients", at.Hostname()+"_"+at.Port()+".json"), []byte(text), 0o600)
}

// A local is the program as stdio.
type local struct {
	process
	cmd *exec.Cmd
	in  io.WriteCloser
	out io.ReadCloser
}

// stdio starts the local server.
func (c children) stdio(program, rs, cacheRoot string) (local, error) {
	cmd := c.command(program, "stdio", "--provider-url", rs, "--cache-root", cacheRoot)
	in, err := cmd.StdinPipe()
	if err != nil {
		return local{}, err
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		return local{}, err
	}
	if err := cmd.Start(); err != nil {
		return local{}, err
	}
	return local{process{pid: cmd.Process.Pid}, cmd, in, out}, nil
}

// end closes the input, upon which the program ends by itself.
func (l local) end() error {
	_, copied := io.Copy(io.Discard, l.out)
	return errors.Join(copied, l.cmd.Wait())
}

// decode reads JSON into a new value.
func decode[T any](text []byte) (T, error) {
	var value T
	err := json.Unmarshal(text, &value)
	return value, err
}
