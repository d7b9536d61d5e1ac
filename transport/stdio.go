package transport

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

// maxLineBytes bounds one message over stdio, like a request body over HTTP.
const maxLineBytes = 1 << 20

// MaxCallsUnderWay is how many requests over stdio may be under way at a time. Further ones are refused and not kept back:
// behind them a cancellation may wait.
const MaxCallsUnderWay = 256

// Limits of how long a session over stdio goes on after it is to end.
const (
	// AnswerWait is how long open calls may take after the input has ended.
	AnswerWait = 10 * time.Second
	// lastAnswerWait is how long canceled calls may take to say so.
	lastAnswerWait = 300 * time.Millisecond
)

// A StoppedError is why something ended before it was done: it was asked to stop, or its client is gone.
type StoppedError struct{ Message string }

// Error returns the message.
func (s *StoppedError) Error() string { return s.Message }

// ErrOutputClosed is the cause with which a context ends whose output nobody reads any more.
var ErrOutputClosed = errors.New("the output was closed")

// ErrStopping is how a call ends that outlasts its server.
var ErrStopping = &rs.Error{
	Code: rs.ServerStopping, Message: "The server was stopped before this call was finished.",
	Hint: "Call again: another server, or this one after its restart, will answer.",
}

// Stdio serves one client over a pair of streams, one JSON-RPC message a line. Every call is the principal's. Nothing but
// messages is ever written to out (S3-R4).
//
// When in ends, open calls have [AnswerWait] to be answered; Stdio then returns nil. When ctx ends, or out cannot be written
// to, or that time is over, it cancels what is open and returns a *[StoppedError] that says why, within a second.
//
// The SDK's own stdio transport ends the session on the first malformed line, and drops the answers to requests
// that were under way when its input ended; hence this one.
func Stdio(ctx context.Context, server *Server, principal auth.Principal, in io.Reader, out io.Writer) error {
	var calls middleware.Request
	defer calls.End(context.Canceled)
	c := newLines(out)
	session, err := server.Connect(middleware.WithRequest(auth.WithPrincipal(context.WithoutCancel(ctx), principal), &calls), c, nil)
	if err != nil {
		return err
	}
	ended := make(chan error, 1)
	go func() { ended <- session.Wait() }()
	go c.scan(in) // a read from a terminal or a pipe cannot be interrupted: it ends with its stream, or the process
	why := error(nil)
	inputEnded, patience := c.inputEnded, (<-chan time.Time)(nil)
	for why == nil {
		select {
		case err := <-ended:
			if c.isBroken() {
				return stopped(ErrOutputClosed, 0)
			}
			return err
		case <-c.broken:
			why = ErrOutputClosed
		case <-inputEnded:
			inputEnded, patience = nil, time.After(AnswerWait)
		case <-patience:
			why = fmt.Errorf("the input ended, and calls were not answered within %s", AnswerWait)
		case <-ctx.Done():
			why = context.Cause(ctx)
		}
	}
	open := c.stop()
	calls.End(ErrStopping)
	select {
	case <-ended: //nolint:errcheck // all calls have said that they were canceled
	case <-time.After(lastAnswerWait):
		_ = c.Close()
	}
	return stopped(why, open)
}

func stopped(why error, open int) error {
	text := "stopped: " + why.Error()
	if open > 0 {
		text += fmt.Sprintf("; open calls that were canceled: %d", open)
	}
	return &StoppedError{text}
}

// lines is an mcp.Connection of one message a line.
type lines struct {
	incoming   chan line
	inputEnded chan struct{} // closed when the input has ended
	stopped    chan struct{} // closed when no further message is to be read
	closed     chan struct{}
	closeOnce  sync.Once

	writing   sync.Mutex // lines never interleave
	out       io.Writer
	broken    chan struct{} // closed when a line could not be written
	breakOnce sync.Once

	mu       sync.Mutex
	inFlight map[jsonrpc.ID]message // requests by the id that the SDK knows: from their start to the moment before the answer is written
	aliases  map[string]jsonrpc.ID  // that id by the one that was written, where they differ
	pending  int                    // answers that are still to be written
	ended    bool                   // nothing new begins
	drained  chan struct{}          // closed when nothing new begins and every answer is written
}

func newLines(out io.Writer) *lines {
	return &lines{
		incoming: make(chan line), inputEnded: make(chan struct{}), stopped: make(chan struct{}), closed: make(chan struct{}),
		out: out, broken: make(chan struct{}),
		inFlight: map[jsonrpc.ID]message{}, aliases: map[string]jsonrpc.ID{}, drained: make(chan struct{}),
	}
}

// Connect makes lines an mcp.Transport.
func (c *lines) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// A line is one line of input, or why there is none.
type line struct {
	text []byte
	err  error
}

var errLineTooLong = errors.New("line too long")

// scan reads lines until the input ends. A line that is too long is skipped to its end and reported.
func (c *lines) scan(in io.Reader) {
	reader := bufio.NewReaderSize(in, 64<<10)
	for {
		text, err := readLine(reader)
		select {
		case c.incoming <- line{text, err}:
		case <-c.closed:
			return
		}
		if err != nil && !errors.Is(err, errLineTooLong) {
			close(c.inputEnded)
			return
		}
	}
}

