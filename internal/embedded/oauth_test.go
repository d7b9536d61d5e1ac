package embedded

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const (
	ownerSecret = "owner-secret"
	callback    = "http://127.0.0.1:49152/callback"
	verifier    = "made-up-verifier-0000000000000000000000000000"
	deviceGrant = "urn:ietf:params:oauth:grant-type:device_code"
	chatSource  = "https://registry.test/connectors/chat"
	mailSource  = "https://registry.test/connectors/mail"
)

// An oauthRig has an authority, an owner who approves requests of its clients, and a clock set by the test.
type oauthRig struct {
	*rig
	now time.Time
}

func newOAuthRig(t *testing.T) *oauthRig {
	return newOAuthRigWith(t, Options{})
}

func newOAuthRigWith(t *testing.T, o Options) *oauthRig {
	r := &oauthRig{now: testNow}
	o.Now, o.OwnerSecret = func() time.Time { return r.now }, ownerSecret
	r.rig = newRigWith(t, o)
	return r
}

func (r *oauthRig) json(path string, body any) answer {
	r.t.Helper()
	encoded, err := json.Marshal(body)
	if err != nil {
		r.t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodPost, testOrigin+path, strings.NewReader(string(encoded)))
	request.Header.Set("Content-Type", "application/json")
	return r.do(request)
}

// form posts a form with alternating names and values.
func (r *oauthRig) form(path string, pairs ...string) answer {
	r.t.Helper()
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	request := httptest.NewRequest(http.MethodPost, testOrigin+path, strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return r.do(request)
}

func (r *oauthRig) register(grants ...string) string {
	r.t.Helper()
	client := map[string]any{"client_name": "pdpp-mcp", "token_endpoint_auth_method": "none"}
	if grants != nil {
		client["application_type"], client["grant_types"], client["response_types"] = "native", grants, []string{"code"}
		client["redirect_uris"] = []string{"http://127.0.0.1/callback"}
	}
	got := r.json("/oauth/register", client)
	if got.status != http.StatusCreated {
		r.t.Fatalf("registration: %d %s", got.status, got.text)
	}
	return text(got.at("client_id"))
}

func details(source string, streams ...map[string]any) map[string]any {
	return map[string]any{
		"type": "https://pdpp.dev/data-access", "access_mode": "continuous", "purpose_code": "https://pdpp.dev/purpose/personal_ai_assistant",
		"purpose_description": "Answer questions", "source": map[string]any{"id": source, "kind": "connector"}, "streams": streams,
	}
}

func everyStream() map[string]any { return map[string]any{"name": "*"} }

func encode(t testing.TB, entries ...map[string]any) string {
	t.Helper()
	encoded, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	return string(encoded)
}

// push sends a pushed authorization request and returns its request_uri.
func (r *oauthRig) push(client string, entries ...map[string]any) string {
	r.t.Helper()
	got := r.json("/oauth/par", map[string]any{"client_id": client, "authorization_details": entries})
	if got.status != http.StatusCreated {
		r.t.Fatalf("PAR: %d %s", got.status, got.text)
	}
	return text(got.at("request_uri"))
}

var csrfField = regexp.MustCompile(`name="_csrf" value="([^"]+)"`)

// decide opens a consent page and decides on it.
func (r *oauthRig) decide(page, decision, secret string, picks ...string) answer {
	r.t.Helper()
	shown := r.get("", strings.TrimPrefix(page, testOrigin))
	field := csrfField.FindStringSubmatch(shown.text)
	if shown.status != http.StatusOK || field == nil {
		r.t.Fatalf("consent page %s: %d %s", page, shown.status, shown.text)
	}
	u, err := url.Parse(page)
	if err != nil {
		r.t.Fatal(err)
	}
	form := url.Values{"_csrf": {field[1]}, "owner_secret": {secret}, "connection": picks, "request_uri": {u.Query().Get("request_uri")}}
	request := httptest.NewRequest(http.MethodPost, testOrigin+"/consent/"+decision, strings.NewReader(form.Encode()))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.Header.Set("Origin", testOrigin)
	request.Header.Set("Cookie", strings.Split(shown.header.Get("Set-Cookie"), ";")[0])
	return r.do(request)
}

func (r *oauthRig) approve(page string, picks ...string) answer {
	r.t.Helper()
	got := r.decide(page, "approve", ownerSecret, picks...)
	if got.status != http.StatusOK && got.status != http.StatusFound {
		r.t.Fatalf("approval: %d %s", got.status, got.text)
	}
	return got
}

func consentPage(requestURI string) string {
	return "/consent?request_uri=" + url.QueryEscape(requestURI)
}

// authorizeURL returns the address of an authorization request. Pairs replace or add parameters; an empty value removes one.
func authorizeURL(client string, pairs ...string) string {
	digest := sha256.Sum256([]byte(verifier))
	query := url.Values{
		"client_id": {client}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"st-1"},
		"code_challenge": {base64.RawURLEncoding.EncodeToString(digest[:])}, "code_challenge_method": {"S256"},
	}
	for i := 0; i < len(pairs); i += 2 {
		if query.Set(pairs[i], pairs[i+1]); pairs[i+1] == "" {
			query.Del(pairs[i])
		}
	}
	return "/oauth/authorize?" + query.Encode()
}

