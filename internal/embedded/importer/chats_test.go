package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// Whether the dates of a chat start with the month or the day is found from their values, their order and the format of their times.
func TestTheOrderOfDayAndMonthInAChat(t *testing.T) {
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

// A date in a named time zone is that instant; one without a zone is not an instant.
func TestTimeZonesOfMail(t *testing.T) {
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

// A direct message of X is a record like any other message, and the page beside a note of Keep is not a second record.
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
		"Keep:Shop": `{"id":"Shop","edited_at":"2026-01-15T02:15:09.123Z","title":"Shop","textContent":"milk"}`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]Skip{{"Keep/Shop.html", 0, "the same as the .json file beside it"}}, skips); diff != "" {
		t.Errorf("skips (-want +got)\n%s", diff)
	}
}

// All chats exported by Telegram are one stream of messages.
func TestAllChatsOfTelegramAreRead(t *testing.T) {
	records, skips := loaded(t, "result.json", `{"about":"x","personal_information":{"user_id":1},"chats":{"about":"y","list":[
		{"name":"Ben","type":"personal_chat","id":9,"messages":[{"id":1,"date":"2026-01-15T02:15:09","date_unixtime":"1768443309","from":"Nora","text":["see ",{"type":"link","text":"x.org"}]}]},
		{"name":null,"type":"private_group","id":10,"messages":[{"id":1,"date":"2026-01-16T02:15:09","date_unixtime":"1768529709","text":"","reply_to_message_id":7},7,
			{"id":2,"date":"2026-01-16T03:15:09","date_unixtime":"1768529709","edited":"2026-01-16T03:16:09","text":"a"},{"id":3,"date":"2026-01-16T03:17:09","text":"b","reply_to_message_id":null},
			{"id":4,"date":"2026-01-19T03:17:09","date_unixtime":"1768529709","text":"c"}]}]}}`)
	want := []map[string]any{
		{"id": "9-1", "chat": "Ben", "chat_type": "personal_chat", "text": "see x.org", "date": "2026-01-15T02:15:09", "date_unixtime": "2026-01-15T02:15:09Z", "from": "Nora"},
		{"id": "10-1", "chat_type": "private_group", "date": "2026-01-16T02:15:09", "date_unixtime": "2026-01-16T02:15:09Z", "in_reply_to": "10-7"},
		{"id": "10-2", "chat_type": "private_group", "date": "2026-01-16T03:15:09", "date_unixtime": "2026-01-16T02:15:09Z", "edited": "2026-01-16T03:16:09", "text": "a"},
		{"id": "10-3", "chat_type": "private_group", "date": "2026-01-16T03:17:09", "text": "b"},
		{"id": "10-4", "chat_type": "private_group", "date": "2026-01-19T03:17:09", "date_unixtime": "2026-01-16T02:15:09Z", "text": "c"},
	}
	if diff := cmp.Diff(want, records["result"]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]Skip{{"result.json", 1, `the field "personal_information" is left out: only messages are loaded`}, {"result.json", 1, "a message of  is not a JSON object"}}, skips); diff != "" {
		t.Errorf("skips (-want +got)\n%s", diff)
	}
}

// A single chat exported by Telegram is read like all chats: each message names its chat.
func TestOneChatOfTelegramIsRead(t *testing.T) {
	records, skips := loaded(t, "result.json", `{"name":"Ben","type":"personal_chat","id":9,"messages":[
		{"id":1,"from":"Nora","text":["see ",{"type":"link","text":"x.org"},{"type":"text_link","text":", here","href":"https://y.org"}]},{"id":2,"from":"Ben","text":"seen","reply_to_message_id":1}]} junk`)
	want := []map[string]any{
		{"id": "9-1", "chat": "Ben", "chat_type": "personal_chat", "text": "see x.org, here (https://y.org)", "from": "Nora"},
		{"id": "9-2", "chat": "Ben", "chat_type": "personal_chat", "text": "seen", "from": "Ben", "in_reply_to": "9-1"},
	}
	if diff := cmp.Diff(want, records["result"]); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	end := Skip{"result.json", 0, "not JSON, and what follows is left out: invalid character 'j' at start of value after offset 251"}
	if diff := cmp.Diff([]Skip{end}, skips); diff != "" {
		t.Errorf("skips (-want +got)\n%s", diff)
	}
}

