package signin_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rs/zerolog"

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
		Issuer: s.URL, Public: ours, ConnectorKey: "slack", Transport: http.DefaultTransport, Now: c.now, Log: zerolog.Nop(),
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
	r := httptest.NewRequest(http.MethodPost, ours+path, strings.NewReader(body))
	r.Header.Set("Content-Type", media)
	w := httptest.NewRecorder()
	b.Serve(w, r, path)
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
	for _, body := range []string{"", "[]", "{", "null"} {
		if w := post(b, web.RegisterPath, "application/json", body); w.Code != http.StatusBadRequest {
			t.Errorf("%q: %d", body, w.Code)
		}
	}
	if w := post(b, web.RegisterPath, formMedia, "{}"); w.Code != http.StatusBadRequest {
		t.Errorf("a form: %d", w.Code)
	}
	t.Run("at a bounded rate", func(t *testing.T) {
		last := 0
		for range 30 {
			last = post(b, web.RegisterPath, "application/json", "{}").Code
		}
		if last != http.StatusTooManyRequests || len(s.passedOn()) > 20 {
			t.Errorf("%d after %d", last, len(s.passedOn()))
		}
		c.Add(int64(time.Minute))
		if w := post(b, web.RegisterPath, "application/json", "{}"); w.Code != http.StatusCreated {
			t.Errorf("a minute later: %d", w.Code)
		}
	})
}

// Parallel refreshes with one token are one, and so are those of ten seconds.
func TestOneRefreshForAll(t *testing.T) {
	s := newRealServer(t)
	b, c := newBridge(t, s)
	var refreshes atomic.Int64
	s.with(func(s *realServer) {
		s.token = func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprintf(w, `{"access_token":"client_token_%d"}`, refreshes.Add(1))
		}
	})
	var all sync.WaitGroup
	for range 80 { // which count as one
		all.Go(func() {
			if w := post(b, web.TokenPath, formMedia, refreshForm+"&scope=x"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), "client_token_1") || w.Header().Get("Cache-Control") != "no-store" {
				t.Errorf("%d %s", w.Code, w.Body)
			}
		})
	}
	all.Wait()
	if refreshes.Load() != 1 {
		t.Errorf("%d refreshes", refreshes.Load())
	}
	if post(b, web.TokenPath, formMedia, strings.Replace(refreshForm, "cli_1", "cli_2", 1)); refreshes.Load() != 2 {
		t.Error("another client was given an answer that is not its own")
	}
	c.Add(int64(10 * time.Second))
	if post(b, web.TokenPath, formMedia, refreshForm); refreshes.Load() != 3 {
		t.Error("an answer was shared for more than ten seconds")
	}
}

// One address asks for tokens at a bounded rate, and all together leave at most 64 requests unanswered: what is refused was not sent, so
// that no sign-in is lost by it.
func TestTokenRequestsAreBounded(t *testing.T) {
	s := newRealServer(t)
	b, c := newBridge(t, s)
	refresh := func(number int) *httptest.ResponseRecorder {
		return post(b, web.TokenPath, formMedia, fmt.Sprintf("%s_%d", refreshForm, number))
	}
	answer, arrived := make(chan struct{}), make(chan struct{})
	s.with(func(s *realServer) {
		s.token = func(http.ResponseWriter, *http.Request) {
			s.mutex.Unlock() // so that others are heard as well
			arrived <- struct{}{}
			<-answer
			s.mutex.Lock()
		}
	})
	var waiting sync.WaitGroup
	for number := range 64 {
		if number == 60 {
			c.Add(int64(time.Minute))
		}
		waiting.Go(func() { refresh(number) })
		<-arrived
	}
	if w := refresh(64); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
		t.Errorf("the 65th is answered %d", w.Code)
	}
	close(answer)
	waiting.Wait()
	if got := len(s.passedOn()); got != 64 {
		t.Errorf("%d are passed on", got)
	}
	s.with(func(s *realServer) { s.token = nil })
	last, number := http.StatusOK, 100
	for ; number < 200 && last != http.StatusTooManyRequests; number++ {
		last = refresh(number).Code
	}
	if got := len(s.passedOn()); last != http.StatusTooManyRequests || got != 64+number-1-100 {
		t.Errorf("%d after %d: %d are passed on", last, number, got)
	}
	if w := refresh(100); w.Code != http.StatusTooManyRequests {
		t.Errorf("an answer that is not held is given: %d", w.Code)
	}
	c.Add(int64(time.Second))
	if w := refresh(300); w.Code != http.StatusCreated {
		t.Errorf("a second later: %d", w.Code)
	}
}