// code runs the code flow until it has a code.
func (r *oauthRig) code(client string, picks []string, pairs ...string) string {
	r.t.Helper()
	started := r.get("", authorizeURL(client, pairs...))
	if started.status != http.StatusFound {
		r.t.Fatalf("authorize: %d %s", started.status, started.text)
	}
	back, err := url.Parse(r.approve(started.header.Get("Location"), picks...).header.Get("Location"))
	if err != nil || back.Query().Get("state") != "st-1" || !strings.HasPrefix(back.String(), callback+"?") {
		r.t.Fatalf("redirect %v: %v", back, err)
	}
	return back.Query().Get("code")
}

func (r *oauthRig) redeem(client, code string, pairs ...string) answer {
	r.t.Helper()
	return r.form("/oauth/token", append([]string{
		"grant_type", "authorization_code", "code", code, "client_id", client, "redirect_uri", callback, "code_verifier", verifier,
	}, pairs...)...)
}

func (r *oauthRig) refresh(client, token string) answer {
	r.t.Helper()
	return r.form("/oauth/token", "grant_type", "refresh_token", "refresh_token", token, "client_id", client)
}

// Way A2: a pushed request, and polling for the decision of the owner.
func TestAgentConnect(t *testing.T) {
	r := newOAuthRig(t)
	client := r.register()
	uri := r.push(client, details(
		mailSource,
		map[string]any{
			"name":         "messages",
			"fields":       []string{"subject"},
			"instance_ids": []string{"cin_mail_work"},
			"time_range":   map[string]any{"since": "2026-03-01"},
		},
	))
	started := r.json("/agent-connect", map[string]any{"request_uri": uri, "client_id": client, "client_name": "pdpp-mcp"})
	if started.status != http.StatusCreated || started.at("approval_url") != testOrigin+consentPage(uri) || started.at("interval") != 2.0 {
		t.Fatalf("start: %d %s", started.status, started.text)
	}
	poll := func() answer {
		return r.json(strings.TrimPrefix(text(started.at("poll_url")), testOrigin), map[string]any{"polling_code": started.at("polling_code")})
	}
	if got := poll(); got.status != http.StatusAccepted || got.at("error") != "authorization_pending" {
		t.Errorf("pending: %d %s", got.status, got.text)
	}
	if got := r.json("/agent-connect", map[string]any{"request_uri": uri, "client_id": client}); got.status != http.StatusConflict {
		t.Errorf("whoever knows the address of the page can poll too: %d %s", got.status, got.text)
	}
	if page := r.approve(consentPage(uri)); strings.Contains(page.text, "cex_") {
		t.Errorf("a page whose request is polled for shows an exchange code: %s", page.text)
	}
	first, again := poll(), poll()
	if diff := cmp.Diff(first.body, again.body); first.status != http.StatusOK || diff != "" {
		t.Fatalf("approved: %d %s", first.status, diff)
	}
	want := []any{map[string]any{
		"name": "messages", "fields": []any{"id", "subject", "received_at"}, "instance_ids": []any{"cin_mail_work"},
		"time_constraint": map[string]any{"field": "received_at", "since": "2026-03-01T00:00:00Z"},
	}}
	if diff := cmp.Diff(any(want), first.at("grant", "streams")); diff != "" || first.at("grant", "expires_at") != nil ||
		first.at("expires_in") != nil {
		t.Errorf("grant %s (-want +got):\n%s", first.text, diff)
	}
	token := text(first.at("access_token"))
	t.Run("the token reads exactly what was granted", func(t *testing.T) {
		if got := r.introspect(token); got.at("pdpp_token_kind") != "client" || got.at("grant_id") != first.at("grant_id") {
			t.Errorf("introspection: %s", got.text)
		}
		rows := r.ok(token, "/v1/streams/messages/records?limit=100&count=exact")
		for _, id := range rows.ids("connection_id") {
			if id != "cin_mail_work" {
				t.Errorf("connection %q", id)
			}
		}
		if rows.at("data", 0, "data", "snippet") != nil || rows.at("data", 0, "data", "subject") == nil || len(rows.list("data")) == 0 ||
			len(rows.list("data")) == workMessages {
			t.Errorf("records: %s", rows.text)
		}
		if got := r.get(token, "/v1/streams/attachments/records"); got.code() != "context.stream_not_allowed" {
			t.Errorf("another stream: %s", got.text)
		}
	})
}

