package web

import (
	"context"
	"fmt"
	"net/http"

	"github.com/justinas/alice"

	"github.com/pdp-connect/pdpp-mcp/rs"
)

// A RequestHead is what a connection knows of the head of its current request. The listener writes it before the request is
// handled.
type RequestHead struct {
	TwoLengths bool // both Content-Length and Transfer-Encoding
	Unseen     bool // the head was sent before the last answer, and not read as a whole
}

type requestHeadKey struct{}

// In returns the context of a connection's requests, from which [boundBody] reads the head.
func (head *RequestHead) In(ctx context.Context) context.Context {
	return context.WithValue(ctx, requestHeadKey{}, head)
}

// boundBody refuses a request with both Content-Length and Transfer-Encoding with 400 and closes its connection (RFC 9112,
// section 6.1). A proxy in front that reads the other length would take the rest of the body for the next request, which may
// be another client's. net/http drops Content-Length silently, so the listener has to look for it. A chunked request whose head
// the listener did not see counts as ambiguous.
//
// It refuses a body that announces more than limit bytes with 413, and cuts one that does not announce its length at limit bytes:
// the reader then fails with *http.MaxBytesError.
func boundBody(limit int64) alice.Constructor {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			head, ok := r.Context().Value(requestHeadKey{}).(*RequestHead)
			switch {
			case ok && (head.TwoLengths || head.Unseen && len(r.TransferEncoding) > 0):
				w.Header().Set("Connection", "close")
				Refuse(w, r, &rs.Error{
					Code: "invalid_request", Message: "The request has both Content-Length and Transfer-Encoding.", Hint: "Send one of them.",
				})
			case r.ContentLength > limit:
				Refuse(w, r, TooLarge(limit))
			default:
				r.Body = http.MaxBytesReader(w, r.Body, limit)
				next.ServeHTTP(w, r)
			}
		})
	}
}

// TooLarge is the refusal of a body of more bytes than a limit.
func TooLarge(limit int64) *rs.Error {
	return &rs.Error{
		Code: "request_too_large", Message: fmt.Sprintf("The request body is larger than %d bytes.", limit),
		Hint: "Send one request with smaller arguments.",
	}
}
