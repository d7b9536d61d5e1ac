package middleware_test

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

// If a call has two faults, the outer stage reports its own.
func TestStandardOrder(t *testing.T) {
	for name, row := range map[string]struct {
		kind            string
		tool, arguments string
		code            rs.Code
		reads           []string
	}{
		"a stranger's bad arguments are refused as a stranger's": {"", "query_records", `{"filter":"x"}`, "token_kind_refused", nil},
		"an owner's bad arguments are refused as an owner's":     {auth.KindOwner, "query_records", `{"filter":"x"}`, "owner_token_refused", nil},
		"an owner's good arguments are refused as an owner's":    {auth.KindOwner, "query_records", `{"stream":"messages"}`, "owner_token_refused", nil},
		"an owner's expansion asks no schema":                    {auth.KindOwner, "query_records", `{"stream":"messages","expand":["r"]}`, "owner_token_refused", nil},
		"bad arguments come before conflicting connections":      {auth.KindClient, "fetch", `{"id":"cin_1/m:1","connection_id":"cin_2","fields":[]}`, "invalid_arguments", nil},
		"conflicting connections come before the expansion gate": {auth.KindClient, "fetch", `{"id":"cin_1/m:1","connection_id":"cin_2","expand":["r"]}`, "conflicting_connection_id", nil},
		"the expansion gate comes before the read":               {auth.KindClient, "fetch", `{"id":"cin_1/m:1","expand":["r"]}`, "invalid_expand", []string{"/v1/schema?connection_id=cin_1&stream=m&view=compact"}},
		"a good call is read once":                               {auth.KindClient, "fetch", `{"id":"cin_1/m:1","fields":["a"]}`, "", []string{"/v1/streams/m/records/1?connection_id=cin_1&fields=a"}},
	} {
		t.Run(name, func(t *testing.T) {
			server := &middlewaretest.RS{Answers: map[string]string{
				"/v1/schema":              `{"detail":"compact","connectors":[{"streams":[{"name":"m","expand_capabilities":[]}]}]}`,
				"/v1/streams/m/records/1": `{"object":"record","id":"1","stream":"m","connection_id":"cin_1","data":{"subject":"Tax"}}`,
			}}
			var log bytes.Buffer
			pipeline := middleware.Standard(
				middleware.Options{Log: zerolog.New(&log), Source: server.Source, Now: ticking(time.Millisecond)},
				tools.Forward,
			)
			reply, err := pipeline(as(t.Context(), row.kind), callOf(t, row.tool, row.arguments))
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(row.reads, server.Lines()); diff != "" {
				t.Error(diff)
			}
			if text := textOf(t, reply.Result); reply.Result.IsError != (row.code != "") || !strings.Contains(text, string(row.code)) {
				t.Errorf("isError %v, want %q: %s", reply.Result.IsError, row.code, text)
			}
			code := row.code
			if code == "" {
				code = "ok"
			}
			if lines := logLines(t, &log); len(lines) != 1 || lines[0]["code"] != string(code) {
				t.Errorf("log %v; want one line of %s", lines, code)
			}
		})
	}
}

func TestStandardBoundsACallWhereNothingIsConfigured(t *testing.T) {
	for configured, want := range map[time.Duration]time.Duration{0: 40 * time.Second, time.Minute: time.Minute} {
		synctest.Test(t, func(t *testing.T) {
			var left time.Duration
			page := tools.Reply{Answer: tools.Answer{Response: middlewaretest.JSON(`{"object":"list","data":[]}`)}}
			core := spy{Reply: page, Do: func(ctx context.Context, _ tools.Call) {
				if at, ok := ctx.Deadline(); ok {
					left = time.Until(at)
				}
			}}
			options := middleware.Options{Log: zerolog.Nop(), Source: new(middlewaretest.RS).Source, Deadline: configured}
			_, err := middleware.Standard(options, core.Handle)(as(t.Context(), auth.KindClient), callOf(t, "list_streams", `{}`))
			if err != nil || left != want {
				t.Errorf("a call has %s with %s configured, want %s (%v)", left, configured, want, err)
			}
		})
	}
}

func TestStandardWithoutACallerReadsNothing(t *testing.T) {
	var server middlewaretest.RS
	for _, tool := range tools.All(tools.Options{RecordBase: "https://rs.example"}) {
		reply, err := standard(&server)(t.Context(), tools.Call{Tool: tool, Raw: []byte(`{}`)})
		if err != nil || !reply.Result.IsError || !strings.Contains(textOf(t, reply.Result), "not_authenticated") {
			t.Errorf("%s: %+v, %v", tool.Name, reply.Result, err)
		}
	}
	if heard := server.Lines(); len(heard) != 0 {
		t.Errorf("the resource server heard %q", heard)
	}
}

// A panic becomes an internal error of the protocol, not a result, and the next call is answered.
func TestStandardOutlivesAPanic(t *testing.T) {
	server := &middlewaretest.RS{Answer: func(rs.Request) (*rs.Response, error) { panic(middlewaretest.CanaryRecord) }}
	pipeline := standard(server)
	reply, err := pipeline(as(t.Context(), auth.KindClient), callOf(t, "schema", `{}`))
	if codeOf(t, err) != "internal_error" || reply.Result != nil {
		t.Errorf("%+v, %v", reply, err)
	}
	server.Answer = func(rs.Request) (*rs.Response, error) { return middlewaretest.JSON(`{"connectors":[]}`), nil }
	if reply, err = pipeline(as(t.Context(), auth.KindClient), callOf(t, "schema", `{}`)); err != nil || reply.Result.IsError {
		t.Errorf("%+v, %v", reply, err)
	}
}

