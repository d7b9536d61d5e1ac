package connect

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

// A provider may name an authorization server at another origin, whose approval page then does not show where the token goes. Every way
// names the resource to that server (RFC 8707), and tells the owner both servers before the link.
func TestTheOwnerIsToldWhereTheTokenGoes(t *testing.T) {
	for _, test := range []struct{ way, path, link string }{
		{"agent", "/oauth/par", "Open this address"},
		{"code", "/oauth/par", "Open this address"},
		{"device", "/oauth/device_authorization", "Open this address"},
		{"browser", "/oauth/authorize", "Your browser opens"},
	} {
		for _, same := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, the same origin: %v", test.way, same), func(t *testing.T) {
				answers := good
				if test.way == "browser" {
					answers = with(good, "/oauth/token", "connect-44-code-token")
				}
				as, w := newReplay(t, answers), newWorld()
				if test.way == "browser" {
					w.Open, w.Wait = browser(t), untilTheEnd
				}
				provider := as.URL
				if !same {
					provider = resourceServerOf(t, as)
				}
				if _, err := Connect(t.Context(), Request{ProviderURL: provider, Source: "slack", Way: test.way}, w.Options); err != nil {
					t.Fatal(err)
				}
				notice := fmt.Sprintf("The owner approves at %s, but the access token goes to another server, %s: approve only if you trust that one with the data.\n",
					as.URL, provider)
				said := w.said.String()
				if at := strings.Index(said, notice); same != (at < 0) || at > strings.Index(said, test.link) {
					t.Errorf("said:\n%s", said)
				}
				sent := as.sent(test.path)
				if json.Valid([]byte(sent)) {
					var body struct{ Resource string }
					_ = json.Unmarshal([]byte(sent), &body)
					sent = url.Values{"resource": {body.Resource}}.Encode()
				}
				query, _ := url.ParseQuery(sent)
				if got := query.Get("resource"); strings.TrimSuffix(got, "/mcp") != provider {
					t.Errorf("the resource is %q", got)
				}
			})
		}
	}
}

// resourceServerOf returns the address of a resource server that names as.
func resourceServerOf(t *testing.T, as *replay) string {
	t.Helper()
	server := httptest.NewServer(nil)
	t.Cleanup(server.Close)
	server.Config.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/.well-known/oauth-protected-resource" {
			fmt.Fprint(w, schemaOf("client", "grt_made_up_02"))
			return
		}
		fmt.Fprintf(w, `{"resource":%q,"authorization_servers":[%q],"pdpp_core_query_base":%q}`, server.URL, as.URL, server.URL+"/v1")
	})
	return server.URL
}

func untilTheEnd(ctx context.Context, _ time.Duration) error {
	<-ctx.Done()
	return ctx.Err()
}

// The reference implementation refuses a pushed request with a resource; one that refuses the resource itself is not asked again.
func TestAPushedRequestWithoutItsResource(t *testing.T) {
	for name, row := range map[string]struct {
		refusal string
		asked   int
	}{
		"an unknown parameter": {`{"error":{"code":"invalid_request","message":"Unsupported request fields: resource"}}`, 2},
		"an unknown resource":  {`{"error":"invalid_target"}`, 1},
	} {
		r, w := newReplay(t, with(good, "/oauth/par", "made-up connect-30-par")), newWorld()
		r.recorded["made-up"] = exchange{Status: http.StatusBadRequest, Body: json.RawMessage(row.refusal)}
		_, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "agent"}, w.Options)
		if asked := r.count("/oauth/par"); asked != row.asked || (err == nil) != (asked == 2) || asked == 2 && strings.Contains(r.sent("/oauth/par"), "resource") {
			t.Errorf("%s: asked %d times, %v", name, asked, err)
		}
	}
}
