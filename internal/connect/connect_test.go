package connect

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

const (
	agentPoll = "/agent-connect/agc_made_up_01/token"
	revoke    = "/grants/grt_made_up_02/revoke"
)

// good are the answers on every way to a client token.
var good = map[string]string{
	agentPoll:           "connect-32-agent-connect-pending connect-32-agent-connect-pending connect-33-agent-connect-token",
	"/oauth/token":      "connect-21-device-pending connect-22-device-slow-down connect-23-device-token",
	"/consent/exchange": "connect-39-consent-exchange",
	"/v1/schema":        "schema-client",
	revoke:              "connect-61-revoke",
}

func with(base map[string]string, more ...string) map[string]string {
	all := map[string]string{}
	for path, names := range base {
		all[path] = names
	}
	for i := 0; i < len(more); i += 2 {
		all[more[i]] = more[i+1]
	}
	return all
}

// A browser opens an address and follows where it leads.
func browser(t *testing.T) func(string) error {
	return func(address string) error {
		go func() {
			response, err := http.Get(address)
			if err != nil {
				t.Error(err)
				return
			}
			defer response.Body.Close()
			if text, _ := io.ReadAll(response.Body); response.StatusCode != http.StatusOK || !strings.Contains(string(text), "go back to the terminal") {
				t.Errorf("the browser ended at %d %s", response.StatusCode, text)
			}
		}()
		return nil
	}
}

// slackStreams are those of the recorded manifest.
var slackStreams = []string{
	"canvases", "channel_memberships", "channel_stats", "channels", "dm_read_states", "files", "message_attachments", "messages", "reactions", "reminders",
	"stars", "user_groups", "users", "workspace",
}

// A source that is named by its id, as in the commands that answers propose, has its streams looked up as well.
func TestASourceNamedByItsIDHasAManifest(t *testing.T) {
	const id = "https://registry.example/connectors/slack"
	for manifest, offered := range map[string][]string{"connect-04-public-connector-manifest": slackStreams, "refusal-public-connector-unknown": nil} {
		r, w := newReplay(t, with(good, "/connectors/"+id, manifest)), newWorld()
		got, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: id, Way: "agent"}, w.Options)
		if err != nil || !slices.Equal(got.Grant.Offered, offered) {
			t.Errorf("%s: %v, %v", manifest, got.Grant.Offered, err)
		}
		_, err = Connect(t.Context(), Request{ProviderURL: r.URL, Source: id, Streams: []string{"orders"}, Way: "agent"}, w.Options)
		if refused := err != nil && strings.Contains(err.Error(), "has no stream"); refused != (offered != nil) {
			t.Errorf("%s: %v", manifest, err)
		}
	}
}

func TestEachWay(t *testing.T) {
	for _, test := range []struct {
		way, linked string
		answers     map[string]string
	}{
		{"auto", "/consent?request_uri=", good},
		{"agent", "/consent?request_uri=", good},
		{"device", "/consent?request_uri=", good},
		{"code", "/consent?request_uri=", good},
		{"browser", "visit:", with(good, "/oauth/token", "connect-44-code-token")},
	} {
		t.Run(test.way, func(t *testing.T) {
			r, w := newReplay(t, test.answers), newWorld()
			if test.way == "browser" {
				w.Open = browser(t)
				w.Wait = func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return ctx.Err() }
			}
			request := Request{ProviderURL: r.URL, Source: "slack", Connections: []string{"cin_slack_acme"}, Streams: []string{"messages"}, Since: "2026-01-31", Way: test.way}
			got, err := Connect(t.Context(), request, w.Options)
			if err != nil {
				t.Fatal(err, w.said.String())
			}
			want := credentials.Grant{
				Source: "https://registry.example/connectors/slack", Mode: "continuous", Streams: []string{"messages"}, Connections: []string{"cin_slack_acme"}, Since: "2026-01-31T00:00:00Z",
				Offered: slackStreams,
			}
			if diff := cmp.Diff(want, got.Grant); diff != "" {
				t.Error(diff)
			}
			if got.ProviderURL != r.URL || got.AuthorizationServer != r.URL || got.Client.ID != "cli_made_up_03" || got.Credential.GrantID != "grt_made_up_02" {
				t.Errorf("%+v", got)
			}
			if refreshed := got.Refresh != nil; refreshed != (test.way == "browser") {
				t.Errorf("refresh: %v", refreshed)
			}
			if said := w.said.String(); strings.Count(said, test.linked) != 1 || strings.Contains(said, "client_token") || strings.Contains(said, "rt_made_up") {
				t.Errorf("it said\n%s", said)
			}
		})
	}
}

