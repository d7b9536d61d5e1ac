package web

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/justinas/alice"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// CORS headers that a browser client may send and read in addition to the safelisted ones.
const (
	corsAllowHeaders  = "Authorization, Content-Type, Accept, Mcp-Protocol-Version, Mcp-Session-Id, Mcp-Method, Mcp-Name, Last-Event-ID, Request-Id"
	corsExposeHeaders = "WWW-Authenticate, Link, Request-Id, Retry-After, Mcp-Session-Id, Mcp-Protocol-Version"
	corsMaxAge        = "600"
)

// A RequestHead describes the header section of a connection's current request. The listener sets it before the request is handled.
type RequestHead struct {
	TwoLengths bool // both Content-Length and Transfer-Encoding
	Unseen     bool // the listener did not see the complete head, because the client sent a part of it before the previous answer
}

type requestHeadKey struct{}

// In returns a context for a connection's requests that carries the head for [guardBody].
func (head *RequestHead) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestHeadKey{}, head)
}

// guardBody refuses bodies that no caller may send; see [bodyFault]. Reading more than limit bytes of a body without a Content-Length fails
// with *http.MaxBytesError.
func guardBody(limit int64) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if refused := bodyFault(w, r, limit); refused != nil {
				Refuse(w, r, refused)
				return
			}
			r.Body = http.MaxBytesReader(w, r.Body, limit)
			next.ServeHTTP(w, r)
		})
	}
}

// guardNames refuses requests for another host or from a foreign page; see [ChainOptions.nameFault]. Pages of listed origins may read the
// answers (CORS): guardNames answers their preflights.
func guardNames(o ChainOptions) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if refused := o.nameFault(w, r); refused != nil {
				Refuse(w, r, refused)
			} else if !o.handleCORS(w, r) {
				next.ServeHTTP(w, r)
			}
		})
	}
}

// bodyFault refuses a request with both Content-Length and Transfer-Encoding with 400 and closes its connection (RFC 9112,
// section 6.1). A proxy in front that uses the other length would take the rest of the body for the next request, possibly of
// another client. net/http drops Content-Length silently, so the listener looks for it. A chunked request whose complete head the
// listener did not see counts as ambiguous. bodyFault refuses a Content-Length of more than limit bytes with 413.
func bodyFault(w http.ResponseWriter, r *http.Request, limit int64) *rs.Error {
	head, ok := r.Context().Value(requestHeadKey{}).(*RequestHead)
	switch {
	case ok && (head.TwoLengths || head.Unseen && len(r.TransferEncoding) > 0):
		w.Header().Set("Connection", "close")
		return &rs.Error{Code: "invalid_request", Message: "The request has both Content-Length and Transfer-Encoding.", Hint: "Send one of them."}
	case r.ContentLength > limit:
		return tooLarge(limit)
	}
	return nil
}

// nameFault refuses a request for a host name that is not this server's with 421 (RFC 9110, section 15.5.20), which stops a web page whose
// name resolves to this server's address (DNS rebinding). It refuses a request with an Origin header that is neither listed nor this
// server's own origin with 403, as the MCP transport specification requires. Programs send no Origin header.
func (o ChainOptions) nameFault(w http.ResponseWriter, r *http.Request) *rs.Error {
	if !o.Public.allowed(r, o.Public.host(r)) {
		sent := r.Host[strings.LastIndexByte(r.Host, '@')+1:] // a password could be in front of it
		return &rs.Error{
			Code: "host_refused", Message: fmt.Sprintf("This server does not answer under the host name %q.", rs.ErrorText(sent)),
			Hint: "Use the server's public URL. Its operator sets it with --public-url of serve, and further names with --allowed-hosts.",
		}
	}
	if len(o.Origins) > 0 {
		w.Header().Add("Vary", "Origin")
	}
	for _, origin := range r.Header.Values("Origin") {
		if !slices.Contains(o.Origins, origin) && origin != o.Public.origin(r) {
			return &rs.Error{
				Code: "origin_refused", Message: fmt.Sprintf("Requests from web pages of %q are not served.", rs.ErrorText(origin)),
				Hint: "Call from a program, or have the operator list the page's origin in --allowed-origins of serve.",
			}
		}
	}
	return nil
}

// handleCORS lets pages of a listed origin read the answer. It answers a preflight and reports whether the request was one. It sends no
// Access-Control-Allow-Credentials: a script sends the bearer token itself, and a browser never adds it.
func (o ChainOptions) handleCORS(w http.ResponseWriter, r *http.Request) (answered bool) {
	sent := r.Header.Values("Origin")
	if len(sent) != 1 || !slices.Contains(o.Origins, sent[0]) {
		return false
	}
	w.Header().Set("Access-Control-Allow-Origin", sent[0])
	w.Header().Set("Access-Control-Expose-Headers", corsExposeHeaders)
	if r.Method != http.MethodOptions || r.Header.Get("Access-Control-Request-Method") == "" {
		return false
	}
	w.Header().Set("Access-Control-Allow-Methods", "GET, POST")
	w.Header().Set("Access-Control-Allow-Headers", corsAllowHeaders)
	w.Header().Set("Access-Control-Max-Age", corsMaxAge)
	w.WriteHeader(http.StatusNoContent)
	return true
}
