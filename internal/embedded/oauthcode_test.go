package embedded

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// signedIn runs the code flow and returns the client and its tokens.
func (r *oauthRig) signedIn(pairs ...string) (client string, got answer) {
	r.t.Helper()
	client = r.register("authorization_code", "refresh_token")
	if pairs == nil {
		pairs = []string{"authorization_details", encode(r.t, details(chatSource, everyStream()))}
	}
	got = r.redeem(client, r.code(client, nil, pairs...))
	if got.status != http.StatusOK {
		r.t.Fatalf("token: %d %s", got.status, got.text)
	}
	return client, got
}

// Way C: a code with PKCE.
func TestCodeFlow(t *testing.T) {
	r := newOAuthRig(t)
	client, got := r.signedIn()
	if got.at("expires_in") != 600.0 || !strings.HasPrefix(text(got.at("refresh_token")), "rt_") ||
		got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("token: %s", got.text)
	}
	if diff := cmp.Diff(any([]any{"cin_chat"}), got.at("authorization_details", 0, "streams", 0, "instance_ids")); diff != "" {
		t.Errorf("details (-want +got):\n%s", diff)
	}
	token := text(got.at("access_token"))
	r.ok(token, "/v1/streams/messages/records")
	r.now = r.now.Add(600 * time.Second)
	if got := r.get(token, "/v1/schema"); got.code() != "grant_expired" {
		t.Errorf("after ten minutes: %s", got.text)
	}

	code := r.code(client, nil, "connector_id", "chat")
	for _, test := range []struct{ name, client, parameter, value string }{
		{"a wrong verifier", client, "code_verifier", "wrong"},
		{"another redirect", client, "redirect_uri", callback + "x"},
		{"another client", "pdpp_cli", "", ""},
	} {
		if got := r.redeem(test.client, code, test.parameter, test.value); got.status != http.StatusBadRequest ||
			got.at("error") != "invalid_grant" {
			t.Errorf("%s: %d %s", test.name, got.status, got.text)
		}
	}
	given := r.redeem(client, code)
	if given.status != http.StatusOK {
		t.Errorf("the code is still valid: %s", given.text)
	}
	token = text(given.at("access_token"))
	if got := r.redeem(client, code, "code_verifier", "wrong"); got.at("error") != "invalid_grant" {
		t.Errorf("a code was redeemed twice: %s", got.text)
	}
	r.ok(token, "/v1/schema") // an attempt without the verifier ends nothing
	if got := r.redeem(client, code); got.at("error") != "invalid_grant" {
		t.Errorf("a code was redeemed twice: %s", got.text)
	}
	if got := r.get(token, "/v1/schema"); got.code() != "grant_revoked" {
		t.Errorf("the token of a code that was sent twice is valid: %s", got.text)
	}
	if got := r.form("/oauth/token", "grant_type", "refresh_token", "client_id", client, "refresh_token", text(given.at("refresh_token"))); got.at("error") != "invalid_grant" {
		t.Errorf("its refresh token: %s", got.text)
	}
	code = r.code(client, nil, "connector_id", "chat")
	r.now = r.now.Add(time.Minute)
	if got := r.redeem(client, code); got.at("error") != "invalid_grant" {
		t.Errorf("a code was redeemed after its minute: %s", got.text)
	}
}

func TestLifetimesOfTheCodeFlow(t *testing.T) {
	var options Options
	options.TokenLife = time.Minute
	r := newOAuthRigWith(t, options)
	once := details(chatSource, everyStream())
	once["access_mode"] = "single_use"
	if _, got := r.signedIn("authorization_details", encode(t, once)); got.at("expires_in") != 86400.0 || got.at("refresh_token") != nil {
		t.Errorf("single use: %s", got.text)
	}
	mail := details(mailSource, map[string]any{"name": "messages", "instance_ids": []string{"cin_mail_work"}})
	if _, got := r.signedIn("authorization_details", encode(t, mail, once)); got.at("expires_in") != 86400.0 || got.at("refresh_token") != nil {
		t.Errorf("single use for one of two, of which the page says 24 hours: %s", got.text)
	}
	client := r.register("authorization_code")
	if got := r.redeem(client, r.code(client, nil, "connector_id", "chat")); got.at("expires_in") != nil || got.at("refresh_token") != nil {
		t.Errorf("without refresh: %s", got.text)
	}
	if _, got := r.signedIn(); got.at("expires_in") != 60.0 {
		t.Errorf("a short life: %s", got.text)
	}
}

