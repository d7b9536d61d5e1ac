package signin_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/transport/signin"
)

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
	issuers := signin.NewIssuers(s.URL, s.URL, c.now)
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
	issuers := signin.NewIssuers(s.URL, s.URL, c.now)
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

	fresh := signin.NewIssuers(s.URL, s.URL, c.now)
	if got := fresh.List(t.Context()); len(got) != 1 || got[0] != s.URL {
		t.Errorf("what is never known is the resource server: %v", got)
	}
}
