package service

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"time"
)

// HeldLines is how many lines wait for a slow reader before the oldest are dropped.
const HeldLines = 4096

// A LogWriter never blocks and never fails. A call must not wait for its log: the reader of stderr may be stuck or gone.
// So lines are handed over to a goroutine, and those that it cannot take are dropped and counted. It is safe for concurrent
// use. (The diode of zerolog, which does the same, may leave a line unwritten until the next one comes.)
type LogWriter struct {
	lines   chan []byte // nil after the last
	missed  atomic.Int64
	written chan struct{} // closed when the last line was written
}

// NewLogWriter returns a writer in front of w, which stays open. Each Write is one line, or several.
func NewLogWriter(w io.Writer) *LogWriter {
	l := &LogWriter{lines: make(chan []byte, HeldLines), written: make(chan struct{})}
	go l.copyTo(w)
	return l
}

// Write hands over p.
func (l *LogWriter) Write(p []byte) (int, error) {
	for line := bytes.Clone(p); ; {
		select {
		case l.lines <- line:
			return len(p), nil
		default:
		}
		select {
		case <-l.lines:
			l.missed.Add(1)
		default: // the goroutine was faster
		}
	}
}

// Drain waits until what is held has been written, at most for limit. Nothing after it is.
func (l *LogWriter) Drain(limit time.Duration) {
	_, _ = l.Write(nil)
	select {
	case <-l.written:
	case <-time.After(limit):
	}
}

// copyTo writes the lines until the end, and says before a line how many were dropped.
func (l *LogWriter) copyTo(w io.Writer) {
	defer close(l.written)
	for line := range l.lines {
		if missed := l.missed.Swap(0); missed > 0 {
			fmt.Fprintf(w, `{"level":"warn","lines":%d,"message":"lines of the log were dropped, because they were not read in time"}`+"\n", missed)
		}
		if line == nil {
			return
		}
		_, _ = w.Write(line)
	}
}
