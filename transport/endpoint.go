package transport

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"mime"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
	"github.com/pdp-connect/pdpp-mcp/tools"
	"github.com/pdp-connect/pdpp-mcp/transport/internal/fastpath"
	"github.com/pdp-connect/pdpp-mcp/transport/internal/rpc"
)

// An endpoint handles requests that have passed the HTTP chain. It checks that a request is one JSON-RPC message, and answers it by the
// fast path or by the SDK's stateless handler. Errors of HTTP look like the HTTP chain's; errors of a message are JSON-RPC errors.
type endpoint struct {
	fast     *fastpath.Handler // nil: the SDK answers everything
	pipeline tools.Handler     // of the calls of the fast path
	sdk      http.Handler
	public   web.Public
	ends     []context.Context // every request ends with each of them
}

func newEndpoint(o HandlerOptions) *endpoint {
	sdk := mcp.NewStreamableHTTPHandler(func(*http.Request) *mcp.Server { return o.Server.Server }, &mcp.StreamableHTTPOptions{
		Stateless:                    true,
		JSONResponse:                 true, // no answer begins before it is known, which D7 needs; subscriptions/listen reads nothing
		PropagateRequestCancellation: true,
		DisableLocalhostProtection:   true, // the HTTP chain's Host guard is stricter, and knows proxies on this machine
		MaxRequestBodyBytes:          -1,   // the HTTP chain limits the body
		Logger:                       sdkLogger,
	})
	e := &endpoint{sdk: sdk, pipeline: o.Server.options.Handler, public: o.Public}
	if o.Stop != nil {
		e.ends = []context.Context{o.Stop}
	}
	if !o.NoFastPath {
		e.fast = fastpath.New(o.Server.options.Self, o.Server.options.Tools, sdk)
	}
	return e
}

func (e *endpoint) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !allowMethods(w, r, http.MethodPost) || !acceptable(w, r) {
		return
	}
	body, _ := io.ReadAll(r.Body) // the HTTP chain has received it
	if name := repeatedHeader(r.Header); name != "" {
		refuseHeader(w, "", "the header "+name+" was sent more than once")
		return
	}
	m, refusal := rpc.Read(body)
	if refusal != nil {
		rpc.WriteError(w, http.StatusBadRequest, "", refusal)
		return
	}
	if name := m.Contradiction(r.Header); name != "" {
		refuseHeader(w, m.ID, "the header "+name+" names another call than the message")
		return
	}
	request := middleware.RequestFrom(r.Context())
	request.Ends = e.ends
	if e.fast != nil {
		if call, plain := e.fast.Read(r.Header, m); plain {
			var reply tools.Reply
			var refused *jsonrpc.Error
			if call.Tool != nil {
				var err error
				if reply, err = e.pipeline(r.Context(), call); err != nil {
					refused = wireError(err, "")
				}
			}
			e.fast.Write(w, m, call, reply.Result, refused)
			return
		}
	}
	if _, refusal = m.Decode(); refusal != nil {
		rpc.WriteError(w, http.StatusBadRequest, "", refusal)
		return
	}
	request.IconURL = e.public.URL(r, web.IconPath)
	request.Ends = append(slices.Clip(e.ends), r.Context()) // the SDK does not pass on its cancellation
	e.askSDK(w, r, m)
}

func (e *endpoint) askSDK(w http.ResponseWriter, r *http.Request, m rpc.Message) {
	ctx, reads, _ := rsclient.WithCallReads(r.Context())
	defer reads.End() // a blob counts against the answer budget until it is sent
	r = r.Clone(ctx)
	r.Body = io.NopCloser(bytes.NewReader(m.Text))
	r.Header.Set("Accept", "application/json, text/event-stream") // checked above; the SDK wants both named
	sent := fmt.Sprint(string(m.Text), r.Header["Mcp-Protocol-Version"], r.Header["Mcp-Method"], r.Header["Mcp-Name"])
	answer := &rpcAnswer{w: w, request: m, holdsToken: auth.PrincipalFrom(ctx).Token.Redactor().JSON(sent) != sent}
	e.sdk.ServeHTTP(answer, r)
	answer.finish()
}

func refuseHeader(w http.ResponseWriter, id, message string) {
	rpc.WriteError(w, http.StatusBadRequest, id, &jsonrpc.Error{Code: mcp.CodeHeaderMismatch, Message: message})
}

// acceptable checks the media types of request and answer. Every answer is JSON but that of subscriptions/listen, which is an event stream.
// So a client that accepts JSON, or sends no Accept, is served, although the specification requires it to accept an event stream as well.
func acceptable(w http.ResponseWriter, r *http.Request) bool {
	if !isJSON(r.Header) {
		web.Refuse(w, r, &rs.Error{
			Code: "unsupported_media_type", Message: "The request body must be JSON in UTF-8, and not compressed.",
			Hint: "Send one Content-Type: application/json, and no Content-Encoding.",
		})
		return false
	}
	if accepts(r.Header, "application/json", "application/*", "*/*") {
		return true
	}
	web.Refuse(w, r, &rs.Error{
		Code: "not_acceptable", Message: "The answer is JSON, which the request does not accept.",
		Hint: "Send Accept: application/json, text/event-stream.",
	})
	return false
}