// Exactly one selection is sent, in JSON to the pushed endpoint; the device flow always carries resource and authorization_details.
func TestWhatIsAskedFor(t *testing.T) {
	r, w := newReplay(t, good), newWorld()
	request := Request{ProviderURL: r.URL, Source: "slack", Connections: []string{"a", "b"}, Once: true, Way: "agent"}
	if _, err := Connect(t.Context(), request, w.Options); err != nil {
		t.Fatal(err)
	}
	want := `{"authorization_details":[{"type":"https://pdpp.dev/data-access","access_mode":"single_use","purpose_code":"https://pdpp.dev/purpose/personal_ai_assistant",` +
		`"purpose_description":"Answer questions about my own data","source":{"id":"https://registry.example/connectors/slack","kind":"connector"},` +
		`"streams":[{"name":"*","instance_ids":["a","b"]}]}],"client_id":"cli_made_up_03"}`
	if diff := cmp.Diff(want, r.sent("/oauth/par")); diff != "" {
		t.Error(diff)
	}
	if got := r.sent("/agent-connect"); got != `{"client_id":"cli_made_up_03","client_name":"pdpp-mcp","request_uri":"urn:pdpp:pending-consent:dc_made_up_06"}` {
		t.Error(got)
	}
	if got := r.sent(agentPoll); got != `{"polling_code":"agc_poll_made_up_01"}` {
		t.Error(got)
	}
	request.Streams, request.Fields = []string{"channels"}, []string{"messages.text", "messages.sent_at"}
	document, err := Connect(t.Context(), request, w.Options)
	if err != nil || !slices.Equal(document.Grant.Fields, request.Fields) {
		t.Fatal(err, document.Grant)
	}
	const streams = `"streams":[{"name":"channels","instance_ids":["a","b"]},{"name":"messages","fields":["text","sent_at"],"instance_ids":["a","b"]}]`
	if got := r.sent("/oauth/par"); !strings.Contains(got, streams) {
		t.Error(got)
	}
	request.Way = "device"
	if _, err := Connect(t.Context(), request, w.Options); err != nil {
		t.Fatal(err)
	}
	form, err := url.ParseQuery(r.sent("/oauth/device_authorization"))
	if err != nil || form.Get("resource") != r.URL+"/mcp" || !strings.HasPrefix(form.Get("authorization_details"), `[{"type"`) || form.Has("scope") {
		t.Errorf("%v, %v", form, err)
	}
}

// The code grant proves its verifier, and names the redirect that it was given.
func TestTheCodeIsBoundToThisProgram(t *testing.T) {
	r, w := newReplay(t, with(good, "/oauth/token", "connect-44-code-token")), newWorld()
	w.Open = browser(t)
	w.Wait = func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return ctx.Err() }
	if _, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "browser"}, w.Options); err != nil {
		t.Fatal(err)
	}
	form, _ := url.ParseQuery(r.sent("/oauth/token"))
	sum := sha256.Sum256([]byte(form.Get("code_verifier")))
	if base64.RawURLEncoding.EncodeToString(sum[:]) != r.challenge || len(form.Get("code_verifier")) < 43 || !strings.HasSuffix(form.Get("redirect_uri"), "/callback") {
		t.Errorf("%v does not prove %s", form, r.challenge)
	}
}

