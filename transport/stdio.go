package transport

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// maxLineBytes bounds one message over stdio, like a request body over HTTP.
const maxLineBytes = 1 << 20

// MaxCallsUnderWay is how many requests over stdio may be under way at a time. Further ones are refused and not kept back:
// behind them a cancellation may wait.
const MaxCallsUnderWay = 256

// Stdio serves one client over a pair of streams, one JSON-RPC message a line, until in ends; then it answers what is
// still under way and returns nil; so it does when ctx ends. Every call is the principal's. Nothing but messages is ever written to out (S3-R4).
//
// The SDK's own stdio transport ends the session on the first malformed line, and drops the answers to requests
// that were under way when its input ended; hence this one.
func Stdio(ctx context.Context, server *Server, principal rs.Principal, in io.Reader, out io.Writer) error {
	err := server.Run(rs.WithPrincipal(ctx, principal), &stdio{in: in, out: out})
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return nil // told to stop, which is how hosts end a session
	}
	return err
}

// stdio is an mcp.Transport.
type stdio struct {
	in  io.Reader
	out io.Writer
}

// Connect starts reading.
func (s *stdio) Connect(context.Context) (mcp.Connection, error) {
	c := &lines{
		out: s.out, incoming: make(chan line), closed: make(chan struct{}),
		inFlight: map[jsonrpc.ID]bool{}, drained: make(chan struct{}),
	}
	go c.scan(s.in) // a read from a terminal or a pipe can not be interrupted: it ends with its stream, or the process
	return c, nil
}

// lines is an mcp.Connection of one message a line.
type lines struct {
	incoming  chan line
	closed    chan struct{}
	closeOnce sync.Once

	writing sync.Mutex // lines never interleave
	out     io.Writer

	mu       sync.Mutex
	inFlight map[jsonrpc.ID]bool // ids that are taken: from a request to the moment before its answer is written
	pending  int                 // answers that are still to be written
	ended    bool                // the input has ended
	drained  chan struct{}       // closed when the input has ended and every answer is written
}

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
			message, refusal := parseMessage(next.text)
			if refusal != nil {
				if err := c.refuse(refusal); err != nil {
					return nil, err
				}
				continue
			}
			id, refusal := c.begin(message)
			if refusal == nil {
				return message, nil
			}
			if err := c.write(rpcError(id, refusal)); err != nil {
				return nil, err
			}
		}
	}
}

// begin notes a request as under way, or says why it cannot be, and under which id to answer: none when one with the same
// id is under way, because a client would take the refusal for that one's answer.
func (c *lines) begin(message jsonrpc.Message) (id any, refusal *jsonrpc.Error) {
	request, ok := message.(*jsonrpc.Request)
	if !ok || !request.IsCall() {
		return nil, nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case c.inFlight[request.ID]:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: a request with this id is still under way"}
	case len(c.inFlight) >= MaxCallsUnderWay:
		return request.ID.Raw(), wireError(&rs.Error{
			Code: rs.TooManyCalls, Message: fmt.Sprintf("%d calls are under way, which is as many as are answered at a time.", MaxCallsUnderWay),
			Hint: "Wait for some of them to end, then send this one again.",
		}, "")
	}
	c.inFlight[request.ID] = true
	c.pending++
	return nil, nil
}

// drain keeps the end of the input back until every request has been answered: what the SDK learns of the end of
// its input, it takes for the end of the client.
func (c *lines) drain(ctx context.Context, end error) error {
	c.mu.Lock()
	c.ended = true
	idle := c.pending == 0
	c.mu.Unlock()
	if !idle {
		select {
		case <-c.drained:
		case <-c.closed:
		case <-ctx.Done():
		}
	}
	return end
}

func (c *lines) refuse(e *jsonrpc.Error) error { return c.write(rpcError(nil, e)) }

// Write sends a message.
func (c *lines) Write(_ context.Context, message jsonrpc.Message) error {
	if response, ok := message.(*jsonrpc.Response); ok && c.release(response.ID) {
		defer c.answered()
	}
	text, err := jsonrpc.EncodeMessage(message)
	if err != nil {
		return err
	}
	return c.write(append(text, '\n'))
}

// release frees an id before its answer is written, because a client may use it again as soon as it has read that.
func (c *lines) release(id jsonrpc.ID) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	taken := c.inFlight[id]
	delete(c.inFlight, id)
	return taken
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
	return err
}

// Close ends the session. The streams are the caller's to close.
func (c *lines) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return nil
}

// SessionID is empty: a stdio process is one session.
func (c *lines) SessionID() string { return "" }
