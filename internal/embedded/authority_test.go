package embedded

import (
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// post posts a token to a path of the authority. With an empty token it sends no form.
func (r *rig) post(path, token string) answer {
	r.t.Helper()
	form := ""
	if token != "" {
		form = url.Values{"token": {token}}.Encode()
	}
	request := httptest.NewRequest(http.MethodPost, testOrigin+path, strings.NewReader(form))
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	request.SetBasicAuth(testClient, testSecret)
	return r.do(request)
}

func (r *rig) introspect(token string) answer { return r.post("/introspect", token) }

func TestIntrospection(t *testing.T) {
	r := newRig(t)
	for _, test := range []struct {
		name, token string
		want        map[string]any // a part of the body
	}{
		{"a client token is active", "tok-client", map[string]any{"active": true, "pdpp_token_kind": "client", "grant_id": "grt_demo_client", "aud": testOrigin, "iss": testOrigin}},
		{"an owner token is identified", "tok-owner", map[string]any{"active": true, "pdpp_token_kind": "owner"}},
		{"a package names itself", "tok-package", map[string]any{"active": true, "pdpp_token_kind": "mcp_package", "grant_package_id": "pkg_demo"}},
		{"an unknown token is inactive and nothing more", "tok-nobody", map[string]any{"active": false, "aud": testOrigin}},
		{"a revoked grant says so", "tok-revoked", map[string]any{"active": false, "inactive_reason": "grant_revoked"}},
		{"an expired grant says so", "tok-expired", map[string]any{"active": false, "inactive_reason": "grant_expired"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := r.introspect(test.token)
			for name, want := range test.want {
				if diff := cmp.Diff(want, got.at(name)); got.status != http.StatusOK || diff != "" {
					t.Errorf("status %d, %s (-want +got):\n%s", got.status, name, diff)
				}
			}
		})
	}
	t.Run("the details of a grant are complete", func(t *testing.T) {
		want := map[string]any{
			"name": "messages", "fields": []any{"id", "subject", "received_at", "thread_id"}, "instance_ids": []any{"cin_mail_work"},
			"time_constraint": map[string]any{"field": "received_at", "since": "2026-03-01T00:00:00Z"},
		}
		got := r.introspect("tok-narrow")
		if diff := cmp.Diff(any(want), got.at("authorization_details", 0, "streams", 0)); diff != "" {
			t.Errorf("stream (-want +got):\n%s", diff)
		}
	})
	t.Run("a package's members are not revealed", func(t *testing.T) {
		if got := r.introspect("tok-package"); strings.Contains(got.text, "grt_member") || strings.Contains(got.text, "pdpp_member") {
			t.Errorf("introspection reveals members: %s", got.text)
		}
	})
	t.Run("a wrong secret is refused", func(t *testing.T) {
		request := httptest.NewRequest(http.MethodPost, testOrigin+"/introspect", strings.NewReader("token=tok-client"))
		request.SetBasicAuth(testClient, "wrong")
		if got := r.do(request); got.status != http.StatusUnauthorized || got.code() != "context.authentication_failed" {
			t.Errorf("status %d: %s", got.status, got.text)
		}
	})
}

func TestPackageDirectory(t *testing.T) {
	r := newRig(t)
	got := r.post("/packages", "tok-package")
	members := got.list("members")
	if got.at("status") != "active" || got.at("package_id") != "pkg_demo" || len(members) != 5 {
		t.Fatalf("directory: %s", got.text)
	}
	t.Run("a usable member's token reads its own connection and no other", func(t *testing.T) {
		token := text(walk(members[0], "access_token"))
		if got := r.ok(token, "/v1/streams/messages/records?limit=1"); got.at("data", 0, "connection_id") != "cin_mail_work" ||
			len(got.list("data")) != 1 {
			t.Errorf("records: %s", got.text)
		}
		if got := r.get(token, "/v1/streams/messages/records?connection_id=cin_mail_home"); got.code() != "context.instance_mismatch" {
			t.Errorf("another connection: %s", got.text)
		}
	})
	t.Run("a revoked member is listed without its token", func(t *testing.T) {
		last := members[len(members)-1]
		if walk(last, "usable") != false || walk(last, "error", "code") != "grant_revoked" || walk(last, "access_token") != nil {
			t.Errorf("member: %v", last)
		}
	})
	t.Run("members name their streams", func(t *testing.T) {
		if diff := cmp.Diff(any([]any{"messages", "message_bodies", "attachments"}), walk(members[0], "streams")); diff != "" {
			t.Errorf("streams (-want +got):\n%s", diff)
		}
	})
	for _, token := range []string{"tok-nobody", "tok-client"} {
		t.Run("a token that is not a package is revoked: "+token, func(t *testing.T) {
			want := map[string]any{"status": "revoked", "members": []any{}}
			if diff := cmp.Diff(want, r.post("/packages", token).body); diff != "" {
				t.Errorf("body (-want +got):\n%s", diff)
			}
		})
	}
	t.Run("a package revoked during use is not accepted any more", func(t *testing.T) {
		r.grants.Revoke("tok-package")
		if got := r.post("/packages", "tok-package"); got.at("status") != "revoked" {
			t.Errorf("directory: %s", got.text)
		}
		for _, member := range members[:len(members)-1] {
			if got := r.get(text(walk(member, "access_token")), "/v1/schema"); got.code() != "grant_revoked" {
				t.Errorf("the token of a member reads: %s", got.text)
			}
		}
	})
}

func TestAdmission(t *testing.T) {
	r := newRig(t)
	for _, test := range []struct {
		name, token, code string
		status            int
	}{
		{"no token", "", "authentication_error", 401},
		{"an unknown token", "tok-nobody", "context.active_false", 401},
		{"a revoked grant", "tok-revoked", "grant_revoked", 403},
		{"an expired grant", "tok-expired", "grant_expired", 403},
		{"a package is not a grant", "tok-package", "not_found", 404},
	} {
		for _, target := range []string{"/v1/schema", "/v1/streams", "/v1/streams/messages/records", "/v1/search?q=x", "/v1/search/hybrid?q=x", "/v1/blobs/x", "/v1/nowhere"} {
			t.Run(test.name+" at "+target, func(t *testing.T) {
				got := r.get(test.token, target)
				if got.status != test.status || got.code() != test.code {
					t.Errorf("status %d code %q; want %q", got.status, got.code(), test.code)
				}
				if (got.header.Get("WWW-Authenticate") != "") != (test.status == 401) {
					t.Errorf("WWW-Authenticate %q", got.header.Get("WWW-Authenticate"))
				}
			})
		}
	}
	t.Run("a grant revoked during use is not accepted any more", func(t *testing.T) {
		r.ok("tok-client", "/v1/schema")
		r.grants.Revoke("tok-client")
		if got := r.get("tok-client", "/v1/schema"); got.code() != "grant_revoked" {
			t.Errorf("code %q", got.code())
		}
	})
}

func TestMetadata(t *testing.T) {
	want := map[string]any{
		"resource": testOrigin, "resource_name": "PDPP demo resource server", "authorization_servers": []any{testOrigin},
		"bearer_methods_supported": []any{"header"}, "pdpp_core_query_base": testOrigin + "/v1",
		"pdpp_token_kinds_supported": []any{"owner", "client"},
		"pdpp_agent_discovery": map[string]any{"mcp": map[string]any{"authorization": map[string]any{
			"device_code": map[string]any{"resource": testOrigin + "/mcp"},
		}}},
	}
	got := newRig(t).ok("", "/.well-known/oauth-protected-resource")
	if diff := cmp.Diff(want, got.body); diff != "" {
		t.Errorf("metadata (-want +got):\n%s", diff)
	}
}
