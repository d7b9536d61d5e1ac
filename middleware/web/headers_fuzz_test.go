package web_test

import (
	"net/http"
	"net/http/httptest"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/middleware"
	"github.com/pdp-connect/pdpp-mcp/middleware/web"
)

// For any Host and X-Forwarded headers of any peer: a request passes only if it names one of our hosts; the published URL has
// one of our hosts, or is the configured one whatever is sent; and the headers of a peer that is not a trusted proxy change
// nothing.
func FuzzHost(f *testing.F) {
	const trusted, stranger = "10.1.2.3:4000", "192.0.2.9:4000"
	for _, seed := range [][3]string{
		{"mcp.example", "", ""}, {"mcp.example:8443", "alt.example:8443", "https"}, {"evil.example", "mcp.example", "https"}, {"mcp.example", "evil.example", "javascript"},
		{"[::1%25x]:80", "", ""}, {"localhost:7700", "", "http"}, {"mcp.example\r\nX: y", "a,b", "https,http"}, {"MCP.EXAMPLE.", "x@mcp.example", ""}, {"", "mcp.example:", "HTTPS"},
	} {
		f.Add(seed[0], seed[1], seed[2])
	}
	proxies := []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}
	open := web.Public{Hosts: []string{"mcp.example", "alt.example:8443"}, Proxies: proxies}
	configured := web.Public{Origin: "https://mcp.example", Proxies: proxies}
	ours := []string{"mcp.example", "alt.example"}
	f.Fuzz(func(t *testing.T, host, forwardedHost, forwardedProto string) {
		headers := http.Header{"X-Forwarded-Host": {forwardedHost}, "X-Forwarded-Proto": {forwardedProto}}
		for _, peer := range []string{trusted, stranger} {
			status, published := reach(open, "192.0.2.1:8080", peer, host, headers)
			switch status {
			case http.StatusMisdirectedRequest:
				if published != "" {
					t.Errorf("refused, and yet %q", published)
				}
			case http.StatusOK:
				u, err := url.Parse(published)
				if err != nil || u.Scheme != "http" && u.Scheme != "https" || !slices.Contains(ours, u.Hostname()) || u.User != nil ||
					u.Path != "/mcp" ||
					u.RawQuery != "" ||
					u.Fragment != "" {
					t.Errorf("host %q, forwarded %q %q: %q", host, forwardedHost, forwardedProto, published)
				}
			default:
				t.Errorf("status %d", status)
			}
			if peer == stranger {
				if bare, url := reach(open, "192.0.2.1:8080", peer, host, nil); bare != status || url != published {
					t.Errorf("a stranger's %q %q changes %d %q into %d %q", forwardedHost, forwardedProto, bare, url, status, published)
				}
			}
			if status, published := reach(configured, "192.0.2.1:8080", peer, host, headers); status == http.StatusOK &&
				published != "https://mcp.example/mcp" {
				t.Errorf("published %q", published)
			}
		}
	})
}

// A request passes if each Origin equals a listed one or the server's own, byte for byte. Only a listed origin may read the
// answer.
func FuzzOrigin(f *testing.F) {
	const listed, own = "https://app.example", "https://mcp.example"
	for _, seed := range []string{"", listed, own, "null", listed + ".evil.example", "HTTPS://APP.EXAMPLE", listed + "/", listed + "\x00", " " + listed, own + ":443"} {
		f.Add(seed, "", false)
		f.Add(seed, listed, true)
	}
	f.Fuzz(func(t *testing.T, first, second string, two bool) {
		sent := []string{first}
		if two {
			sent = append(sent, second)
		}
		w, entered := browser(http.MethodPost, map[string][]string{"Origin": sent}, listed)
		want := !slices.ContainsFunc(sent, func(origin string) bool { return origin != listed && origin != own })
		if entered != want || !entered && w.Code != http.StatusForbidden {
			t.Errorf("%q: entered %v with %d", sent, entered, w.Code)
		}
		if allowed := w.Header().Get("Access-Control-Allow-Origin"); allowed != "" &&
			(allowed != listed || !slices.Equal(sent, []string{listed})) {
			t.Errorf("%q: may read as %q", sent, allowed)
		}
	})
}

// Every request has an id of 1 to 64 harmless characters. The client's id is kept if it qualifies.
func FuzzRequestID(f *testing.F) {
	for _, seed := range []string{"", "abc", "a b", "a\nb", strings.Repeat("x", 64), strings.Repeat("x", 65), "é", "../.."} {
		f.Add(seed, "")
		f.Add("", seed)
	}
	const harmless = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-"
	good := func(id string) bool {
		return id != "" && len(id) <= 64 && strings.Trim(id, harmless) == "" &&
			!strings.ContainsFunc(id, func(r rune) bool { return !strings.ContainsRune(harmless, r) })
	}
	f.Fuzz(func(t *testing.T, newer, older string) {
		inside := ""
		handler := web.Observe(web.ChainOptions{})(
			http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { inside = middleware.RequestFrom(r.Context()).ID }),
		)
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Header["Request-Id"], r.Header["X-Request-Id"] = []string{newer}, []string{older}
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		if outside := w.Header().Get("Request-Id"); outside != inside || !good(inside) {
			t.Errorf("%q, %q: inside %q, outside %q", newer, older, inside, outside)
		}
		if good(newer) && inside != newer || newer == "" && good(older) && inside != older {
			t.Errorf("%q, %q became %q", newer, older, inside)
		}
	})
}