// Each refusal ends a connect with what to do, and leaves nothing behind.
func TestRefusals(t *testing.T) {
	for _, test := range []struct {
		name    string
		request Request
		answers map[string]string
		exit    int
		says    string
		revoked int
	}{
		{name: "denied", answers: with(good, agentPoll, "connect-35-agent-connect-denied"), exit: 78, says: "the owner denied the request"},
		{name: "denied, asked again", answers: with(good, agentPoll, "connect-36-agent-connect-denied-again"), exit: 78, says: "invalid_grant"},
		{name: "expired", answers: with(good, agentPoll, "connect-37-agent-connect-expired"), exit: 78, says: "nobody approved in time"},
		{name: "approved too late", answers: with(good, agentPoll, "refusal-agent-connect-approved-polled-late"), exit: 78, says: "then it was revoked"},
		{name: "pending for ever, as where two connections are live", answers: with(good, agentPoll, "connect-32-agent-connect-pending"), exit: 78, says: "nobody approved in time"},
		{name: "a device request that was denied", request: Request{Way: "device"}, answers: with(good, "/oauth/token", "connect-26-device-denied"), exit: 78, says: "the owner denied"},
		{name: "a device request that expired", request: Request{Way: "device"}, answers: with(good, "/oauth/token", "connect-27-device-expired"), exit: 78, says: "nobody approved in time"},
		{name: "a wrong polling code", answers: with(good, agentPoll, "refusal-agent-connect-wrong-code"), exit: 78, says: "invalid_grant"},
		{name: "a field that the server does not know", answers: with(good, "/oauth/par", "refusal-par-unknown-field"), exit: 69, says: "Unknown fields on stream 'messages': nosuch"},
		{name: "a selection of another type", answers: with(good, "/oauth/par", "refusal-par-bad-type"), exit: 69, says: "/type must be equal to constant"},
		{name: "a request of another client", answers: with(good, "/agent-connect", "refusal-agent-connect-wrong-client"), exit: 69, says: "invalid_client"},
		{name: "a registration that is refused", answers: with(good, "/oauth/register", "connect-12-register-device-refresh-refused"), exit: 69, says: "refresh_token grant_type requires"},
		{name: "a native server without agent connect's request", answers: with(good, "/agent-connect", "connect-71-native-agent-connect"), exit: 69, says: "invalid_request"},
		{name: "a resource that is not /mcp", request: Request{Way: "device"}, answers: with(good, "/oauth/device_authorization", "refusal-device-resource-rs-root"), exit: 69, says: "hosted MCP protected resource"},
		{name: "an unknown stream, before the server is asked", request: Request{Streams: []string{"nosuch"}}, answers: good, exit: 64, says: "it has canvases, channel_memberships"},
		{name: "an unknown stream", request: Request{Source: "https://registry.example/connectors/gmail", Way: "device"}, answers: with(good, "/oauth/device_authorization", "refusal-device-unknown-stream"), exit: 69, says: "Unknown stream: nosuch"},
		{name: "an unknown source", request: Request{Source: "nosuch"}, answers: good, exit: 64, says: "/_ref/connections lists the keys"},
		{name: "a field without its stream", request: Request{Fields: []string{"subject"}}, answers: good, exit: 64, says: "STREAM.FIELD"},
		{name: "a field of an unknown stream", request: Request{Fields: []string{"nosuch.x"}}, answers: good, exit: 64, says: "it has canvases"},
		{name: "an invalid date", request: Request{Since: "soon"}, answers: good, exit: 64, says: "--since"},
		{name: "a package from agent connect, which has it in grant_id", answers: with(good, agentPoll, "connect-38-agent-connect-package"), exit: 78, says: "package of several sources"},
		{name: "a package from a device code", request: Request{Way: "device"}, answers: with(good, "/oauth/token", "connect-25-device-package-token"), exit: 78, says: "package of several sources"},
		{name: "the owner trap: /device", request: Request{Way: "device"}, answers: with(good, "/oauth/device_authorization", "connect-90-owner-device-trap-start"), exit: 77, says: "owner's token instead"},
		{name: "the owner trap: a token without a grant", request: Request{Way: "device"}, answers: with(good, "/oauth/token", "connect-91-owner-device-trap-token"), exit: 77, says: "without a grant, which may be an owner's. It was dropped, but lives on there: revoke it"},
		{name: "the owner trap: an owner's schema", answers: with(good, "/v1/schema", "connect-92-owner-device-trap-schema"), exit: 77, says: "owner token", revoked: 1},
		{name: "a token that the resource server refuses", answers: with(good, "/v1/schema", "refresh-20-expired-read"), exit: 78, says: "pdpp-mcp connect", revoked: 1},
		{name: "a package that the answer calls a grant", answers: with(good, "/v1/schema", "refusal-package-streams"), exit: 78, says: "A token of no known kind was presented, such as that of a package", revoked: 1},
		{name: "a schema of another grant", answers: with(good, "/v1/schema", "schema-other-grant"), exit: 78, says: "another grant", revoked: 1},
		{name: "a device request without details", request: Request{Way: "device"}, answers: with(good, "/oauth/device_authorization", "refusal-device-no-details"), exit: 69, says: "authorization_details is required"},
		{name: "a device request without a resource", request: Request{Way: "device"}, answers: with(good, "/oauth/device_authorization", "refusal-device-no-resource"), exit: 69, says: "resource is required"},
		{name: "details that are no JSON", request: Request{Way: "device"}, answers: with(good, "/oauth/device_authorization", "refusal-device-bad-details"), exit: 69, says: "must be valid JSON"},
		{name: "a source that the server does not know", request: Request{Way: "device"}, answers: with(good, "/oauth/device_authorization", "refusal-device-unknown-source"), exit: 69, says: "Unknown source"},
		{name: "a client that it does not know, registered just now", request: Request{Way: "device"}, answers: with(good, "/oauth/device_authorization", "refusal-device-unknown-client"), exit: 69, says: "invalid_client"},
		{name: "an unknown device code", request: Request{Way: "device"}, answers: with(good, "/oauth/token", "refusal-device-unknown-code"), exit: 78, says: "invalid_grant"},
		{name: "a device code of another client", request: Request{Way: "device"}, answers: with(good, "/oauth/token", "refusal-device-wrong-client"), exit: 78, says: "invalid_client"},
		{name: "agent connect without a request", answers: with(good, "/agent-connect", "refusal-agent-connect-no-request"), exit: 69, says: "invalid_request"},
		{name: "no streams", answers: with(good, "/oauth/par", "refusal-par-empty-streams"), exit: 69, says: "NOT have fewer than 1"},
		{name: "no details", answers: with(good, "/oauth/par", "refusal-par-no-details"), exit: 69, says: "requires authorization_details"},
		{name: "a registration with other fields", answers: with(good, "/oauth/register", "connect-14-register-software-id-refused"), exit: 69, says: "Unsupported client metadata"},
		{name: "a copied code that was used", request: Request{Way: "code"}, answers: with(good, "/consent/exchange", "refusal-consent-exchange-again"), exit: 69, says: "410 invalid_grant). What was approved lives on there, and nothing reads it: revoke it"},
		{name: "a wrong code that the owner copied", request: Request{Way: "code"}, answers: with(good, "/consent/exchange", "refusal-code-reused"), exit: 69, says: "invalid_grant"},
		{name: "an address that is no resource server's", answers: with(good, "/.well-known/oauth-protected-resource", "refusal-public-connector-unknown"), exit: 69, says: "not a PDPP resource server"},
		{name: "no registration in any way", request: Request{Way: "auto"}, answers: with(good, "/oauth/register", "refusal-public-connector-unknown"), exit: 69, says: "no address to register at"},
		{name: "a redirect", answers: with(good, "/oauth/par", "redirect"), exit: 69, says: "307"},
		{name: "an answer to an approval that holds no token", answers: with(good, agentPoll, "connect-61-revoke"), exit: 69, says: "What was approved lives on there"},
		{name: "no answer to the last question", answers: with(good, agentPoll, "connect-32-agent-connect-pending hangs-up"), exit: 69, says: "did not say in time whether the owner approved"},
		{name: "metadata of another resource", answers: with(good, "/.well-known/oauth-protected-resource", "connect-02-prm-mcp"), exit: 69, says: "another resource than http://127.0.0.1"},
		{name: "metadata that lead to another URL", answers: with(good, "/.well-known/oauth-protected-resource", "connect-02-prm-mcp"), exit: 69, says: ", connect that"},
	} {
		t.Run(test.name, func(t *testing.T) {
			r, w := newReplay(t, test.answers), newWorld()
			if test.request.Way == "" {
				test.request.Way = "agent"
			}
			if test.request.Source == "" {
				test.request.Source = "slack"
			}
			test.request.ProviderURL = r.URL
			_, err := Connect(t.Context(), test.request, w.Options)
			var failed *exit.Error
			if !errors.As(err, &failed) || failed.Code != test.exit || !strings.Contains(failed.Message, test.says) {
				t.Fatalf("%v, want exit %d with %q", err, test.exit, test.says)
			}
			for _, secret := range []string{"client_token", "owner_token", "package_token", "dc_made_up", "agc_poll", "cex_made_up"} {
				if strings.Contains(err.Error(), secret) {
					t.Errorf("the error shows %s: %v", secret, err)
				}
			}
			if got := r.count(revoke); got != test.revoked || strings.Contains(failed.Message, "was revoked, because") != (got > 0) {
				t.Errorf("revoked %d times, want %d: %v", got, test.revoked, err)
			}
		})
	}
}

