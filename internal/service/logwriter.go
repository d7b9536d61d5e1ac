package service

import (
	"fmt"
	"io"
	"time"

	"github.com/rs/zerolog/diode"
)

// HeldLines is how many lines wait for a slow reader before the oldest are dropped.
const HeldLines = 4096

// A LogWriter never blocks and never fails. A call must not wait for its log: whoever reads stderr may be stuck or gone.
// So lines are handed over to a goroutine, and those that nobody takes are dropped and counted. It is safe for concurrent
// use.
type LogWriter struct{ lines diode.Writer }

// NewLogWriter returns a writer in front of w. Each Write is one line, or several.
func NewLogWriter(w io.Writer) LogWriter {
	counted := &countedWriter{w: w}
	return LogWriter{diode.NewWriter(counted, HeldLines, 0, func(missed int) { counted.missed += missed })}
}

// A countedWriter says how many lines were missed before it writes the next. It is used by one goroutine, that of the
// [LogWriter], which holds a lock while it counts and none while it writes. It has no Close: stderr stays open.
type countedWriter struct {
	w      io.Writer
	missed int
}

func (c *countedWriter) Write(line []byte) (int, error) {
	if c.missed > 0 {
		fmt.Fprintf(c.w, `{"level":"warn","lines":%d,"message":"lines of the log were dropped, because nobody read them in time"}`+"\n", c.missed)
		c.missed = 0
	}
	return c.w.Write(line)
}

// Write hands over p.
func (l LogWriter) Write(p []byte) (int, error) { return l.lines.Write(p) }

// Drain waits until what is held has been written, at most for limit.
func (l LogWriter) Drain(limit time.Duration) {
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
