package embedded

import (
	"encoding/json"
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// newTable serves one record of a stream with these fields.
func newTable(t *testing.T, fields []model.Field, record map[string]any) *rig {
	t.Helper()
	data, err := json.Marshal(record)
	if err != nil {
		t.Fatal(err)
	}
	index, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = index.Close() })
	connectors := []model.Connector{{
		Key: "files", SourceID: "https://registry.test/connectors/files", Connections: []model.Connection{{ID: "cin_files", DisplayName: "Files"}},
		Streams: []model.Stream{{Name: "rows", PrimaryKey: []string{"id"}, Fields: fields}},
	}}
	records := func(yield func(model.Record, error) bool) {
		yield(model.Record{ConnectionID: "cin_files", Stream: "rows", ID: "1", EmittedAt: testNow, Data: data}, nil)
	}
	if err := index.Load(t.Context(), model.Corpus{Connectors: connectors, Records: records}, "rows", nil); err != nil {
		t.Fatal(err)
	}
	return newRigOver(t, index, Options{})
}

// A record of a stream without a title field is titled with its first values.
func TestAHitWithoutATitleFieldHasItsFirstValues(t *testing.T) {
	id, first := model.Field{Name: "id", Type: "string"}, model.Field{Name: "first_name", Type: "string", Lexical: true}
	last, city := model.Field{Name: "last_name", Type: "text", Lexical: true}, model.Field{Name: "city", Type: "string", Lexical: true}
	count, mail := model.Field{Name: "count", Type: "integer"}, model.Field{Name: "email", Type: "string", Lexical: true}
	record := map[string]any{"id": "1", "first_name": "Ann", "last_name": "van One", "count": 3, "email": "ann@x.example", "city": "Graz"}
	titled, actor := first, first
	titled.Role, actor.Role = "primary-title", "actor"
	for name, row := range map[string]struct {
		fields []model.Field
		want   any
	}{
		"its first short texts": {[]model.Field{id, first, last, count, mail, city}, "Ann, van One, ann@x.example"},
		"fewer":                 {[]model.Field{id, first, count, mail, city}, "Ann, ann@x.example, Graz"},
		"a title":               {[]model.Field{id, last, titled, city}, "Ann"},
		"an author":             {[]model.Field{id, last, actor, city}, nil},
		"only the matched text": {[]model.Field{id, count, city}, nil},
	} {
		r := newTable(t, row.fields, record)
		if got := r.ok("tok-client", "/v1/search?q=Graz").at("data", 0, "title"); got != row.want {
			t.Errorf("%s: %v, want %v", name, got, row.want)
		}
	}
	r := newTable(t, []model.Field{id, first, last, mail, city}, record)
	r.grants.Put("tok-few", authority.Grant{ID: "grt_few", Kind: authority.KindClient, Streams: []authority.StreamGrant{
		{ConnectorKey: "files", ConnectionIDs: []string{"cin_files"}, Stream: "rows", Fields: []string{"last_name", "city"}},
	}})
	if got := r.ok("tok-few", "/v1/search?q=Graz").at("data", 0, "title"); got != "van One, Graz" {
		t.Errorf("of granted fields alone: %v", got)
	}
}

// A record has the same time as its search hit.
func TestARecordHasTheTimeOfItsHit(t *testing.T) {
	fields := []model.Field{
		{Name: "id", Type: "string"}, {Name: "text", Type: "text", Lexical: true}, {Name: "created_at", Type: "timestamp"},
		{Name: "updated_at", Type: "timestamp", Role: "event-time"},
	}
	r := newTable(t, fields, map[string]any{"id": "1", "text": "tea", "created_at": "2026-01-02T00:00:00Z", "updated_at": "2026-02-03T00:00:00Z"})
	hit, record := r.ok("tok-client", "/v1/search?q=tea"), r.ok("tok-client", "/v1/streams/rows/records/1")
	if record.at("authored_at") != "2026-02-03T00:00:00Z" || record.at("authored_at") != hit.at("data", 0, "authored_at") ||
		record.at("authored_field") != "updated_at" || hit.at("data", 0, "authored_field") != "updated_at" {
		t.Errorf("hit %s\nrecord %s", hit.text, record.text)
	}
	if got := r.ok("tok-client", "/v1/streams/rows/records/1?fields=created_at"); got.at("authored_at") != nil {
		t.Errorf("of one field: %s", got.text)
	}
}
