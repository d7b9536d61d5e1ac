package embedded

import (
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"time"
)

func TestConsentPageSaysWhatIsAsked(t *testing.T) {
	r := newOAuthRig(t)
	client := r.register("authorization_code", "refresh_token")
	entry := details(mailSource, map[string]any{
		"name": "messages", "fields": []string{"subject"}, "instance_ids": []string{"cin_mail_work"}, "time_range": map[string]any{"since": "2026-03-01"},
	})
	entry["purpose_description"] = "<script>alert(1)</script>"
	page := r.get("", r.get("", authorizeURL(client, "authorization_details", encode(t, entry))).header.Get("Location")[len(testOrigin):])
	for _, want := range []string{
		"pdpp-mcp", client, "127.0.0.1:49152", mailSource, "Work mail (cin_mail_work)", ">messages<", "id, subject, received_at", "since 2026-03-01",
		"until the program ends it, or this server stops", "&lt;script&gt;",
	} {
		if !strings.Contains(page.text, want) {
			t.Errorf("want %q in\n%s", want, page.text)
		}
	}
	if strings.Contains(page.text, "Home mail") || strings.Contains(page.text, "<script>") {
		t.Errorf("page:\n%s", page.text)
	}
	policy := page.header.Get("Content-Security-Policy")
	for _, want := range []string{"default-src 'none'", "frame-ancestors 'none'", "form-action 'self' http://127.0.0.1:49152"} {
		if !strings.Contains(policy, want) {
			t.Errorf("policy %q; want %q", policy, want)
		}
	}
	if strings.Contains(policy, "script-src") || page.header.Get("Cache-Control") != "no-store" {
		t.Errorf("header %v", page.header)
	}
}

// A program's name and purpose cannot reorder the text of the page.
func TestConsentPageKeepsItsOrder(t *testing.T) {
	r := newOAuthRig(t)
	registered := r.json("/oauth/register", map[string]any{"client_name": "Mail\u202e app\u2069\u001b[31m \u05d0", "redirect_uris": []string{"http://127.0.0.1/callback"}})
	client, _ := registered.body["client_id"].(string)
	entry := details(chatSource, everyStream())
	entry["purpose_description"] = "to help\u202e you"
	page := r.get("", consentPage(r.push(client, entry)))
	if strings.ContainsAny(page.text, "\u202e\u2069\u001b") || !strings.Contains(page.text, "<bdi>Mail app[31m \u05d0</bdi>") || !strings.Contains(page.text, "to help you") {
		t.Errorf("the page reads %q", page.text)
	}
}

// The page states the requested period exactly: a period may end with the last second of a month.
func TestConsentPageSaysTheWholeTime(t *testing.T) {
	r := newOAuthRig(t)
	for _, test := range []struct{ since, until, want string }{
		{"2026-03-01", "2026-04-01", "from 2026-03-01 to before 2026-04-01"},
		{"2026-03-01T00:00:00Z", "2026-03-31T23:59:59Z", "from 2026-03-01 to before 2026-03-31T23:59:59"},
		{"2026-02-28T23:59:59Z", "", "since 2026-02-28T23:59:59"},
		{"2026-03-01T00:00:00+02:00", "", "since 2026-02-28T22:00:00"},
		{"", "2026-03-31T00:00:01Z", "before 2026-03-31T00:00:01"},
	} {
		asked := map[string]any{"name": "*", "instance_ids": []string{"cin_chat"}, "time_range": map[string]any{"since": test.since, "until": test.until}}
		page := r.get("", consentPage(r.push("pdpp_cli", details(chatSource, asked))))
		if !strings.Contains(page.text, ">"+test.want) {
			t.Errorf("from %q to %q, the page says: want %q in\n%s", test.since, test.until, test.want, page.text)
		}
	}
}

// A request that the owner could not approve is an error in the browser, and the program keeps polling.
func TestConsentPageRefusesConnections(t *testing.T) {
	r := newOAuthRig(t)
	for _, test := range []struct {
		name, code string
		status     int
		stream     map[string]any
	}{
		{"two connections and no ids", "source.authorization_details_invalid", 400, everyStream()},
		{"an unknown connection", "connector_instance_not_found", 404, map[string]any{"name": "*", "instance_ids": []string{"cin_nosuch"}}},
		{"another source's connection", "connector_instance_not_found", 404, map[string]any{"name": "*", "instance_ids": []string{"cin_chat"}}},
	} {
		t.Run(test.name, func(t *testing.T) {
			uri := r.push("pdpp_cli", details(mailSource, test.stream))
			if got := r.get("", consentPage(uri)); got.status != test.status || got.code() != test.code {
				t.Errorf("status %d: %s; want %q", got.status, got.text, test.code)
			}
		})
	}
	if page := r.approve(consentPage(r.push("pdpp_cli", details(mailSource, map[string]any{"name": "*", "instance_ids": []string{"cin_mail_work", "cin_mail_home"}})))); !strings.Contains(
		page.text,
		"Access granted",
	) {
		t.Errorf("two named connections: %s", page.text)
	}
}

