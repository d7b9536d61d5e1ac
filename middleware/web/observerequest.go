package web

import (
	"cmp"
	"context"
	"crypto/rand"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

// requestIDHeader names a request in the answer and in the log.
const requestIDHeader = "Request-Id"

// observeRequest passes each request to the handler of its path. It puts a [middleware.Request] with id, path and client into the context
// of every request, and records status and size of the answer there. When the request ends, observeRequest records it in the log, in the
// metrics, and in a span of the trace that its traceparent names. The answer repeats the id. A client's own id is kept if it is harmless in
// a log: at most 64 letters, digits, dots, dashes and underscores, and nothing of the credential. A nil tracer makes no span, a nil
// observer counts nothing. A panic becomes a 500 or breaks the connection; see [refusePanic].
//
// Only paths of this server are recorded: people paste tokens into others. That rules out otelhttp, whose spans have url.path and
// user_agent.original as the client sent them. Paths are compared as received: a mux would clean them, and redirect with an HTML body.
func observeRequest(o ChainOptions, handlers map[string]http.Handler) http.Handler {
	routes := map[string]string{}
	for _, path := range allPaths {
		routes[o.Public.Path(path)] = path
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		path, known := routes[r.URL.Path]
		if !known {
			path = OtherPath
		}
		next, served := handlers[path]
		if !served {
			next = handlers[OtherPath]
		}
		began := time.Now()
		request := &middleware.Request{ID: requestID(r.Header), Path: path, Client: ClientNetwork(o.Public.clientAddress(r))}
		w.Header().Set(requestIDHeader, request.ID)
		ctx := middleware.WithRequest(r.Context(), request)
		if values := r.Header.Values("Traceparent"); len(values) == 1 && !sharesCredential(r.Header, values[0]) {
			ctx = continueTrace(ctx, values[0])
		}
		endSpan := func() {}
		if o.Tracer != nil {
			ctx, endSpan = startSpan(ctx, o.Tracer, request, loggedMethod(r.Method))
		}
		if o.Observer != nil {
			o.Observer.RequestBegan()
		}
		r = r.WithContext(ctx)
		recorded := &recordingWriter{ResponseWriter: w, request: request}
		if r.Body != nil && r.ContentLength != 0 {
			recorded.body = &watchedBody{ReadCloser: r.Body}
			r.Body = recorded.body
		}
		defer func() {
			aborted := refusePanic(o.Logger, recorded, r, recover())
			took := time.Since(began)
			logRequest(ctx, o.Logger, request, loggedMethod(r.Method), took)
			if o.Observer != nil {
				o.Observer.RequestEnded(request.Path, request.Status, request.Refusal, took)
			}
			endSpan()
			if aborted {
				panic(http.ErrAbortHandler)
			}
		}()
		next.ServeHTTP(recorded, r)
	})
}

// refusePanic logs the stack of a panic, and answers 500 if the handler had not answered yet. It reports whether the connection must be
// broken instead, because the answer has already begun.
func refusePanic(log zerolog.Logger, w http.ResponseWriter, r *http.Request, fault any) (aborted bool) {
	if fault == nil {
		return false
	}
	if fault == any(http.ErrAbortHandler) {
		return true
	}
	request := middleware.RequestFrom(r.Context())
	rs.LogPanic(log.With().Str("request_id", request.ID).Logger())(fault)
	if request.Status != 0 {
		return true
	}
	Refuse(w, r, &rs.Error{Code: "internal_error", Message: "The server failed to answer this request."})
	return false
}

