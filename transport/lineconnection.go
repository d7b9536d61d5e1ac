package transport

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/transport/internal/rpc"
)

// maxLineBytes bounds one message over stdio, like a request body over HTTP.
const maxLineBytes = web.MaxBodyBytes

// A lineConnection is an mcp.Connection with one message per line.
type lineConnection struct {
	open       *openRequests
	incoming   chan line
	inputEnded chan struct{} // closed when in has ended
	stopped    chan struct{} // closed when no further message is to be read
	closed     context.Context
	end        context.CancelFunc // cancels closed

	writing sync.Mutex // lines never interleave
	out     io.Writer
	broken  context.Context    // ends when a line could not be written
	fail    context.CancelFunc // cancels broken
}

func newLineConnection(out io.Writer) *lineConnection {
	c := &lineConnection{
		open: newOpenRequests(), incoming: make(chan line), inputEnded: make(chan struct{}), stopped: make(chan struct{}), out: out,
	}
	c.closed, c.end = context.WithCancel(context.Background())
	c.broken, c.fail = context.WithCancel(context.Background())
	return c
}

// Connect makes a lineConnection an mcp.Transport.
func (c *lineConnection) Connect(context.Context) (mcp.Connection, error) { return c, nil }

// A line is one line of input, or the error of reading it.
type line struct {
	text []byte
	err  error
}

var errLineTooLong = errors.New("line too long")

// scan reads lines until the input ends. A line that is too long is skipped to its end and reported.
func (c *lineConnection) scan(in io.Reader) {
	reader := bufio.NewReaderSize(in, 64<<10)
	for {
		text, err := readLine(reader)
		select {
		case c.incoming <- line{text, err}:
		case <-c.closed.Done():
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

// Read returns the next message. It answers invalid lines itself, and the session goes on.
func (c *lineConnection) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		var next line
		select {
		case next = <-c.incoming:
		case <-c.stopped:
			return nil, c.drain(ctx, io.EOF)
		case <-c.closed.Done():
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case errors.Is(next.err, errLineTooLong):
			if err := c.write(rpc.Error("", rpc.InvalidRequest("a message must not exceed 128 KiB"))); err != nil {
				return nil, err
			}
		case next.err != nil:
			return nil, c.drain(ctx, next.err)
		case len(bytes.TrimSpace(next.text)) > 0:
			message, id, refusal := c.open.begin(next.text)
			if refusal == nil {
				return message, nil
			}
			if err := c.write(rpc.Error(id, refusal)); err != nil {
				return nil, err
			}
		}
	}
}

// drain delays the end of the input until every request has been answered: the SDK would treat it as the end of the client.
func (c *lineConnection) drain(ctx context.Context, end error) error {
	c.open.end()
	select {
	case <-c.open.drained:
	case <-c.closed.Done():
	case <-ctx.Done():
	}
	return end
}

func (c *lineConnection) Write(_ context.Context, sent jsonrpc.Message) error {
	restore := c.open.restoreAll
	if response, ok := sent.(*jsonrpc.Response); ok {
		if request, taken := c.open.release(response.ID); taken {
			restore = request.Restore
			defer c.open.answered()
		}
		response.Error = coded(response.Error)
	}
	text, err := jsonrpc.EncodeMessage(sent)
	if err != nil {
		return err
	}
	return c.write(append(restore(text), '\n'))
}

// coded gives a JSON-RPC code to an error of the SDK that no middleware of ours has seen, such as for a request before initialize: it would
// be sent with code 0.
func coded(err error) error {
	if _, ok := errors.AsType[*jsonrpc.Error](err); ok || err == nil {
		return err
	}
	if errors.Is(err, context.Canceled) {
		return wireError(&rs.Error{Code: "canceled", Message: "The call was canceled before it began."}, "")
	}
	return &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: err.Error()}
}

func (c *lineConnection) write(text []byte) error {
	c.writing.Lock()
	defer c.writing.Unlock()
	_, err := c.out.Write(text)
	if err != nil {
		c.fail()
	}
	return err
}

// Close ends the session. The streams are the caller's to close.
func (c *lineConnection) Close() error {
	c.end()
	return nil
}

// SessionID is empty: a stdio process is one session.
func (c *lineConnection) SessionID() string { return "" }
