package transport

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime"
	"net/http"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// An endpoint is what stands behind the door: it checks that a request is one JSON-RPC message, answers it if it is
// plain, and hands any other to the SDK's stateless handler. Refusals of HTTP look like the door's; refusals of a message
// are JSON-RPC errors.
type endpoint struct {
	server *Server
	sdk    http.Handler
	lists  map[string][]byte // the answer to tools/list by version of MCP, from the end of its id on
	public middleware.Public
	stop   context.Context
}

func newEndpoint(o HandlerOptions) *endpoint {
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return o.Server.Server }, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		JSONResponse:                 true, // nothing is written before the answer is known, which D7 needs
		PropagateRequestCancellation: true,
		DisableLocalhostProtection:   true, // the door's Host guard is stricter, and knows proxies on this machine
		MaxRequestBodyBytes:          -1,   // the door's BodyLimit has done it
		Logger:                       sdkLogger(o.Logger),
	})
	return &endpoint{server: o.Server, sdk: sdk, lists: toolLists(sdk), public: o.Public, stop: o.Stop}
}

// ServeHTTP answers one request.
func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !allowMethods(w, r, http.MethodPost) || !acceptable(w, r) {
		return
	}
	body, ok := readBody(w, r)
	if !ok {
		return
	}
	if e.servePlain(w, r, body) {
		return
	}
	message, refusal := parseMessage(body)
	if refusal != nil {
		writeRPCError(w, http.StatusBadRequest, nil, refusal)
		return
	}
	ctx := withIcon(withHangUp(r.Context(), e.stop), e.public.URL(r, middleware.IconPath))
	r = r.Clone(ctx)
	r.Body = io.NopCloser(bytes.NewReader(body))
	r.Header.Set("Accept", "application/json, text/event-stream") // checked above; the SDK wants both named
	answer := &rpcAnswer{w: w, id: requestID(message)}
	e.sdk.ServeHTTP(answer, r)
	answer.finish()
}

const (
	// unsupportedMediaType: the body is not `application/json`.
	unsupportedMediaType rs.Code = "unsupported_media_type"
	// notAcceptable: the client does not accept JSON.
	notAcceptable rs.Code = "not_acceptable"
)

// acceptable checks the types of both bodies. The answer is JSON, so a client that accepts JSON, or does not say, is
// served; the specification would have it accept an event stream as well.
func acceptable(w http.ResponseWriter, r *http.Request) bool {
	if media, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || media != "application/json" {
		middleware.Refuse(w, http.StatusUnsupportedMediaType, &rs.Error{
			Code: unsupportedMediaType, Message: "The request body must be JSON.", Hint: "Send Content-Type: application/json.",
		}, "")
		return false
	}
	accept := r.Header.Values("Accept")
	if len(accept) == 0 {
		return true
	}
	for option := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		media, _, _ := strings.Cut(option, ";")
		switch strings.ToLower(strings.TrimSpace(media)) {
		case "application/json", "application/*", "*/*":
			return true
		}
	}
	middleware.Refuse(w, http.StatusNotAcceptable, &rs.Error{
		Code: notAcceptable, Message: "The answer is JSON, which the request does not accept.",
		Hint: "Send Accept: application/json, text/event-stream.",
	}, "")
	return false
}

func readBody(w http.ResponseWriter, r *http.Request) ([]byte, bool) {
	body, err := io.ReadAll(r.Body)
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		middleware.RefuseLarge(w, large.Limit)
	case err != nil:
		middleware.Refuse(w, http.StatusBadRequest, &rs.Error{Code: middleware.RequestMalformed, Message: "The request body broke off before its end."}, "")
	default:
		return body, true
	}
	return nil, false
}

// parseMessage reads one JSON-RPC message, over either transport. What the SDK could not read would end a stdio
// session, or be answered as plain text.
func parseMessage(line []byte) (jsonrpc.Message, *jsonrpc.Error) {
	line = bytes.TrimSpace(line)
	if !json.Valid(line) {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeParseError, Message: "Parse error: the message is not valid JSON"}
	}
	if line[0] == '[' {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: batches are not served; send one message at a time"}
	}
	message, err := jsonrpc.DecodeMessage(line)
	if err != nil {
		return nil, &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: "Invalid request: not a JSON-RPC 2.0 message"}
	}
	return message, nil
}

// requestID is the id of a request as it goes back on the wire, nil for anything else.
func requestID(message jsonrpc.Message) any {
	if request, ok := message.(*jsonrpc.Request); ok && request.IsCall() {
		return request.ID.Raw()
	}
	return nil
}
