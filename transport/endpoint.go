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
		JSONResponse:                 true, // an answer begins when it is complete, so a challenge can still replace it (D7); subscriptions/listen makes no reads
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
			e.answerFast(w, r, m, call)
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

// answerFast answers a message that the fast path has read: a tools/call, or a tools/list, which has no tool.
func (e *endpoint) answerFast(w http.ResponseWriter, r *http.Request, m rpc.Message, call tools.Call) {
	var reply tools.Reply
	var refused *jsonrpc.Error
	if call.Tool != nil {
		var err error
		if reply, err = e.pipeline(r.Context(), call); err != nil {
			refused = wireError(err, "")
		}
	}
	e.fast.Write(w, m, call, reply.Result, refused)
}

func (e *endpoint) askSDK(w http.ResponseWriter, r *http.Request, m rpc.Message) {
	ctx, reads, _ := rsclient.WithCallReads(r.Context())
	defer reads.End() // a blob counts against the answer budget until it is sent
	r = r.Clone(ctx)
	r.Body = io.NopCloser(bytes.NewReader(m.Text))
	r.Header.Set("Accept", "application/json, text/event-stream") // checked above; the SDK wants both named
	sent := fmt.Sprint(string(m.Text), r.Header["Mcp-Protocol-Version"], r.Header["Mcp-Method"], r.Header["Mcp-Name"])
	answer := &sdkAnswer{w: w, request: m, holdsToken: auth.PrincipalFrom(ctx).Token.Redactor().JSON(sent) != sent}
	e.sdk.ServeHTTP(answer, r)
	answer.finish()
}

func refuseHeader(w http.ResponseWriter, id, message string) {
	rpc.WriteError(w, http.StatusBadRequest, id, &jsonrpc.Error{Code: mcp.CodeHeaderMismatch, Message: message})
}

// acceptable checks the media types of request and answer, and refuses the request if one is not served. A client that accepts JSON, or
// sends no Accept, is served, although the specification requires it to accept event streams too: only subscriptions/listen answers with
// one.
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