// Without a selection the owner chooses connections, which makes a package.
func TestOwnerPicks(t *testing.T) {
	r := newOAuthRig(t)
	client := r.register("authorization_code", "refresh_token")
	got := r.redeem(client, r.code(client, []string{"cin_mail_home", "cin_chat", "cin_nosuch"}, "connector_id", ""))
	if got.at("grant_id") != nil || !strings.HasPrefix(text(got.at("grant_package_id")), "gpkg_") {
		t.Fatalf("token: %s", got.text)
	}
	members := r.post("/packages", text(got.at("access_token")))
	if len(members.list("members")) != 2 || members.at("members", 0, "connection_id") != "cin_mail_home" {
		t.Fatalf("members: %s", members.text)
	}
	r.ok(text(members.at("members", 0, "access_token")), "/v1/streams/messages/records")
	if again := r.refresh(client, text(got.at("refresh_token"))); again.at("grant_package_id") != got.at("grant_package_id") {
		t.Errorf("refresh: %s", again.text)
	}
	r.now = r.now.Add(time.Hour) // no access token of the package lives
	if again := r.refresh(client, text(got.at("refresh_token"))); again.at("error") != "invalid_grant" {
		t.Errorf("a second refresh: %s", again.text)
	}
	if read := r.get(text(members.at("members", 0, "access_token")), "/v1/schema"); read.code() != "grant_revoked" {
		t.Errorf("a member of the package of a dead family reads: %s", read.text)
	}
	t.Run("two selections are a package, which agent-connect calls a grant", func(t *testing.T) {
		mail := details(mailSource, map[string]any{"name": "messages", "instance_ids": []string{"cin_mail_work"}})
		uri := r.push(client, mail, details(chatSource, everyStream()))
		started := r.json("/agent-connect", map[string]any{"request_uri": uri, "client_id": client})
		r.approve(consentPage(uri))
		polled := r.json(strings.TrimPrefix(text(started.at("poll_url")), testOrigin), map[string]any{"polling_code": started.at("polling_code")})
		if !strings.HasPrefix(text(polled.at("grant_id")), "gpkg_") || len(polled.list("grant", "child_grants")) != 2 {
			t.Errorf("poll: %s", polled.text)
		}
		if got := r.get(text(polled.at("access_token")), "/v1/schema"); got.status != http.StatusNotFound {
			t.Errorf("schema: %d", got.status)
		}
	})
	t.Run("without a choice there is no grant", func(t *testing.T) {
		started := r.get("", authorizeURL(client))
		if got := r.decide(started.header.Get("Location"), "approve", ownerSecret); got.status != http.StatusBadRequest {
			t.Errorf("status %d", got.status)
		}
	})
}

// The consent page says that the whole package ends after 24 hours if one of its sources was asked for once, so all its members do.
func TestAllMembersOfAPackageEndWithTheOneThatIsUsedOnce(t *testing.T) {
	r := newOAuthRig(t)
	client := r.register("authorization_code")
	once := details(chatSource, everyStream())
	once["access_mode"] = "single_use"
	lasting := details(mailSource, map[string]any{"name": "messages", "instance_ids": []string{"cin_mail_work"}})
	token := text(r.redeem(client, r.code(client, nil, "authorization_details", encode(t, lasting, once))).at("access_token"))
	member := text(r.post("/packages", token).at("members", 0, "access_token"))
	r.ok(member, "/v1/streams/messages/records")
	r.now = r.now.Add(25 * time.Hour)
	if got := r.get(member, "/v1/streams/messages/records"); got.code() != "grant_expired" {
		t.Errorf("after a day, a member reads: %d %s", got.status, got.text)
	}
}

func TestAuthorizeRefusals(t *testing.T) {
	r := newOAuthRig(t)
	client := r.register("authorization_code", "refresh_token")
	for _, test := range []struct {
		name, client string
		pairs        []string
		code         string
	}{
		{"an unknown client", "cli_nope", nil, "invalid_client"},
		{"a client without redirects", "pdpp_cli", nil, "invalid_request"},
		{"no redirect", client, []string{"redirect_uri", ""}, "invalid_request"},
		{"another path", client, []string{"redirect_uri", "http://127.0.0.1:1/other"}, "invalid_request"},
		{"another loopback name", client, []string{"redirect_uri", "http://localhost:1/callback"}, "invalid_request"},
		{"another scheme", client, []string{"redirect_uri", "https://127.0.0.1/callback"}, "invalid_request"},
		{"credentials in the redirect", client, []string{"redirect_uri", "http://x@127.0.0.1/callback"}, "invalid_request"},
		{"a fragment", client, []string{"redirect_uri", callback + "#x"}, "invalid_request"},
		{"a foreign host", client, []string{"redirect_uri", "http://127.0.0.1.evil.example/callback"}, "invalid_request"},
		{"no PKCE", client, []string{"code_challenge", ""}, "invalid_request"},
		{"plain PKCE", client, []string{"code_challenge_method", "plain"}, "invalid_request"},
		{"a token response", client, []string{"response_type", "token"}, "unsupported_response_type"},
		{"an unknown source", client, []string{"connector_id", "nosuch"}, "invalid_request"},
		{"bad details", client, []string{"authorization_details", "[{}]"}, "invalid_authorization_details"},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := r.get("", authorizeURL(test.client, test.pairs...))
			if got.status != http.StatusBadRequest || got.at("error") != test.code || got.header.Get("Location") != "" {
				t.Errorf("status %d, want %s: %s", got.status, test.code, got.text)
			}
		})
	}
}

