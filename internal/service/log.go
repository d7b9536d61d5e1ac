package service

import (
	"bytes"
	"fmt"
	"io"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
)

// HeldLines is the most lines that wait for a slow reader. Beyond it the oldest are dropped.
const HeldLines = 4096

// A LogWriter is a writer that never blocks and never fails. A call must not wait for its log: the reader of stderr may be stuck or
// gone. A goroutine writes the lines; when too many wait, the oldest are dropped and counted. It is safe for concurrent use. (zerolog's
// diode does the same, but may leave a line unwritten until the next one comes.)
type LogWriter struct {
	lines   chan []byte   // a nil line ends copyTo
	missed  atomic.Int64  // lines dropped since the last report
	written chan struct{} // closed when copyTo has ended
}

// NewLogWriter returns a LogWriter that writes to w and never closes it. Each Write must be one or more complete lines.
func NewLogWriter(w io.Writer) *LogWriter {
	l := &LogWriter{lines: make(chan []byte, HeldLines), written: make(chan struct{})}
	go l.copyTo(w)
	return l
}

// Write queues a copy of p. It never fails.
func (l *LogWriter) Write(p []byte) (int, error) {
	if len(p) > 0 {
		l.queue(bytes.Clone(p))
	}
	return len(p), nil
}

// queue adds a line, in place of the oldest one if too many wait.
func (l *LogWriter) queue(line []byte) {
	for {
		select {
		case l.lines <- line:
			return
		default:
		}
		select {
		case <-l.lines:
			l.missed.Add(1)
		default: // copyTo has taken one meanwhile
		}
	}
}

// Drain waits until the queued lines have been written, at most for limit. Lines that are written after Drain are lost.
func (l *LogWriter) Drain(limit time.Duration) {
	l.queue(nil)
	select {
	case <-l.written:
	case <-time.After(limit):
	}
}

// copyTo writes the lines to w until a nil line. Before a line it reports how many were dropped since the last report.
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

// libraryFault is logged instead of the text of a library's log line.
const libraryFault = "a library reported a fault; its text is withheld because it may hold record data"

// A FaultLog receives the lines that net/http and other libraries write to the standard logger. They may quote what a server or a
// client sent, so it passes none of them on. At the first, second, fourth, eighth line and so on it logs a fixed text with their
// number so far. It is safe for concurrent use.
type FaultLog struct {
	log   zerolog.Logger
	count atomic.Uint64
}

// NewFaultLog returns a FaultLog that writes to a log.
func NewFaultLog(log io.Writer) *FaultLog {
	return &FaultLog{log: zerolog.New(log).With().Timestamp().Logger()}
}

func (f *FaultLog) Write(line []byte) (int, error) {
	if n := f.count.Add(1); n&(n-1) == 0 {
		f.log.Warn().Uint64("count", n).Msg(libraryFault)
	}
	return len(line), nil
}
