package authority

import (
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
	DemoGrants(nil, tokens, now) // an empty corpus is not an error
}