// Two programs could read different values of a repeated parameter (RFC 6749 3.1, 3.2), so such a request is refused.
func TestAParameterSentTwiceIsRefused(t *testing.T) {
	r := newOAuthRig(t)
	client := r.register("authorization_code", "refresh_token")
	post := func(path, form string) answer {
		request := httptest.NewRequest(http.MethodPost, testOrigin+path, strings.NewReader(form))
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.SetBasicAuth(testClient, testSecret)
		return r.do(request)
	}
	for _, test := range []struct {
		name, twice string
		ask         func() answer
	}{
		{"grant type", "grant_type", func() answer {
			return post("/oauth/token", "grant_type=refresh_token&grant_type=authorization_code&client_id="+client)
		}},
		{"refresh token", "refresh_token", func() answer {
			return post("/oauth/token", "grant_type=refresh_token&client_id="+client+"&refresh_token=a&refresh_token=b")
		}},
		{"device", "client_id", func() answer { return post("/oauth/device_authorization", "client_id="+client+"&client_id=pdpp_cli") }},
		{"introspection", "token", func() answer { return post("/introspect", "token=tok-nobody&token=tok-client") }},
		{"authorization", "redirect_uri", func() answer {
			return r.get("", authorizeURL(client)+"&redirect_uri="+url.QueryEscape("https://evil.example/callback"))
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := test.ask()
			if got.status != http.StatusBadRequest || !strings.Contains(got.text, "The parameter "+test.twice+" was sent more than once") {
				t.Errorf("status %d: %s", got.status, got.text)
			}
		})
	}
}

func TestRegistrationRefusals(t *testing.T) {
	r := newOAuthRig(t)
	for name, client := range map[string]map[string]any{
		"a client secret":             {"token_endpoint_auth_method": "client_secret_basic"},
		"refresh without a code":      {"grant_types": []string{deviceGrant, "refresh_token"}},
		"a code without a redirect":   {"grant_types": []string{"authorization_code"}},
		"a custom scheme":             {"redirect_uris": []string{"app://callback"}},
		"plain http":                  {"redirect_uris": []string{"http://host.example/callback"}},
		"a host like another":         {"redirect_uris": []string{"https://claude.ai\u2024evil.example/callback"}},
		"a host of non-Latin letters": {"redirect_uris": []string{"https://\u0430pple.com/callback"}},
		"a host with a bidi control":  {"redirect_uris": []string{"https://host.example%E2%80%AE/callback"}},
		"a fragment in the redirect":  {"redirect_uris": []string{"https://host.example/callback#x"}},
		"the password grant":          {"grant_types": []string{"password"}},
		"a name that is not a text":   {"client_name": 1},
	} {
		t.Run(name, func(t *testing.T) {
			if got := r.json("/oauth/register", client); got.status != http.StatusBadRequest || got.at("error") != "invalid_client_metadata" {
				t.Errorf("status %d: %s", got.status, got.text)
			}
		})
	}
	t.Run("unknown members are ignored, RFC 7591 section 2", func(t *testing.T) {
		if got := r.json("/oauth/register", map[string]any{"software_id": "x", "scope": ""}); got.status != http.StatusCreated {
			t.Errorf("status %d: %s", got.status, got.text)
		}
	})
	t.Run("more than 120 in ten minutes", func(t *testing.T) {
		for range 119 { // and the one above
			r.register()
		}
		if got := r.json("/oauth/register", map[string]any{}); got.status != http.StatusTooManyRequests || got.at("error") != "slow_down" ||
			got.header.Get("Retry-After") != "600" {
			t.Errorf("status %d: %s", got.status, got.text)
		}
		r.now = r.now.Add(10 * time.Minute)
		r.register()
	})
}

