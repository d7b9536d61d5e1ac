package connect

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
)

// The browser is only used if the server supports S256 code challenges: without it, any program that sees the code could use it (RFC
// 7636).
func TestTheBrowserNeedsS256(t *testing.T) {
	for name, methods := range map[string]string{"only plain": `["plain"]`, "none": `[]`} {
		t.Run(name, func(t *testing.T) {
			r, w := newReplay(t, good), newWorld()
			r.changeMetadata(t, `"S256"`, strings.Trim(methods, "[]"))
			w.Open = func(string) error {
				t.Error("the browser was opened")
				return nil
			}
			_, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "browser"}, w.Options)
			if err == nil || !strings.Contains(err.Error(), "does not offer this way") {
				t.Error(err)
			}
		})
	}
}

// The browser is only used if the server announces iss in its responses, since otherwise iss cannot be relied on (RFC 9207 section 2.4).
func TestTheBrowserNeedsAnAnnouncedIssuer(t *testing.T) {
	for query, want := range map[string]int{
		"code=c&state=st": 400, "code=c&state=st&iss=": 400,
		"code=c&state=st&iss=https://other.example": 400, "code=c&state=st&iss=https://as.example": 200,
	} {
		l := &loopback{state: "st", address: "127.0.0.1:1", issuer: "https://as.example", namesIssuer: true, done: make(chan callback, 1), cameBack: func() {}}
		if got := serveLoopback(t, l, "http://127.0.0.1:1/callback?"+query); got != want {
			t.Errorf("%s: %d, want %d", query, got, want)
		}
	}
}

// A client that another program registered is only used in a browser if it has this program's redirect URI.
func TestTheBrowserNeedsItsRedirectURI(t *testing.T) {
	for uri, registrations := range map[string]int{redirectURI: 0, "http://127.0.0.1:8976/other": 1} {
		r, w := newReplay(t, with(good, "/oauth/token", "connect-44-code-token")), newWorld()
		w.Open = browser(t)
		w.Wait = func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return ctx.Err() }
		w.Known = func(string) credentials.Client {
			return credentials.Client{ID: "cli_made_up_03", RedirectURIs: []string{uri}}
		}
		_, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "browser"}, w.Options)
		if got := r.count("/oauth/register"); err != nil || got != registrations {
			t.Errorf("%s: %d registrations, %v", uri, got, err)
		}
	}
}

// changeMetadata replaces a part of the recorded metadata of the authorization server.
func (r *replay) changeMetadata(t *testing.T, part, by string) {
	t.Helper()
	recorded := r.recorded["connect-03-as"]
	changed := strings.Replace(string(recorded.Body), part, by, 1)
	if changed == string(recorded.Body) {
		t.Fatalf("the metadata do not have %s", part)
	}
	recorded.Body = []byte(changed)
	r.recorded["connect-03-as"] = recorded
}

// The loopback server accepts one response, and only at its own address with the right state and issuer.
func TestTheLoopback(t *testing.T) {
	l := &loopback{start: "/s", state: "st", address: "127.0.0.1:1", target: "https://as.example/authorize", issuer: "https://as.example", done: make(chan callback, 1), cameBack: func() {}}
	for _, test := range []struct {
		target string
		want   int
	}{
		{"http://evil.example/s", 403}, {"http://127.0.0.1:1/s", 302}, {"http://127.0.0.1:1/s", 410}, {"http://127.0.0.1:1/", 404},
		{"http://127.0.0.1:1/callback?code=c", 400}, {"http://127.0.0.1:1/callback?code=c&state=x", 400}, {"http://127.0.0.1:1/callback?state=st", 400},
		{"http://127.0.0.1:1/callback?code=c&state=st&iss=https://evil.example", 400}, {"http://127.0.0.1:1/callback?code=c&code=d&state=st", 400},
		{"http://127.0.0.1:1/callback?code=c&error=access_denied&state=st", 400}, {"http://evil.example/callback?code=c&state=st", 403},
		{"http://127.0.0.1:1/callback?code=c&state=st&iss=https://as.example", 200}, {"http://127.0.0.1:1/callback?code=d&state=st", 410},
	} {
		if got := serveLoopback(t, l, test.target); got != test.want {
			t.Errorf("%s: %d, want %d", test.target, got, test.want)
		}
	}
	if back := <-l.done; back != (callback{code: "c"}) {
		t.Errorf("%+v", back)
	}
}
