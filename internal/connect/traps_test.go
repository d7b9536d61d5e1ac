package connect

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/exit"
)

// The answer that starts a wait may have the members of RFC 8628, intervals in milliseconds, or no code to poll with (CONNECT.md, section
// 5).
func TestOtherFormsOfAStartedWait(t *testing.T) {
	for name, row := range map[string]struct {
		body, linked, polled string
		interval             time.Duration
		fails                string
	}{
		"the members of RFC 8628": {
			`{"verification_uri":"https://as.example/consent","verification_uri_complete":"https://as.example/consent?request_uri=x","token_url":"https://as.example` + agentPoll + `"}`,
			"/consent?request_uri=x\n", `{}`, 2 * time.Second, "",
		},
		"milliseconds": {
			`{"approval_url":"https://as.example/consent?request_uri=x","poll_url":"https://as.example` + agentPoll + `","interval_ms":3000,"polling_code":"agc_poll_1"}`,
			"/consent?request_uri=x\n", `{"polling_code":"agc_poll_1"}`, 3 * time.Second, "",
		},
		"a code that the owner enters": {
			`{"verification_uri":"https://as.example/consent","user_code":"WDJB MJHT","poll_url":"https://as.example` + agentPoll + `","interval":0.01}`,
			"/consent and enter the code WDJB MJHT\n", `{}`, time.Second, "",
		},
		"no address for the owner": {`{"poll_url":"https://as.example` + agentPoll + `","user_code":"WDJB MJHT"}`, "", "", 0, "no address for the owner"},
		"no address to poll":       {`{"approval_url":"https://as.example/consent?request_uri=x"}`, "", "", 0, "does not say where to ask"},
		"a poll at another origin": {`{"approval_url":"https://as.example/c","poll_url":"https://elsewhere.example/"}`, "", "", 0, "which is not its own"},
		"the page of owner tokens": {`{"approval_url":"https://as.example/device","poll_url":"https://as.example` + agentPoll + `"}`, "", "", 0, "owner's token instead"},
	} {
		t.Run(name, func(t *testing.T) {
			r, w := newReplay(t, with(good, "/agent-connect", "start", agentPoll, "connect-33-agent-connect-token")), newWorld()
			r.recorded["start"] = exchange{Status: http.StatusCreated, Body: json.RawMessage(row.body)}
			begin := w.now
			_, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "agent"}, w.Options)
			if row.fails != "" {
				if err == nil || !strings.Contains(err.Error(), row.fails) || r.count(agentPoll) > 0 {
					t.Errorf("%v after %d polls", err, r.count(agentPoll))
				}
				return
			}
			if err != nil || r.sent(agentPoll) != row.polled || w.now.Sub(begin) != row.interval || !strings.Contains(w.said.String(), "  "+r.URL+row.linked) {
				t.Errorf("%v; polled with %s after %s; output:\n%s", err, r.sent(agentPoll), w.now.Sub(begin), w.said.String())
			}
		})
	}
}

// Metadata may have no supported way to connect, or addresses that must not be used (CONNECT.md, section 2).
func TestUnusableMetadataIsRefused(t *testing.T) {
	const server, issuer = "/.well-known/oauth-authorization-server", "/.well-known/oauth-protected-resource"
	for name, row := range map[string]struct{ path, body, says string }{
		"no way to connect":        {server, `{"issuer":"https://as.example","token_endpoint":"https://as.example/oauth/token","registration_endpoint":"https://as.example/oauth/register"}`, "does not offer this way"},
		"no registration":          {server, `{"issuer":"https://as.example","token_endpoint":"https://as.example/oauth/token"}`, "it does not register clients"},
		"no servers":               {issuer, `{"resource":"https://rs.example"}`, "name no authorization server"},
		"an issuer's query":        {issuer, `{"resource":"https://rs.example","authorization_servers":["https://as.example?x=1"]}`, "has a query in its name"},
		"no encryption":            {issuer, `{"resource":"https://rs.example","authorization_servers":["http://as.invalid"]}`, "http is only for this machine"},
		"a base at another origin": {issuer, `{"resource":"https://rs.example","authorization_servers":["https://as.example"],"pdpp_core_query_base":"https://other.example/v1"}`, "if you trust that one, connect https://other.example"},
		"a base that is not a URL": {issuer, `{"resource":"https://rs.example","authorization_servers":["https://as.example"],"pdpp_core_query_base":"ftp://other.example/v1"}`, "name no address to read from"},
	} {
		r, w := newReplay(t, with(good, row.path, "made-up")), newWorld()
		r.recorded["made-up"] = exchange{Status: http.StatusOK, Body: json.RawMessage(row.body)}
		_, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "auto"}, w.Options)
		var failed *exit.Error
		if !errors.As(err, &failed) || failed.Code != exit.Unavailable || !strings.Contains(failed.Message, row.says) {
			t.Errorf("%s: %v; want %q", name, err, row.says)
		}
	}
	r, w := newReplay(t, good), newWorld() // CONNECT.md, section 4
	r.recorded["connect-13-register-native"] = exchange{Status: http.StatusTooManyRequests, Body: json.RawMessage(`{"error":"slow_down"}`)}
	if _, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "auto"}, w.Options); err == nil || !strings.Contains(err.Error(), "too many requests were sent") {
		t.Error(err)
	}
}

