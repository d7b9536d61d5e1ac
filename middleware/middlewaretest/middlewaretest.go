// Package middlewaretest helps to test middlewares: [RS] replaces the resource server. It records what reaches it, so that a test of a
// refusal can prove that nothing did.
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
	"github.com/pdp-connect/pdpp-mcp/rs/rsclient"
)

// RS is a scripted resource server. It answers each read from Answers, or else from Answer, or else with 404 not_found. It records
// every read. The zero value answers every read with 404. It is safe for concurrent use.
type RS struct {
	// Answers maps the [Line] of a read, or just its path, to the JSON body of a 200.
	Answers map[string]string
	// Answer answers the reads that are not in Answers; may be nil.
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

// Do performs one scripted read. It fails if ctx has ended, as a real read does.
func (s *RS) Do(ctx context.Context, r rs.Request) (response *rs.Response, err error) {
	defer func() { rsclient.NoteRead(ctx, err) }()
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

// Source returns s for every principal. It is a Source for [middleware.Options].
func (s *RS) Source(auth.Principal) rs.Doer { return s }

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

// WithoutSecrets fails the test if text contains one of the canaries.
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
