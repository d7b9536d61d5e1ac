package signin_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

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

// One address asks for tokens at a bounded rate, and leaves at most 16 requests unanswered, all together at most 64: what is refused was not
// sent, so that no sign-in is lost by it.
func TestTokenRequestsAreBounded(t *testing.T) {
	s := newRealServer(t)
	b, c := newBridge(t, s)
	refreshFrom := func(address string, number int) *httptest.ResponseRecorder {
		return postFrom(address, b, web.TokenPath, formMedia, fmt.Sprintf("%s_%d", refreshForm, number))
	}
	refresh := func(number int) *httptest.ResponseRecorder { return refreshFrom("203.0.113.7", number) }
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
	for _, address := range []string{"203.0.113.7", "203.0.113.8", "203.0.113.9", "203.0.113.10"} {
		for number := range 16 {
			waiting.Go(func() { refreshFrom(address, number<<8+int(address[len(address)-1])) })
			<-arrived
		}
		if w := refreshFrom(address, 16); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
			t.Errorf("the 17th of %s is answered %d", address, w.Code)
		}
	}
	if w := refreshFrom("203.0.113.11", 64); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
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
}

func answers(status int, retryAfter, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if retryAfter != "" {
			w.Header().Set("Retry-After", retryAfter)
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, body)
	}
}