// If the answer to a poll has no lifetime, the grant has its expiry (CONNECT.md, section 5).
func TestTheGrantHasTheExpiry(t *testing.T) {
	r, w := newReplay(t, good), newWorld()
	token := r.recorded["connect-33-agent-connect-token"]
	token.Body = json.RawMessage(strings.Replace(string(token.Body), `"expires_at": null`, `"expires_at":"2026-11-23T14:00:00Z"`, 1))
	r.recorded["connect-33-agent-connect-token"] = token
	got, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Once: true, Way: "agent"}, w.Options)
	if err != nil || got.Grant.Ends != "2026-11-23T14:00:00Z" || string(got.Credential.ExpiresAt) != `"2026-11-23T14:00:00Z"` {
		t.Errorf("it ends %s, %s; %v", got.Grant.Ends, got.Credential.ExpiresAt, err)
	}
}

// Some servers write seconds with a fraction; a token that is not read for that could only be revoked by the owner.
func TestALifetimeMayHaveAFraction(t *testing.T) {
	if got, err := readToken([]byte(`{"access_token":"t","grant_id":"g","expires_in":3600.0}`)); err != nil || got.ExpiresIn != 3600 {
		t.Errorf("%v: %+v", err, got.ExpiresIn)
	}
}

// If the tokens cannot be stored or sent, the error names the grant that still exists.
func TestTokensThatCannotBeKept(t *testing.T) {
	for name, body := range map[string]string{
		"of another type": `{"access_token":"t","token_type":"DPoP","grant_id":"g"}`, "too long": `{"access_token":"t","grant_id":"g","expires_in":999999999999}`,
		"with a renewal that cannot be sent": `{"access_token":"t","grant_id":"g","refresh_token":"a\nb"}`, "that cannot be sent": `{"access_token":"a\nb","grant_id":"g"}`,
	} {
		r, w := newReplay(t, good), newWorld()
		r.recorded["connect-33-agent-connect-token"] = exchange{Status: http.StatusOK, Body: json.RawMessage(body)}
		if _, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "agent"}, w.Options); err == nil || !strings.Contains(err.Error(), "What was approved lives on there") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Some servers return a refusal through the browser (RFC 6749, section 4.1.2.1), and the owner may have to open the browser.
func TestARefusalComesBackThroughTheBrowser(t *testing.T) {
	r, w := newReplay(t, good), newWorld()
	w.Open = func(address string) error {
		once := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		go func() {
			response, err := once.Get(address)
			if err != nil {
				t.Error(err)
				return
			}
			_ = response.Body.Close()
			asked, _ := url.Parse(response.Header.Get("Location"))
			back := asked.Query().Get("redirect_uri") + "?" + url.Values{"error": {"access_denied"}, "state": {asked.Query().Get("state")}}.Encode()
			if response, err = once.Get(back); err == nil {
				_ = response.Body.Close()
			}
		}()
		return errors.New("there is no browser")
	}
	w.Wait = func(ctx context.Context, _ time.Duration) error { <-ctx.Done(); return ctx.Err() }
	_, err := Connect(t.Context(), Request{ProviderURL: r.URL, Source: "slack", Way: "browser"}, w.Options)
	if err == nil || !strings.Contains(err.Error(), "the owner denied the request") || r.count("/oauth/token") > 0 || !strings.Contains(w.said.String(), "in a browser of this machine") {
		t.Errorf("%v; output:\n%s", err, w.said.String())
	}
}

// If a renewal returns no new refresh token, the old one stays valid (RFC 6749, section 6).
func TestARenewalMayKeepItsRefreshToken(t *testing.T) {
	k := newKept(t, says(200, `{"access_token":"at_2","expires_in":599,"token_type":"Bearer","grant_id":"grt_1"}`))
	var got []string
	for range 2 {
		k.now = k.now.Add(9*time.Minute + 30*time.Second)
		got = append(got, k.token(t))
	}
	if !slices.Equal(got, []string{"at_2", "at_2"}) || k.sent.Load() != 2 || k.stored(t).Refresh.Token != "rt_1" {
		t.Errorf("%v after %d requests, %v", got, k.sent.Load(), k.stored(t).Refresh.Mark())
	}
}
