package integration

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"sync/atomic"
	"testing"
)

// TestA403ThatSaysTheGrantIsDeadIsChallenged covers D25: the token is introspected without the cache, and the host is challenged if the
// authority agrees. Any other 403 is passed on (D7).
func TestA403ThatSaysTheGrantIsDeadIsChallenged(t *testing.T) {
	for _, test := range []struct {
		name, code string
		dead       bool // according to the authority
		status     int
		asked      int64 // introspections during this call
	}{
		{"revoked", "grant_revoked", true, 401, 1},
		{"expired", "grant_expired", true, 401, 1},
		{"invalid", "grant_invalid", true, 401, 1},
		{"revoked, and the authority still calls it active", "grant_revoked", false, 200, 1},
		{"a field that is not granted", "field_not_granted", true, 200, 0},
	} {
		t.Run(test.name, func(t *testing.T) {
			var refuses, dead atomic.Bool
			var asked, reads atomic.Int64
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				switch {
				case r.URL.Path == "/introspect" && r.FormValue("token") != "a-token": // the readiness probe
					body(200, "application/json", `{"active":false}`)(w, r)
				case r.URL.Path == "/introspect" && dead.Load():
					asked.Add(1)
					body(200, "application/json", `{"active":false,"inactive_reason":"grant_revoked"}`)(w, r)
				case r.URL.Path == "/introspect":
					asked.Add(1)
					body(200, "application/json", `{"active":true,"aud":"mcp","pdpp_token_kind":"client","grant_id":"g"}`)(w, r)
				case refuses.Load():
					reads.Add(1)
					body(403, "application/json", `{"error":{"code":"`+test.code+`","message":"Refused.","type":"permission_error"}}`)(w, r)
				default:
					reads.Add(1)
					body(200, "application/json", emptyList)(w, r)
				}
			}))
			t.Cleanup(server.Close)
			url, _ := serve(t, "--rs-url", server.URL, "--introspection-url", server.URL+"/introspect", "--introspection-client-id", "mcp",
				"--introspection-client-secret", "s3cret", "--audiences", "mcp")
			if status, _, text := post(t, url, "a-token", readOf("notes")); status != http.StatusOK || strings.Contains(text, `"isError":true`) {
				t.Fatalf("a good call is answered %d %s", status, text)
			}
			refuses.Store(true)
			dead.Store(test.dead)
			before, readBefore := asked.Load(), reads.Load()
			status, header, text := post(t, url, "a-token", readOf("notes"))
			wantReads := int64(1)
			if test.code == "field_not_granted" {
				wantReads = 2 // the schema, for the existing fields
			}
			if status != test.status || asked.Load()-before != test.asked || reads.Load()-readBefore != wantReads {
				t.Errorf("answered %d after %d introspections and %d reads: %s; want %d introspections", status, asked.Load()-before, reads.Load()-readBefore, text, test.asked)
			}
			if challenged := strings.Contains(header.Get("WWW-Authenticate"), "resource_metadata="); challenged != (test.status == 401) {
				t.Errorf("the challenge is %q", header.Get("WWW-Authenticate"))
			}
			if test.status != http.StatusUnauthorized {
				if !strings.Contains(text, test.code) {
					t.Errorf("the model is not shown %s: %s", test.code, text)
				}
				return
			}
			if status, _, _ := post(t, url, "a-token", readOf("notes")); status != http.StatusUnauthorized || reads.Load()-readBefore != 1 {
				t.Errorf("the next call is answered %d after %d more reads", status, reads.Load()-readBefore-1)
			}
		})
	}
}
