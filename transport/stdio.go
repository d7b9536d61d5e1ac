package transport

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// How long a session over stdio goes on after its input has ended or it has been asked to stop.
const (
	// answerWait is how long open calls may take after the input has ended.
	answerWait = 10 * time.Second
	// lastAnswerWait is how long the answers of canceled calls may take.
	lastAnswerWait = 300 * time.Millisecond
)

// A StoppedError is the reason why work ended before it was done: the program was asked to stop, or the client is gone.
type StoppedError struct{ Message string }

func (s *StoppedError) Error() string { return s.Message }

// ErrOutputClosed means that the reader of the output is gone.
var ErrOutputClosed = errors.New("the output was closed")

// ErrStopping is the error of a call that was still under way when its server had to stop.
var ErrStopping = &rs.Error{
	Code: "server_stopping", Message: "The server was stopped before this call was finished.",
	Hint: "Call again: another server, or this one after its restart, will answer.",
}

// Stdio serves one client over a pair of streams, with one JSON-RPC message per line. Every call is made as the principal. Nothing but
// messages is ever written to out (S3-R4).
//
// When in ends, open calls have [answerWait] to be answered; Stdio then returns nil. When ctx ends, out cannot be written to, or that time
// is over, Stdio cancels the open calls and returns a *[StoppedError] with the reason within a second.
//
// The SDK's stdio transport is not used: it ends the session on the first malformed line, and drops the answers to requests that are under
// way when its input ends.
func Stdio(ctx context.Context, server *Server, principal auth.Principal, in io.Reader, out io.Writer) error {
	open, end := context.WithCancelCause(context.WithoutCancel(ctx))
	defer end(context.Canceled)
	calls := middleware.Request{Ends: []context.Context{open}}
	c := newLineConnection(out)
	session, err := server.Connect(middleware.WithRequest(auth.WithPrincipal(open, principal), &calls), c, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	go c.scan(in) // a read from a terminal or a pipe cannot be interrupted: it ends with its stream, or the process
	var why error
	var deadline <-chan time.Time
	inputEnded := c.inputEnded
	for why == nil {
		select {
		case err := <-ended:
			if c.broken.Err() != nil {
				return stoppedError(ErrOutputClosed, 0)
			}
			return err
		case <-c.broken.Done():
			why = ErrOutputClosed
		case <-inputEnded:
			inputEnded, deadline = nil, time.After(answerWait)
		case <-deadline:
			why = fmt.Errorf("the input ended, and calls were not answered within %s", answerWait)
		case <-ctx.Done():
			why = context.Cause(ctx)
		}
	}
	close(c.stopped)
	underWay := c.open.count()
	end(ErrStopping)
	select {
	case <-ended: //nolint:errcheck // all calls were answered as canceled
	case <-time.After(lastAnswerWait):
		_ = c.Close()
	}
	return stoppedError(why, underWay)
}

func stoppedError(why error, open int) error {
	text := "stopped: " + why.Error()
	if open > 0 {
		text += fmt.Sprintf("; open calls that were canceled: %d", open)
	}
	return &StoppedError{text}
}