// The messages and calls of a phone are rows. Emoji written as two surrogates are joined, and the layout of messages with pictures is
// left out.
func TestMessagesOfAPhoneAreRead(t *testing.T) {
	records, skips := loadedTree(t, map[string]string{
		"sms.xml": `<?xml version='1.0' encoding='UTF-8' standalone='yes' ?><!--File Created By SMS Backup & Restore--><smses count="3" backup_set="x">
  <sms protocol="0" address="+4917" date="1768443333000" type="1" subject="null" body="Hi &amp; bye &#55357;&#56832;" readable_date="15.01.2026 02:15:33" contact_name="Ann" />
  <sms protocol="0" address="+4918" date="1768443334000" type="2" subject="null" body="ok&#10;then" contact_name="(Unknown)" />
  <mms date="1768443335000" msg_box="1" address="+4917" contact_name="Ann" sub="null"><parts><part seq="-1" ct="application/smil" cl="smil.xml" text='&lt;smil&gt;&lt;body/&gt;&lt;/smil&gt;' />
    <part seq="0" ct="image/jpeg" cl="a.jpg" text="null" data="/9j/" /><part seq="0" ct="text/plain" cl="null" text="look" /></parts></mms>
</smses>`,
		"calls.xml": `<?xml version='1.0' encoding='UTF-8'?><calls count="1"><call number="+4917" duration="61" date="1768443333000" type="3" contact_name="Ann" /></calls>`,
	})
	want := map[string][]map[string]any{
		"sms.xml": {
			{"date": "2026-01-15T02:15:33.000Z", "kind": "message", "direction": "received", "number": "+4917", "name": "Ann", "text": "Hi & bye 😀", "files": nil},
			{"date": "2026-01-15T02:15:34.000Z", "kind": "message", "direction": "sent", "number": "+4918", "name": nil, "text": "ok\nthen", "files": nil},
			{"date": "2026-01-15T02:15:35.000Z", "kind": "message", "direction": "received", "number": "+4917", "name": "Ann", "text": "look", "files": "smil.xml\na.jpg"},
		},
		"calls.xml": {{"date": "2026-01-15T02:15:33.000Z", "kind": "call", "direction": "missed", "number": "+4917", "name": "Ann", "seconds": 61.0}},
	}
	if diff := cmp.Diff(want, records); diff != "" || len(skips) > 0 {
		t.Errorf("skipped %v (-want +got)\n%s", skips, diff)
	}
}

// The messages of Facebook are one stream, and the descriptions of their conversations another. Letters written as separate bytes are
// joined.
func TestConversationsOfFacebookAreRead(t *testing.T) {
	records, skips := loadedTree(t, map[string]string{
		"inbox/ski_1/message_1.json": `{"participants":[{"name":"Zo\u00c3\u00ab"},{"name":"Me"}],"messages":[{"sender_name":"Zo\u00c3\u00ab","timestamp_ms":1768443333000,"content":"Gr\u00c3\u00bc\u00c3\u009fe"}],"title":"Ski","is_still_participant":true}`,
		"inbox/ski_1/message_2.json": `{"participants":[{"name":"Zo\u00c3\u00ab"},{"name":"Me"}],"messages":[{"sender_name":"Me","timestamp_ms":1768443300000,"content":"hi"}],"title":"Ski","is_still_participant":true}`,
		"inbox/ben_2/message_1.json": `{"participants":[{"name":"Ben"}],"messages":[],"title":"Ben"}`,
	})
	want := map[string][]map[string]any{
		"inbox": {
			{"conversation": "ski_1", "sender_name": "Zoë", "timestamp_ms": "2026-01-15T02:15:33.000Z", "content": "Grüße"},
			{"conversation": "ski_1", "sender_name": "Me", "timestamp_ms": "2026-01-15T02:15:00.000Z", "content": "hi"},
		},
		"inbox_conversations": {
			{"conversation": "ben_2", "participants": []any{map[string]any{"name": "Ben"}}, "title": "Ben"},
			{"conversation": "ski_1", "participants": []any{map[string]any{"name": "Zoë"}, map[string]any{"name": "Me"}}, "title": "Ski", "is_still_participant": true},
		},
	}
	if diff := cmp.Diff(want, records); diff != "" || len(skips) > 0 {
		t.Errorf("skipped %v (-want +got)\n%s", skips, diff)
	}
}