// What the browser shows instead of coming back does not reach this program: it gives up in the end. A code that is refused is over.
func TestTheBrowserIsRefused(t *testing.T) {
	for name, row := range map[string]struct{ path, says string }{
		"refusal-authorize-no-pkce":       {"/oauth/authorize", "did not come back"},
		"refusal-authorize-preregistered": {"/oauth/authorize", "did not come back"},
		"refusal-authorize-request-uri":   {"/oauth/authorize", "did not come back"},
		"connect-76-native-authorize":     {"/oauth/authorize", "did not come back"},
		"refusal-code-bad-verifier":       {"/oauth/token", "400 invalid_grant"},
		"refusal-code-bad-redirect":       {"/oauth/token", "400 invalid_grant"},
		"refusal-code-reused":             {"/oauth/token", "400 invalid_grant). What was approved lives on there, and nothing reads it: revoke it"},
		"hangs-up":                        {"/oauth/token", "did not answer). What was approved lives on there"},
		"refusal-device-unknown-client":   {"/oauth/token", "invalid_client). What was approved lives on there"}, // and the owner is not asked again
	} {
		t.Run(name, func(t *testing.T) {
			r, w := newReplay(t, with(good, row.path, name)), newWorld()
			refusedInBrowser(t, r, w, row.path, row.says)
		})
	}
}

