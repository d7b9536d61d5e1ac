package embedded

import (
	"testing"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/authority"
)

// A hit in the body of a message or in an attachment has the time and the sender of the message, if they are granted.
func TestPartsHaveTheTimeOfTheirRecord(t *testing.T) {
	r := newRig(t)
	grant := func(token string, fields ...string) {
		streams := []authority.StreamGrant{
			{ConnectorKey: "mail", ConnectionIDs: []string{"cin_mail_work"}, Stream: "message_bodies"},
			{ConnectorKey: "mail", ConnectionIDs: []string{"cin_mail_work"}, Stream: "attachments"},
		}
		if len(fields) > 0 {
			streams = append(streams, authority.StreamGrant{ConnectorKey: "mail", ConnectionIDs: []string{"cin_mail_work"}, Stream: "messages", Fields: fields})
		}
		r.grants.Put(token, authority.Grant{ID: "grt_" + token, Kind: authority.KindClient, Streams: streams})
	}
	grant("tok-bodies")
	grant("tok-subjects", "id", "subject")
	at := messageTime(51).Format("2006-01-02T15:04:05Z07:00")
	for _, row := range []struct {
		token, q               string
		authored, actor, title any
	}{
		{"tok-client", "موعد", at, senders[0], "Invoice number 51"},
		{"tok-client", "report 1", messageTime(50).Format("2006-01-02T15:04:05Z07:00"), senders[2], nil}, // one of several attachments
		{"tok-subjects", "موعد", nil, nil, "Invoice number 51"},
		{"tok-bodies", "موعد", nil, nil, nil},
	} {
		hit := r.ok(row.token, searchFor(row.q)).at("data", 0)
		if authored, actor, title := walk(hit, "authored_at"), walk(hit, "actor"), walk(hit, "title"); authored != row.authored || actor != row.actor || title != row.title {
			t.Errorf("%s, %s: %v, %v, %v", row.token, row.q, authored, actor, title)
		}
	}
}