// Notices of WhatsApp on an iPhone have no author, in any language and under any name. Messages that people sent keep their author,
// although the same mark precedes deleted or omitted content.
func TestNoticesOfAChatHaveNoAuthor(t *testing.T) {
	const sealed = "\u200eLos mensajes y las llamadas están cifrados de extremo a extremo."
	for name, test := range map[string]struct{ lines, want []string }{
		"a group": {
			[]string{"\u200eAnn created group “Sea”", "Sea: " + sealed, "Ann: \u200eAnn changed this group's icon", "Sea: \u200eAnn added you", "Ben: \u200eimage omitted", "Ann: hello", "~\u202fCy: \u200eCy joined", "Sea: \u200eYou're now an admin"},
			[]string{"", "", "", "", "Ben", "Ann", "", ""},
		},
		"a group whose first notice is short": {
			[]string{"Climbing: \u200eMessages and calls are end-to-end encrypted.", "Ann: hello", "Climbing: \u200eAnn added you"},
			[]string{"", "Ann", ""},
		},
		"two people": {
			[]string{"Ben: " + sealed, "Ben: \u200eimage omitted", "Ann: hello", "Ben: hi", "Ben: \u200eYour security code with Ben changed.", "Ben: \u200eMissed voice call"},
			[]string{"", "Ben", "Ann", "Ben", "", "Ben"},
		},
		"the end of a chat": {
			[]string{"Ben: \u200eimage omitted", "Ben: \u200eThis message was deleted.", "Ann: hello", "Ben: " + sealed, "Cy: \u200e<attached: 1-Cy.vcf>", "Cy: \u200eCy.pdf \u200edocument omitted", "mag: \u200eimage omitted"},
			[]string{"Ben", "Ben", "Ann", "Ben", "Cy", "Cy", "mag"},
		},
		"a long text that was sent": {
			[]string{"Ben: \u200ePOLL:\nWhich day would be the best one for all of us to go to the sea?\n\u200eOPTION: Monday", "Ben: \u200eLocation: https://maps.example.com/?q=52.520008,13.404954&and=more", "Ann: hello"},
			[]string{"Ben", "Ben", "Ann"},
		},
	} {
		text := ""
		for _, line := range test.lines {
			text += "\u200e[15.01.26, 02:15:09] " + line + "\r\n"
		}
		records, _ := loaded(t, "_chat.txt", text)
		var got []string
		for _, one := range records["_chat"] {
			author, _ := one["author"].(string)
			if (author == "") != (one["notice"] == true) {
				t.Errorf("%v", one)
			}
			got = append(got, author)
		}
		if diff := cmp.Diff(test.want, got); diff != "" {
			t.Errorf("%s (-want +got)\n%s", name, diff)
		}
	}
}