// startSpan starts the span of a request. end adds how the request was answered and ends the span.
func startSpan(ctx context.Context, tracer trace.Tracer, request *middleware.Request, method string) (spanned context.Context, end func()) {
	spanned, span := tracer.Start(ctx, method+" "+request.Path, trace.WithSpanKind(trace.SpanKindServer),
		trace.WithAttributes(attribute.String("http.request.method", method), attribute.String("http.route", request.Path)))
	return spanned, func() {
		span.SetAttributes(attribute.Int("http.response.status_code", request.Status))
		if request.Refusal != "" {
			span.SetAttributes(attribute.String("pdpp.refusal", request.Refusal.Label()))
		}
		if request.Status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// continueTrace returns a context in the trace that a traceparent (W3C Trace Context) names. An invalid traceparent changes
// nothing. tracestate and baggage are not read, because they may hold anything.
func continueTrace(ctx context.Context, traceparent string) context.Context {
	current := trace.SpanContextFromContext(ctx)
	carrier := propagation.MapCarrier{"traceparent": traceparent}
	named := trace.SpanContextFromContext(propagation.TraceContext{}.Extract(context.Background(), carrier))
	if !named.IsValid() || named.TraceID() == current.TraceID() {
		return ctx
	}
	return trace.ContextWithRemoteSpanContext(ctx, named)
}

// loggedMethod returns the method of a request for the log and a trace: a standard one, or "other", because a client may send any word.
func loggedMethod(method string) string {
	switch method {
	case http.MethodGet, http.MethodHead, http.MethodPost, http.MethodPut, http.MethodPatch, http.MethodDelete, http.MethodOptions:
		return method
	}
	return "other"
}

// logRequest writes one line per request: method, path, status, milliseconds, bytes of the answer, request id; the code of a refusal; and
// the id of the trace, if there is one. It truncates a code to 80 bytes. It omits the query, because clients put tokens
// there, and all headers. Probes come every few seconds, so their lines have level debug.
func logRequest(ctx context.Context, log zerolog.Logger, request *middleware.Request, method string, took time.Duration) {
	level := zerolog.InfoLevel
	if request.Path == LivePath || request.Path == ReadyPath {
		level = zerolog.DebugLevel
	}
	event := log.WithLevel(level)
	if request.Refusal != "" {
		event = event.Str("code", middleware.Bounded(string(request.Refusal), middleware.MaxLoggedCode))
	}
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		event = event.Stringer("trace_id", span.TraceID())
	}
	event.Str("method", method).Str("path", request.Path).Int("status", request.Status).
		Int64("ms", took.Milliseconds()).Int64("bytes", request.Bytes).
		Str("request_id", request.ID).Msg("request")
}

// requestID returns the id that a client sent, or a new one if that is missing, not harmless in a log, or shares a part with
// the credential.
func requestID(header http.Header) string {
	id := cmp.Or(header.Get(requestIDHeader), header.Get("X-Request-Id"))
	if !isHarmlessID(id) || sharesCredential(header, id) {
		return "req_" + strings.ToLower(rand.Text())
	}
	return id
}

// maxID is the most bytes of a request id. The ids in a traceparent are within as many.
const maxID = 64

// sharesCredential reports whether eight characters in a row of an id are also in a credential. Case does not matter. Only the first maxID
// bytes are compared, which limits the work.
func sharesCredential(header http.Header, id string) bool {
	const part = 8
	credentials := strings.ToLower(strings.Join(header["Authorization"], " "))
	id = strings.ToLower(id[:min(len(id), maxID)])
	for end := part; end <= len(id); end++ {
		if strings.Contains(credentials, id[end-part:end]) {
			return true
		}
	}
	return false
}

func isHarmlessID(id string) bool {
	return id != "" && len(id) <= maxID && strings.Trim(id, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-") == ""
}

// lingerTime is how long the server waits for the rest of an unread body before it closes the connection. Closing at once would reset
// the connection, and a client that is still sending might not see its answer.
const lingerTime = 500 * time.Millisecond

// A recordingWriter records status and size of an answer. github.com/felixge/httpsnoop cannot replace it: if a handler sets no status,
// httpsnoop reports 200 or nothing, but the log must show whether there was an answer.
//
// It closes the connection of a request that is answered before its body has been read. net/http would wait for the rest of that
// body for as long as a request may take, so a client without any token could keep the connection by sending nothing.
type recordingWriter struct {
	http.ResponseWriter
	request *middleware.Request
	body    *watchedBody // nil for a request without a body
}

func (w *recordingWriter) WriteHeader(status int) {
	if w.request.Status == 0 && status >= http.StatusOK {
		w.request.Status = status
		if w.body != nil && !w.body.read.Load() {
			w.Header().Set("Connection", "close")
			_ = http.NewResponseController(w.ResponseWriter).SetReadDeadline(time.Now().Add(lingerTime)) // not every writer supports it
		}
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *recordingWriter) Write(p []byte) (int, error) {
	if w.request.Status == 0 {
		w.WriteHeader(http.StatusOK)
	}
	n, err := w.ResponseWriter.Write(p)
	w.request.Bytes += int64(n)
	return n, err
}

// Unwrap lets http.ResponseController reach the connection.
func (w *recordingWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// A watchedBody records whether it was read to its end.
type watchedBody struct {
	io.ReadCloser
	read atomic.Bool
}

func (b *watchedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		b.read.Store(true)
	}
	return n, err
}
