package embedded

import (
	"encoding/base64"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
)

// TestNarrowGrantLeaksNothing requests everything on every route with the narrow token: neither values of fields that are not granted nor
// records before the time limit are returned, not even inside a cursor.
func TestNarrowGrantLeaksNothing(t *testing.T) {
	r := newRig(t)
	targets := []string{
		"/v1/schema", "/v1/schema?view=compact", "/v1/schema?stream=attachments", "/v1/streams", "/v1/streams/messages",
		"/v1/streams/messages?connection_id=cin_mail_home", "/v1/streams/message_bodies", "/v1/streams/messages/records?limit=100",
		"/v1/streams/messages/records?limit=3&sort=-received_at", "/v1/streams/messages/records?limit=3&order=asc&count=exact",
		"/v1/streams/messages/records?changes_since=beginning&limit=3", "/v1/streams/messages/records?fields=snippet",
		"/v1/streams/messages/records?filter[received_at][lt]=2026-02-01T00:00:00Z", "/v1/streams/messages/records?filter[from_email]=ada@example.com",
		"/v1/streams/messages/records?filter[size_bytes][gte]=1000", "/v1/streams/messages/records?sort=size_bytes",
		"/v1/streams/messages/records?expand=attachments&expand=message_bodies", "/v1/streams/messages/records?view=envelope",
		"/v1/streams/messages/records?connection_id=cin_mail_home", "/v1/streams/messages/records/w-040", "/v1/streams/messages/records/w-000",
		"/v1/streams/messages/records/h-011", "/v1/streams/messages/records/w-050?expand=attachments", "/v1/streams/message_bodies/records/b-1",
		"/v1/streams/messages/records/w-040/field-window?field=snippet", "/v1/streams/messages/records/w-040/field-window?field=from_email",
		"/v1/streams/messages/records/w-000/field-window?field=subject", "/v1/streams/message_bodies/records/b-1/field-window?field=body_text",
		"/v1/streams/messages/aggregate?metric=count", "/v1/streams/messages/aggregate?metric=min&field=received_at",
		"/v1/streams/messages/aggregate?metric=max&field=size_bytes", "/v1/streams/messages/aggregate?metric=count&group_by=from_email",
		"/v1/streams/messages/aggregate?metric=count&group_by_time=received_at&granularity=day&limit=100",
		"/v1/streams/messages/aggregate?metric=count_distinct&field=from_email", "/v1/search?q=invoice&limit=100", "/v1/search?q=secretword",
		"/v1/search?q=ada", "/v1/search?q=zephyr", "/v1/search?q=京都", "/v1/search?q=invoice&streams=messages&filter[from_email]=ada@example.com",
		"/v1/search?q=invoice&connection_id=cin_mail_home", "/v1/blobs/" + testBlobID,
	}
	secrets := []string{
		"secretword", "INBOX", "grace@", "alan@", "bill of", "Home mail", "Zephyr", "京都駅", "report 0", "2026-01-", "2026-02-",
		`"w-000"`, `"w-023"`, `"id":"h-`, `"id":"dup`, `"size_bytes":1`, testArabicWord,
	}
	for _, target := range targets {
		t.Run(target, func(t *testing.T) {
			got := r.get("tok-narrow", target)
			shown := strings.ReplaceAll(got.text, escapedSelf(target), "") + decodedCursors(got)
			for _, secret := range secrets {
				if strings.Contains(shown, secret) && !strings.Contains(target, secret) {
					t.Errorf("status %d reveals %q: %s", got.status, secret, shown)
				}
			}
		})
	}
}

const testArabicWord = "الاجتماع"

// escapedSelf returns the address of a read as its answer repeats it.
func escapedSelf(target string) string { return fmt.Sprintf(`"self":"%s"`, target) }

// decodedCursors returns what a client sees when it decodes the cursors.
func decodedCursors(a answer) string {
	var all strings.Builder
	for _, name := range []string{"next_cursor", "next_changes_since"} {
		decoded, err := base64.RawURLEncoding.DecodeString(text(a.at(name)))
		if err == nil {
			all.Write(regexp.MustCompile(`[^ -~]`).ReplaceAll(decoded, nil))
		}
	}
	return all.String()
}