func TestTokenRefusals(t *testing.T) {
	s := newRealServer(t)
	b, _ := newBridge(t, s)
	for name, body := range map[string]string{
		"the device grant":    "grant_type=urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Adevice_code&device_code=dc_1&client_id=cli_1",
		"no grant":            "client_id=cli_1",
		"two refresh tokens":  refreshForm + "&refresh_token=rt_2",
		"a body of something": "%zz",
	} {
		if w := post(b, web.TokenPath, formMedia, body); w.Code != http.StatusBadRequest {
			t.Errorf("%s: %d", name, w.Code)
		}
	}
	if w := post(b, web.TokenPath, "application/json", "{}"); w.Code != http.StatusBadRequest {
		t.Errorf("JSON: %d", w.Code)
	}
	if got := s.passedOn(); len(got) != 0 {
		t.Errorf("passed on: %q", got)
	}
	t.Run("an error of the real server is passed on", func(t *testing.T) {
		s.with(func(s *realServer) {
			s.token = func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, `{"error":"invalid_grant","fresh_authorization_required":true}`)
			}
		})
		if w := post(b, web.TokenPath, formMedia, refreshForm); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), "fresh_authorization_required") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
	for name, answer := range map[string]http.HandlerFunc{
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/", http.StatusTemporaryRedirect)
		},
		"no JSON": func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "<html>") },
		"a fault": func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"too much": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = io.WriteString(w, `"`+strings.Repeat("x", 300<<10)+`"`)
		},
		"a broken line": func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name+" is 503, asked once", func(t *testing.T) {
			s.with(func(s *realServer) { s.token, s.seen = answer, nil })
			if w := post(b, web.TokenPath, formMedia, refreshForm); w.Code != http.StatusServiceUnavailable || strings.Contains(w.Body.String(), "rt_1") || len(s.passedOn()) != 1 {
				t.Errorf("%d %s, %d requests", w.Code, w.Body, len(s.passedOn()))
			}
		})
	}
}

// What was recorded of the real server passes through as it was: a host hears of each refusal, and of the kind of its token.
func TestRecordedAnswersArePassedOn(t *testing.T) {
	text, err := os.ReadFile("../../internal/connect/testdata/exchanges.json")
	if err != nil {
		t.Fatal(err)
	}
	var recorded map[string]struct {
		Status int
		Body   json.RawMessage
	}
	if err := json.Unmarshal(text, &recorded); err != nil {
		t.Fatal(err)
	}
	s := newRealServer(t)
	b, _ := newBridge(t, s)
	const codeForm = "grant_type=authorization_code&code=oacode_1&client_id=cli_1&redirect_uri=http://127.0.0.1:1/cb&code_verifier=v"
	for name, form := range map[string]string{
		"connect-82-host-register": "", "connect-14-register-software-id-refused": "", "connect-88-host-token-client": codeForm,
		"connect-85-host-token-package": codeForm, "refusal-code-bad-verifier": codeForm, "refusal-code-reused": codeForm,
		"refresh-02-second": refreshForm + "2", "refresh-07-reuse-old": refreshForm + "7", "refresh-22-after-revoke": refreshForm + "22",
	} {
		want := recorded[name]
		s.with(func(s *realServer) {
			s.token = func(w http.ResponseWriter, _ *http.Request) {
				w.WriteHeader(want.Status)
				_, _ = w.Write(want.Body)
			}
		})
		path, media := web.TokenPath, formMedia
		if form == "" {
			path, media, form = web.RegisterPath, "application/json", "{}"
		}
		if got := post(b, path, media, form); got.Code != want.Status || got.Body.String() != string(want.Body) {
			t.Errorf("%s: %d %s", name, got.Code, got.Body)
		}
	}
}

