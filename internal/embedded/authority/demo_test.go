package authority

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
)

func TestDemoGrantsOnAnyFolder(t *testing.T) {
	now := time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)
	tokens := DemoTokens{Client: "tok-client", Narrow: "tok-narrow", Package: "tok-package", Owner: "tok-owner", MemberSecret: "secret"}
	folder := []model.Connector{{
		Key: "folder", SourceID: "file:///folder", Connections: []model.Connection{{ID: "cin_folder", DisplayName: "Folder"}},
		Streams: []model.Stream{{Name: "runs", Fields: []model.Field{{Name: "id"}, {Name: "km"}, {Name: "date"}, {Name: "shoe"}, {Name: "mood"}}}},
	}}
	grants := DemoGrants(folder, tokens, now)
	narrow, _ := grants.Lookup("tok-narrow")
	if len(narrow.Streams) != 1 || strings.Join(narrow.Streams[0].Fields, " ") != "id km date shoe" {
		t.Errorf("narrow grant %+v", narrow)
	}
	bundle, _ := grants.Lookup("tok-package")
	if len(bundle.Members) != 1 {
		t.Fatalf("members %v", bundle.Members)
	}
	if _, member, _ := grants.byID(bundle.Members[0]); member.Revoked {
		t.Error("the only member of a package is revoked")
	}
	folder[0].Connections = append(folder[0].Connections, model.Connection{ID: "cin_more"})
	grants.PutDemo(folder, tokens, now)
	folder[0].Connections = append(folder[0].Connections, model.Connection{ID: "cin_last"})
	grants.RevokeID("grt_demo_narrow")
	grants.RevokeID("grt_member_cin_folder")
	grants.PutDemo(folder, tokens, now) // the files have changed
	revoked := []string{}
	for _, id := range []string{"grt_demo_client", "grt_demo_narrow", "grt_member_cin_folder", "grt_member_cin_more", "grt_member_cin_last"} {
		if _, grant, _ := grants.byID(id); grant.Revoked {
			revoked = append(revoked, id)
		}
	}
	if got := strings.Join(revoked, " "); got != "grt_demo_narrow grt_member_cin_folder grt_member_cin_last" {
		t.Errorf("revoked: %s; want what was revoked before the files changed, and the last member", got)
	}
	DemoGrants(nil, tokens, now) // an empty corpus is not an error
}

// The files of an approved grant may be gone when its program polls.
func TestAPollAfterTheDataIsGone(t *testing.T) {
	now := time.Date(2026, time.June, 1, 12, 0, 0, 0, time.UTC)
	s := New(Options{
		Grants: &Grants{}, Now: func() time.Time { return now }, Connectors: func() []model.Connector { return nil },
		Origin: func(*http.Request) string { return "http://127.0.0.1:7711" },
	})
	s.requests["code"] = &request{
		client: &registeredClient{ID: "cli"}, attempt: "agc", pollingCode: "poll", decision: approved,
		expires: now.Add(time.Minute), token: "token",
		grant: Grant{ID: "grt", Kind: KindClient, Streams: []StreamGrant{{ConnectorKey: "gone", Stream: "gone", ConnectionIDs: []string{"gone"}}}},
	}
	w := httptest.NewRecorder()
	r := httptest.NewRequest(http.MethodPost, "http://127.0.0.1:7711/agent-connect/agc/token", strings.NewReader(`{"polling_code":"poll"}`))
	if s.Serve(w, r, []string{"agent-connect", "agc", "token"}, "req"); w.Code != http.StatusOK || !strings.Contains(w.Body.String(), `"grant_id":"grt"`) {
		t.Errorf("status %d: %s", w.Code, w.Body)
	}
}
