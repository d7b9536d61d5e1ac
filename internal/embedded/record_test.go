package embedded

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
)

func TestRecordDetail(t *testing.T) {
	r := newRig(t)
	t.Run("an id with slash, colon and space is found", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/streams/messages/records/dup:1%2Fa%20b?connection_id=cin_mail_home")
		if got.at("id") != "dup:1/a b" || got.at("connection_id") != "cin_mail_home" {
			t.Errorf("record: %s", got.text)
		}
	})
	t.Run("an id in two connections is ambiguous", func(t *testing.T) {
		got := r.get("tok-client", "/v1/streams/messages/records/dup:1%2Fa%20b")
		want := []any{
			map[string]any{"connection_id": "cin_mail_work", "display_name": "Work mail"},
			map[string]any{"connection_id": "cin_mail_home", "display_name": "Home mail"},
		}
		if diff := cmp.Diff(any(want), got.at("error", "available_connections")); got.status != 409 || diff != "" {
			t.Errorf("status %d, connections (-want +got):\n%s", got.status, diff)
		}
		if got.code() != "ambiguous_connection" || got.at("error", "retry_with") != "connection_id" {
			t.Errorf("error: %s", got.text)
		}
	})
	t.Run("it is not ambiguous if the grant has one of them", func(t *testing.T) {
		grants := r.grants
		grants.Put(
			"tok-one",
			authority.Grant{
				ID:      "grt_one",
				Kind:    authority.KindClient,
				Streams: []authority.StreamGrant{{ConnectorKey: "mail", Stream: "messages", ConnectionIDs: []string{"cin_mail_home"}}},
			},
		)
		if got := r.ok("tok-one", "/v1/streams/messages/records/dup:1%2Fa%20b"); got.at("connection_id") != "cin_mail_home" {
			t.Errorf("record: %s", got.text)
		}
	})
	t.Run("a client sees the source id and an owner the key", func(t *testing.T) {
		if key := r.ok("tok-client", "/v1/streams/messages/records/w-000").at("connector_key"); key != "https://registry.test/connectors/mail" {
			t.Errorf("client sees %v", key)
		}
		if key := r.ok("tok-owner", "/v1/streams/messages/records/w-000").at("connector_key"); key != "mail" {
			t.Errorf("owner sees %v", key)
		}
	})
	t.Run("a record before the grant's time is not found", func(t *testing.T) {
		if got := r.get("tok-narrow", "/v1/streams/messages/records/w-000"); got.status != 404 || got.code() != "not_found" {
			t.Errorf("status %d: %s", got.status, got.text)
		}
	})
	t.Run("an expansion is included", func(t *testing.T) {
		got := r.ok("tok-client", "/v1/streams/messages/records/w-050?expand=attachments&expand_limit[attachments]=5")
		if list, _ := got.at("expanded", "attachments", "data").([]any); len(list) != 3 {
			t.Errorf("expanded: %s", got.text)
		}
	})
}

func TestBlobs(t *testing.T) {
	r := newRig(t)
	fieldsBut := func(fields ...string) authority.Grant {
		return authority.Grant{ID: "grt_blob", Kind: authority.KindClient, Streams: []authority.StreamGrant{{
			ConnectorKey: "mail", Stream: "attachments", ConnectionIDs: []string{"cin_mail_work"}, Fields: fields,
		}}}
	}
	r.grants.Put("tok-names", fieldsBut("id", "filename"))
	r.grants.Put("tok-blobs", fieldsBut("id", "blob_ref"))
	for _, test := range []struct {
		name, token string
		status      int
	}{
		{"a granted record's blob is served", "tok-client", 200},
		{"a grant of the field that names a blob is enough", "tok-blobs", 200},
		{"without the field that names it a blob is not found", "tok-names", 404},
		{"without the stream a blob is not found", "tok-narrow", 404},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := r.get(test.token, "/v1/blobs/"+testBlobID)
			if got.status != test.status {
				t.Fatalf("status %d: %s", got.status, got.text)
			}
			if test.status != 200 {
				if got.code() != "blob_not_found" {
					t.Errorf("code %q", got.code())
				}
				return
			}
			if got.text != "data" || got.header.Get("Content-Type") != "text/plain" || got.header.Get("Cache-Control") != "private, no-store" {
				t.Errorf("blob %q with %v", got.text, got.header)
			}
		})
	}
}
