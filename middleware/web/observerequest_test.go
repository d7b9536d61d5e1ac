package web_test

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/justinas/alice"
	"github.com/rs/zerolog"
	"go.opentelemetry.io/otel/trace"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/middlewaretest"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/rs/auth"
)

func TestRequestID(t *testing.T) {
	for _, test := range []struct {
		name, header, value string
		kept                bool
	}{
		{"a sane id is kept", "Request-Id", "req_1.A-b", true},
		{"the other spelling is kept", "X-Request-Id", "abc", true},
		{"64 characters are kept", "Request-Id", strings.Repeat("a", 64), true},
		{"65 characters are replaced", "Request-Id", strings.Repeat("a", 65), false},
		{"a space is replaced", "Request-Id", "a b", false},
		{"a quote inside is replaced", "Request-Id", `a"b`, false},
		{"an escape sequence is replaced", "Request-Id", "a\x1b[1mb", false},
		{"the caller's own token is replaced", "Request-Id", "a-callers-token", false},
		{"a part of it is replaced", "Request-Id", "callers-", false},
		{"a part of it within others is replaced", "X-Request-Id", "job-callers-7", false},
		{"a part of it in other letters is replaced", "Request-Id", "CALLERS-", false},
		{"a part of a second header's token is replaced", "Request-Id", "another-", false},
		{"seven letters are no part that matters", "Request-Id", "callers", true},
		{"none is made up", "Request-Id", "", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var inside string
			handler := web.Observe(web.ChainOptions{})(
				http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { inside = middleware.RequestFrom(r.Context()).ID }),
			)
			r := httptest.NewRequest(http.MethodGet, "/", nil)
			r.Header["Authorization"] = []string{"Bearer a-callers-token", "Bearer another-one"}
			r.Header.Set(test.header, test.value)
			w := httptest.NewRecorder()
			handler.ServeHTTP(w, r)
			if answered := w.Header().Get("Request-Id"); answered != inside || inside == "" || (inside == test.value) != test.kept {
				t.Errorf("inside %q, answered %q", inside, answered)
			}
		})
	}
}

