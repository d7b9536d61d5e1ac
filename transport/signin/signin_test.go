package signin_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/transport/signin"
)

const ours = "https://mcp.example"

// A realServer is an authorization server as it was recorded. Tests change its metadata and what it answers.
type realServer struct {
	*httptest.Server
	metadata map[string]any
	source   int // status of /connectors/slack
	token    http.HandlerFunc
	slow     chan struct{} // what each request for the metadata sends to twice; nil: they are answered at once

	mutex sync.Mutex
	seen  []string // path and body of each POST
}

func newRealServer(t *testing.T) *realServer {
	t.Helper()
	s := &realServer{source: http.StatusOK}
	s.Server = httptest.NewServer(s)
	t.Cleanup(s.Close)
	s.metadata = map[string]any{
		"issuer": s.URL, "authorization_endpoint": s.URL + "/oauth/authorize", "token_endpoint": s.URL + "/oauth/token",
		"registration_endpoint": s.URL + "/oauth/register", "device_authorization_endpoint": s.URL + "/oauth/device_authorization",
		"pushed_authorization_request_endpoint": s.URL + "/oauth/par", "introspection_endpoint": s.URL + "/introspect",
		"response_types_supported": []string{"code"}, "code_challenge_methods_supported": []string{"S256"},
		"token_endpoint_auth_methods_supported": []string{"none"}, "pdpp_registration_modes_supported": []string{"dynamic"},
	}
	return s
}

// passedOn returns the path and body of each POST so far.
func (s *realServer) passedOn() []string {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	return slices.Clone(s.seen)
}

// with changes the server.
func (s *realServer) with(change func(*realServer)) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	change(s)
}

func (s *realServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	switch r.URL.EscapedPath() {
	case "/.well-known/oauth-authorization-server":
		if slow := s.slow; slow != nil {
			s.mutex.Unlock() // so that others are heard as well
			slow <- struct{}{}
			slow <- struct{}{}
			s.mutex.Lock()
		}
		_ = json.NewEncoder(w).Encode(s.metadata)
	case "/connectors/slack", "/connectors/https:%2F%2Fregistry.example%2Fconnectors%2Fslack":
		w.WriteHeader(s.source)
		_, _ = io.WriteString(w, "{}")
	case "/oauth/register", "/oauth/token":
		body, _ := io.ReadAll(r.Body)
		s.seen = append(s.seen, r.URL.Path+" "+string(body))
		if s.token != nil {
			s.token(w, r)
			return
		}
		w.WriteHeader(http.StatusCreated)
		_, _ = io.WriteString(w, `{"client_id":"cli_1"}`)
	default:
		w.WriteHeader(http.StatusNotFound)
		_, _ = io.WriteString(w, "{}")
	}
}

// A clock stands still until a test moves it.
type clock struct{ atomic.Int64 }

func (c *clock) now() time.Time { return time.Unix(1_800_000_000, c.Load()) }

func (s *realServer) options(c *clock) signin.Options {
	return signin.Options{
		Issuer: s.URL, Public: ours, ConnectorKey: "slack", Now: c.now, Log: zerolog.Nop(),
	}
}

func newBridge(t *testing.T, s *realServer) (*signin.Bridge, *clock) {
	t.Helper()
	c := &clock{}
	b, err := signin.New(t.Context(), s.options(c))
	if err != nil {
		t.Fatal(err)
	}
	return b, c
}

func get(b *signin.Bridge, path, query string) *httptest.ResponseRecorder {
	w := httptest.NewRecorder()
	b.Serve(w, httptest.NewRequest(http.MethodGet, ours+path+query, nil), path)
	return w
}

func post(b *signin.Bridge, path, media, body string) *httptest.ResponseRecorder {
	return postFrom("203.0.113.7", b, path, media, body)
}

func postFrom(address string, b *signin.Bridge, path, media, body string) *httptest.ResponseRecorder {
	client := netip.PrefixFrom(netip.MustParseAddr(address), 32)
	r := httptest.NewRequest(http.MethodPost, ours+path, strings.NewReader(body))
	r.Header.Set("Content-Type", media)
	w := httptest.NewRecorder()
	b.Serve(w, r.WithContext(middleware.WithRequest(r.Context(), &middleware.Request{Client: client})), path)
	return w
}

