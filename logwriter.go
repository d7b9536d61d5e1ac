package main

import (
	"fmt"
	"io"
	"time"

	"github.com/rs/zerolog/diode"
)

// A call must not wait for its log: whoever reads stderr may be stuck or gone. So lines are handed over to a goroutine,
// and those that nobody takes are dropped and counted.
const (
	heldLines    = 4096            // how many lines wait for a slow reader before the oldest are dropped
	lastLineWait = 2 * time.Second // how long the process waits at its end for lines that are still held
)

// A logWriter never blocks and never fails. It is safe for concurrent use.
type logWriter struct{ lines diode.Writer }

// newLogWriter returns a writer in front of w. Each Write is one line, or several.
func newLogWriter(w io.Writer) logWriter {
	w = struct{ io.Writer }{w} // without Close: stderr stays open
	return logWriter{diode.NewWriter(w, heldLines, 0, func(missed int) {
		fmt.Fprintf(w, `{"level":"warn","lines":%d,"message":"lines of the log were dropped, because nobody read them in time"}`+"\n", missed)
	})}
}

// Write hands over p.
func (l logWriter) Write(p []byte) (int, error) { return l.lines.Write(p) }

// drain waits until what is held has been written, at most for limit.
func (l logWriter) drain(limit time.Duration) {
	written := make(chan struct{})
	go func() {
		_ = l.lines.Close()
		close(written)
	}()
	select {
	case <-written:
	case <-time.After(limit):
	}
}