func TestRefresh(t *testing.T) {
	r := newOAuthRig(t)
	client, got := r.signedIn()
	first := text(got.at("refresh_token"))
	second := r.refresh(client, first)
	if second.status != http.StatusOK || second.at("grant_id") != got.at("grant_id") || second.at("refresh_token") == first {
		t.Fatalf("refresh: %d %s", second.status, second.text)
	}
	r.ok(text(got.at("access_token")), "/v1/schema") // the previous token is valid until it expires
	demand := func(got answer, code string, died any) {
		t.Helper()
		if got.status != http.StatusBadRequest || got.at("error") != code || got.at("fresh_authorization_required") != died {
			t.Errorf("status %d, want %s: %s", got.status, code, got.text)
		}
	}
	demand(r.refresh("pdpp_cli", text(second.at("refresh_token"))), "invalid_grant", nil)
	demand(r.refresh(r.register("authorization_code", "refresh_token"), text(second.at("refresh_token"))), "invalid_grant", nil)
	demand(r.refresh(client, "rt_unknown"), "invalid_grant", nil)
	demand(r.refresh(client, ""), "invalid_request", nil)
	demand(r.refresh("cli_nope", first), "invalid_client", nil)

	r.now = r.now.Add(time.Hour)
	third := r.refresh(client, text(second.at("refresh_token")))
	r.ok(text(third.at("access_token")), "/v1/schema")
	demand(r.refresh(client, first), "invalid_grant", true)
	demand(r.refresh(client, text(third.at("refresh_token"))), "invalid_grant", nil)
	demand(r.refresh(client, first), "invalid_grant", nil)
	if got := r.get(text(third.at("access_token")), "/v1/schema"); got.code() != "grant_revoked" {
		t.Errorf("a revoked token family can read: %s", got.text)
	}
}

// A client's refreshes end its own earlier tokens and not those of other clients.
func TestManyRefreshesLeaveTheTokensOfOthers(t *testing.T) {
	r := newOAuthRig(t)
	_, other := r.signedIn()
	client, got := r.signedIn()
	last := got
	for range 1000 {
		last = r.refresh(client, text(last.at("refresh_token")))
	}
	r.ok(text(other.at("access_token")), "/v1/schema")
	r.ok(text(last.at("access_token")), "/v1/schema")
	if got := r.get(text(got.at("access_token")), "/v1/schema"); got.status != http.StatusUnauthorized {
		t.Errorf("the first of 1,001 tokens of a family is valid: %d", got.status)
	}
}

// Of parallel refreshes with one token, the first gets tokens, and the second revokes them.
func TestParallelRefreshKillsTheFamily(t *testing.T) {
	r := newOAuthRig(t)
	client, got := r.signedIn()
	answers := make([]answer, 3)
	var all sync.WaitGroup
	for i := range answers {
		all.Go(func() { answers[i] = r.refresh(client, text(got.at("refresh_token"))) })
	}
	all.Wait()
	good := 0
	for _, a := range answers {
		if a.status == http.StatusOK {
			good++
			if read := r.get(text(a.at("access_token")), "/v1/schema"); read.code() != "grant_revoked" {
				t.Errorf("the winner's token reads: %s", read.text)
			}
		}
	}
	if good != 1 {
		t.Errorf("%d of 3 succeeded", good)
	}
}

func TestRevoke(t *testing.T) {
	r := newOAuthRig(t)
	client, got := r.signedIn()
	token, id := text(got.at("access_token")), text(got.at("grant_id"))
	revoke := func(token, id string) answer {
		request := httptest.NewRequest(http.MethodPost, testOrigin+"/grants/"+url.PathEscape(id)+"/revoke", nil)
		request.Header.Set("Authorization", "Bearer "+token)
		return r.do(request)
	}
	for _, test := range []struct {
		name, token, id, code string
		status                int
	}{
		{"another grant", token, "grt_other", "permission_error", 403},
		{"an unknown token", "nope", id, "authentication_error", 401},
		{"a package token", "tok-package", "pkg_demo", "permission_error", 403},
	} {
		if got := revoke(test.token, test.id); got.status != test.status || got.code() != test.code {
			t.Errorf("%s: %d %s; want %q", test.name, got.status, got.text, test.code)
		}
	}
	r.now = r.now.Add(time.Hour) // an expired token may still revoke
	for range 2 {
		if got := revoke(token, id); got.status != http.StatusOK || got.at("revoked") != true {
			t.Errorf("revoke: %d %s", got.status, got.text)
		}
	}
	if got := r.get(token, "/v1/schema"); got.code() != "grant_revoked" {
		t.Errorf("read: %s", got.text)
	}
	if got := r.refresh(client, text(got.at("refresh_token"))); got.at("error") != "invalid_grant" {
		t.Errorf("refresh: %s", got.text)
	}
	if got := r.form("/oauth/revoke", "token", token); got.status != http.StatusNotFound {
		t.Errorf("RFC 7009: %d", got.status)
	}
}
