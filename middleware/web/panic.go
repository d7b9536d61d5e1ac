package web

import (
	"fmt"
	"net/http"
	"runtime/debug"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// refusePanic answers 500 where a handler panicked before it had answered. The stack goes to the log, the client learns nothing of it. It
// reports whether the connection must be broken instead: half an answer is worse.
func refusePanic(log zerolog.Logger, w http.ResponseWriter, r *http.Request, fault any) (aborted bool) {
	if fault == nil {
		return false
	}
	request := middleware.RequestFrom(r.Context())
	if fault == any(http.ErrAbortHandler) || request.Status != 0 {
		return true
	}
	// The value may hold a token or a record; its type and the stack are what a maintainer needs.
	log.Error().Str("panic", fmt.Sprintf("%T", fault)).Bytes("stack", debug.Stack()).
		Str("request_id", request.ID).Msg("panic")
	Refuse(w, r, http.StatusInternalServerError, &rs.Error{Code: rs.Internal, Message: "The server failed to answer this request."}, "")
	return false
}