// refusedInBrowser connects through a browser, which shows what it is answered at one path. There it waits in vain, or the code is refused.
func refusedInBrowser(t *testing.T, r *replay, w *world, path, says string) {
	t.Helper()
	shown := make(chan struct{})
	w.Open = func(address string) error {
		go func() {
			defer close(shown)
			if response, err := http.Get(address); err == nil {
				_ = response.Body.Close()
			}
		}()
		return nil
	}
	w.Wait = func(ctx context.Context, _ time.Duration) error {
		if path == "/oauth/authorize" {
			<-shown
			return nil
		}
		<-ctx.Done()
		return ctx.Err()
	}
	if _, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "browser"}, w.Options); err == nil || !strings.Contains(err.Error(), says) {
		t.Error(err)
	}
}

// Who stops the program after the approval leaves no grant: the code is exchanged, and the grant given back.
func TestStoppedAfterTheApproval(t *testing.T) {
	for way, path := range map[string]string{"browser": "/oauth/token", "code": "/consent/exchange"} {
		r, w := newReplay(t, with(good, "/oauth/token", "connect-44-code-token")), newWorld()
		ctx, stop := context.WithCancel(t.Context())
		r.before = func(asked string) {
			if asked == path {
				stop()
			}
		}
		w.Open = browser(t)
		w.Wait = func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return ctx.Err() }
		if _, err := Connect(ctx, Request{ProviderURL: r.URL, Source: "slack", Way: way}, w.Options); err == nil || r.count(revoke) != 1 {
			t.Errorf("%s: revoked %d times, %v", way, r.count(revoke), err)
		}
	}
}