func TestAgentConnectRefusals(t *testing.T) {
	r := newOAuthRig(t)
	client := r.register()
	start := func() (uri string, poll func() answer) {
		uri = r.push(client, details(chatSource, everyStream()))
		started := r.json("/agent-connect", map[string]any{"request_uri": uri, "client_id": client})
		return uri, func() answer {
			return r.json(strings.TrimPrefix(text(started.at("poll_url")), testOrigin), map[string]any{"polling_code": started.at("polling_code")})
		}
	}
	demand := func(t *testing.T, got answer, status int, code string) {
		t.Helper()
		if got.status != status || got.code() != code {
			t.Errorf("status %d, want %d %s: %s", got.status, status, code, got.text)
		}
	}
	t.Run("bare", func(t *testing.T) {
		demand(t, r.json("/agent-connect", map[string]any{"client_id": client, "scope": "pdpp:read"}), 400, "invalid_request")
	})
	t.Run("another client", func(t *testing.T) {
		demand(
			t,
			r.json("/agent-connect", map[string]any{"request_uri": r.push(client, details(chatSource, everyStream())), "client_id": "pdpp_cli"}),
			403,
			"invalid_client",
		)
	})
	t.Run("a wrong polling code", func(t *testing.T) {
		demand(t, r.json("/agent-connect/agc_nope/token", map[string]any{"polling_code": "nope"}), 401, "invalid_grant")
	})
	t.Run("denied, and then unknown", func(t *testing.T) {
		uri, poll := start()
		r.decide(consentPage(uri), "deny", "")
		demand(t, poll(), 403, "access_denied")
		demand(t, poll(), 401, "invalid_grant")
	})
	t.Run("expired", func(t *testing.T) {
		_, poll := start()
		r.now = r.now.Add(300 * time.Second)
		demand(t, poll(), 400, "expired_token")
	})
	t.Run("approved but first polled after its end, the token is revoked", func(t *testing.T) {
		uri, poll := start()
		r.approve(consentPage(uri))
		r.now = r.now.Add(300 * time.Second)
		demand(t, poll(), 400, "expired_token")
		demand(t, poll(), 400, "expired_token")
	})
	t.Run("approved by code from the page, once", func(t *testing.T) {
		uri := r.push(client, details(chatSource, everyStream()))
		code := regexp.MustCompile(`cex_[A-Z2-7]+`).FindString(r.approve(consentPage(uri)).text)
		got := r.json("/consent/exchange", map[string]any{"code": code})
		r.ok(text(got.at("token")), "/v1/schema")
		demand(t, r.json("/consent/exchange", map[string]any{"code": code}), 410, "invalid_grant")
		demand(t, r.json("/consent/exchange", map[string]any{"code": "cex_nope"}), 400, "invalid_grant")
	})
	for name, test := range map[string]struct {
		details any
		code    string
	}{
		"no details":                  {nil, "invalid_request"},
		"an unknown type":             {[]any{map[string]any{"type": "openid"}}, "invalid_authorization_details"},
		"no streams":                  {[]any{details(chatSource)}, "invalid_authorization_details"},
		"an unknown field":            {[]any{details(chatSource, map[string]any{"name": "messages", "fields": []string{"nosuch"}})}, "invalid_authorization_details"},
		"an unknown member":           {[]any{map[string]any{"type": "https://pdpp.dev/data-access", "locations": []string{"x"}}}, "invalid_authorization_details"},
		"an unknown source":           {[]any{details("https://registry.test/connectors/nosuch", everyStream())}, "invalid_request"},
		"a key for a source id":       {[]any{details("chat", everyStream())}, "invalid_request"},
		"an unknown stream":           {[]any{details(chatSource, map[string]any{"name": "nosuch"})}, "source.authorization_details_invalid"},
		"an invalid time":             {[]any{details(chatSource, map[string]any{"name": "*", "time_range": map[string]any{"since": "soon"}})}, "invalid_authorization_details"},
		"details that are not a list": {"x", "invalid_authorization_details"},
	} {
		t.Run("PAR refuses "+name, func(t *testing.T) {
			body := map[string]any{"client_id": client}
			if test.details != nil {
				body["authorization_details"] = test.details
			}
			demand(t, r.json("/oauth/par", body), 400, test.code)
		})
	}
	t.Run("PAR refuses an unknown client", func(t *testing.T) {
		demand(t, r.json("/oauth/par", map[string]any{"client_id": "cli_nope"}), 400, "invalid_client")
	})
	t.Run("PAR refuses a form", func(t *testing.T) {
		demand(t, r.form("/oauth/par", "client_id", client), 400, "invalid_request")
	})
}

