package integration

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
)

// An owner's credential is refused wherever it is, and no record is ever read with it (S0-R3, S0-3a, S3-1c, S3-6b, D8). A proxy before
// the resource server records every request, which proves that there was none.

// TestOwnerVariablesStopEveryCommand covers S0-3a, S3-1c and D8.
func TestOwnerVariablesStopEveryCommand(t *testing.T) {
	proxy := newWatch(t, sample.RSURL)
	cache := cacheFile(t, proxy.URL, map[string]any{"access_token": sample.ClientToken})
	for _, variable := range []string{"PDPP_OWNER_TOKEN", "PDPP_OWNER_SESSION_COOKIE"} {
		for name, arguments := range map[string][]string{
			"stdio with a good credential": {"stdio", "--provider-url", proxy.URL, "--cache-root", cache},
			"stdio without a credential":   {"stdio", "--provider-url", proxy.URL, "--cache-root", t.TempDir()},
			"stdio with the sample":        {"stdio", "--demo"},
			"serve":                        {"serve", "--rs-url", proxy.URL, "--listen", "127.0.0.1:0"},
			"demo":                         {"demo", "--json", "--listen", "127.0.0.1:0"},
		} {
			t.Run(variable+", "+name, func(t *testing.T) {
				got := finish(t, []string{variable + "=" + sample.OwnerToken}, "", arguments...)
				if got.code != 77 || got.stdout != "" {
					t.Errorf("exit %d, stdout %q; want 77 and silence", got.code, got.stdout)
				}
				if !strings.Contains(got.last(), variable) || !strings.Contains(got.last(), "pdpp-mcp connect") || strings.Contains(got.stderr, sample.OwnerToken) {
					t.Errorf("the last line must name the variable and what to do, and never its value:\n%s", got.stderr)
				}
			})
		}
	}
	if seen := proxy.requests(); len(seen) != 0 {
		t.Errorf("the resource server got requests: %v", seen)
	}
}

// TestAnOwnersTokenInTheCacheIsRefused covers S0-3a and S3-R1: with each sign of its kind in the file, and without one, where only the
// schema tells.
func TestAnOwnersTokenInTheCacheIsRefused(t *testing.T) {
	proxy := newWatch(t, sample.RSURL)
	rows := map[string]struct {
		more  map[string]any
		asked int // requests that the resource server may receive
	}{"without a sign": {nil, 1}}
	for _, sign := range []string{"pdpp_token_kind", "token_kind", "kind", "role"} {
		for _, spelling := range []string{"owner", "Owner", " OWNER "} {
			rows[sign+"="+spelling] = struct {
				more  map[string]any
				asked int
			}{map[string]any{sign: spelling}, 0}
		}
	}
	for name, row := range rows {
		t.Run(name, func(t *testing.T) {
			before := len(proxy.requests())
			credential := map[string]any{"access_token": sample.OwnerToken}
			for key, value := range row.more {
				credential[key] = value
			}
			call := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"search","arguments":{"q":"Lisbon"}}}` + "\n"
			got := finish(t, nil, call, "stdio", "--provider-url", proxy.URL, "--cache-root", cacheFile(t, proxy.URL, credential))
			if got.code != 77 || got.stdout != "" || !strings.Contains(got.last(), "pdpp-mcp connect "+proxy.URL) {
				t.Errorf("exit %d, stdout %q, stderr %s", got.code, got.stdout, got.stderr)
			}
			if strings.Contains(got.stderr, sample.OwnerToken) {
				t.Error("stderr shows the token")
			}
			asked := proxy.requests()[before:]
			if len(asked) > row.asked {
				t.Errorf("the resource server got %v; want at most %d requests", asked, row.asked)
			}
		})
	}
	noOwnerReads(t, proxy)
}

// TestAnOwnersTokenInARequestIsRefused covers S0-3a and S3-6b: with introspection the resource server receives no request, and without it
// only one for the schema.
func TestAnOwnersTokenInARequestIsRefused(t *testing.T) {
	for name, introspection := range map[string][]string{"with introspection": introspected(sample), "by the schema": nil} {
		t.Run(name, func(t *testing.T) {
			proxy := newWatch(t, sample.RSURL)
			url, _ := serve(t, append([]string{"--rs-url", sample.RSURL, "--rs-internal-url", proxy.URL}, introspection...)...)
			for _, line := range transcript {
				message := `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"` + line.tool + `","arguments":` + line.arguments + `}}`
				request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, url, strings.NewReader(message))
				if err != nil {
					t.Fatal(err)
				}
				request.Header.Set("Content-Type", "application/json")
				request.Header.Set("Authorization", "Bearer "+sample.OwnerToken)
				status, _, body := do(t, request)
				var refused struct {
					Error struct{ Code string } `json:"error"`
				}
				if err := json.Unmarshal([]byte(body), &refused); err != nil || status != http.StatusForbidden || refused.Error.Code != "owner_token_refused" {
					t.Errorf("%s: %d %s", message, status, body)
				}
			}
			noOwnerReads(t, proxy)
			if introspection != nil && len(proxy.requests()) != 0 {
				t.Errorf("the resource server got requests %v", proxy.requests())
			}
		})
	}
}

// noOwnerReads fails if a record was read with any token: these tests have only the owner's.
func noOwnerReads(t *testing.T, proxy *watch) {
	t.Helper()
	for _, r := range proxy.requests() {
		if r.isData() {
			t.Errorf("S0-3a: %s was read with the owner's token", r.path)
		}
	}
}
