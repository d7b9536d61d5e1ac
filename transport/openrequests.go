package transport

import (
	"encoding/json"
	"fmt"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// maxCallsUnderWay is how many requests over stdio may be under way at a time. Further ones are refused instead of delayed,
// because a cancellation may be waiting behind them.
const maxCallsUnderWay = 256

// openRequests are the requests of one session that were read and not answered yet. It is safe for concurrent use.
type openRequests struct {
	mu       sync.Mutex
	inFlight map[jsonrpc.ID]message // by the id that the SDK knows, from their start to the moment before the answer is written
	aliases  map[string]jsonrpc.ID  // that id by the one that was written, where they differ
	pending  int                    // answers that are still to be written
	ended    bool                   // nothing new begins
	drained  chan struct{}          // closed when nothing new begins and every answer is written
}

func newOpenRequests() *openRequests {
	return &openRequests{inFlight: map[jsonrpc.ID]message{}, aliases: map[string]jsonrpc.ID{}, drained: make(chan struct{})}
}

// begin records a request as under way, or returns why it is refused and the id to answer with: nil if a request with the same
// id is under way, because a client would take the refusal for its answer.
func (o *openRequests) begin(m message) (id any, refusal *jsonrpc.Error) {
	request, ok := m.Message.(*jsonrpc.Request)
	if !ok {
		return nil, nil
	}
	o.mu.Lock()
	defer o.mu.Unlock()
	if !request.IsCall() {
		o.nameCanceled(request)
		return nil, nil
	}
	_, taken := o.inFlight[request.ID]
	if m.alias != "" {
		_, taken = o.aliases[m.id]
	}
	switch {
	case taken:
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: a request with this id is still under way"}
	case len(o.inFlight) >= maxCallsUnderWay:
		return m.wireID(), wireError(&rs.Error{
			Code: rs.TooManyCalls, Message: fmt.Sprintf("%d calls are under way, which is as many as are answered at a time.", maxCallsUnderWay),
			Hint: "Wait for some of them to end, then send this one again.",
		}, "")
	}
	o.inFlight[request.ID] = m
	if m.alias != "" {
		o.aliases[m.id] = request.ID
	}
	o.pending++
	return nil, nil
}

// nameCanceled changes the id in a cancellation to the one that the SDK knows. o.mu is held.
func (o *openRequests) nameCanceled(notification *jsonrpc.Request) {
	if notification.Method != "notifications/cancelled" {
		return
	}
	params := rs.AsObject(string(notification.Params))
	if id, ok := o.aliases[params.Get("requestId")]; ok {
		notification.Params = json.RawMessage(params.With("requestId", o.inFlight[id].alias).JSON())
	}
}

// end records that nothing new begins.
func (o *openRequests) end() {
	o.mu.Lock()
	defer o.mu.Unlock()
	if !o.ended && o.pending == 0 {
		close(o.drained)
	}
	o.ended = true
}

// release frees an id before its answer is written, because a client may use it again as soon as it has read that.
func (o *openRequests) release(id jsonrpc.ID) (request message, taken bool) {
	o.mu.Lock()
	defer o.mu.Unlock()
	request, taken = o.inFlight[id]
	delete(o.inFlight, id)
	if request.alias != "" {
		delete(o.aliases, request.id)
	}
	return request, taken
}

// restoreAll replaces the alias of any request under way: notifications name the request that they belong to.
func (o *openRequests) restoreAll(text []byte) []byte {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, id := range o.aliases {
		text = o.inFlight[id].restore(text)
	}
	return text
}

// answered records that the answer to a released request is written.
func (o *openRequests) answered() {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.pending--
	if o.ended && o.pending == 0 {
		close(o.drained) // once: nothing new begins after the end
	}
}

// count returns how many requests are under way.
func (o *openRequests) count() int {
	o.mu.Lock()
	defer o.mu.Unlock()
	return len(o.inFlight)
}