func TestGrantBounds(t *testing.T) {
	r := newRig(t)
	r.grants.Put("tok-until", authority.Grant{ID: "grt_until", Kind: authority.KindClient, Streams: []authority.StreamGrant{
		{ConnectorKey: "mail", Stream: "messages", ConnectionIDs: []string{"cin_mail_work"}, Since: messageTime(10), Until: messageTime(12)},
		{ConnectorKey: "mail", Stream: "messages", ConnectionIDs: []string{"cin_mail_work", "cin_mail_home"}, Fields: []string{"id"}},
	}})
	t.Run("since is inclusive and until exclusive", func(t *testing.T) {
		if ids := r.ok("tok-until", "/v1/streams/messages/records?connection_id=cin_mail_work").ids("id"); strings.Join(
			ids,
			" ",
		) != "w-011 w-010" {
			t.Errorf("ids %v", ids)
		}
	})
	t.Run("a second grant of a stream adds the connections that the first does not name", func(t *testing.T) {
		got := r.ok("tok-until", "/v1/streams/messages/records?connection_id=cin_mail_home&limit=1")
		if data, _ := got.at("data", 0, "data").(map[string]any); len(data) != 1 {
			t.Errorf("data %v", data)
		}
	})
	t.Run("without its foreign key a relation is not granted", func(t *testing.T) {
		r.grants.Put("tok-keyless", authority.Grant{ID: "grt_keyless", Kind: authority.KindClient, Streams: []authority.StreamGrant{
			{ConnectorKey: "mail", Stream: "messages", ConnectionIDs: []string{"cin_mail_work"}},
			{ConnectorKey: "mail", Stream: "attachments", ConnectionIDs: []string{"cin_mail_work"}, Fields: []string{"id", "filename"}},
		}})
		if got := r.get("tok-keyless", "/v1/streams/messages/records/w-050?expand=attachments"); got.code() != "invalid_expand" {
			t.Errorf("answer: %s", got.text)
		}
		schema := r.ok("tok-keyless", "/v1/schema?view=compact&stream=messages")
		if schema.at("connectors", 0, "streams", 0, "expand_capabilities", 1, "usable") != false {
			t.Errorf("schema: %s", schema.text)
		}
	})
	t.Run("an expansion shows the granted fields of its target", func(t *testing.T) {
		r.grants.Put("tok-cut", authority.Grant{ID: "grt_cut", Kind: authority.KindClient, Streams: []authority.StreamGrant{
			{ConnectorKey: "mail", Stream: "messages", ConnectionIDs: []string{"cin_mail_work"}},
			{ConnectorKey: "mail", Stream: "attachments", ConnectionIDs: []string{"cin_mail_work"}, Fields: []string{"id", "message_id"}},
		}})
		if got := r.ok("tok-cut", "/v1/streams/messages/records/w-050?expand=attachments"); strings.Contains(got.text, "filename") ||
			strings.Contains(got.text, "report") {
			t.Errorf("answer: %s", got.text)
		}
	})
	t.Run("a package or an unknown kind reads nothing", func(t *testing.T) {
		for _, kind := range []string{authority.KindPackage, "", "admin"} {
			if sources := sourcesOf(r.server.store.Catalog(), authority.Grant{Kind: kind, Streams: authority.Everything(testConnectors())}); sources != nil {
				t.Errorf("kind %q opens %d sources", kind, len(sources))
			}
		}
	})
	t.Run("a grant ends at its time", func(t *testing.T) {
		now := testNow
		r := newRigWith(t, Options{Now: func() time.Time { return now }})
		r.grants.Put(
			"tok-hour",
			authority.Grant{
				ID:      "grt_hour",
				Kind:    authority.KindClient,
				Streams: authority.Everything(testConnectors()),
				Expires: testNow.Add(time.Hour),
			},
		)
		r.ok("tok-hour", "/v1/schema")
		now = testNow.Add(time.Hour)
		if got := r.get("tok-hour", "/v1/schema"); got.code() != "grant_expired" {
			t.Errorf("code %q", got.code())
		}
	})
}