func TestAccessLog(t *testing.T) {
	for _, test := range []struct {
		name, target string
		pipeline     http.HandlerFunc
		want         map[string]any
		panics       bool   // the panic is logged before the request
		traceparent  string // "" sends none
	}{
		{
			name: "one line says who asked for what, without the query", target: "/mcp?access_token=secret",
			pipeline: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "12345") },
			want:     map[string]any{"level": "info", "message": "request", "method": "POST", "path": "/mcp", "status": 200.0, "bytes": 5.0, "request_id": "r1"},
		},
		{
			name: "a status is noted once", target: "/mcp",
			pipeline: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404); _, _ = io.WriteString(w, "x") },
			want:     map[string]any{"level": "info", "message": "request", "method": "POST", "path": "/mcp", "status": 404.0, "bytes": 1.0, "request_id": "r1"},
		},
		{
			name: "the trace that a request names is in its line", target: "/mcp", traceparent: "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01",
			pipeline: func(http.ResponseWriter, *http.Request) {},
			want: map[string]any{
				"level": "info", "message": "request", "method": "POST", "path": "/mcp", "status": 0.0, "bytes": 0.0, "request_id": "r1",
				"trace_id": "0af7651916cd43dd8448eb211c80319c",
			},
		},
		{
			name: "a panic is a 500 in the log, too", target: "/mcp",
			pipeline: func(http.ResponseWriter, *http.Request) { panic("secret") },
			want:     map[string]any{"level": "info", "message": "request", "method": "POST", "path": "/mcp", "status": 500.0, "bytes": 90.0, "code": "internal_error", "request_id": "r1"},
			panics:   true,
		},
		{
			name: "a panic behind the beginning of an answer is in the log, too", target: "/mcp",
			pipeline: func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "12345"); panic("secret") },
			want:     map[string]any{"level": "info", "message": "request", "method": "POST", "path": "/mcp", "status": 200.0, "bytes": 5.0, "request_id": "r1"},
			panics:   true,
		},
		{
			name: "whether it lives is asked every few seconds", target: "/livez",
			pipeline: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) },
			want:     map[string]any{"level": "debug", "message": "request", "method": "POST", "path": "/livez", "status": 200.0, "bytes": 0.0, "request_id": "r1"},
		},
		{
			name: "so is whether it is ready", target: "/readyz",
			pipeline: func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(200) },
			want:     map[string]any{"level": "debug", "message": "request", "method": "POST", "path": "/readyz", "status": 200.0, "bytes": 0.0, "request_id": "r1"},
		},
		{
			name: "a path that is not ours, which may hold a token, is not shown", target: "/mcp/secret",
			pipeline: func(http.ResponseWriter, *http.Request) {},
			want:     map[string]any{"level": "info", "message": "request", "method": "POST", "path": "other", "status": 0.0, "bytes": 0.0, "request_id": "r1"},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			var log bytes.Buffer
			chain := alice.New(web.Observe(web.ChainOptions{Logger: zerolog.New(&log)}))
			r := httptest.NewRequest(http.MethodPost, test.target, nil)
			r.Header.Set("Request-Id", "r1")
			r.Header.Set("Authorization", "Bearer secret")
			if test.traceparent != "" {
				r.Header.Set("Traceparent", test.traceparent)
			}
			func() {
				defer func() { _ = recover() }() // as net/http does, which then breaks the connection
				chain.Then(test.pipeline).ServeHTTP(httptest.NewRecorder(), r)
			}()
			line := log.Bytes()
			if test.panics {
				var stack []byte
				if stack, line, _ = bytes.Cut(line, []byte("\n")); !bytes.Contains(stack, []byte(`"message":"panic"`)) {
					t.Errorf("no line of the panic: %s", stack)
				}
			}
			var got map[string]any
			if err := json.Unmarshal(line, &got); err != nil || strings.Contains(log.String(), "secret") {
				t.Fatalf("not one line of JSON, or not a harmless one: %q", &log)
			}
			if ms, ok := got["ms"].(float64); !ok || ms < 0 {
				t.Errorf("ms: %v", got["ms"])
			}
			delete(got, "ms")
			if diff := cmp.Diff(test.want, got); diff != "" {
				t.Errorf("log (-want +got):\n%s", diff)
			}
		})
	}
}

// The access log truncates a code to 80 bytes, and names only standard methods, because both may come from outside.
func TestTheAccessLogIsCut(t *testing.T) {
	var log bytes.Buffer
	chain := alice.New(web.Observe(web.ChainOptions{Logger: zerolog.New(&log)})).ThenFunc(func(w http.ResponseWriter, r *http.Request) {
		web.Refuse(w, r, &rs.Error{Code: rs.Code(strings.Repeat("c", 81))})
	})
	limited(chain, func(r *http.Request) { r.Method = middlewaretest.CanaryToken })
	for _, says := range []string{`"method":"other"`, `"` + strings.Repeat("c", 77) + `…"`} {
		if !strings.Contains(log.String(), says) {
			t.Errorf("%s, without %s", &log, says)
		}
	}
}

// requestsSeen is a RequestObserver that records the requests.
type requestsSeen struct {
	underWay int
	ended    []requestSeen
}

type requestSeen struct {
	Path   string
	Status int
	Code   rs.Code
}

func (s *requestsSeen) RequestBegan() { s.underWay++ }

func (s *requestsSeen) RequestEnded(path string, status int, code rs.Code, _ time.Duration) {
	s.underWay--
	s.ended = append(s.ended, requestSeen{path, status, code})
}

