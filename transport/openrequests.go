package transport

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/transport/internal/rpc"
)

// maxCallsUnderWay is how many requests over stdio may be under way at a time. Further ones are refused instead of delayed,
// because a cancellation may be waiting behind them.
const maxCallsUnderWay = 256

// openRequests are the requests of one session that were read and not answered yet. It is safe for concurrent use.
type openRequests struct {
	mu       sync.Mutex
	inFlight map[jsonrpc.ID]rpc.Message // by the id that the SDK knows, from their start to the moment before the answer is written
	aliases  map[string]jsonrpc.ID      // the SDK's id by the client's, where they differ
	pending  int                        // answers that are still to be written
	ended    bool                       // the input has ended, so nothing new begins
	drained  chan struct{}              // closed when ended is set and every answer is written
}

func newOpenRequests() *openRequests {
	return &openRequests{inFlight: map[jsonrpc.ID]rpc.Message{}, aliases: map[string]jsonrpc.ID{}, drained: make(chan struct{})}
}

// begin reads a message and records a request as under way, or returns why it is refused and the id to answer with. That id is empty if a
// request with the same id is under way, because the client would take the refusal for its answer.
func (o *openRequests) begin(text []byte) (message jsonrpc.Message, id string, refusal *jsonrpc.Error) {
	m, refusal := rpc.Read(text)
	if refusal == nil {
		message, refusal = m.Decode()
	}
	request, ok := message.(*jsonrpc.Request)
	if refusal != nil || !ok {
		return message, "", refusal
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !request.IsCall() {
		o.aliasCancellation(request)
		return message, "", nil
	}
	_, taken := o.inFlight[request.ID]
	if m.Alias != "" {
		_, taken = o.aliases[m.ID]
	}
	switch {
	case taken:
		return nil, "", rpc.InvalidRequest("a request with this id is still under way")
	case len(o.inFlight) >= maxCallsUnderWay:
		return nil, m.ID, wireError(&rs.Error{
			Code: "too_many_calls", Message: fmt.Sprintf("%d calls are under way, which is as many as are answered at a time.", maxCallsUnderWay),
			Hint: "Wait for some of them to end, then send this one again.",
		}, "")
	}
	o.inFlight[request.ID] = m
	if m.Alias != "" {
		o.aliases[m.ID] = request.ID
	}
	o.pending++
	return message, "", nil
}

// aliasCancellation changes the request id in a cancellation to the id that the SDK knows. The caller holds o.mu.
func (o *openRequests) aliasCancellation(notification *jsonrpc.Request) {
	if notification.Method != "notifications/cancelled" {
		return
	}
	params := rs.AsObject(string(notification.Params))
	if id, ok := o.aliases[params.Get("requestId")]; ok {
		notification.Params = json.RawMessage(params.With("requestId", o.inFlight[id].Alias).JSON())
	}
}

func (o *openRequests) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended && o.pending == 0 {
		close(o.drained)
	}
	o.ended = true
}

// release frees an id before its answer is written, because a client may reuse it as soon as it has read the answer.
func (o *openRequests) release(id jsonrpc.ID) (request rpc.Message, taken bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	request, taken = o.inFlight[id]
	delete(o.inFlight, id)
	if request.Alias != "" {
		delete(o.aliases, request.ID)
	}
	return request, taken
}

// restoreAll replaces the alias of any request under way: notifications name the request that they belong to.
func (o *openRequests) restoreAll(text []byte) []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range o.aliases {
		text = o.inFlight[id].Restore(text)
	}
	return text
}

func (o *openRequests) answered() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending--
	if o.ended && o.pending == 0 {
		close(o.drained) // once: nothing new begins after the end
	}
}

func (o *openRequests) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.inFlight)
}