// An answer to a code may have no refresh token; a device code and a poll are answered again.
func TestTokensWithoutARefresh(t *testing.T) {
	for name, row := range map[string]struct{ way, path, mode, ends string }{
		"connect-45-code-token-single-use":     {"browser", "/oauth/token", "single_use", "2026-11-23T13:59:59Z"},
		"connect-46-code-token-no-refresh":     {"browser", "/oauth/token", "continuous", ""},
		"connect-24-device-token-again":        {"device", "/oauth/token", "continuous", ""},
		"connect-34-agent-connect-token-again": {"agent", agentPoll, "continuous", ""},
	} {
		r, w := newReplay(t, with(good, row.path, name)), newWorld()
		if row.way == "browser" {
			w.Open = browser(t)
			w.Wait = func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return ctx.Err() }
		}
		got, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: row.way}, w.Options)
		if err != nil || got.Refresh != nil || got.Grant.Mode != row.mode || got.Grant.Ends != row.ends {
			t.Errorf("%s: %+v %+v, %v", name, got.Refresh, got.Grant, err)
		}
	}
}

// The program says, while it waits, what only the page knows, in the page's own words.
func TestWhatTheApprovalPageRefuses(t *testing.T) {
	for name, row := range map[string]struct {
		connections []string
		says        string
	}{
		"refusal-approval-page-no-connection":      {nil, "exactly one eligible instance"},
		"refusal-approval-page-two-connections":    {nil, "exactly one eligible instance"},
		"refusal-approval-page-unknown-connection": {[]string{"cin_nosuch"}, "does not exist"},
	} {
		r, w := newReplay(t, with(good, agentPoll, "connect-32-agent-connect-pending")), newWorld()
		_, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Connections: row.connections, Way: "agent"}, w.Options)
		if page := string(r.recorded[name].Body); err == nil || !strings.Contains(page, row.says) || !strings.Contains(w.said.String(), row.says) {
			t.Errorf("%s: %v; the page says %s, the program\n%s", name, err, page, w.said.String())
		}
	}
}

// A lost network while the owner decides is no answer.
func TestAPollThatFailsIsRepeated(t *testing.T) {
	r, w := newReplay(t, with(good, agentPoll, "hangs-up connect-32-agent-connect-pending hangs-up connect-33-agent-connect-token")), newWorld()
	if _, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "auto"}, w.Options); err != nil {
		t.Fatal(err)
	}
	if got := r.count(agentPoll); got != 4 {
		t.Errorf("polled %d times", got)
	}
}

// The wait follows the server's interval in seconds, ends with its expiry, and says what an owner may need.
func TestTheWait(t *testing.T) {
	r, w := newReplay(t, with(good, agentPoll, "connect-32-agent-connect-pending")), newWorld()
	begin := w.now
	_, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "agent"}, w.Options)
	if err == nil || w.now.Sub(begin) != 300*time.Second || r.count(agentPoll) != 150 {
		t.Errorf("%v after %s and %d polls", err, w.now.Sub(begin), r.count(agentPoll))
	}
	for _, says := range []string{"--connection ID", "exactly one eligible instance", "Still waiting: 4m30s left."} {
		if !strings.Contains(w.said.String(), says) {
			t.Errorf("%q is missing in\n%s", says, w.said.String())
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Connect(ctx, Request{ProviderURL: r.URL, Source: "slack", Way: "agent"}, w.Options); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted: %v", err)
	}
}

// A client that is known is used again; one that the server has forgotten is registered anew.
func TestRegistrations(t *testing.T) {
	for _, test := range []struct {
		par        string
		registered int
	}{{"connect-30-par", 0}, {"refusal-par-unknown-client connect-30-par", 1}} {
		r, w := newReplay(t, with(good, "/oauth/par", test.par)), newWorld()
		w.Known = func(string) credentials.Client {
			return credentials.Client{ID: "cli_known", RedirectURIs: []string{redirectURI}}
		}
		if _, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "agent"}, w.Options); err != nil || r.count("/oauth/register") != test.registered {
			t.Errorf("%s: %v, registered %d times", test.par, err, r.count("/oauth/register"))
		}
	}
}

// The reference answers a registration with what it took of it, and that may be little.
func TestRegistrationAnswers(t *testing.T) {
	for _, name := range []string{"connect-10-register-device", "connect-11-register-minimal", "connect-40-register-loopback"} {
		r, w := newReplay(t, with(good, "/oauth/register", name)), newWorld()
		if got, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "agent"}, w.Options); err != nil || !strings.HasPrefix(got.Client.ID, "cli_made_up_0") {
			t.Errorf("%s: %+v, %v", name, got.Client, err)
		}
	}
}