// What may have been used ends in 400 invalid_grant, upon which hosts sign in again: after 503 they would send it a second time, which the
// server takes for theft. It is never sent on again. A registration may be.
func TestALostAnswerEndsTheSignIn(t *testing.T) {
	s := newRealServer(t)
	b, c := newBridge(t, s)
	for name, answer := range map[string]http.HandlerFunc{
		"a redirect": func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://evil.example/", http.StatusTemporaryRedirect)
		},
		"no JSON":                  answers(200, "", "<html>"),
		"a fault":                  answers(502, "", ""),
		"a fault in JSON":          answers(500, "", `{"error":"server_error"}`),
		"unavailable, maybe after": answers(503, "", `{"error":"temporarily_unavailable"}`),
		"a filter's page":          answers(403, "", "<html>"),
		"too much":                 answers(200, "", `"`+strings.Repeat("x", 300<<10)+`"`),
		"a broken line":            func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
	} {
		t.Run(name, func(t *testing.T) {
			s.with(func(s *realServer) { s.token, s.seen = answer, nil })
			token := strings.ReplaceAll(name, " ", "_")
			for range 2 {
				w := post(b, web.TokenPath, formMedia, refreshForm+token)
				if got := w.Body.String(); w.Code != http.StatusBadRequest || !strings.Contains(got, `"invalid_grant"`) || !strings.Contains(got, "revoke it") || strings.Contains(got, token) {
					t.Errorf("%d %s", w.Code, got)
				}
				c.Add(int64(time.Minute)) // after which an answer is shared no more
			}
			if got := len(s.passedOn()); got != 1 {
				t.Errorf("the refresh token was sent on %d times", got)
			}
			if w := post(b, web.TokenPath, formMedia, codeForm); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"invalid_grant"`) {
				t.Errorf("a code: %d %s", w.Code, w.Body)
			}
			if w := post(b, web.RegisterPath, "application/json", "{}"); w.Code != http.StatusServiceUnavailable {
				t.Errorf("a registration: %d %s", w.Code, w.Body)
			}
		})
	}
}

// A connection that was kept may have died, and would take a refresh token with it.
func TestNoConnectionIsKept(t *testing.T) {
	s := newRealServer(t)
	b, _ := newBridge(t, s)
	kept := false
	s.with(func(s *realServer) {
		s.token = func(w http.ResponseWriter, r *http.Request) { kept = !r.Close; answers(200, "", "{}")(w, r) }
	})
	if w := post(b, web.TokenPath, formMedia, refreshForm); w.Code != http.StatusOK || kept {
		t.Errorf("%d, kept: %v", w.Code, kept)
	}
}

// What was not taken is 503, and sent on when it comes again.
func TestWhatWasNotTakenMayComeAgain(t *testing.T) {
	for name, change := range map[string]func(*realServer){
		"overloaded":      func(s *realServer) { s.token = answers(503, "30", "<html>") },
		"a gateway's 429": func(s *realServer) { s.token = answers(429, "30", "<html>") },
		"out of reach":    func(s *realServer) { s.CloseClientConnections(); s.Listener.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			s := newRealServer(t)
			b, _ := newBridge(t, s)
			s.with(change)
			for range 2 {
				if w := post(b, web.TokenPath, formMedia, refreshForm); w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") == "" {
					t.Errorf("%d %s", w.Code, w.Body)
				}
			}
			if got := len(s.passedOn()); got != 2 && name != "out of reach" {
				t.Errorf("sent on %d times", got)
			}
		})
	}
}

const codeForm = "grant_type=authorization_code&code=oacode_1&client_id=cli_1&redirect_uri=http://127.0.0.1:1/cb&code_verifier=v"

// recordings are what was recorded of the real server. The request is its line.
func recordings(t *testing.T) map[string]recording {
	t.Helper()
	recorded := map[string]recording{}
	for _, file := range []string{"exchanges.json", "reads.json"} {
		text, err := os.ReadFile("../../internal/connect/testdata/" + file)
		if err == nil {
			err = json.Unmarshal(text, &recorded)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return recorded
}

type recording struct {
	Request, Location string
	Status            int
	Body              json.RawMessage
}

// What was recorded of the real server passes through as it was: a host hears of each refusal, and of the kind of its token.
func TestRecordedAnswersArePassedOn(t *testing.T) {
	recorded := recordings(t)
	s := newRealServer(t)
	b, _ := newBridge(t, s)
	for name, form := range map[string]string{
		"connect-82-host-register": "", "connect-14-register-software-id-refused": "", "connect-88-host-token-client": codeForm,
		"connect-85-host-token-package": codeForm, "refusal-code-bad-verifier": codeForm, "refusal-code-reused": codeForm,
		"refresh-02-second": refreshForm + "2", "refresh-07-reuse-old": refreshForm + "7", "refresh-22-after-revoke": refreshForm + "22",
		"refresh-06-with-scope-resource": refreshForm + "6&scope=pdpp%3Aread&resource=https%3A%2F%2Frs.example",
	} {
		want := recorded[name]
		s.with(func(s *realServer) { s.token, s.seen = answers(want.Status, "", string(want.Body)), nil })
		path, media := web.TokenPath, formMedia
		if form == "" {
			path, media, form = web.RegisterPath, "application/json", "{}"
		}
		if got := post(b, path, media, form); got.Code != want.Status || got.Body.String() != string(want.Body) {
			t.Errorf("%s: %d %s", name, got.Code, got.Body)
		}
		if sent := s.passedOn()[0]; strings.Contains(form, "resource") && !strings.Contains(sent, "&resource=https%3A%2F%2Frs.example&scope=pdpp%3Aread") {
			t.Errorf("%s: passed on %s", name, sent)
		}
	}
}

// What the real server refuses as a grant that it does not know is refused here with the same code, and not passed on.
func TestRecordedGrantTypesAreRefused(t *testing.T) {
	s := newRealServer(t)
	b, _ := newBridge(t, s)
	for name, form := range map[string]string{
		"refusal-token-exchange":      "grant_type=urn:ietf:params:oauth:grant-type:token-exchange&subject_token=x&subject_token_type=urn:ietf:params:oauth:token-type:access_token&client_id=cli_1",
		"refusal-token-no-grant-type": "client_id=cli_1",
	} {
		var here, there struct{ Error string }
		want, got := recordings(t)[name], post(b, web.TokenPath, formMedia, form)
		if err := errors.Join(json.Unmarshal(got.Body.Bytes(), &here), json.Unmarshal(want.Body, &there)); err != nil || got.Code != want.Status || here != there || len(s.passedOn()) > 0 {
			t.Errorf("%s: %d %s, passed on %v; %v", name, got.Code, got.Body, s.passedOn(), err)
		}
	}
}

// A host that was recorded with the source in its authorization request is led to that request by the bridge: the parameters are the same.
func TestAHostIsLedToTheRecordedRequest(t *testing.T) {
	s := newRealServer(t)
	b, _ := newBridge(t, s)
	_, address, _ := strings.Cut(recordings(t)["connect-87-host-authorize-connector-id"].Request, " ")
	recorded, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	want := recorded.Query()
	want.Set("code_challenge", digest)
	sent := url.Values{}
	for name, values := range want {
		if name != "connector_id" { // which no host sends
			sent[name] = values
		}
	}
	location := get(b, web.AuthorizePath, "?"+sent.Encode()).Header().Get("Location")
	if location != s.URL+recorded.Path+"?"+want.Encode() {
		t.Errorf("it is led to %s, recorded %s", location, address)
	}
}

// A proxy in front of this server would take 101 for a tunnel, through which any request could pass.
func TestAnAnswerThatIsATunnelIsLost(t *testing.T) {
	s := newRealServer(t)
	b, _ := newBridge(t, s)
	s.with(func(s *realServer) {
		s.token = func(w http.ResponseWriter, _ *http.Request) {
			connection, _, err := http.NewResponseController(w).Hijack()
			if err != nil {
				t.Error(err)
				return
			}
			_, _ = io.WriteString(connection, "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\nUpgrade: x\r\n\r\n{}")
			_ = connection.Close()
		}
	})
	if w := post(b, web.TokenPath, formMedia, refreshForm); w.Code != http.StatusBadRequest || !strings.Contains(w.Body.String(), `"invalid_grant"`) {
		t.Errorf("%d %s", w.Code, w.Body)
	}
}
