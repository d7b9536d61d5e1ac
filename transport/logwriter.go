package transport

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
	w = struct{ io.Writer }{w} // without Close: stderr stays open
	return LogWriter{diode.NewWriter(w, HeldLines, 0, func(missed int) {
		fmt.Fprintf(w, `{"level":"warn","lines":%d,"message":"lines of the log were dropped, because nobody read them in time"}`+"\n", missed)
	})}
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