func TestMeasureHTTP(t *testing.T) {
	for name, row := range map[string]struct {
		path, token string
		pipeline    http.HandlerFunc
		want        requestSeen
	}{
		"a good answer has no code":                {"/mcp", "good", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, requestSeen{"/mcp", 204, ""}},
		"a refusal at the HTTP chain has its code": {"/mcp", "owner", nil, requestSeen{"/mcp", 403, "owner_token_refused"}},
		"so has one behind the bearer": {"/mcp", "good", func(w http.ResponseWriter, r *http.Request) {
			web.Refuse(w, r, &rs.Error{Code: "rate_limited"})
		}, requestSeen{"/mcp", 429, "rate_limited"}},
		"so has a panic":                   {"/mcp", "good", func(http.ResponseWriter, *http.Request) { panic(middlewaretest.CanaryRecord) }, requestSeen{"/mcp", 500, "internal_error"}},
		"a path that is not ours is other": {"/" + middlewaretest.CanaryToken, "good", func(http.ResponseWriter, *http.Request) {}, requestSeen{"other", 0, ""}},
		"D7 a token that died meanwhile": {"/mcp", "good", func(w http.ResponseWriter, r *http.Request) {
			middleware.RequestFrom(r.Context()).NoteUnauthorized("context.active_false")
			w.WriteHeader(200)
		}, requestSeen{"/mcp", 401, rs.TokenInactive}},
	} {
		t.Run(name, func(t *testing.T) {
			var seen requestsSeen
			authority := &webAuthority{
				recheck: func(rs.Token) (auth.Principal, error) { return auth.Principal{}, &rs.Error{Code: rs.TokenInactive} },
			}
			chain := web.ChainOptions{
				Authenticator: authority, Public: web.Public{Origin: "https://mcp.example"}, Logger: zerolog.Nop(), Observer: &seen,
			}.AuthenticatedChain()
			request := httptest.NewRequest(http.MethodPost, row.path, strings.NewReader("{}"))
			request.Host = "mcp.example"
			request.Header.Set("Authorization", "Bearer "+row.token)
			chain.Then(row.pipeline).ServeHTTP(httptest.NewRecorder(), request)
			if diff := cmp.Diff([]requestSeen{row.want}, seen.ended); diff != "" || seen.underWay != 0 {
				t.Errorf("%d under way\n%s", seen.underWay, diff)
			}
		})
	}
}

func TestTraceHTTP(t *testing.T) {
	const id, parent = "0af7651916cd43dd8448eb211c80319c", "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
	for name, row := range map[string]struct {
		method, path string
		traceparents []string
		pipeline     http.HandlerFunc
		span         string
		continued    bool
		attributes   map[string]string
		status       string
	}{
		"a request": {"POST", "/mcp", nil, nil, "POST /mcp", false,
			map[string]string{"http.request.method": "POST", "http.route": "/mcp", "http.response.status_code": "200"}, "Unset"},
		"a request of a trace": {"POST", "/mcp", []string{parent}, nil, "POST /mcp", true,
			map[string]string{"http.request.method": "POST", "http.route": "/mcp", "http.response.status_code": "200"}, "Unset"},
		"two traceparents are nobody's": {"POST", "/mcp", []string{parent, parent}, nil, "POST /mcp", false,
			map[string]string{"http.request.method": "POST", "http.route": "/mcp", "http.response.status_code": "200"}, "Unset"},
		"words of the client's own are not shown": {middlewaretest.CanaryArgument, "/" + middlewaretest.CanaryToken, nil, nil, "other other", false,
			map[string]string{"http.request.method": "other", "http.route": "other", "http.response.status_code": "200"}, "Unset"},
		"a fault of ours": {"POST", "/mcp", nil, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, "POST /mcp", false,
			map[string]string{"http.request.method": "POST", "http.route": "/mcp", "http.response.status_code": "500"}, "Error"},
		"a refusal has its code": {"POST", "/mcp", nil, func(w http.ResponseWriter, r *http.Request) {
			web.Refuse(w, r, &rs.Error{Code: rs.AuthorityUnreachable, Message: middlewaretest.CanaryRecord})
		}, "POST /mcp", false,
			map[string]string{"http.request.method": "POST", "http.route": "/mcp", "http.response.status_code": "503", "pdpp.refusal": "authority_unreachable"}, "Error"},
	} {
		t.Run(name, func(t *testing.T) {
			tracer, exporter := middlewaretest.NewTracer(t)
			var inside trace.SpanContext
			handler := web.Observe(web.ChainOptions{Tracer: tracer})(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				inside = trace.SpanContextFromContext(r.Context())
				if row.pipeline != nil {
					row.pipeline(w, r)
					return
				}
				w.WriteHeader(200)
			}))
			request := httptest.NewRequest(row.method, row.path+"?q="+middlewaretest.CanaryArgument, nil)
			request.Header["Traceparent"] = row.traceparents
			request.Header.Set("Tracestate", "a="+middlewaretest.CanaryArgument)
			handler.ServeHTTP(httptest.NewRecorder(), request)
			spans := exporter.GetSpans()
			if len(spans) != 1 || spans[0].Name != row.span || !spans[0].SpanContext.Equal(inside) || spans[0].Status.Code.String() != row.status {
				t.Fatalf("spans %+v", spans)
			}
			if (spans[0].SpanContext.TraceID().String() == id) != row.continued {
				t.Errorf("trace %s", spans[0].SpanContext.TraceID())
			}
			got := map[string]string{}
			for _, a := range spans[0].Attributes {
				got[string(a.Key)] = a.Value.String()
			}
			if diff := cmp.Diff(row.attributes, got); diff != "" {
				t.Error(diff)
			}
			text, err := json.Marshal(spans)
			if err != nil {
				t.Fatal(err)
			}
			middlewaretest.WithoutSecrets(t, string(text))
		})
	}
}

