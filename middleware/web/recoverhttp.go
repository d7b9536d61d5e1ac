package web

import (
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// recoverHTTP answers 500 when a handler panics before it has answered. The stack goes to the log, the client learns nothing of it.
func recoverHTTP(log zerolog.Logger) func(http.Handler) http.Handler {
	return func(next http.Handler) http.Handler {
		return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			defer func() {
				fault := recover()
				if fault == nil {
					return
				}
				request := middleware.RequestFrom(r.Context())
				if fault == any(http.ErrAbortHandler) || request.Status != 0 {
					panic(http.ErrAbortHandler) // half an answer is worse than a broken connection
				}
				// The value may hold a token or a record; its type and the stack are what a maintainer needs.
				log.Error().Str("panic", fmt.Sprintf("%T", fault)).Bytes("stack", debug.Stack()).
					Str("request_id", request.ID).Msg("panic")
				Refuse(w, r, http.StatusInternalServerError, &rs.Error{Code: rs.Internal, Message: "The server failed to answer this request."}, "")
			}()
			next.ServeHTTP(w, r)
		})
	}
}
