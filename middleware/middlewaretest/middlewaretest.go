// Package middlewaretest helps to test what stands around a call: [Spy] stands for the rest of a chain, [RS] for the
// resource server below it. Both remember what reached them, so that a test of a refusal can prove silence.
package middlewaretest

import (
	"context"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"

	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// A Spy is a core that performs nothing: it remembers each call and answers as it was set up. The zero value answers with the
// zero Reply. It is safe for concurrent use.
type Spy struct {
	// Reply and Err are the answer to every call. A Reply without a Call gets the call that arrived.
	Reply tools.Reply
	Err   error
	// Do, when set, runs within each call, after it was remembered: to look at the context, to wait, to panic.
	Do func(context.Context, tools.Call)

	mu    sync.Mutex
	calls []tools.Call
}

// Handle is the Spy's [tools.Handler].
func (s *Spy) Handle(ctx context.Context, call tools.Call) (tools.Reply, error) {
	s.mu.Lock()
	s.calls = append(s.calls, call)
	s.mu.Unlock()
	if s.Do != nil {
		s.Do(ctx, call)
	}
	reply := s.Reply
	if reply.Call.Tool == nil {
		reply.Call = call
	}
	return reply, s.Err
}

// Calls returns what arrived, in order.
func (s *Spy) Calls() []tools.Call {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.calls)
}

// RS is a scripted resource server. It answers each read from Answers, then from Answer, and otherwise with 404
// not_found; it remembers every read, answered or not. The zero value knows nothing. It is safe for concurrent use.
type RS struct {
	// Answers maps what [Line] says of a read, or its path alone, to the JSON body of a 200.
	Answers map[string]string
	// Answer answers what Answers does not; nil for none.
	Answer func(rs.Request) (*rs.Response, error)

	mu       sync.Mutex
	requests []rs.Request
}

// Line writes a read as one line: its path, and its parameters unescaped and sorted by name, such as
// "/v1/streams/messages/records?filter[user_id]=U1&limit=2".
func Line(r rs.Request) string {
	query, err := url.QueryUnescape(r.Query.Encode())
	if err != nil || query == "" {
		return r.Path
	}
	return r.Path + "?" + query
}

// Do performs one scripted read. A context that has ended ends it, as it would a real one.
func (s *RS) Do(ctx context.Context, r rs.Request) (*rs.Response, error) {
	kept := r
	kept.Query = maps.Clone(r.Query)
	s.mu.Lock()
	s.requests = append(s.requests, kept)
	s.mu.Unlock()
	switch ctx.Err() {
	case nil:
	case context.Canceled:
		return nil, &rs.Error{Code: "canceled", Message: "The caller hung up.", Cause: ctx.Err()}
	default:
		return nil, &rs.Error{Code: "deadline_exceeded", Message: "Too late.", Cause: ctx.Err()}
	}
	for _, key := range []string{Line(r), r.Path} {
		if body, ok := s.Answers[key]; ok {
			return JSON(body), nil
		}
	}
	if s.Answer != nil {
		return s.Answer(r)
	}
	return nil, &rs.Error{Code: "not_found", Status: 404, Message: fmt.Sprintf("Nothing is scripted for %s.", r.Path)}
}

// Requests returns the reads that arrived, in order.
func (s *RS) Requests() []rs.Request {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.requests)
}

// Lines returns the reads that arrived, in order, each as [Line] writes it.
func (s *RS) Lines() []string {
	var lines []string
	for _, r := range s.Requests() {
		lines = append(lines, Line(r))
	}
	return lines
}

// Source gives this resource server to every principal, as the Source of [middleware.Options].
func (s *RS) Source(context.Context, auth.Principal) (rs.Doer, error) { return s, nil }

// JSON returns a 200 with a JSON body.
func JSON(body string) *rs.Response {
	return &rs.Response{Status: 200, Body: body, ContentType: "application/json", RequestID: "req_scripted"}
}

// What must appear in no log, metric or trace.
const (
	CanaryToken    = "canary-token-91d2" // #nosec G101 -- a test's
	CanaryArgument = "canary-argument-7f30"
	CanaryRecord   = "canary-record-c4e8"
)

// WithoutSecrets fails the test if a text holds one of the canaries.
func WithoutSecrets(t *testing.T, text string) {
	t.Helper()
	for _, secret := range []string{CanaryToken, CanaryArgument, CanaryRecord} {
		if strings.Contains(text, secret) {
			t.Errorf("%s is shown in %s", secret, text)
		}
	}
}

// NewTracer returns a tracer and the exporter that keeps its spans.
func NewTracer(t *testing.T) (trace.Tracer, *tracetest.InMemoryExporter) {
	t.Helper()
	exporter := tracetest.NewInMemoryExporter()
	provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(exporter))
	t.Cleanup(func() { _ = provider.Shutdown(context.Background()) })
	return provider.Tracer("test"), exporter
}