const (
	formMedia   = "application/x-www-form-urlencoded"
	refreshForm = "grant_type=refresh_token&refresh_token=rt_1&client_id=cli_1"
)

// What is published is a whitelist: nothing that leads to a token of another kind, nothing of the real server's issuer.
func TestMetadata(t *testing.T) {
	s := newRealServer(t)
	b, _ := newBridge(t, s)
	var got map[string]any
	if err := json.Unmarshal(get(b, web.ServerPath, "").Body.Bytes(), &got); err != nil {
		t.Fatal(err)
	}
	want := map[string]any{
		"issuer": ours, "authorization_endpoint": ours + "/authorize", "token_endpoint": ours + "/token", "registration_endpoint": ours + "/register",
		"response_types_supported": []any{"code"}, "grant_types_supported": []any{"authorization_code", "refresh_token"},
		"code_challenge_methods_supported": []any{"S256"}, "token_endpoint_auth_methods_supported": []any{"none"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
}

// pkce are the parameters by which a client binds its code to itself (RFC 7636).
const (
	digest = "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM"
	pkce   = "code_challenge=" + digest + "&code_challenge_method=S256"
)

func TestAuthorizeAddsTheSelection(t *testing.T) {
	s := newRealServer(t)
	b, _ := newBridge(t, s)
	w := get(b, web.AuthorizePath, "?"+pkce+"&client_id=cli_1&state=st&connector_id=gmail&authorization_details=%5B%5D&request_uri=urn:x&request=x&resource="+url.QueryEscape(ours+"/mcp"))
	want := s.URL + "/oauth/authorize?client_id=cli_1&" + pkce + "&connector_id=slack&resource=https%3A%2F%2Fmcp.example%2Fmcp&state=st"
	if w.Code != http.StatusFound || w.Header().Get("Location") != want || w.Header().Get("Cache-Control") != "no-store" || w.Header().Get("Referrer-Policy") != "no-referrer" {
		t.Errorf("%d %v", w.Code, w.Header())
	}
	for _, query := range []string{
		"?client_id=a&client_id=b&" + pkce, "?%zz", "?" + pkce + "&state=" + strings.Repeat("x", 20<<10),
		"?client_id=a", "?client_id=a&code_challenge=" + digest, "?code_challenge=" + digest + "&code_challenge_method=plain",
		"?code_challenge_method=S256", "?code_challenge=short&code_challenge_method=S256", "?code_challenge=" + digest + "A&code_challenge_method=S256",
	} {
		if w := get(b, web.AuthorizePath, query); w.Code != http.StatusBadRequest || w.Header().Get("Location") != "" {
			t.Errorf("%.20s: %d %v", query, w.Code, w.Header())
		}
	}
	t.Run("or the details of a file", func(t *testing.T) {
		o := s.options(&clock{})
		o.ConnectorKey, o.Details = "", `[{"type":"https://pdpp.dev/data-access","source":{"id":"https://registry.example/connectors/slack"}}]`
		b, err := signin.New(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		to, err := url.Parse(get(b, web.AuthorizePath, "?client_id=cli_1&connector_id=gmail&"+pkce).Header().Get("Location"))
		if err != nil || to.Query().Get("authorization_details") != o.Details || to.Query().Has("connector_id") {
			t.Errorf("location %v: %v", to, err)
		}
	})
}

func TestRegisterPassesOnWhatIsKnown(t *testing.T) {
	s := newRealServer(t)
	b, c := newBridge(t, s)
	w := post(b, web.RegisterPath, "application/json", `{"client_name":"mcp-remote","redirect_uris":["http://127.0.0.1:1/cb"],"software_id":"x","software_version":"1",
		"scope":"","grant_types":["authorization_code","refresh_token"],"token_endpoint_auth_method":"client_secret_post","client_uri":"https://x.example"}`)
	want := `/oauth/register {"client_name":"mcp-remote","grant_types":["authorization_code","refresh_token"],"redirect_uris":["http://127.0.0.1:1/cb"],` +
		`"response_types":["code"],"token_endpoint_auth_method":"none"}`
	if got := s.passedOn(); w.Code != http.StatusCreated || len(got) != 1 || got[0] != want {
		t.Errorf("%d, passed on: %q", w.Code, got)
	}
	for range 100 { // which are not sent, so they use up no registrations
		for body, media := range map[string]string{
			"": "application/json", "[]": "application/json", "{": "application/json", "null": "application/json", "{}": formMedia,
		} {
			if w := post(b, web.RegisterPath, media, body); w.Code != http.StatusBadRequest {
				t.Fatalf("%q as %s: %d", body, media, w.Code)
			}
		}
	}
	t.Run("at a bounded rate", func(t *testing.T) {
		last := 0
		for range 30 {
			last = post(b, web.RegisterPath, "application/json", "{}").Code
		}
		if last != http.StatusTooManyRequests || len(s.passedOn()) != 20 {
			t.Errorf("%d after %d", last, len(s.passedOn()))
		}
		c.Add(int64(time.Minute))
		if w := post(b, web.RegisterPath, "application/json", "{}"); w.Code != http.StatusCreated {
			t.Errorf("a minute later: %d", w.Code)
		}
	})
}

func TestRefusesToStart(t *testing.T) {
	for name, change := range map[string]func(*realServer, *signin.Options){
		"no public URL":  func(_ *realServer, o *signin.Options) { o.Public = "" },
		"a plain one":    func(_ *realServer, o *signin.Options) { o.Public = "http://mcp.example" },
		"no selection":   func(_ *realServer, o *signin.Options) { o.ConnectorKey = "" },
		"two selections": func(_ *realServer, o *signin.Options) { o.Details = "[{}]" },
		"two details": func(_ *realServer, o *signin.Options) {
			o.ConnectorKey, o.Details = "", `[{"type":"a","source":{"id":"b"}},{"type":"a","source":{"id":"b"}}]`
		},
		"details without a source":   func(_ *realServer, o *signin.Options) { o.ConnectorKey, o.Details = "", `[{"type":"a"}]` },
		"an unreachable server":      func(s *realServer, _ *signin.Options) { s.Close() },
		"plain http":                 func(_ *realServer, o *signin.Options) { o.Issuer = "http://as.example" },
		"a slash at the end":         func(_ *realServer, o *signin.Options) { o.Issuer += "/" },
		"credentials":                func(s *realServer, o *signin.Options) { o.Issuer = strings.Replace(s.URL, "://", "://user@", 1) },
		"a foreign issuer":           func(s *realServer, _ *signin.Options) { s.metadata["issuer"] = "https://evil.example" },
		"an issuer with a slash":     func(s *realServer, _ *signin.Options) { s.metadata["issuer"] = s.URL + "/" },
		"no token endpoint":          func(s *realServer, _ *signin.Options) { delete(s.metadata, "token_endpoint") },
		"no registration":            func(s *realServer, _ *signin.Options) { delete(s.metadata, "registration_endpoint") },
		"a token endpoint elsewhere": func(s *realServer, _ *signin.Options) { s.metadata["token_endpoint"] = "https://evil.example/token" },
		"a query in the endpoint": func(s *realServer, _ *signin.Options) {
			s.metadata["authorization_endpoint"] = s.URL + "/authorize?x=1"
		},
		"no S256": func(s *realServer, _ *signin.Options) {
			s.metadata["code_challenge_methods_supported"] = []string{"plain"}
		},
		"no code":              func(s *realServer, _ *signin.Options) { s.metadata["response_types_supported"] = []string{"token"} },
		"no public clients":    func(s *realServer, _ *signin.Options) { delete(s.metadata, "token_endpoint_auth_methods_supported") },
		"pushed requests only": func(s *realServer, _ *signin.Options) { s.metadata["require_pushed_authorization_requests"] = true },
		"iss in answers (RFC 9207)": func(s *realServer, _ *signin.Options) {
			s.metadata["authorization_response_iss_parameter_supported"] = true
		},
		"an unknown source":       func(s *realServer, _ *signin.Options) { s.source = http.StatusNotFound },
		"a source that redirects": func(s *realServer, _ *signin.Options) { s.source = http.StatusFound },
	} {
		t.Run(name, func(t *testing.T) {
			s := newRealServer(t)
			o := s.options(&clock{})
			s.with(func(s *realServer) { change(s, &o) })
			if _, err := signin.New(t.Context(), o); err == nil {
				t.Error("it starts")
			}
		})
	}
}
