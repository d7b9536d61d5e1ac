package connect

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/credentials"
	"github.com/pdp-connect/pdpp-mcp/internal/exit"
	"github.com/pdp-connect/pdpp-mcp/transport"
)

// Each refusal ends connect with an error that says what to do, and leaves no grant.
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
		{name: "pending forever, as with two active connections", answers: with(good, agentPoll, "connect-32-agent-connect-pending"), exit: 78, says: "nobody approved in time"},
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
		{name: "a package returned as a grant", answers: with(good, "/v1/schema", "refusal-package-streams"), exit: 78, says: "A token of an unknown kind was presented, such as that of a package", revoked: 1},
		{name: "a schema of another grant", answers: with(good, "/v1/schema", "schema-other-grant"), exit: 78, says: "another grant", revoked: 1},
		{name: "a device request without details", request: Request{Way: "device"}, answers: with(good, "/oauth/device_authorization", "refusal-device-no-details"), exit: 69, says: "authorization_details is required"},
		{name: "a device request without a resource", request: Request{Way: "device"}, answers: with(good, "/oauth/device_authorization", "refusal-device-no-resource"), exit: 69, says: "resource is required"},
		{name: "details that are not JSON", request: Request{Way: "device"}, answers: with(good, "/oauth/device_authorization", "refusal-device-bad-details"), exit: 69, says: "must be valid JSON"},
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
		{name: "an address that is not a resource server's", answers: with(good, "/.well-known/oauth-protected-resource", "refusal-public-connector-unknown"), exit: 69, says: "not a PDPP resource server"},
		{name: "no registration in any way", request: Request{Way: "auto"}, answers: with(good, "/oauth/register", "refusal-public-connector-unknown"), exit: 69, says: "no address to register at"},
		{name: "a redirect", answers: with(good, "/oauth/par", "redirect"), exit: 69, says: "307"},
		{name: "an approval without a token", answers: with(good, agentPoll, "connect-61-revoke"), exit: 69, says: "What was approved lives on there"},
		{name: "no answer to the last request", answers: with(good, agentPoll, "connect-32-agent-connect-pending hangs-up"), exit: 69, says: "did not say in time whether the owner approved"},
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

// If the browser shows an error instead of returning, the program stops waiting in the end. A refused code ends the attempt.
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
		"refusal-device-unknown-client":   {"/oauth/token", "invalid_client). What was approved lives on there"}, // the owner is not asked again
	} {
		t.Run(name, func(t *testing.T) {
			r, w := newReplay(t, with(good, row.path, name)), newWorld()
			refusedInBrowser(t, r, w, row.path, row.says)
		})
	}
}

// refusedInBrowser connects through a browser that receives the refusal at one path. Either the program waits in vain, or the code is
// refused.
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

// If the program is stopped after the approval, it exchanges the code and revokes the grant.
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

// While it waits, the program prints what only the approval page would tell, in the words of that page.
func TestTheReasonsOfTheApprovalPageArePrinted(t *testing.T) {
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
			t.Errorf("%s: %v; the page says %s, the program printed\n%s", name, err, page, w.said.String())
		}
	}
}

// The error says whether an approved grant that cannot be used was revoked, even if the program was stopped.
func TestErrorsSayWhetherAGrantWasRevoked(t *testing.T) {
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

// Only the server's own answer confirms a revocation; after any other the credential is kept.
func TestOnlyTheServersAnswerConfirmsARevocation(t *testing.T) {
	for answer, good := range map[string]bool{"": true, `{"revoked":true}`: true, `{}`: true, `{"revoked":false}`: false, "<html>Sign in</html>": false} {
		server := httptest.NewServer(says(200, answer))
		d := credentials.Document{AuthorizationServer: server.URL, Credential: credentials.Issued{AccessToken: "token-of-a-grant", GrantID: "grt_1"}}
		if err := Revoke(t.Context(), "test", d); (err == nil) != good {
			t.Errorf("%q: %v", answer, err)
		}
		server.Close()
	}
}

// A grant for another source than the requested one is revoked.
func TestAnotherSourceIsRefused(t *testing.T) {
	r, w := newReplay(t, good), newWorld()
	if _, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "https://registry.example/connectors/gmail", Way: "agent"}, w.Options); err == nil || !strings.Contains(err.Error(), "another source") {
		t.Error(err)
	}
	if got := r.count(revoke); got != 1 {
		t.Errorf("the grant that was not requested is revoked %d times", got)
	}
}

// Codes from the server are printed in a terminal, so a code with control or other unusual characters ends the attempt.
func TestACodeWithUnusualCharactersIsRefused(t *testing.T) {
	for code, want := range map[string]bool{"WDJB-MJHT": true, "1234 5678": true, "": true, "\x1b[2J": false, "a\u202eb": false, strings.Repeat("A", 65): false} {
		body, err := json.Marshal(map[string]string{"user_code": code})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := new(attempt).readStarted(body, nil); (err == nil) != want {
			t.Errorf("%q: %v; want accepted: %t", code, err, want)
		}
		back := url.Values{"state": {"s"}, "error": {code}}
		if _, err := (&loopback{state: "s"}).read(back); err == nil && !want {
			t.Errorf("a browser's response with %q is accepted", code)
		}
	}
}

func TestARevocationMayBeRepeated(t *testing.T) {
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