// allowMethods answers 405 unless the request's method is one of those allowed. At the endpoint, hosts accept a 405 for GET and DELETE, and
// loop on any other status.
func allowMethods(w http.ResponseWriter, r *http.Request, methods ...string) bool {
	if slices.Contains(methods, r.Method) {
		return true
	}
	allow := strings.Join(methods, ", ")
	w.Header().Set("Allow", allow)
	web.Refuse(w, r, &rs.Error{Code: "method_not_allowed", Message: "This method is not served at this path.", Hint: "Allowed: " + allow + "."})
	return false
}

// accepts reports whether a client accepts one of some media types. Without an Accept header it accepts all.
func accepts(header http.Header, media ...string) bool {
	accept := header.Values("Accept")
	return len(accept) == 0 || slices.ContainsFunc(strings.Split(strings.Join(accept, ","), ","), func(option string) bool {
		kind, _, _ := strings.Cut(option, ";")
		return slices.Contains(media, strings.ToLower(strings.TrimSpace(kind)))
	})
}

// isJSON reports whether a body is declared as uncompressed JSON in UTF-8: a filter in front that reads another type, character set or
// encoding would see a different message.
func isJSON(header http.Header) bool {
	kinds, encodings := header.Values("Content-Type"), header.Values("Content-Encoding")
	if len(kinds) != 1 || len(encodings) > 1 || len(encodings) == 1 && !strings.EqualFold(encodings[0], "identity") {
		return false
	}
	media, parameters, err := mime.ParseMediaType(kinds[0])
	charset, named := parameters["charset"]
	return err == nil && media == "application/json" && (!named || strings.EqualFold(charset, "utf-8"))
}

// repeatedHeader returns the name of an MCP header that was sent twice, or "": a proxy and this server could read different values.
func repeatedHeader(header http.Header) string {
	for _, name := range [...]string{"Mcp-Protocol-Version", "Mcp-Method", "Mcp-Name", "Mcp-Session-Id"} {
		if len(header[name]) > 1 {
			return name
		}
	}
	return ""
}

// maxSDKErrorBytes limits how much is repeated of an SDK error text, which can quote the request.
const maxSDKErrorBytes = 300

// An answer of more than blobBytes gets a write deadline: until it is sent, other calls wait for its memory.
const blobBytes = 256 << 10

// sendTime returns how long a client may take to receive so many bytes: five seconds, and one for each half of a MiB.
func sendTime(bytes int) time.Duration {
	return 5*time.Second + time.Duration(bytes)*time.Second>>19
}

// An rpcAnswer converts the SDK's plain text refusals to JSON-RPC errors, and keeps every answer out of caches. The SDK writes from another
// goroutine, but never concurrently.
type rpcAnswer struct {
	w          http.ResponseWriter
	request    rpc.Message
	started    bool
	status     int // of a plain text refusal; 0 if there is none
	text       bytes.Buffer
	holdsToken bool // the request contains its caller's token, which the SDK could quote, whole or in part
}

func (a *rpcAnswer) Header() http.Header { return a.w.Header() }

// WriteHeader begins the answer, or records the status of a refusal.
func (a *rpcAnswer) WriteHeader(status int) {
	if a.started {
		return
	}
	a.started = true
	if status >= http.StatusBadRequest && strings.HasPrefix(a.Header().Get("Content-Type"), "text/plain") {
		a.status = status
		return
	}
	a.Header().Set("Cache-Control", "no-store")
	a.w.WriteHeader(status)
}

// Write writes the answer, or records the text of a refusal.
func (a *rpcAnswer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.status == 0 {
		if len(p) > blobBytes {
			_ = http.NewResponseController(a.w).SetWriteDeadline(time.Now().Add(sendTime(len(p))))
		}
		if _, err := a.w.Write(a.request.Restore(a.withoutQuote(p))); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	a.text.Write(p[:min(len(p), maxSDKErrorBytes-min(a.text.Len(), maxSDKErrorBytes))])
	return len(p), nil
}

// quotesNothing replaces the SDK's message if the request contains a token.
const quotesNothing = "The request has the access token in it, so that nothing is quoted of it here. A token is sent in the Authorization header alone."

// withoutQuote returns an answer in which quotesNothing replaces the message of an SDK error that may quote the token. Errors of the SDK
// have no data.
func (a *rpcAnswer) withoutQuote(p []byte) []byte {
	if !a.holdsToken {
		return p
	}
	envelope := rs.AsObject(string(p))
	if e := envelope.Object("error"); e != nil && !e.Has("data") {
		return []byte(envelope.With("error", e.With("message", rs.EncodeJSON(quotesNothing)).JSON()).JSON())
	}
	return p
}

func (a *rpcAnswer) Flush() {
	if a.status == 0 {
		_ = http.NewResponseController(a.w).Flush()
	}
}

func (a *rpcAnswer) finish() {
	if a.status == 0 {
		return
	}
	code := int64(jsonrpc.CodeInvalidRequest)
	text := strings.ToValidUTF8(strings.TrimSpace(a.text.String()), "")
	switch {
	case a.status >= http.StatusInternalServerError:
		code = jsonrpc.CodeInternalError
	case strings.HasPrefix(text, "JSON RPC not handled"): // before 2026-07-28 the SDK reports it in no other way
		code = jsonrpc.CodeMethodNotFound
	}
	if a.holdsToken {
		text = quotesNothing
	}
	a.Header().Del("X-Content-Type-Options")
	rpc.WriteError(a.w, a.status, a.request.ID, &jsonrpc.Error{Code: code, Message: text})
}
