package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whether a chat has months or days first shows in its dates, in their order or in how its times are written.
func TestTheDatesOfAChatAreReadInItsOwnOrder(t *testing.T) {
	for text, want := range map[string]string{
		"15/01/26, 02:15 - Ann: a\n16/01/26, 02:15 - Ann: b\n":                      "2026-01-15T02:15:00",
		"1/5/26, 02:15 - Ann: a\n1/15/26, 02:15 - Ann: b\n":                         "2026-01-05T02:15:00",
		"1/5/26, 02:15 - Ann: a\n12/5/26, 02:15 - Ann: b\n4/6/26, 02:15 - Ann: c\n": "2026-05-01T02:15:00", // 4 June, and not 6 April after 5 December
		"5/1/26, 02:15 - Ann: a\n5/12/26, 02:15 - Ann: b\n6/4/26, 02:15 - Ann: c\n": "2026-05-01T02:15:00", // 4 June, and not 6 April after 5 December
		"1/5/26, 3:07\u202fPM - Ann: a\n1/6/26, 3:07\u202fPM - Ann: b\n":            "2026-01-05T15:07:00",
		"5/1/26, 3:07 p.\u00a0m. - Ann: PM\n6/1/26, 3:07 p.\u00a0m. - Ann: b\n":     "2026-01-05T15:07:00",
		"[05.01.26, 15:07:09] Ann: a\n[06.01.26, 15:07:09] Ann: b\n":                "2026-01-05T15:07:09",
		"05/01/2026, 3:07 pm - Ann: a\n06/01/2026, 3:07 pm - Ann: b\n":              "2026-01-05T15:07:00",
	} {
		records, skips := loaded(t, "_chat.txt", text)
		if chat := records["_chat"]; len(chat) == 0 || chat[0]["sent_at"] != want || len(skips) > 0 {
			t.Errorf("%q: got %v, want %s; %v", text, chat, want, skips)
		}
	}
}

// A date in a zone with a name is at that time, and one without a zone has none.
func TestDatesOfMailAreTrue(t *testing.T) {
	for date, want := range map[string]any{
		"Thu, 15 Jan 2026 02:15:00 PST": "2026-01-15T02:15:00-08:00", "Thu, 15 Jul 2026 02:15:00 CEST": "2026-07-15T02:15:00+02:00", "Thu, 15 Jan 2026 02:15:00 GMT": "2026-01-15T02:15:00Z",
		"Thu, 15 Jan 2026 02:15:00": "2026-01-15T02:15:00", "2026-01-15T02:15:00+01:00": "2026-01-15T02:15:00+01:00", "Thu, 15 Jan 2026 02:15:00 +0100 (CET)": "2026-01-15T02:15:00+01:00",
		"Thu, 15 Jan 2026 02:15:00 QQQ": nil,
	} {
		records, _ := loaded(t, "a.eml", "From: a@example.com\nMessage-ID: <1@x>\nDate: "+date+"\n\nbody\n")
		if got := records["messages"]; len(got) != 1 || got[0]["sent_at"] != want {
			t.Errorf("%s: got %v, want %v", date, got, want)
		}
	}
}

// A direct message of X is a record, as others are, and a page beside a note of Keep is not the note again.
func TestWhatServicesWriteIsReadOnce(t *testing.T) {
	corpus, skips := openFolder(t, writeTree(t, map[string]string{
		"direct-messages.js": `window.YTD.direct_messages.part0 = [{"dmConversation":{"conversationId":"1-2","messages":[{"messageCreate":{"id":"77","text":"hi"}},{"messageCreate":{"id":"78","text":"yo"}}]}}]`,
		"Keep/Shop.json":     `{"title":"Shop","textContent":"milk","userEditedTimestampUsec":1768443309123000}`, "Keep/Shop.html": "<p>milk</p>",
	}))
	got := map[string]string{}
	for _, record := range collectRecords(t, corpus) {
		got[record.Stream+":"+record.ID] = string(record.Data)
	}
	want := map[string]string{
		"direct-messages:77": `{"conversation_id":"1-2","kind":"messageCreate","id":"77","text":"hi"}`, "direct-messages:78": `{"conversation_id":"1-2","kind":"messageCreate","id":"78","text":"yo"}`,
		"Keep:Shop": `{"id":"Shop","edited_at":"2026-01-15T02:15:09Z","title":"Shop","textContent":"milk"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]Skip{{"Keep/Shop.html", 0, "the same note as in the .json file beside it"}}, skips); diff != "" {
		t.Errorf("skips (-want +got)\n%s", diff)
	}
}

// All chats that Telegram exports are one stream of messages.
func TestAllChatsOfTelegramAreRead(t *testing.T) {
	records, skips := loaded(t, "result.json", `{"about":"x","personal_information":{"user_id":1},"chats":{"about":"y","list":[
		{"name":"Ben","type":"personal_chat","id":9,"messages":[{"id":1,"date":"2026-01-15T02:15:09","date_unixtime":"1768443309","from":"Nora","text":["see ",{"type":"link","text":"x.org"}]}]},
		{"name":null,"type":"private_group","id":10,"messages":[{"id":1,"date":"2026-01-16T02:15:09","date_unixtime":"1768529709","text":"","reply_to_message_id":7},7]}]}}`)
	want := []map[string]any{
		{"id": "9-1", "chat": "Ben", "chat_type": "personal_chat", "text": "see x.org", "date": "2026-01-15T02:15:09", "date_unixtime": "2026-01-15T02:15:09Z", "from": "Nora"},
		{"id": "10-1", "chat_type": "private_group", "date": "2026-01-16T02:15:09", "date_unixtime": "2026-01-16T02:15:09Z", "in_reply_to": "10-7"},
	}
	if diff := cmp.Diff(want, records["result"]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]Skip{{"result.json", 1, `the field "personal_information" is left out: only messages are loaded`}, {"result.json", 1, "a message of  is not a JSON object"}}, skips); diff != "" {
		t.Errorf("skips (-want +got)\n%s", diff)
	}
}

// One chat that Telegram exports is read as those of all chats are: a message names its chat.
func TestOneChatOfTelegramIsRead(t *testing.T) {
	records, skips := loaded(t, "result.json", `{"name":"Ben","type":"personal_chat","id":9,"messages":[
		{"id":1,"from":"Nora","text":["see ",{"type":"link","text":"x.org"}]},{"id":2,"from":"Ben","text":"seen","reply_to_message_id":1}]}`)
	want := []map[string]any{
		{"id": "9-1", "chat": "Ben", "chat_type": "personal_chat", "text": "see x.org", "from": "Nora"},
		{"id": "9-2", "chat": "Ben", "chat_type": "personal_chat", "text": "seen", "from": "Ben", "in_reply_to": "9-1"},
	}
	if diff := cmp.Diff(want, records["result"]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if len(skips) > 0 {
		t.Errorf("skipped %v", skips)
	}
}