func TestStandardDefaults(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		core := spy{
			Do:  func(ctx context.Context, _ tools.Call) { <-ctx.Done() },
			Err: &rs.Error{Code: "deadline_exceeded", Message: "Too late."},
		}
		var server middlewaretest.RS
		pipeline := middleware.Standard(middleware.Options{Log: zerolog.Nop(), Source: server.Source}, core.Handle)
		start := time.Now()
		reply, err := pipeline(as(t.Context(), auth.KindClient), callOf(t, "schema", `{}`))
		if err != nil || !reply.Result.IsError || time.Since(start) != middleware.DefaultDeadline {
			t.Errorf("%+v, %v after %s", reply.Result, err, time.Since(start))
		}
	})
}

// S0-5f: full detail of a stream that several connections have is refused with the connections to choose from, before any content is read.
func TestFullSchemaOfSeveralConnections(t *testing.T) {
	const compact = `{"detail":"compact","bearer":{"grant_id":"grt_1"},"connectors":[` +
		`{"connector_key":"gmail","granted_connections":[{"connection_id":"cin_work","display_name":"Work"},{"connection_id":"cin_home"}],"streams":[{"name":"messages"}]},` +
		`{"connector_key":"slack","granted_connections":[{"connection_id":"cin_acme"}],"streams":[{"name":"messages"}]}]}`
	const full = `{"connectors":[{"connector_key":"gmail","streams":[{"name":"messages","schema":{"type":"object"},"granted_connections":[{"connection_id":"cin_work"}]}]}]}`
	server := &middlewaretest.RS{Answer: func(r rs.Request) (*rs.Response, error) {
		if r.Query.Get("detail") == "full" {
			return middlewaretest.JSON(full), nil
		}
		return middlewaretest.JSON(compact), nil
	}}
	pipeline := standard(server)

	reply, err := pipeline(as(t.Context(), auth.KindClient), callOf(t, "schema", `{"stream":"messages","detail":"full"}`))
	if err != nil {
		t.Fatal(err)
	}
	text := textOf(t, reply.Result)
	for _, word := range []string{"ambiguous_connection", "retry_with=connection_id", "cin_work", "cin_home", "cin_acme", "gmail", "slack"} {
		if !reply.Result.IsError || !strings.Contains(text, word) {
			t.Errorf("the refusal does not say %s: %s", word, text)
		}
	}
	if diff := cmp.Diff([]string{"/v1/schema?stream=messages&view=compact"}, server.Lines()); diff != "" {
		t.Error(diff)
	}

	reply, err = pipeline(as(t.Context(), auth.KindClient), callOf(t, "schema", `{"stream":"messages","connection_id":"cin_work","detail":"full"}`))
	if err != nil || reply.Result.IsError {
		t.Fatalf("%+v, %v", reply.Result, err)
	}
	if last := server.Lines()[len(server.Lines())-1]; last != "/v1/schema?connection_id=cin_work&detail=full&stream=messages" {
		t.Errorf("the last read is %s", last)
	}
}

func BenchmarkChain(b *testing.B) {
	var server middlewaretest.RS
	reply := tools.Reply{Answer: tools.Answer{Response: middlewaretest.JSON(`{"object":"list","data":[]}`)}}
	call := callOf(b, "list_streams", `{"connection_id":"cin_1"}`)
	core := func(_ context.Context, call tools.Call) (tools.Reply, error) {
		answered := reply
		answered.Call = call
		return answered, nil
	}
	ctx := as(b.Context(), auth.KindClient)
	b.Run("bare core", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := core(ctx, call); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("core and rendering", func(b *testing.B) {
		b.ReportAllocs()
		pipeline := middleware.Chain(core, middleware.Render)
		for b.Loop() {
			if _, err := pipeline(ctx, call); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("standard chain, counted", func(b *testing.B) {
		b.ReportAllocs()
		metrics := observe.NewMetrics("test", []string{"list_streams"})
		pipeline := middleware.Standard(middleware.Options{Log: zerolog.Nop(), Source: server.Source, Observer: metrics}, core)
		for b.Loop() {
			if _, err := pipeline(ctx, call); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("standard chain, counted and traced", func(b *testing.B) {
		b.ReportAllocs()
		metrics := observe.NewMetrics("test", []string{"list_streams"})
		provider := sdktrace.NewTracerProvider()
		defer func() { _ = provider.Shutdown(context.Background()) }()
		pipeline := middleware.Standard(
			middleware.Options{Log: zerolog.Nop(), Source: server.Source, Observer: metrics, Tracer: provider.Tracer("test")},
			core,
		)
		for b.Loop() {
			if _, err := pipeline(ctx, call); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("standard chain", func(b *testing.B) {
		b.ReportAllocs()
		pipeline := middleware.Standard(middleware.Options{Log: zerolog.Nop(), Source: server.Source}, core)
		for b.Loop() {
			if _, err := pipeline(ctx, call); err != nil {
				b.Fatal(err)
			}
		}
	})
}
