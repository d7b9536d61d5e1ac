package transport_test

import (
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/rs/zerolog"

	"github.com/pdp-connect/pdpp-mcp/internal/clients"
	"github.com/pdp-connect/pdpp-mcp/internal/page"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// withPage is the hosted adapter with a page, and something that it needs.
func withPage(t *testing.T, public web.Public, shown transport.Page, needs error) fixture {
	t.Helper()
	health := transport.NewHealth(
		zerolog.Nop(), map[string]func(context.Context) error{"resource_server": func(context.Context) error { return needs }},
	)
	health.Serve()
	server := httptest.NewServer(transport.Handler(transport.HandlerOptions{
		Server: testServer(echo, t.Output()), Authenticator: &authority{}, Public: public, Page: shown, Health: health, Logger: zerolog.Nop(),
	}))
	t.Cleanup(server.Close)
	return fixture{Server: server}
}

func hostedPage() *page.Page { return page.New(page.Options{Server: clients.Server{Name: "pdpp"}}) }

// A person's browser gets the page at / alone; whatever else comes to / gets what it got without a page.
func TestWhoGetsThePage(t *testing.T) {
	shown := withPage(t, web.Public{Origin: "https://mcp.example"}, hostedPage(), nil)
	bare := withPage(t, web.Public{Origin: "https://mcp.example"}, nil, nil)
	for _, c := range []struct {
		name, method, path string
		headers            map[string]string
		page               bool
	}{
		{"a browser", "GET", "/", map[string]string{"Accept": "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"}, true},
		{"curl", "GET", "/", map[string]string{"Accept": "*/*"}, true},
		{"one that does not say what it reads", "GET", "/", nil, true},
		{"one that says it loudly", "GET", "/", map[string]string{"Accept": "TEXT/HTML ; q=1"}, true},
		{"one with a query", "GET", "/?q=1", nil, true},
		{"one that asks for the head", "HEAD", "/", nil, true},
		{"a client that listens for events", "GET", "/", map[string]string{"Accept": "text/event-stream"}, false},
		{"a client that reads JSON", "GET", "/", map[string]string{"Accept": "application/json, text/event-stream"}, false},
		{"a client that took / for the endpoint", "POST", "/", map[string]string{"Accept": "application/json, text/event-stream", "Authorization": "Bearer good"}, false},
		{"a form", "POST", "/", map[string]string{"Accept": "text/html"}, false},
		{"one that asks what is allowed", "OPTIONS", "/", nil, false},
		{"a browser that asks for another path", "GET", "/index.html", map[string]string{"Accept": "text/html"}, false},
		{"a browser that asks for a page of old", "GET", "/favicon.ico", map[string]string{"Accept": "text/html"}, false},
		{"a browser that writes the path in its own way", "GET", "//", map[string]string{"Accept": "text/html"}, false},
	} {
		got := shown.send(t, c.method, c.path, "", c.headers)
		if c.page {
			if got.status != http.StatusOK || got.header.Get("Content-Type") != "text/html; charset=utf-8" ||
				!strings.Contains(got.header.Get("Vary"), "Accept") {
				t.Errorf("%s: %d %v", c.name, got.status, got.header)
			}
			if (got.body == "") != (c.method == "HEAD") || c.method == "GET" && !strings.Contains(got.body, `value="https://mcp.example/mcp"`) {
				t.Errorf("%s: %d bytes", c.name, len(got.body))
			}
			continue
		}
		want := bare.send(t, c.method, c.path, "", c.headers)
		if got.status != want.status || got.body != want.body || got.status != http.StatusNotFound ||
			got.header.Get("Content-Type") != "application/json" {
			t.Errorf("%s: %d %s, without a page %d %s", c.name, got.status, got.body, want.status, want.body)
		}
	}
	if got := bare.send(t, "GET", "/", "", map[string]string{"Accept": "text/html"}); got.status != http.StatusNotFound {
		t.Errorf("a server without a page answers %d", got.status)
	}
}

// S3-R9: a page never repeats a foreign name, and shows a page of another origin nothing.
func TestThePageRepeatsNoForeignName(t *testing.T) {
	f := withPage(t, web.Public{}, hostedPage(), nil)
	if got := f.send(t, "GET", "/", "", nil); !strings.Contains(got.body, `value="`+f.URL+`/mcp"`) {
		t.Error("the address is not the one that was asked")
	}
	if got := f.send(t, "GET", "/", "", map[string]string{"Origin": "https://evil.example"}); got.status != http.StatusForbidden ||
		strings.Contains(got.body, "<html") {
		t.Errorf("a foreign origin gets %d", got.status)
	}
	request := httptest.NewRequest(http.MethodGet, "/", nil)
	request.Host = "evil.example"
	recorder := httptest.NewRecorder()
	f.Config.Handler.ServeHTTP(recorder, request)
	if recorder.Code != http.StatusMisdirectedRequest || strings.Contains(recorder.Body.String(), "<html") {
		t.Errorf("a foreign host gets %d", recorder.Code)
	}
}

// What does not answer is for the operator alone.
func TestThePageShowsWhetherItIsReady(t *testing.T) {
	for want, needs := range map[string]error{"<strong>Ready.</strong>": nil, "<strong>Not ready.</strong>": errors.New("gone")} {
		f := withPage(t, web.Public{Origin: "https://mcp.example"}, hostedPage(), needs)
		if got := f.send(t, "GET", "/", "", nil); got.status != http.StatusOK || !strings.Contains(got.body, want) ||
			strings.Contains(got.body, "resource_server") {
			t.Errorf("%d without %s", got.status, want)
		}
	}
}
