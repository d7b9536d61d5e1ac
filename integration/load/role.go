package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"runtime"
	"time"
)

// addresses are what a child says of itself, in one line.
type addresses struct {
	URL   string `json:"url"`
	Usage string `json:"usage"` // where it says what it has allocated
}

// play serves a role until standard input ends, which it does with the parent.
func play(ctx context.Context, role, rs, toolsFile string) error {
	handler, err := handlerOf(role, rs, toolsFile)
	if err != nil {
		return err
	}
	failed := make(chan error, 2)
	var listening [2]string
	for i, h := range []http.Handler{handler, http.HandlerFunc(tellUsage)} {
		listener, err := new(net.ListenConfig).Listen(ctx, "tcp", "127.0.0.1:0")
		if err != nil {
			return err
		}
		listening[i] = "http://" + listener.Addr().String()
		server := &http.Server{Handler: h, ReadHeaderTimeout: 10 * time.Second}
		go func() { failed <- server.Serve(listener) }()
	}
	if err := json.NewEncoder(os.Stdout).Encode(addresses{listening[0], listening[1]}); err != nil {
		return err
	}
	go func() {
		_, err := io.Copy(io.Discard, os.Stdin)
		failed <- errors.Join(err, errOver)
	}()
	if err := <-failed; !errors.Is(err, errOver) {
		return err
	}
	return nil
}

var errOver = errors.New("the parent has gone")

// tellUsage says under Prometheus' names what the process has allocated, as the product does at its own metrics.
func tellUsage(w http.ResponseWriter, _ *http.Request) {
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	fmt.Fprintf(w, "%s %d\n%s %d\n", allocatedBytes, m.TotalAlloc, allocations, m.Mallocs)
}

const (
	allocatedBytes = "go_memstats_alloc_bytes_total"
	allocations    = "go_memstats_mallocs_total"
)