func readLine(reader *bufio.Reader) ([]byte, error) {
	var text []byte
	long := false
	for {
		part, err := reader.ReadSlice('\n')
		if long = long || len(text)+len(part) > maxLineBytes+1; long {
			text = nil
		} else {
			text = append(text, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case long:
			return nil, errLineTooLong
		case err != nil && len(bytes.TrimSpace(text)) > 0:
			return text, nil // the last line lacks its line break; the next read ends
		default:
			return text, err
		}
	}
}

// Read returns the next message. It answers lines that are none itself, and the session lives on.
func (c *lines) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var next line
		select {
		case next = <-c.incoming:
		case <-c.stopped:
			return nil, c.drain(ctx, io.EOF)
		case <-c.closed:
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case errors.Is(next.err, errLineTooLong):
			if err := c.refuse(&jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: a message must not exceed 1 MiB"}); err != nil {
				return nil, err
			}
		case next.err != nil:
			return nil, c.drain(ctx, next.err)
		case len(bytes.TrimSpace(next.text)) > 0:
			m, refusal := parseMessage(next.text)
			if refusal != nil {
				if err := c.refuse(refusal); err != nil {
					return nil, err
				}
				continue
			}
			id, refusal := c.begin(m)
			if refusal == nil {
				return m.Message, nil
			}
			if err := c.write(rpcError(id, refusal)); err != nil {
				return nil, err
			}
		}
	}
}

// begin notes a request as under way, or says why it cannot be, and under which id to answer: none when one with the same
// id is under way, because a client would take the refusal for that one's answer.
func (c *lines) begin(m message) (id any, refusal *jsonrpc.Error) {
	request, ok := m.Message.(*jsonrpc.Request)
	if !ok {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if !request.IsCall() {
		c.nameCanceled(request)
		return nil, nil
	}
	_, taken := c.inFlight[request.ID]
	if m.alias != "" {
		_, taken = c.aliases[m.id]
	}
	switch {
	case taken:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: a request with this id is still under way"}
	case len(c.inFlight) >= MaxCallsUnderWay:
		return m.wireID(), wireError(&rs.Error{
			Code: rs.TooManyCalls, Message: fmt.Sprintf("%d calls are under way, which is as many as are answered at a time.", MaxCallsUnderWay),
			Hint: "Wait for some of them to end, then send this one again.",
		}, "")
	}
	c.inFlight[request.ID] = m
	if m.alias != "" {
		c.aliases[m.id] = request.ID
	}
	c.pending++
	return nil, nil
}

// nameCanceled has a cancellation name its request by the id that the SDK knows. c.mu is held.
func (c *lines) nameCanceled(notification *jsonrpc.Request) {
	if notification.Method != "notifications/cancelled" {
		return
	}
	params := rs.AsObject(string(notification.Params))
	if id, ok := c.aliases[params.Get("requestId")]; ok {
		notification.Params = json.RawMessage(params.With("requestId", c.inFlight[id].alias).JSON())
	}
}

// drain keeps the end of the input back until every request has been answered: what the SDK learns of the end of
// its input, it takes for the end of the client.
func (c *lines) drain(ctx context.Context, end error) error {
	c.mu.Lock()
	c.end()
	c.mu.Unlock()
	select {
	case <-c.drained:
	case <-c.closed:
	case <-ctx.Done():
	}
	return end
}

// end notes that nothing new begins. c.mu is held.
func (c *lines) end() {
	if !c.ended && c.pending == 0 {
		close(c.drained)
	}
	c.ended = true
}

// stop reads no further message, and returns how many calls are open.
func (c *lines) stop() int {
	close(c.stopped)
	c.mu.Lock()
	defer c.mu.Unlock()
	return len(c.inFlight)
}

func (c *lines) refuse(e *jsonrpc.Error) error { return c.write(rpcError(nil, e)) }

// Write sends a message.
func (c *lines) Write(_ context.Context, sent jsonrpc.Message) error {
	restore := c.restoreAll
	if response, ok := sent.(*jsonrpc.Response); ok {
		if request, taken := c.release(response.ID); taken {
			restore = request.restore
			defer c.answered()
		}
		response.Error = coded(response.Error)
	}
	text, err := jsonrpc.EncodeMessage(sent)
	if err != nil {
		return err
	}
	return c.write(append(restore(text), '\n'))
}

// coded gives a JSON-RPC code to an error with which the SDK refused a request before any of our middleware saw it, such as
// one before initialize: it would go out as code 0.
func coded(err error) error {
	var wire *jsonrpc.Error
	switch {
	case err == nil || errors.As(err, &wire):
		return err
	case errors.Is(err, context.Canceled):
		return wireError(err, "")
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

// release frees an id before its answer is written, because a client may use it again as soon as it has read that.
func (c *lines) release(id jsonrpc.ID) (request message, taken bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	request, taken = c.inFlight[id]
	delete(c.inFlight, id)
	if request.alias != "" {
		delete(c.aliases, request.id)
	}
	return request, taken
}

// restoreAll replaces the alias of any request under way: notifications name the request that they belong to.
func (c *lines) restoreAll(text []byte) []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, id := range c.aliases {
		text = c.inFlight[id].restore(text)
	}
	return text
}

func (c *lines) answered() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.pending--
	if c.ended && c.pending == 0 {
		close(c.drained) // once: nothing new begins after the end
	}
}

func (c *lines) write(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(text)
	if err != nil {
		c.breakOnce.Do(func() { close(c.broken) })
	}
	return err
}

// isBroken reports whether a line could not be written.
func (c *lines) isBroken() bool {
	select {
	case <-c.broken:
		return true
	default:
		return false
	}
}

// Close ends the session. The streams are the caller's to close.
func (c *lines) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return nil
}

// SessionID is empty: a stdio process is one session.
func (c *lines) SessionID() string { return "" }