func TestRefusesToStart(t *testing.T) {
	for name, change := range map[string]func(*realServer, *signin.Options){
		"no public URL":  func(_ *realServer, o *signin.Options) { o.Public = "" },
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

// A server that stops being as it has to be is noticed within an hour, and one that is again within ten seconds.
func TestLooksAgainEveryHour(t *testing.T) {
	s := newRealServer(t)
	b, c := newBridge(t, s)
	s.with(func(s *realServer) { s.metadata["authorization_response_iss_parameter_supported"] = true })
	if w := get(b, web.ServerPath, ""); w.Code != http.StatusOK {
		t.Errorf("within the hour: %d", w.Code)
	}
	c.Add(int64(time.Hour))
	for _, path := range []string{web.ServerPath, web.AuthorizePath} {
		if w := get(b, path, ""); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("%s: %d", path, w.Code)
		}
	}
	s.with(func(s *realServer) { delete(s.metadata, "authorization_response_iss_parameter_supported") })
	c.Add(int64(10 * time.Second))
	if w := get(b, web.ServerPath, ""); w.Code != http.StatusOK {
		t.Errorf("again: %d", w.Code)
	}
}

// The call that finds the hour over waits for the check. No other does, whether sign-in was offered before it or not.
func TestASlowCheckIsWaitedForByOne(t *testing.T) {
	for name, before := range map[string]int{"offered": http.StatusOK, "not offered": http.StatusServiceUnavailable} {
		t.Run(name, func(t *testing.T) {
			s := newRealServer(t)
			b, c := newBridge(t, s)
			if c.Add(int64(time.Hour)); before != http.StatusOK {
				s.with(func(s *realServer) { s.source = http.StatusNotFound })
				get(b, web.ServerPath, "")
				c.Add(int64(10 * time.Second))
			}
			slow := make(chan struct{})
			s.with(func(s *realServer) { s.slow, s.source = slow, http.StatusOK })
			waits := make(chan int)
			go func() { waits <- get(b, web.ServerPath, "").Code }()
			<-slow // the check is on its way
			answered := make(chan int)
			go func() { answered <- get(b, web.ServerPath, "").Code }()
			select {
			case got := <-answered:
				if got != before {
					t.Errorf("meanwhile: %d", got)
				}
			case <-time.After(5 * time.Second):
				t.Error("another call waits")
			}
			<-slow
			if got := <-waits; got != http.StatusOK {
				t.Errorf("the call that waited: %d", got)
			}
		})
	}
}

// A resource server that is slow to say who issues its tokens costs the same: all wait where nothing is known yet, and one later.
func TestASlowIssuerListIsWaitedForByOne(t *testing.T) {
	slow := make(chan struct{})
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		slow <- struct{}{}
		slow <- struct{}{}
		fmt.Fprintf(w, `{"resource":"http://%s","authorization_servers":["https://as.example"]}`, r.Host)
	}))
	defer s.Close()
	c := &clock{}
	issuers := signin.NewIssuers(s.URL, s.URL, http.DefaultTransport, c.now)
	listed := make(chan []string, 3)
	list := func() { listed <- issuers.List(t.Context()) }
	demand := func(count int) {
		t.Helper()
		for range count {
			if got := <-listed; got[0] != "https://as.example" {
				t.Errorf("%v", got)
			}
		}
	}
	go list()
	<-slow
	go list()
	<-slow
	demand(2)
	c.Add(int64(5 * time.Minute))
	go list()
	<-slow
	list()
	demand(1)
	select {
	case <-listed:
		t.Error("another call waited as well")
	default:
	}
	<-slow
	demand(1)
}

func TestIssuers(t *testing.T) {
	const good = `{"resource":"URL","authorization_servers":["https://as.example"]}`
	var document atomic.Value
	document.Store(good)
	var asked atomic.Int64
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		asked.Add(1)
		if r.URL.Path != "/.well-known/oauth-protected-resource" {
			t.Errorf("asked for %s", r.URL.Path)
		}
		_, _ = io.WriteString(w, strings.Replace(document.Load().(string), "URL", "http://"+r.Host, 1))
	}))
	defer s.Close()
	c := &clock{}
	issuers := signin.NewIssuers(s.URL, s.URL, http.DefaultTransport, c.now)
	demand := func(want string, questions int64) {
		t.Helper()
		if got := issuers.List(t.Context()); len(got) != 1 || got[0] != want || asked.Load() != questions {
			t.Errorf("%v after %d questions", got, asked.Load())
		}
	}
	demand("https://as.example", 1)
	demand("https://as.example", 1)
	document.Store(`{"resource":"https://evil.example","authorization_servers":["https://evil.example"]}`)
	c.Add(int64(5 * time.Minute))
	demand("https://as.example", 2) // the last that is known
	document.Store(strings.Replace(good, "https://as", "http://as", 1))
	c.Add(int64(10 * time.Second))
	demand("https://as.example", 3)

	fresh := signin.NewIssuers(s.URL, s.URL, http.DefaultTransport, c.now)
	if got := fresh.List(t.Context()); len(got) != 1 || got[0] != s.URL {
		t.Errorf("what is never known is the resource server: %v", got)
	}
}
