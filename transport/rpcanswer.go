package transport

import (
	"bytes"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
)

// maxSDKErrorBytes bounds what is repeated of an SDK error text, which can quote the request.
const maxSDKErrorBytes = 300

// maxBlobTime bounds how long a client may take to receive an answer of more than blobBytes, which is a blob.
const (
	blobBytes   = 256 << 10
	maxBlobTime = time.Minute
)

// An rpcAnswer turns the plain text in which the SDK words its refusals into JSON-RPC errors, and keeps every
// answer out of caches. The SDK writes from another goroutine, but never concurrently.
type rpcAnswer struct {
	w       http.ResponseWriter
	request message
	started bool
	status  int // of a plain text refusal; 0 while there is none
	text    bytes.Buffer
}

// Header returns the headers of the answer.
func (a *rpcAnswer) Header() http.Header { return a.w.Header() }

// WriteHeader begins the answer, or notes the status of a refusal.
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

// Write writes the answer, or notes the text of a refusal.
func (a *rpcAnswer) Write(p []byte) (int, error) {
	a.WriteHeader(http.StatusOK)
	if a.status == 0 {
		if len(p) > blobBytes { // others wait for its memory
			_ = http.NewResponseController(a.w).SetWriteDeadline(time.Now().Add(maxBlobTime))
		}
		if _, err := a.w.Write(a.request.restore(p)); err != nil {
			return 0, err
		}
		return len(p), nil
	}
	a.text.Write(p[:min(len(p), maxSDKErrorBytes-min(a.text.Len(), maxSDKErrorBytes))])
	return len(p), nil
}

// Flush sends what has been written.
func (a *rpcAnswer) Flush() {
	if a.status == 0 {
		_ = http.NewResponseController(a.w).Flush()
	}
}

// finish writes the refusal, when there was one.
func (a *rpcAnswer) finish() {
	if a.status == 0 {
		return
	}
	code := int64(jsonrpc.CodeInvalidRequest)
	text := strings.ToValidUTF8(strings.TrimSpace(a.text.String()), "")
	switch {
	case a.status >= http.StatusInternalServerError:
		code = jsonrpc.CodeInternalError
	case strings.HasPrefix(text, "JSON RPC not handled"): // the SDK says it in no other way before 2026-07-28
		code = jsonrpc.CodeMethodNotFound
	}
	a.Header().Del("X-Content-Type-Options")
	writeRPCError(a.w, a.status, a.request.wireID(), &jsonrpc.Error{Code: code, Message: text})
}

// writeRPCError answers with a JSON-RPC error. An id of nil is written as null: the request's could not be read.
func writeRPCError(w http.ResponseWriter, status int, id any, e *jsonrpc.Error) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Del("Content-Length")
	w.WriteHeader(status)
	_, _ = w.Write(rpcError(id, e))
}

// rpcError is a JSON-RPC error response, on one line. The id is not escaped for HTML: it goes back as it came.
func rpcError(id any, e *jsonrpc.Error) []byte {
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	_ = encoder.Encode(struct { // marshals an id that was parsed, and strings
		Version string         `json:"jsonrpc"`
		ID      any            `json:"id"`
		Error   *jsonrpc.Error `json:"error"`
	}{"2.0", id, e})
	return line.Bytes()
}
