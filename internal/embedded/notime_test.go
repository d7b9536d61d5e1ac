package embedded

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/model"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/store"
)

// A record without a known time is returned without one and sorted after those that have one, and a grant with a time limit does not
// include it.
func TestARecordWithoutATimeHasNone(t *testing.T) {
	index, err := store.Open(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = index.Close() }()
	corpus := model.Corpus{Connectors: testConnectors(), Records: func(yield func(model.Record, error) bool) {
		for _, one := range []struct {
			id string
			at time.Time
		}{{"a", time.Time{}}, {"b", testNow}, {"c", time.Time{}}} {
			data, err := json.Marshal(map[string]string{"id": one.id, "text": "tea"})
			if !yield(model.Record{ConnectionID: "cin_notes_a", Stream: "notes", ID: one.id, EmittedAt: one.at, Data: data}, err) {
				return
			}
		}
	}}
	if err := index.Load(t.Context(), corpus, "1", nil); err != nil {
		t.Fatal(err)
	}
	r := newRigOver(t, index, Options{})
	const notes = "/v1/streams/notes/records?connection_id=cin_notes_a"
	for _, target := range []string{notes, "/v1/search?q=tea", "/v1/search?q=" + testNow.Month().String() + "+tea"} {
		got := r.ok("tok-client", target)
		if len(got.list("data")) != 3 || got.at("data", 0, "emitted_at") == nil || got.at("data", 1, "emitted_at") != nil || strings.Count(got.text, `"emitted_at"`) != 1 {
			t.Errorf("%s: %s", target, got.text)
		}
	}
	if got := r.ok("tok-client", "/v1/streams?connection_id=cin_notes_a"); got.at("data", 0, "last_updated") != "2026-06-01T12:00:00.000Z" {
		t.Errorf("streams: %s", got.text)
	}
	t.Run("paging returns all of them", func(t *testing.T) {
		var ids []string
		for cursor := ""; ; {
			got := r.ok("tok-client", notes+"&limit=1"+cursor)
			ids = append(ids, text(got.at("data", 0, "id")))
			if got.at("has_more") != true {
				break
			}
			cursor = "&cursor=" + text(got.at("next_cursor"))
		}
		if strings.Join(ids, "") != "bac" {
			t.Errorf("pages of %v", ids)
		}
	})
	t.Run("a grant with a time limit does not include them", func(t *testing.T) {
		r.grants.Put("tok-since", authority.Grant{ID: "grt_since", Kind: authority.KindClient, Streams: []authority.StreamGrant{
			{ConnectorKey: "notes", ConnectionIDs: []string{"cin_notes_a"}, Stream: "notes", Since: testNow.AddDate(-50, 0, 0), Until: testNow.AddDate(50, 0, 0)},
		}})
		if got := r.ok("tok-since", "/v1/streams/notes/records"); len(got.list("data")) != 1 || got.at("data", 0, "id") != "b" {
			t.Errorf("records: %s", got.text)
		}
	})
}
