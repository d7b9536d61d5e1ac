package embedded

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
)

// Every request is answered, and never with an internal error.
func FuzzAuthority(f *testing.F) {
	for _, path := range []string{"/oauth/register", "/oauth/par", "/agent-connect", "/oauth/device_authorization", "/oauth/token", "/consent/exchange", "/consent/approve"} {
		for _, media := range []string{"application/json", "application/x-www-form-urlencoded"} {
			f.Add(path, media, `{"client_id":"pdpp_cli","authorization_details":[{"type":"https://pdpp.dev/data-access","access_mode":"continuous","purpose_code":"x:y","source":{"id":"`+chatSource+`"},"streams":[{"name":"*","fields":[],"time_range":{"since":"2026-01-01"}}]}]}`)
			f.Add(path, media, "client_id=pdpp_cli&grant_type=refresh_token&resource=http://x/mcp&authorization_details=[{}]")
		}
	}
	f.Fuzz(func(t *testing.T, path, media, body string) {
		if _, err := url.Parse(testOrigin + path); err != nil || !strings.HasPrefix(path, "/") {
			return
		}
		r := newOAuthRig(t)
		request := httptest.NewRequest(http.MethodPost, testOrigin+"/", strings.NewReader(body))
		request.URL.Path = path
		request.Header.Set("Content-Type", media)
		request.Header.Set("Origin", testOrigin)
		if got := r.do(request); got.status >= 500 || got.status < 200 {
			t.Errorf("status %d: %s", got.status, got.text)
		}
	})
}

// An accepted request shows a consent page, or says what the owner could not approve; the resulting grant stays within its source.
func FuzzSelections(f *testing.F) {
	f.Add(`[{"type":"https://pdpp.dev/data-access","access_mode":"continuous","purpose_code":"x:y","source":{"id":"` + chatSource + `"},"streams":[{"name":"*","fields":[]}]}]`)
	f.Add(`[{"type":"https://pdpp.dev/data-access","access_mode":"single_use","purpose_code":"x:y","source":{"id":"` + mailSource + `"},"streams":[{"name":"messages","instance_ids":["cin_chat"]}]}]`)
	f.Add(`null`)
	f.Fuzz(func(t *testing.T, details string) {
		r := newOAuthRig(t)
		pushed := r.form("/oauth/device_authorization", "client_id", "pdpp_cli", "resource", testOrigin+"/mcp", "authorization_details", details)
		if pushed.status != http.StatusOK {
			return
		}
		var plain any // without escapes
		if json.Unmarshal([]byte(details), &plain) != nil {
			t.Fatal("invalid JSON was accepted")
		}
		names := fmt.Sprint(plain)
		page := strings.TrimPrefix(text(pushed.at("verification_uri_complete")), testOrigin)
		if shown := r.get("", page); shown.status != http.StatusOK {
			if shown.status != http.StatusBadRequest && shown.status != http.StatusNotFound {
				t.Fatalf("status %d: %s", shown.status, shown.text)
			}
			return
		}
		r.approve(page)
		token := r.form("/oauth/token", "grant_type", deviceGrant, "device_code", text(pushed.at("device_code")), "client_id", "pdpp_cli")
		if token.at("grant_package_id") != nil {
			return
		}
		for _, row := range r.ok(text(token.at("access_token")), "/v1/streams").list("data") {
			if id := text(walk(row, "connection_id")); !strings.Contains(names, id) && (id != "cin_chat" || !strings.Contains(names, chatSource)) {
				t.Errorf("%q grants %s", details, id)
			}
		}
	})
}