// People of Slack are shown with their full names, and mentions as Slack shows them.
func TestPeopleOfSlackHaveTheirFullNames(t *testing.T) {
	records, _ := loadedTree(t, map[string]string{
		"users.json": `[{"id":"U1","name":"tom","real_name":"Tom Baker","profile":{"real_name":"Tom Baker","display_name":"Tom"}},{"id":"U2","name":"nora","profile":{"display_name":"Nora"}},
			{"id":"U3","name":"bo"}]`,
		"general/2026-01-15.json": `[{"type":"message","user":"U1","text":"<@U1> <@U3>","ts":"1768443000.1","reactions":[{"name":"ok","count":1,"users":["U1"]}]},
			{"type":"message","user":"U2","text":"b","ts":"1768443001.1"},{"type":"message","user":"U3","text":"c","ts":"1768443002.1"},
			{"type":"message","user":"U9","user_profile":{"real_name":"Guest Nine"},"text":"","ts":"1768443003.1","blocks":[{"type":"rich_text","elements":[
				{"type":"rich_text_section","elements":[{"type":"text","text":"see "},{"type":"user","user_id":"U1"},{"type":"emoji","name":"ok"}]},
				{"type":"rich_text_list","elements":[{"type":"rich_text_section","elements":[{"type":"link","url":"https://x.example"}]}]}]},
				{"type":"section","text":{"type":"mrkdwn","text":"d"},"fields":[{"type":"mrkdwn","text":"e"}]}]}]`,
	})
	var got [][]any
	for _, one := range records["messages"] {
		got = append(got, []any{one["author"], one["display_name"], one["text"], one["reactions"]})
	}
	want := [][]any{{"Tom Baker", "Tom", "@Tom @bo", []any{"ok 1: Tom Baker"}}, {"Nora", nil, "b", nil}, {"bo", nil, "c", nil}, {"Guest Nine", nil, "see @Tom:ok:\nhttps://x.example\nd\ne", nil}}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// The text of a message, its blocks and its attachments often say the same in different forms.
func TestAMessageOfSlackHasAllItsTextOnce(t *testing.T) {
	rich := `"blocks":[{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[`
	tests := []struct{ name, message, want string }{
		{"blocks that repeat the text", `"text":"hi <@U2>, *all*: <https://x.example|ex> &amp; <#C1|news> :wave::skin-tone-2:\n• one\n2. two",` + rich +
			`{"type":"text","text":"hi "},{"type":"user","user_id":"U2"},{"type":"text","text":", "},{"type":"text","text":"all","style":{"bold":true}},
			{"type":"text","text":": "},{"type":"link","url":"https://x.example","text":"ex"},{"type":"text","text":" & "},{"type":"channel","channel_id":"C1"},
			{"type":"text","text":" "},{"type":"emoji","name":"wave","skin_tone":2}]},{"type":"rich_text_list","elements":[{"type":"rich_text_section",
			"elements":[{"type":"text","text":"one"}]},{"type":"rich_text_section","elements":[{"type":"text","text":"two"}]}]}]}]`,
			"hi @U2, *all*: ex (https://x.example) & #news :wave::skin-tone-2:\n• one\n2. two"},
		{"blocks that say more than the text", `"text":"Deploy finished","blocks":[{"type":"header","text":{"type":"plain_text","text":"Deploy finished"}},{"type":"divider"},
			{"type":"section","text":{"type":"mrkdwn","text":"*Version* 1 &lt; 2"},"fields":[{"type":"mrkdwn","text":"Env: prod"},{"type":"plain_text","text":"a < b > c"}],
			"accessory":{"type":"button","text":{"type":"plain_text","text":"Open"},"url":"https://o.example"}},{"type":"context","elements":[
			{"type":"image","image_url":"https://i.example","alt_text":"icon"},{"type":"mrkdwn","text":"by ada"}]}]`,
			"Deploy finished\n*Version* 1 < 2\nEnv: prod\na < b > c\nOpen (https://o.example)\nicon (https://i.example)\nby ada"},
		{"a short line that is part of a word of the text", `"text":"token 15",` + rich + `{"type":"text","text":"ok\n5"}]}]}]`, "token 15\nok\n5"},
		{"the same line twice in one block", `"text":"",` + rich + `{"type":"text","text":"yes\n\nyes"},{"type":"broadcast","range":"here"}]}]}]`, "yes\n\nyes!here"},
		{"a table", `"text":"","blocks":[{"type":"table","rows":[[{"type":"raw_text","text":"h1"},{"type":"raw_text","text":"h2"}],[{"type":"raw_text","text":"a"},
			{"type":"rich_text","elements":[{"type":"rich_text_section","elements":[{"type":"text","text":"b"}]}]}]]}]`, "h1 | h2\na | b"},
		{"all of what a program attaches", `"text":"","attachments":[{"fallback":"no","pretext":"New by ada","title":"Fix","title_link":"https://g.example/1","text":"Body",
			"fields":[{"title":"State","value":"open"}],"footer":"Git"}]`, "New by ada\nFix (https://g.example/1)\nBody\nState: open\nGit"},
		{"a shared message, whose blocks repeat it", `"text":"see","attachments":[{"fallback":"[1] bob: orig","author_name":"bob","text":"orig <https://x.example>",
			"blocks":[{"type":"section","text":{"type":"mrkdwn","text":"orig <https://x.example>"}}]}]`, "see\nbob\norig https://x.example"},
		{"a preview of a link of the text", `"text":"<https://v.example>","attachments":[{"title":"Film","title_link":"https://v.example","fallback":"Film"}]`, "https://v.example\nFilm"},
		{"blocks of an attachment alone", `"text":"","attachments":[{"fallback":"[no preview available]","blocks":[{"type":"section","text":{"type":"mrkdwn","text":"in"}}]}]`, "in"},
		{"only a fallback", `"text":"","attachments":[{"fallback":"bare"}]`, "bare"},
	}
	for _, test := range tests {
		records, _ := loadedTree(t, map[string]string{"users.json": "[]", "c/2026-01-15.json": `[{"type":"message","ts":"1768443000.1",` + test.message + `}]`})
		if got := records["messages"]; len(got) != 1 || got[0]["text"] != test.want {
			t.Errorf("%s: %v, want %q", test.name, got, test.want)
		}
	}
}

// A name may contain quotation marks, and a quoted text in a notice may contain a colon.
func TestNamesWithQuotationMarks(t *testing.T) {
	for line, author := range map[string]any{
		`Robert "Bob" Miller: hi`: `Robert "Bob" Miller`, `Ana «La Jefa» Ruiz: hola`: `Ana «La Jefa» Ruiz`, `Jo „Jojo“ Beck: na`: `Jo „Jojo“ Beck`,
		`Ann changed the subject from "A: b" to "C"`: nil, `Ann changed the subject from "A" to "B: c"`: nil, `Ann hat den Betreff zu „A: b“ geändert`: nil,
	} {
		records, _ := loaded(t, "_chat.txt", "15/01/2026, 02:15 - "+line+"\n")
		if got := records["_chat"]; len(got) != 1 || got[0]["author"] != author {
			t.Errorf("%s: %v, want %v", line, records, author)
		}
	}
}