// A trace that is named with a part of the credential is not continued, so that its id reaches neither the log nor a collector.
func TestATraceNamedWithTheCredential(t *testing.T) {
	const token = "0af7651916cd43dd8448eb211c80319c5a21f0c9e6b7ad6b7169203331aa5511"
	for name, traceparent := range map[string]string{
		"the trace":  "00-" + token[:32] + "-00f067aa0ba902b7-01",
		"a part":     "00-4bf92f3577b34da6" + token[:16] + "-00f067aa0ba902b7-01",
		"the parent": "00-4bf92f3577b34da6a3ce929d0e0e4736-" + token[16:32] + "-01",
	} {
		t.Run(name, func(t *testing.T) {
			for _, credential := range []string{token, strings.ToUpper(token)} {
				var log bytes.Buffer
				var inside trace.SpanContext
				handler := web.Observe(web.ChainOptions{Logger: zerolog.New(&log)})(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
					inside = trace.SpanContextFromContext(r.Context())
				}))
				_ = limited(handler, func(r *http.Request) {
					r.Header.Set("Authorization", "Bearer "+credential)
					r.Header.Set("Traceparent", traceparent)
				})
				if inside.IsValid() || strings.Contains(log.String(), "trace_id") {
					t.Errorf("%+v, %s", inside, &log)
				}
			}
		})
	}
}

// A client's own request id is not kept if the credential is in it.
func TestARequestIDAroundTheCredentialIsReplaced(t *testing.T) {
	var log bytes.Buffer
	chain := alice.New(web.Observe(web.ChainOptions{Logger: zerolog.New(&log)})).ThenFunc(func(http.ResponseWriter, *http.Request) {})
	for _, header := range []string{"Request-Id", "X-Request-Id"} {
		answer := limited(chain, func(r *http.Request) {
			r.Header.Set("Authorization", "Bearer pdpp_client_0123456789")
			r.Header.Set(header, "job-pdpp_client_0123456789.1")
		})
		if id := answer.Header().Get("Request-Id"); !strings.HasPrefix(id, "req_") || strings.Contains(log.String(), "0123456789") {
			t.Errorf("%s: the answer has the id %q, the log is %s", header, id, &log)
		}
	}
}
