package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"
	sdktrace "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/sdk/trace/tracetest"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/internal/cli"
	"github.com/pdp-connect/pdpp-mcp/internal/service"
	"github.com/pdp-connect/pdpp-mcp/middleware/observe"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
	"github.com/pdp-connect/pdpp-mcp/tools"
)

var update = flag.Bool("update", false, "rewrite golden files")

// What no log, label, attribute or header of a trace may hold. Each is in what a client sends or a server answers.
const (
	canaryToken  = "canary-token-5b1e"
	canaryQuery  = "canary-query-a972"
	canaryRecord = "canary-record-03cd"
	canaryName   = "canary_name_77f0" // of a stream, a tool, a code, a method, a reason
)

// watched is a hosted server before a scripted resource server and authority, with everybody looking on.
type watched struct {
	url     string
	metrics *observe.Metrics
	spans   *tracetest.InMemoryExporter
	log     *syncBuffer
	stop    func() // ends the server; all that it counted is counted then

	mu           sync.Mutex
	traceparents []string // that the resource server was sent, "path traceparent"; a path may have the id that is looked for
}

// A syncBuffer is a buffer that many may write.
type syncBuffer struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *syncBuffer) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *syncBuffer) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// newWatched starts one. Without traced there is no tracer, as without an endpoint to export to.
func newWatched(t *testing.T, traced bool) *watched {
	t.Helper()
	w := &watched{metrics: observe.NewMetrics("1.2.3", tools.Names()), spans: tracetest.NewInMemoryExporter(), log: &syncBuffer{}}
	source := httptest.NewServer(http.HandlerFunc(w.serve))
	t.Cleanup(source.Close)
	watch := observe.Observation{Metrics: w.metrics}
	if traced {
		provider := sdktrace.NewTracerProvider(sdktrace.WithSyncer(w.spans))
		t.Cleanup(func() { _ = provider.Shutdown(context.Background()) })
		watch.Tracer = provider.Tracer("test")
	}
	ctx, cancel := context.WithCancel(t.Context())
	server, err := newHosted(ctx, cli.HostedConfig{
		ServeFlags: cli.ServeFlags{
			Listen: "127.0.0.1:0", RSURL: source.URL, PackagesURL: source.URL + "/packages", Retries: 2, Breaker: true, SearchRelax: true, HitContext: true,
		},
		Name:          "test",
		Introspection: &auth.IntrospectorOptions{LookupOptions: auth.LookupOptions{Endpoint: source.URL + "/introspect", ClientID: "c", ClientSecret: rs.NewToken(canaryToken)}},
		Log:           zerolog.New(w.log).Level(zerolog.DebugLevel), Watch: watch,
	}, nil)
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(ctx, service.Manager{}, nil) }()
	w.url = server.service.URL()
	w.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; err != nil && !errors.Is(err, http.ErrServerClosed) {
			t.Error(err)
		}
	})
	t.Cleanup(w.stop)
	return w
}

// serve is the resource server, the authority and the directory.
func (w *watched) serve(rw http.ResponseWriter, r *http.Request) {
	w.mu.Lock()
	w.traceparents = append(w.traceparents, strings.NewReplacer(canaryName, "NAME", canaryQuery, "QUERY").Replace(r.URL.Path)+" "+r.Header.Get("Traceparent"))
	w.mu.Unlock()
	rw.Header().Set("Content-Type", "application/json")
	answer := func(status int, body string) {
		rw.WriteHeader(status)
		_, _ = io.WriteString(rw, body)
	}
	token := strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")
	switch path := r.URL.Path; {
	case path == "/introspect":
		switch r.FormValue("token") {
		case canaryToken:
			answer(200, `{"active":true,"pdpp_token_kind":"client","grant_id":"`+canaryName+`"}`)
		case "member-1-" + canaryToken, "member-2-" + canaryToken:
			answer(200, `{"active":true,"pdpp_token_kind":"client"}`)
		case "package-" + canaryToken:
			answer(200, `{"active":true,"pdpp_token_kind":"mcp_package","grant_package_id":"p"}`)
		case "owner-" + canaryToken:
			answer(200, `{"active":true,"pdpp_token_kind":"owner"}`)
		default:
			answer(200, `{"active":false,"inactive_reason":"`+canaryName+`"}`)
		}
	case path == "/packages":
		answer(200, `{"status":"active","package_id":"p","members":[`+
			`{"connection_id":"cin_1","grant_id":"g1","streams":["messages"],"access_token":"member-1-`+canaryToken+`","usable":true},`+
			`{"connection_id":"cin_2","grant_id":"g2","streams":["messages"],"access_token":"member-2-`+canaryToken+`","usable":true}]}`)
	case token == "member-2-"+canaryToken:
		answer(500, `{"error":{"code":"`+canaryName+`","message":"`+canaryRecord+`"}}`)
	case path == "/v1/schema":
		answer(200, `{"detail":"compact","bearer":{"token_kind":"client"},"connectors":[{"connector_key":"`+canaryName+`","streams":[{"name":"`+canaryName+`"}]}]}`)
	case path == "/v1/search" || path == "/v1/search/hybrid":
		answer(200, `{"object":"list","data":[{"stream":"messages","id":"1","connection_id":"cin_1","title":"`+canaryRecord+`"}]}`)
	case path == "/v1/streams/messages/records/1":
		answer(200, `{"object":"record","id":"1","stream":"messages","data":{"text":"\u0007\u202e`+strings.Repeat(canaryRecord+" ", 4000)+`"}}`)
	case path == "/v1/streams/messages/records":
		answer(403, `{"error":{"code":"`+canaryName+`","message":"`+canaryRecord+`","request_id":"req_1"}}`)
	default:
		answer(404, `{"error":{"code":"not_found","message":"`+canaryRecord+`"}}`)
	}
}