func TestConsentNeedsTheOwner(t *testing.T) {
	r := newOAuthRig(t)
	uri := r.push("pdpp_cli", details(chatSource, everyStream()))
	shown := r.get("", consentPage(uri))
	form := url.Values{"_csrf": {csrfField.FindStringSubmatch(shown.text)[1]}, "owner_secret": {ownerSecret}, "request_uri": {uri}}
	cookie := strings.Split(shown.header.Get("Set-Cookie"), ";")[0]
	send := func(change func(*http.Request, url.Values)) answer {
		sent := url.Values{}
		for name, values := range form {
			sent[name] = values
		}
		request := httptest.NewRequest(http.MethodPost, testOrigin+"/consent/approve", nil)
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		request.Header.Set("Origin", testOrigin)
		request.Header.Set("Cookie", cookie)
		change(request, sent)
		request.Body = io.NopCloser(strings.NewReader(sent.Encode()))
		return r.do(request)
	}
	other := r.push("pdpp_cli", details(chatSource, everyStream()))
	for _, test := range []struct {
		name   string
		status int
		change func(*http.Request, url.Values)
	}{
		{"no Origin", 403, func(r *http.Request, _ url.Values) { r.Header.Del("Origin") }},
		{"a foreign Origin", 403, func(r *http.Request, _ url.Values) { r.Header.Set("Origin", "http://evil.example") }},
		{"another port's Origin", 403, func(r *http.Request, _ url.Values) { r.Header.Set("Origin", testOrigin+":81") }},
		{"the Origin of a privacy-sensitive page", 403, func(r *http.Request, _ url.Values) { r.Header.Set("Origin", "null") }},
		{"a foreign Host", 421, func(r *http.Request, _ url.Values) { r.Host = "evil.example" }},
		{"no cookie", 403, func(r *http.Request, _ url.Values) { r.Header.Del("Cookie") }},
		{"another browser's cookie", 403, func(r *http.Request, _ url.Values) {
			r.Header.Set("Cookie", "pdpp_consent=00000000000000000000000000000000")
		}},
		{"no CSRF token", 403, func(_ *http.Request, v url.Values) { v.Del("_csrf") }},
		{"another request's CSRF token", 403, func(_ *http.Request, v url.Values) { v.Set("request_uri", other) }},
		{"no secret", 403, func(_ *http.Request, v url.Values) { v.Del("owner_secret") }},
		{"a wrong secret", 403, func(_ *http.Request, v url.Values) { v.Set("owner_secret", "wrong") }},
	} {
		t.Run(test.name, func(t *testing.T) {
			if got := send(test.change); got.status != test.status {
				t.Errorf("status %d: %s", got.status, got.text)
			}
		})
	}
	t.Run("another's guesses do not lock the owner out", func(t *testing.T) {
		wrong := func(_ *http.Request, v url.Values) { v.Set("owner_secret", "wrong") }
		for range 100 {
			if got := send(wrong); got.status != http.StatusForbidden {
				t.Fatalf("status %d", got.status)
			}
		}
	})
	if got := send(func(*http.Request, url.Values) {}); got.status != http.StatusOK {
		t.Fatalf("the owner: %d %s", got.status, got.text)
	}
	if got := send(func(*http.Request, url.Values) {}); got.status != http.StatusConflict {
		t.Errorf("a second decision: %d", got.status)
	}
	t.Run("a page under a foreign name", func(t *testing.T) {
		request := httptest.NewRequest(http.MethodGet, testOrigin+consentPage(uri), nil)
		request.Host = "evil.example"
		if got := r.do(request); got.status != http.StatusMisdirectedRequest || !strings.Contains(got.text, "evil.example") || !strings.Contains(got.text, testOrigin) {
			t.Errorf("status %d %s", got.status, got.text)
		}
	})
	t.Run("an unknown or expired request", func(t *testing.T) {
		uri := r.push("pdpp_cli", details(chatSource, everyStream()))
		r.now = r.now.Add(5 * time.Minute)
		if got := r.get("", consentPage(uri)); got.status != http.StatusGone {
			t.Errorf("status %d", got.status)
		}
		if got := r.get("", consentPage("urn:nope")); got.status != http.StatusNotFound {
			t.Errorf("status %d", got.status)
		}
	})
	t.Run("without an owner secret no request is approved", func(t *testing.T) {
		closed := &oauthRig{rig: newRigWith(t, Options{}), now: testNow}
		if got := closed.decide(consentPage(closed.push("pdpp_cli", details(chatSource, everyStream()))), "approve", ""); got.status != http.StatusForbidden {
			t.Errorf("status %d", got.status)
		}
	})
}

