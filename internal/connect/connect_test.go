package connect

import (
	"context"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/rs"
)

const (
	agentPoll = "/agent-connect/agc_made_up_01/token"
	revoke    = "/grants/grt_made_up_02/revoke"
)

// good are the answers for a successful connect in every way.
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

// browser returns a function that opens an address and follows its redirects.
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

// slackStreams are the streams of the recorded manifest.
var slackStreams = []string{
	"canvases", "channel_memberships", "channel_stats", "channels", "dm_read_states", "files", "message_attachments", "messages", "reactions", "reminders",
	"stars", "user_groups", "users", "workspace",
}

// A source given by its id, as in proposed commands, also has its streams looked up.
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

func TestConnectInEachWay(t *testing.T) {
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
				t.Errorf("output:\n%s", said)
			}
		})
	}
}

// Exactly one selection is sent, as JSON to the pushed authorization endpoint; the device flow always has resource and
// authorization_details.
func TestTheRequestedSelection(t *testing.T) {
	r, w := newReplay(t, good), newWorld()
	request := Request{ProviderURL: r.URL, Source: "slack", Connections: []string{"a", "b"}, Once: true, Way: "agent"}
	if _, err := Connect(t.Context(), request, w.Options); err != nil {
		t.Fatal(err)
	}
	want := `{"authorization_details":[{"type":"https://pdpp.dev/data-access","access_mode":"single_use","purpose_code":"https://pdpp.dev/purpose/personal_ai_assistant",` +
		`"purpose_description":"Answer questions about my own data","source":{"id":"https://registry.example/connectors/slack","kind":"connector"},` +
		`"streams":[{"name":"*","instance_ids":["a","b"]}]}],"client_id":"cli_made_up_03","resource":"` + r.URL + `"}`
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

// The exchange of a code has the verifier and the redirect URI of the authorization request.
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

// The token response may have no refresh token; a device code and a poll may be answered twice with the same token.
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

// A poll that fails, because the network is lost, is repeated.
func TestAPollThatFailsIsRepeated(t *testing.T) {
	r, w := newReplay(t, with(good, agentPoll, "hangs-up connect-32-agent-connect-pending hangs-up connect-33-agent-connect-token")), newWorld()
	if _, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "auto"}, w.Options); err != nil {
		t.Fatal(err)
	}
	if got := r.count(agentPoll); got != 4 {
		t.Errorf("polled %d times", got)
	}
}

// Polling follows the server's interval in seconds, ends when the request expires, and prints what the owner may need.
func TestPollingFollowsTheIntervalOfTheServer(t *testing.T) {
	r, w := newReplay(t, with(good, agentPoll, "connect-32-agent-connect-pending")), newWorld()
	begin := w.now
	_, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "agent"}, w.Options)
	if err == nil || w.now.Sub(begin) != 300*time.Second || r.count(agentPoll) != 150 {
		t.Errorf("%v after %s and %d polls", err, w.now.Sub(begin), r.count(agentPoll))
	}
	for _, says := range []string{"--connection ID", "exactly one eligible instance", "for 5 minutes."} {
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

// A known client is used again; if the server no longer knows it, a new one is registered.
func TestAClientThatTheServerForgotIsRegisteredAgain(t *testing.T) {
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

// The reference answers a registration with the metadata that it accepted, which may be little.
func TestRegistrationAnswers(t *testing.T) {
	for _, name := range []string{"connect-10-register-device", "connect-11-register-minimal", "connect-40-register-loopback"} {
		r, w := newReplay(t, with(good, "/oauth/register", name)), newWorld()
		if got, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "agent"}, w.Options); err != nil || !strings.HasPrefix(got.Client.ID, "cli_made_up_0") {
			t.Errorf("%s: %+v, %v", name, got.Client, err)
		}
	}
}

// Without pushed authorization requests, the next supported way is used.
func TestTheNextSupportedWayIsUsed(t *testing.T) {
	r, w := newReplay(t, with(good, "/oauth/par", "")), newWorld()
	if _, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "auto"}, w.Options); err != nil || r.count("/oauth/device_authorization") != 1 {
		t.Errorf("%v", err)
	}
}

// A native provider is its own source, named by its URI, and needs no list of connectors.
func TestAProviderOfItsOwnDataNeedsNoListOfSources(t *testing.T) {
	answers := with(good, "/.well-known/oauth-protected-resource", "connect-70-native-prm", "/oauth/par", "connect-73-native-par",
		"/agent-connect", "connect-74-native-agent-connect-with-par", "/agent-connect/agc_made_up_05/token", "connect-75-native-token")
	r, w := newReplay(t, answers), newWorld()
	got, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "https://northstar.example/pdpp", Way: "auto"}, w.Options)
	if err != nil || got.Grant.Source != "https://northstar.example/pdpp" {
		t.Errorf("%+v, %v", got.Grant, err)
	}
}

// The connections of a connector belong to each of its streams; reading them must not store the product of both.
func TestAWideSchemaTakesLinearMemory(t *testing.T) {
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

// Metadata may name other servers; nothing is sent there.
func TestOtherOriginsAreNotAsked(t *testing.T) {
	issuer, _ := url.Parse("https://as.example")
	whole := metadata{Issuer: "https://as.example", Token: "https://as.example/token"}
	for name, test := range map[string]struct {
		change func(*metadata)
		good   bool
	}{
		"valid":                          {func(*metadata) {}, true},
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
		if _, err := SecureURL(address); (err == nil) != good {
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
