package web

import (
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// MaxBodyBytes bounds the body of a request. A call has a few hundred bytes. Its largest arguments are a cursor of 16 KiB and lists of a
// hundred names of 256 bytes.
const MaxBodyBytes = 128 << 10

// A call takes one slot for each slotBytes of its body, so that the bodies of all calls together are bounded as well: decoding takes tens
// of times the bytes of a body.
const slotBytes = 8 << 10

func slots(bytes int64) int64 { return max(1, (bytes+slotBytes-1)/slotBytes) }

// receive reads a request's body before the call takes a slot, because a client that sends slowly would keep the slot from others. It reads
// the first slotBytes at once, and the rest of a larger body when bodies has slots for all of it. It waits for these at most for wait.
func receive(r *http.Request, caller rsclient.CallerKey, bodies *concurrencyLimits, wait time.Duration) ([]byte, *rs.Error) {
	body, err := io.ReadAll(io.LimitReader(r.Body, slotBytes))
	if len(body) == slotBytes {
		announced := r.ContentLength
		if announced < 0 {
			announced = MaxBodyBytes
		}
		release, refusal := bodies.acquire(r.Context(), caller, slots(announced), wait)
		if refusal != nil {
			return nil, refusal
		}
		defer release()
		var rest []byte
		rest, err = io.ReadAll(r.Body)
		body = append(body, rest...)
	}
	if large, ok := errors.AsType[*http.MaxBytesError](err); ok {
		return nil, tooLarge(large.Limit)
	}
	if err != nil {
		return nil, &rs.Error{Code: "invalid_request", Message: "The request body broke off before its end."}
	}
	return body, nil
}

func tooLarge(most int64) *rs.Error {
	return &rs.Error{
		Code: "request_too_large", Message: fmt.Sprintf("The request body is larger than %d bytes.", most),
		Hint: "Send one request with smaller arguments.",
	}
}