// A server without pushed requests is connected by the next way that it has.
func TestTheNextWay(t *testing.T) {
	r, w := newReplay(t, with(good, "/oauth/par", "")), newWorld()
	if _, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "auto"}, w.Options); err != nil || r.count("/oauth/device_authorization") != 1 {
		t.Errorf("%v", err)
	}
}

// A native provider's source is its URI, and needs no list of connectors.
func TestNativeProvider(t *testing.T) {
	answers := with(good, "/.well-known/oauth-protected-resource", "connect-70-native-prm", "/oauth/par", "connect-73-native-par",
		"/agent-connect", "connect-74-native-agent-connect-with-par", "/agent-connect/agc_made_up_05/token", "connect-75-native-token")
	r, w := newReplay(t, answers), newWorld()
	got, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "https://northstar.example/pdpp", Way: "auto"}, w.Options)
	if err != nil || got.Grant.Source != "https://northstar.example/pdpp" {
		t.Errorf("%+v, %v", got.Grant, err)
	}
}

// The owner learns what became of a grant that was approved and cannot be used, also where it is the program that was stopped.
func TestWhatBecameOfAGrantIsSaid(t *testing.T) {
	r := newReplay(t, good)
	d := credentials.Document{AuthorizationServer: r.URL, Credential: credentials.Issued{AccessToken: "token-of-a-grant", GrantID: "grt_made_up_02"}}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	full := &exit.Error{Code: exit.CannotWrite, Message: "The disk is full."}
	var failed *exit.Error
	if err := GiveBack(stopped, "test", d, full); !errors.As(err, &failed) || failed.Code != exit.CannotWrite || r.count(revoke) != 1 ||
		err.Error() != "the grant that the owner approved was revoked, because it could not be used: The disk is full." {
		t.Errorf("revoked %d times: %v", r.count(revoke), err)
	}
	r.Close()
	err := GiveBack(stopped, "test", d, context.Canceled)
	var halted *transport.StoppedError
	if !errors.As(err, &halted) || !strings.Contains(err.Error(), "the grant grt_made_up_02 that the owner approved was not revoked") ||
		strings.Contains(err.Error(), "token-of") {
		t.Error(err)
	}
}

// Only the server's own answer means that a grant was revoked: after any other the credential is kept.
func TestAPageRevokesNothing(t *testing.T) {
	for answer, good := range map[string]bool{"": true, `{"revoked":true}`: true, `{}`: true, `{"revoked":false}`: false, "<html>Sign in</html>": false} {
		server := httptest.NewServer(says(200, answer))
		d := credentials.Document{AuthorizationServer: server.URL, Credential: credentials.Issued{AccessToken: "token-of-a-grant", GrantID: "grt_1"}}
		if err := Revoke(t.Context(), "test", d); (err == nil) != good {
			t.Errorf("%q: %v", answer, err)
		}
		server.Close()
	}
}

// Another source than the one that was asked for is not taken.
func TestAnotherSourceIsRefused(t *testing.T) {
	r, w := newReplay(t, good), newWorld()
	if _, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "https://registry.example/connectors/gmail", Way: "agent"}, w.Options); err == nil || !strings.Contains(err.Error(), "another source") {
		t.Error(err)
	}
	if got := r.count(revoke); got != 1 {
		t.Errorf("the grant that nobody asked for is revoked %d times", got)
	}
}

// What a server says is shown in a terminal: a code of other characters, which could hide what the owner is to do, ends the attempt.
func TestACodeThatATerminalShouldNotShow(t *testing.T) {
	for code, want := range map[string]bool{"WDJB-MJHT": true, "1234 5678": true, "": true, "\x1b[2J": false, "a\u202eb": false, strings.Repeat("A", 65): false} {
		body, err := json.Marshal(map[string]string{"user_code": code})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := new(attempt).readStarted(reply{body: body}, nil); (err == nil) != want {
			t.Errorf("%q: %v", code, err)
		}
		back := url.Values{"state": {"s"}, "error": {code}}
		if _, err := (&loopback{state: "s"}).read(back); err == nil && !want {
			t.Errorf("the browser comes back with %q", code)
		}
	}
}

