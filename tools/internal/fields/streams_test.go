package fields_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/pdp-connect/pdpp-mcp/rs"
	"github.com/pdp-connect/pdpp-mcp/tools/internal/fields"
)

// schemaOf returns a schema with the streams, each with some of these fields: time, text, sender, address and subject.
func schemaOf(streams map[string]string) *rs.Schema {
	capabilities := map[string]string{
		"time": `"sent_at":{"granted":true,"role":"event-time","type":"timestamp"}`, "text": `"text":{"granted":true,"role":"secondary"}`,
		"sender": `"author":{"granted":true,"role":"actor"}`, "address": `"from_email":{"granted":true}`, "subject": `"Subject":{"granted":true}`,
	}
	var rows []string
	for name, has := range streams {
		var own []string
		for field := range strings.FieldsSeq(has) {
			own = append(own, capabilities[field])
		}
		rows = append(rows, `{"name":`+rs.EncodeJSON(name)+`,"field_capabilities":{`+strings.Join(own, ",")+`}}`)
	}
	body := `{"detail":"compact","connectors":[{"granted_connections":[{"connection_id":"c"}],"streams":[` + strings.Join(rows, ",") + `]}]}`
	response := rs.Response{Body: body}
	return response.Schema()
}

func TestStreamsAreFoundByAWord(t *testing.T) {
	streams := map[string]string{
		"Basic_LinkedInDataExport_11-01-2026_Connections": "time", "NetflixViewingHistory": "time", "Outlook_Inbox": "time text sender subject address",
		"Outlook_Inbox_attachments": "", "Takeout_Calendar_ana_gmail.com": "time", "Takeout_Keep": "time text",
		"Takeout_Mail_All_mail": "time text sender subject address", "Takeout_YouTube_and_YouTube_Music_history": "time", "WhatsApp_Chat_with_Bob": "time text sender",
		"acme_Slack_export_channels": "time", "acme_Slack_export_messages": "time text sender", "acme_Slack_export_users": "", "app_Account_user": "",
		"app_Messages_c1_messages": "time text", "app_Messages_index": "", "linkedin_messages": "time text sender subject",
		"spotify_Account_Data_StreamingHistory_music": "time", "spotify_Account_Data_Userdata": "sender", "shop_Orders_1": "time",
	}
	all := schemaOf(streams)
	var names []string
	for _, row := range all.Streams {
		names = append(names, row.Name)
	}
	slices.Sort(names)
	for sent, want := range map[string][]string{
		"whatsapp": {"WhatsApp_Chat_with_Bob"}, "you tube": {"Takeout_YouTube_and_YouTube_Music_history"}, "YOUTUBE": {"Takeout_YouTube_and_YouTube_Music_history"},
		"linkedin": {"linkedin_messages", "Basic_LinkedInDataExport_11-01-2026_Connections"}, "netflix": {"NetflixViewingHistory"},
		"mail": {"Takeout_Mail_All_mail", "Outlook_Inbox", "linkedin_messages"}, "e-mails": {"Takeout_Mail_All_mail", "Outlook_Inbox", "linkedin_messages"},
		"gmail":   {"Takeout_Mail_All_mail", "Outlook_Inbox", "linkedin_messages"},
		"slack":   {"acme_Slack_export_messages", "acme_Slack_export_channels", "acme_Slack_export_users"},
		"spotify": {"spotify_Account_Data_StreamingHistory_music", "spotify_Account_Data_Userdata"}, "spotfy": {"spotify_Account_Data_StreamingHistory_music", "spotify_Account_Data_Userdata"},
		"app":          {"app_Messages_c1_messages", "app_Account_user", "app_Messages_index"},
		"Takeout/Keep": {"Takeout_Keep"}, "takeout > keep": {"Takeout_Keep"}, "takeout.keep": {"Takeout_Keep"}, "Outlook:Inbox": {"Outlook_Inbox", "Outlook_Inbox_attachments"},
		"calendar": {"Takeout_Calendar_ana_gmail.com"}, "slack messages": {"acme_Slack_export_messages"}, "purchases": {"shop_Orders_1"}, "passwords": nil,
		"inbox": {"Outlook_Inbox", "Takeout_Mail_All_mail", "linkedin_messages", "Outlook_Inbox_attachments"},
	} {
		if diff := cmp.Diff(want, fields.NearStreams(sent, names, all)); diff != "" {
			t.Errorf("%s: %s", sent, diff)
		}
	}
	if got := fields.NearStreams("slack", names, nil); got[0] != "acme_Slack_export_messages" {
		t.Errorf("by the names alone: %q", got)
	}
}

// A name may consist of a combining accent, which folding removes; it still matches itself.
func TestANameOfOnlyAnAccentIsAWord(t *testing.T) {
	for _, name := range []string{"photos_\u0308", "\u0301", "a \u0301 b", "\u0301_photos"} {
		if got := fields.NearStreams(name, []string{name, "messages"}, nil); len(got) == 0 || got[0] != name {
			t.Errorf("%q finds %q", name, got)
		}
		fields.NearStreams("emails", []string{name}, nil)
	}
}

func TestTheKindThatANameMeans(t *testing.T) {
	for name, want := range map[string]string{
		"emails": "mail", "E-Mails": "mail", "email": "mail", "mails": "mail", "events": "event", "expenses": "expense", "entries": "entrie",
		"eBooks": "e_book", "orders": "order",
	} {
		if got := fields.KindIn(name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
}