// The number of undecided requests is limited.
func TestRequestsAreBounded(t *testing.T) {
	r := newOAuthRig(t)
	for range 256 {
		r.push("pdpp_cli", details(chatSource, everyStream()))
	}
	refused := r.json(
		"/oauth/par",
		map[string]any{"client_id": "pdpp_cli", "authorization_details": []any{details(chatSource, everyStream())}},
	)
	if refused.status != http.StatusTooManyRequests || refused.code() != "slow_down" {
		t.Errorf("status %d: %s", refused.status, refused.text)
	}
	r.now = r.now.Add(15 * time.Minute)
	r.push("pdpp_cli", details(chatSource, everyStream()))
}

func TestAuthorityMetadata(t *testing.T) {
	r := newOAuthRig(t)
	got := r.ok("", "/.well-known/oauth-authorization-server")
	if got.at("issuer") != testOrigin || got.at("token_endpoint") != testOrigin+"/oauth/token" || got.at("revocation_endpoint") != nil {
		t.Errorf("metadata: %s", got.text)
	}
	for _, key := range []string{"chat", url.PathEscape(chatSource)} {
		if got := r.ok("", "/connectors/"+key); got.at("source_declaration", "source", "id") != chatSource ||
			got.at("streams", 0, "name") != "messages" ||
			strings.Contains(got.text, "cin_") {
			t.Errorf("connector %s: %s", key, got.text)
		}
	}
	if got := r.get("", "/connectors/nosuch"); got.status != http.StatusNotFound || got.code() != "not_found" {
		t.Errorf("unknown connector: %s", got.text)
	}
	if got := r.ok("", "/.well-known/oauth-protected-resource/mcp"); got.at("resource") != testOrigin+"/mcp" {
		t.Errorf("resource: %s", got.text)
	}
}

// A page of another site can send requests without reading the answers: it must not register clients or fill the queue of requests.
func TestAnotherSiteCannotStartARequest(t *testing.T) {
	r := newOAuthRig(t)
	sent := encode(t, details("https://registry.pdpp.org/connectors/gmail", everyStream()))
	for _, origin := range []string{"https://evil.example", "null", testOrigin + ":80", "http://rs.test.evil.example", "HTTP://rs.test"} {
		for path, body := range map[string]string{
			"/oauth/register": `{"client_name":"x","token_endpoint_auth_method":"none"}`, "/oauth/par": `{"client_id":"pdpp_cli","authorization_details":` + sent + `}`,
			"/oauth/device_authorization": "client_id=pdpp_cli&resource=" + testOrigin + "/mcp&authorization_details=" + url.QueryEscape(sent),
			"/oauth/token":                "grant_type=refresh_token", "/agent-connect": "{}", "/grants/x/revoke": "",
		} {
			request := httptest.NewRequest(http.MethodPost, testOrigin+path, strings.NewReader(body))
			request.Header.Set("Content-Type", "text/plain")
			request.Header.Set("Origin", origin)
			if got := r.do(request); got.status != http.StatusForbidden || !strings.Contains(got.text, "origin_refused") {
				t.Errorf("%s from %s is answered %d %s", path, origin, got.status, got.text)
			}
		}
	}
	request := httptest.NewRequest(http.MethodPost, testOrigin+"/oauth/register", strings.NewReader(`{"client_name":"x","token_endpoint_auth_method":"none"}`))
	request.Header.Set("Origin", testOrigin)
	if got := r.do(request); got.status != http.StatusCreated {
		t.Errorf("a request of its own page is answered %d %s", got.status, got.text)
	}
}