// Each stream of a connector has all its connections: their product is not kept.
func TestAWideSchemaIsReadInItsSize(t *testing.T) {
	const streams, connections = 20_000, 500
	var c, s strings.Builder
	for i := range connections {
		fmt.Fprintf(&c, `,{"connection_id":"c%d"}`, i)
	}
	for i := range streams {
		fmt.Fprintf(&s, `,{"name":"s%d"}`, i)
	}
	response, err := rs.ReadResponse(`{"detail":"compact","connectors":[{"granted_connections":[` + c.String()[1:] + `],"streams":[` + s.String()[1:] + `]}]}`)
	if err != nil {
		t.Fatal(err)
	}
	schema := response.Schema()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	names, ids := readable(schema)
	runtime.ReadMemStats(&after)
	if took := (after.TotalAlloc - before.TotalAlloc) >> 20; len(names) != streams || len(ids) != connections || took > 64 {
		t.Errorf("%d streams, %d connections, %d MiB", len(names), len(ids), took)
	}
}

func TestRevoke(t *testing.T) {
	for answer, fails := range map[string]bool{
		"connect-61-revoke": false, "connect-62-revoke-again": false, "connect-64-revoke-expired-token": false, "connect-66-revoke-with-dead-family-token": false,
		"connect-60-revoke-wrong-grant": true, "connect-65-revoke-unknown-token": true, "refusal-package-revoke-by-client": true, "refusal-oauth-revoke": true,
	} {
		r := newReplay(t, map[string]string{revoke: answer})
		d := credentials.Document{AuthorizationServer: r.URL, Credential: credentials.Issued{AccessToken: "client_token_08", GrantID: "grt_made_up_02"}}
		if err := Revoke(t.Context(), "test", d); (err != nil) != fails || r.sent(revoke) != "Bearer client_token_08" {
			t.Errorf("%s: %v, sent %q", answer, err, r.sent(revoke))
		}
	}
}

// Only this machine's own address, the right state and the right issuer get an answer in, and only one.
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

// Metadata may name other servers; nothing is sent there.
func TestOtherOriginsAreNotAsked(t *testing.T) {
	issuer, _ := url.Parse("https://as.example")
	whole := metadata{Issuer: "https://as.example", Token: "https://as.example/token"}
	for name, test := range map[string]struct {
		change func(*metadata)
		good   bool
	}{
		"as it should be":                {func(*metadata) {}, true},
		"with the default port":          {func(m *metadata) { m.PAR = "https://AS.example:443/par" }, true},
		"another issuer":                 {func(m *metadata) { m.Issuer = "https://other.example" }, false},
		"a token endpoint elsewhere":     {func(m *metadata) { m.Token = "https://other.example/token" }, false},
		"an endpoint without encryption": {func(m *metadata) { m.PAR = "http://as.example/par" }, false},
		"an endpoint with credentials":   {func(m *metadata) { m.Device = "https://u:p@as.example/d" }, false},
		"another port":                   {func(m *metadata) { m.Authorization = "https://as.example:8443/a" }, false},
		"a relative endpoint":            {func(m *metadata) { m.Registration = "/register" }, false},
		"no token endpoint":              {func(m *metadata) { m.Token = "" }, false},
	} {
		m := whole
		test.change(&m)
		if err := m.check(issuer); (err == nil) != test.good {
			t.Errorf("%s: %v", name, err)
		}
	}
	for address, good := range map[string]bool{
		"https://rs.example": true, "http://127.0.0.1:1": true, "http://[::1]:1/a": true, "http://localhost:1": true,
		"http://rs.example": false, "http://x.localhost": false, "http://localhost.example": false, "ftp://rs.example": false, "https://rs.example/#f": false, "": false,
	} {
		if _, err := secureURL(address); (err == nil) != good {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestNoSecretIsPrinted(t *testing.T) {
	d := credentials.Document{Credential: credentials.Issued{AccessToken: "s3cret"}, Refresh: &credentials.Refresh{Token: "s3cret"}}
	if printed := fmt.Sprintf("%v %+v %#v %s", d, d, d, slices.Concat([]credentials.Secret{d.Refresh.Token})); strings.Contains(printed, "s3cret") {
		t.Error(printed)
	}
}