// send makes one HTTP request and returns status and body.
func (w *watched) send(t *testing.T, method, token, body string, headers map[string]string) (int, string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), method, w.url, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Content-Type", "application/json")
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	for name, value := range headers {
		request.Header.Set(name, value)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// legacy and modern are messages of the two eras.
func legacy(method, params string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s}}`, method, params)
}

func modern(method, params, meta string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":%q,"params":{%s,"_meta":{%s"io.modelcontextprotocol/protocolVersion":"2026-07-28",`+
		`"io.modelcontextprotocol/clientInfo":{"name":"%s","version":"0"},"io.modelcontextprotocol/clientCapabilities":{}}}}`, method, params, meta, canaryName)
}

func modernHeaders(method, name string) map[string]string {
	return map[string]string{"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method, "Mcp-Name": name}
}

// aDay sends one of everything: good calls, refused ones, one of a package, and what is no call at all.
func (w *watched) aDay(t *testing.T) {
	t.Helper()
	for _, step := range []struct {
		method, token, body string
		headers             map[string]string
		status              int
		holds               string
	}{
		{"POST", canaryToken, legacy("tools/call", `"name":"schema","arguments":{}`), nil, 200, canaryName},
		{"POST", canaryToken, modern("tools/call", `"name":"search","arguments":{"q":"`+canaryQuery+`"}`, ""), modernHeaders("tools/call", "search"), 200, canaryRecord},
		{"POST", canaryToken, legacy("tools/call", `"name":"fetch","arguments":{"id":"messages:1"}`), nil, 200, "incomplete"},
		{"POST", canaryToken, legacy("tools/call", `"name":"fetch","arguments":{"id":"`+canaryQuery+`"}`), nil, 200, "invalid_id"},
		{"POST", canaryToken, legacy("tools/call", `"name":"query_records","arguments":{"stream":"messages","filter":{"a":"`+canaryQuery+`"}}`), nil, 200, canaryName},
		{"POST", canaryToken, legacy("tools/call", `"name":"`+canaryName+`","arguments":{}`), nil, 200, "unknown tool"},
		{"POST", canaryToken, legacy("resources/read", `"uri":"pdpp://stream/messages/`+canaryQuery+`"`), nil, 200, "error"},
		{"POST", canaryToken, legacy("resources/read", `"uri":"pdpp://stream/`+canaryName+`"`), nil, 200, canaryName},
		{"POST", "package-" + canaryToken, legacy("tools/call", `"name":"search","arguments":{"q":"`+canaryQuery+`"}`), nil, 200, "unavailable_connections"},
		{"POST", "", legacy("tools/list", ``), nil, 401, "not_authenticated"},
		{"POST", canaryToken + "-dead", legacy("tools/list", ``), nil, 401, canaryName},
		{"POST", "owner-" + canaryToken, legacy("tools/list", ``), nil, 403, "owner_token_refused"},
		{"POST", canaryToken, `{"` + canaryQuery, nil, 400, "Parse error"},
		{"PROPFIND", canaryToken, "", nil, 405, "method_not_allowed"},
	} {
		status, body := w.send(t, step.method, step.token, step.body, step.headers)
		if status != step.status || !strings.Contains(body, step.holds) {
			t.Errorf("%s %s: %d %s; want %d with %q", step.method, step.body, status, body, step.status, step.holds)
		}
	}
}

// scrape returns the program's own metrics as a scraper sees them.
func (w *watched) scrape(t *testing.T) string {
	t.Helper()
	recorder := httptest.NewRecorder()
	w.metrics.Handler().ServeHTTP(recorder, httptest.NewRequest(http.MethodGet, service.AdminPath, nil))
	var own []string
	for line := range strings.Lines(recorder.Body.String()) {
		if strings.Contains(line, "pdpp_mcp_") {
			own = append(own, line)
		}
	}
	return strings.Join(own, "")
}

var (
	masked    = regexp.MustCompile(`(?m)^(\w+_seconds_(?:bucket\{.*le="[0-9.]+"\}|sum\{.*\}|sum)|pdpp_mcp_answer_bytes_sum\{.*\}) .*$`)
	goVersion = regexp.MustCompile(`go_version="[^"]*"`)
	noFailure = `pdpp_mcp_calls_total{era="%s",outcome="internal_error",tool="%s"} 0` + "\n"
)

func TestMetricsOfADay(t *testing.T) {
	w := newWatched(t, false)
	w.aDay(t)
	w.stop()
	got := masked.ReplaceAllString(w.scrape(t), "$1 *")
	got = goVersion.ReplaceAllString(got, `go_version="*"`)
	for _, era := range []string{"legacy", "modern"} { // the file does not name the tools, so that a new one leaves it as it is
		for _, name := range tools.Names() {
			line := fmt.Sprintf(noFailure, era, name)
			if !strings.Contains(got, line) {
				t.Errorf("there is no %s", line)
			}
			got = strings.Replace(got, line, "", 1)
		}
	}
	golden := filepath.Join("testdata", "metrics.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("metrics (-want +got):\n%s", diff)
	}
}

func TestObservationTellsNoSecret(t *testing.T) {
	w := newWatched(t, true)
	w.aDay(t)
	w.send(t, "POST", canaryToken, legacy("tools/call", `"name":"schema","arguments":{},"_meta":{"traceparent":"`+canaryQuery+`"}`),
		map[string]string{"Traceparent": canaryToken, "Tracestate": "a=" + canaryToken, "Baggage": "a=" + canaryToken})
	w.stop()
	spans, err := json.Marshal(w.spans.GetSpans())
	if err != nil {
		t.Fatal(err)
	}
	w.mu.Lock()
	headers := strings.Join(w.traceparents, "\n")
	w.mu.Unlock()
	for place, text := range map[string]string{"the metrics": w.scrape(t), "the spans": string(spans), "the traceparents": headers} {
		if len(text) < 500 {
			t.Errorf("%s are too short to tell anything: %s", place, text)
		}
		for _, canary := range []string{canaryToken, canaryQuery, canaryRecord, canaryName} {
			if strings.Contains(text, canary) {
				t.Errorf("%s hold %s", place, canary)
			}
		}
	}
	for _, canary := range []string{canaryToken, canaryQuery, canaryRecord} { // a code is what the log is for
		if strings.Contains(w.log.String(), canary) {
			t.Errorf("the log holds %s: %s", canary, w.log)
		}
	}
}

const (
	headerTrace = "0af7651916cd43dd8448eb211c80319c"
	sampled     = "-b7ad6b7169203331-01"
)

// One line per span: its name, under its parent's, in trace T; and whether it is linked.
func spanLines(spans tracetest.SpanStubs) []string {
	names := map[trace.SpanID]string{}
	for _, s := range spans {
		names[s.SpanContext.SpanID()] = s.Name
	}
	var lines []string
	for _, s := range spans {
		parent := names[s.Parent.SpanID()]
		switch {
		case parent != "":
		case s.Parent.IsValid():
			parent = "the client"
		default:
			parent = "nothing"
		}
		line := fmt.Sprintf("%s (%s) under %s", s.Name, s.SpanKind, parent)
		if s.SpanContext.TraceID().String() == headerTrace {
			line += " in the header's trace"
		}
		lines = append(lines, line)
	}
	slices.Sort(lines)
	return lines
}

func TestTraces(t *testing.T) {
	call := `"name":"schema","arguments":{}`
	for name, row := range map[string]struct {
		header string
		want   []string
	}{
		"without a trace of the client one begins": {"", []string{
			"POST /mcp (server) under nothing", "read introspection (client) under POST /mcp",
			"read schema (client) under tools/call schema", "read streams (client) under tools/call schema", "tools/call schema (server) under POST /mcp",
		}},
		"the header's trace goes on": {"00-" + headerTrace + sampled, []string{
			"POST /mcp (server) under the client in the header's trace", "read introspection (client) under POST /mcp in the header's trace",
			"read schema (client) under tools/call schema in the header's trace", "read streams (client) under tools/call schema in the header's trace", "tools/call schema (server) under POST /mcp in the header's trace",
		}},
		"an invalid traceparent is dropped": {"00-" + strings.Repeat("0", 32) + sampled, []string{
			"POST /mcp (server) under nothing", "read introspection (client) under POST /mcp",
			"read schema (client) under tools/call schema", "read streams (client) under tools/call schema", "tools/call schema (server) under POST /mcp",
		}},
		"a client that does not sample is not traced": {"00-" + headerTrace + "-b7ad6b7169203331-00", nil},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatched(t, true)
			headers := modernHeaders("tools/call", "schema")
			if row.header != "" {
				headers["Traceparent"] = row.header
			}
			if status, body := w.send(t, "POST", canaryToken, modern("tools/call", call, ""), headers); status != 200 {
				t.Fatalf("%d %s", status, body)
			}
			w.stop()
			if diff := cmp.Diff(row.want, spanLines(w.spans.GetSpans())); diff != "" {
				t.Error(diff)
			}
			for _, s := range w.spans.GetSpans() {
				if s.Name == "read schema" {
					want := fmt.Sprintf("/v1/schema 00-%s-%s-01", s.SpanContext.TraceID(), s.SpanContext.SpanID())
					if !slices.Contains(w.traceparents, want) {
						t.Errorf("the resource server was sent %q; want %q", w.traceparents, want)
					}
				}
			}
		})
	}
}

