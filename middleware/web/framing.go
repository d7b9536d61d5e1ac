package web

import (
	"context"
	"net/http"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A RequestHead is what a connection knows of the head of its current request. The listener writes it before the request is
// handled.
type RequestHead struct {
	TwoLengths bool // both Content-Length and Transfer-Encoding
	Unseen     bool // the head was sent before the last answer, and not read as a whole
}

type requestHeadKey struct{}

// In returns the context of a connection's requests, from which [framing] reads the head.
func (head *RequestHead) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestHeadKey{}, head)
}

// framing refuses a request with both Content-Length and Transfer-Encoding with 400 and closes its connection (RFC 9112,
// section 6.1). A proxy in front that reads the other length would take the rest of the body for the next request, which may
// be another client's. net/http drops Content-Length silently, so the listener has to look for it. A chunked request whose head
// the listener did not see counts as ambiguous.
func framing(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head, ok := r.Context().Value(requestHeadKey{}).(*RequestHead)
		if ok && (head.TwoLengths || head.Unseen && len(r.TransferEncoding) > 0) {
			w.Header().Set("Connection", "close")
			Refuse(w, r, http.StatusBadRequest, &rs.Error{
				Code: rs.RequestMalformed, Message: "The request has both Content-Length and Transfer-Encoding.", Hint: "Send one of them.",
			}, "")
			return
		}
		next.ServeHTTP(w, r)
	})
}