// Way B: a device code.
func TestDeviceCode(t *testing.T) {
	r := newOAuthRig(t)
	client := r.register()
	start := func() answer {
		return r.form(
			"/oauth/device_authorization",
			"client_id",
			client,
			"resource",
			testOrigin+"/mcp",
			"authorization_details",
			encode(t, details(chatSource, everyStream())),
		)
	}
	poll := func(code any, client string) answer {
		return r.form("/oauth/token", "grant_type", deviceGrant, "device_code", text(code), "client_id", client)
	}
	demand := func(t *testing.T, got answer, code string) {
		t.Helper()
		if got.status != http.StatusBadRequest || got.at("error") != code {
			t.Errorf("status %d, want %s: %s", got.status, code, got.text)
		}
	}
	started := start()
	page, code := text(started.at("verification_uri_complete")), started.at("device_code")
	if started.status != http.StatusOK || started.at("verification_uri") != testOrigin+"/consent" {
		t.Fatalf("start: %d %s", started.status, started.text)
	}
	demand(t, poll(code, client), "authorization_pending")
	demand(t, poll(code, client), "slow_down")
	r.now = r.now.Add(2 * time.Second)
	demand(t, poll(code, client), "authorization_pending")
	demand(t, poll(code, "pdpp_cli"), "invalid_client")
	demand(t, poll("nosuch", client), "invalid_grant")
	inPage, _ := url.Parse(page) // others may see this address
	demand(t, poll(strings.TrimPrefix(inPage.Query().Get("request_uri"), "urn:pdpp:pending-consent:"), client), "invalid_grant")
	r.approve(page)
	r.now = r.now.Add(300 * time.Second)
	first, again := poll(code, client), poll(code, client)
	if diff := cmp.Diff(first.body, again.body); first.status != http.StatusOK || diff != "" || first.at("expires_in") != nil {
		t.Fatalf("token: %d %s", first.status, first.text)
	}
	r.ok(text(first.at("access_token")), "/v1/schema")

	other := start()
	r.decide(text(other.at("verification_uri_complete")), "deny", "")
	demand(t, poll(other.at("device_code"), client), "access_denied")
	late := start()
	r.now = r.now.Add(300 * time.Second)
	demand(t, poll(late.at("device_code"), client), "expired_token")

	for name, pairs := range map[string][]string{
		"no resource":               {"authorization_details", "[]"},
		"the resource server":       {"resource", testOrigin, "authorization_details", "[]"},
		"no details":                {"resource", testOrigin + "/mcp"},
		"details not of JSON":       {"resource", testOrigin + "/mcp", "authorization_details", "not json"},
		"the owner's token request": {"scope", "pdpp:read"},
	} {
		t.Run("refuses "+name, func(t *testing.T) {
			demand(t, r.form("/oauth/device_authorization", append(pairs, "client_id", client)...), "invalid_request")
		})
	}
	demand(t, r.form("/oauth/device_authorization", "client_id", "cli_nope"), "invalid_client")
	demand(t, r.form("/oauth/token", "grant_type", "urn:ietf:params:oauth:grant-type:token-exchange"), "unsupported_grant_type")
}

// Only the owner sees the keys and connection ids that connect needs.
func TestTheOwnerSeesTheConnections(t *testing.T) {
	r := newOAuthRig(t)
	ask := func(secret string) answer {
		request := httptest.NewRequest(http.MethodGet, testOrigin+"/_ref/connections", nil)
		if secret != "" {
			request.SetBasicAuth("owner", secret)
		}
		return r.do(request)
	}
	for _, secret := range []string{"", "wrong"} {
		if got := ask(secret); got.status != http.StatusUnauthorized || !strings.HasPrefix(got.header.Get("WWW-Authenticate"), "Basic ") ||
			strings.Contains(got.text, "connector_id") {
			t.Errorf("%q: %d %s", secret, got.status, got.text)
		}
	}
	for range 20 { // a page of another site makes the owner's browser guess secrets
		request := httptest.NewRequest(http.MethodGet, testOrigin+"/_ref/connections", nil)
		request.SetBasicAuth("owner", "wrong")
		request.Header.Set("Sec-Fetch-Site", "cross-site")
		if got := r.do(request); got.status != http.StatusUnauthorized {
			t.Errorf("from another page: %d %s", got.status, got.text)
		}
	}
	if got := ask(ownerSecret); got.status != http.StatusOK || !strings.Contains(got.text, `"connector_id":"mail"`) || got.header.Get("Cache-Control") != "no-store" {
		t.Errorf("%d %s", got.status, got.text)
	}
	for range 100 {
		ask("wrong")
	}
	if got := ask(ownerSecret); got.status != http.StatusOK {
		t.Errorf("after guesses: %d %s", got.status, got.text)
	}
}
