package transport

import (
	"bytes"
	"net/http"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/transport/internal/rpc"
)

// maxSDKErrorBytes limits how much is repeated of an SDK error text, which can quote the request.
const maxSDKErrorBytes = 300

// An answer of more than blobBytes gets a write deadline: until it is sent, other calls wait for its memory.
const blobBytes = 256 << 10

// sendTime returns how long a client may take to receive so many bytes: five seconds, and one for each half of a MiB.
func sendTime(bytes int) time.Duration {
	return 5*time.Second + time.Duration(bytes)*time.Second>>19
}

// An sdkAnswer is the ResponseWriter of the SDK. It converts the SDK's plain text refusals to JSON-RPC errors, and keeps every answer out
// of caches. The SDK writes from another goroutine, but never concurrently.
type sdkAnswer struct {
	w          http.ResponseWriter
	request    rpc.Message
	started    bool
	status     int // of a plain text refusal; 0 if there is none
	text       bytes.Buffer
	holdsToken bool // the request contains its caller's token, which the SDK could quote, whole or in part
}

func (a *sdkAnswer) Header() http.Header { return a.w.Header() }

// WriteHeader begins the answer, or records the status of a refusal.
func (a *sdkAnswer) WriteHeader(status int) {
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
func (a *sdkAnswer) Write(p []byte) (int, error) {
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

// unquoted replaces the SDK's message if the request contains a token.
const unquoted = "The request contains the access token, so nothing of it is quoted here. Send the token only in the Authorization header."

// withoutQuote returns an answer in which unquoted replaces the message of an SDK error that may quote the token. Errors of the SDK
// have no data.
func (a *sdkAnswer) withoutQuote(p []byte) []byte {
	if !a.holdsToken {
		return p
	}
	envelope := rs.AsObject(string(p))
	if e := envelope.Object("error"); e != nil && !e.Has("data") {
		return []byte(envelope.With("error", e.With("message", rs.EncodeJSON(unquoted)).JSON()).JSON())
	}
	return p
}

func (a *sdkAnswer) Flush() {
	if a.status == 0 {
		_ = http.NewResponseController(a.w).Flush()
	}
}

func (a *sdkAnswer) finish() {
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
		text = unquoted
	}
	a.Header().Del("X-Content-Type-Options")
	rpc.WriteError(a.w, a.status, a.request.ID, &jsonrpc.Error{Code: code, Message: text})
}