func TestSpansOfAFailure(t *testing.T) {
	w := newWatched(t, true)
	w.send(t, "POST", canaryToken, legacy("tools/call", `"name":"query_records","arguments":{"stream":"messages"}`), nil)
	w.stop()
	got := map[string]map[string]string{}
	for _, s := range w.spans.GetSpans() {
		got[s.Name] = map[string]string{"status": s.Status.Code.String() + " " + s.Status.Description}
		for _, a := range s.Attributes {
			got[s.Name][string(a.Key)] = a.Value.String()
		}
	}
	delete(got, "read introspection")
	want := map[string]map[string]string{
		"POST /mcp": {"status": "Unset ", "http.request.method": "POST", "http.route": "/mcp", "http.response.status_code": "200"},
		"tools/call query_records": {"status": "Error other", "pdpp.tool": "query_records", "pdpp.outcome": "other", "mcp.protocol.version": "2025-03-26",
			"pdpp.bytes.read": "0", "pdpp.bytes.resource": "0", "pdpp.bytes.text": "*", "pdpp.bytes.structured": "*"},
		"read records": {"status": "Error ", "pdpp.read": "records", "http.request.method": "GET", "http.response.status_code": "403", "http.response.body.size": "*"},
	}
	for name, attributes := range want {
		for key, value := range attributes {
			if value == "*" && got[name][key] != "" && got[name][key] != "0" {
				got[name][key] = "*"
			}
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// Without a tracer the trace of the client still reaches the resource server, as it came.
func TestTraceparentIsPassedOnWithoutATracer(t *testing.T) {
	for name, row := range map[string]struct{ header, want string }{
		"none":                      {"", ""},
		"from the header":           {"00-" + headerTrace + sampled, "00-" + headerTrace + sampled},
		"an invalid one is dropped": {"00-" + headerTrace + "-x", ""},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWatched(t, false)
			w.send(t, "POST", canaryToken, legacy("tools/call", `"name":"schema","arguments":{}`), map[string]string{"Traceparent": row.header})
			w.stop()
			if !slices.Contains(w.traceparents, "/v1/schema "+row.want) {
				t.Errorf("the resource server was sent %q; want %q", w.traceparents, row.want)
			}
			if len(w.spans.GetSpans()) != 0 {
				t.Error("there are spans")
			}
		})
	}
}

func TestTheCallLine(t *testing.T) {
	w := newWatched(t, false)
	headers := modernHeaders("tools/call", "schema")
	headers["Traceparent"], headers["Request-Id"] = "00-"+headerTrace+sampled, "req_7"
	w.send(t, "POST", canaryToken, modern("tools/call", `"name":"schema","arguments":{}`, ""), headers)
	w.stop()
	for line := range strings.Lines(w.log.String()) {
		var got map[string]any
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatal(err)
		}
		if got["message"] != "call" {
			continue
		}
		for _, key := range []string{"ms", "rs_bytes", "text_bytes", "structured_bytes"} {
			if n, ok := got[key].(float64); !ok || n <= 0 {
				t.Errorf("%s is %v", key, got[key])
			}
			delete(got, key)
		}
		want := map[string]any{
			"level": "info", "message": "call", "tool": "schema", "resource": false, "code": "ok", "protocol": "2026-07-28",
			"request_id": "req_7", "rs_request_id": "", "trace_id": headerTrace, "reads": 2.0,
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		return
	}
	t.Errorf("no line of the call: %s", w.log)
}

func TestAdminListener(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	log, stderr := io.Pipe()
	done := make(chan int, 1)
	go func() {
		done <- run(ctx, []string{"serve", "--listen", "127.0.0.1:0", "--rs-url", "http://127.0.0.1:1", "--admin-listen", "127.0.0.1:0"},
			func(string) string { return "" }, strings.NewReader(""), io.Discard, stderr)
		_ = stderr.Close()
	}()
	address := ""
	lines := bufio.NewScanner(log)
	for address == "" && lines.Scan() {
		var line struct{ Message, Address string }
		if json.Unmarshal(lines.Bytes(), &line) == nil && line.Message == "serving "+service.AdminPath {
			address = line.Address
		}
	}
	if address == "" {
		t.Fatal("the log names no address")
	}
	go func() { _, _ = io.Copy(io.Discard, log) }()
	for path, want := range map[string]int{"/metrics": 200, "/": 404, "/mcp": 404, "/debug/pprof/": 404} {
		response, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		body, _ := io.ReadAll(response.Body)
		response.Body.Close()
		if response.StatusCode != want {
			t.Errorf("%s: %d, want %d", path, response.StatusCode, want)
		}
		for _, name := range []string{"pdpp_mcp_build_info", "go_goroutines", "process_open_fds"} {
			if path == service.AdminPath && !strings.Contains(string(body), name) {
				t.Errorf("%s is not among the metrics", name)
			}
		}
	}
	cancel()
	if code := <-done; code != 0 {
		t.Errorf("exit code %d", code)
	}
}

// The readiness checks outlive a reload, and so do those of sign-in and the export of traces.
func TestAReloadChangesTheLogLevelOfWhatOutlivesIt(t *testing.T) {
	t.Cleanup(func() { zerolog.SetGlobalLevel(zerolog.TraceLevel) })
	for name, row := range map[string]struct {
		before, after zerolog.Level
		lines         int
	}{"less": {zerolog.WarnLevel, zerolog.ErrorLevel, 0}, "more": {zerolog.ErrorLevel, zerolog.WarnLevel, 2}} {
		t.Run(name, func(t *testing.T) {
			var log syncBuffer
			c := cli.HostedConfig{ServeFlags: cli.ServeFlags{Listen: "127.0.0.1:0", RSURL: "http://127.0.0.1:1"}, Log: zerolog.New(&log), Level: row.before}
			h, err := newHosted(t.Context(), c, nil)
			if err != nil {
				t.Fatal(err)
			}
			if c.Level = row.after; h.configure(t.Context(), c) != nil {
				t.Fatal("it cannot be configured")
			}
			h.health.Serve()
			h.health.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, web.ReadyPath, nil))
			if got := strings.Count(log.String(), `"readiness"`); got != row.lines {
				t.Errorf("%d lines, want %d:\n%s", got, row.lines, &log)
			}
		})
	}
}

// Over stdio there is no request around a call, whose span begins a trace.
func TestStdioIsTraced(t *testing.T) {
	var heard syncBuffer
	collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { _, _ = io.Copy(&heard, r.Body) }))
	defer collector.Close()
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
	message := strings.NewReader(modern("tools/call", `"name":"schema","arguments":{}`, "") + "\n")
	var out, log syncBuffer
	if code := run(t.Context(), []string{"stdio", "--demo"}, os.Getenv, message, &out, &log); code != 0 {
		t.Fatalf("exit code %d: %s", code, &log)
	}
	if !strings.Contains(out.String(), `"result"`) {
		t.Fatalf("answered %s", &out)
	}
	for _, part := range []string{"tools/call schema", "read schema"} {
		if !strings.Contains(heard.String(), part) {
			t.Errorf("the collector did not hear %q", part)
		}
	}
}
