package integration

import (
	"fmt"
	"strings"
	"testing"
)

// servicesExports are the exports of online services.
func servicesExports(t *testing.T) []export {
	return []export{slackExport(t), xExport(), spotifyExport(t), takeoutExport(t), {
		folder: "whatsapp", // of an iPhone, and of another phone
		files: map[string]string{
			"_chat.txt": "\u200e[31.12.25, 23:58:01] Nora Lind: \u200eMessages are end-to-end encrypted.\r\n[31.12.25, 23:59:00] Nora Lind: Happy new year!\nand a second line\n" +
				"[01.01.26, 00:00:10] Bo: \u200e<attached: 00000012-PHOTO-2026-01-01.jpg>\n[01.01.26, 00:01:00] \u200eBo changed the subject\n",
			"WhatsApp-keskustelu.txt":    "15.1.2026 klo 14.15 - Matti: Moi\n16.1.2026 klo 9.05 - Nora: Hei\n",
			"WhatsApp Chat with Ann.txt": "12/25/25, 9:05\u202fPM - Ann: The kitchen light is broken\n12/26/25, 10:15\u202fAM - Me: I will bring a bulb: 60 W\n1/2/26, 11:00\u202fAM - Ann: IMG-7.jpg (file attached)\n",
		},
		truths: []truth{
			counts("whatsapp__chat", "4"), counts("whatsapp_WhatsApp_Chat_with_Ann", "3"),
			lists(`{"stream":"whatsapp__chat","filter":{"author":"Bo"}}`, "00000012-PHOTO-2026-01-01.jpg", "2026-01-01T00:00:10"),
			lists(`{"stream":"whatsapp__chat","filter":{"author":"Nora Lind"}}`, "and a second line", "2025-12-31T23:59:00"),
			lists(`{"stream":"whatsapp_WhatsApp_Chat_with_Ann","filter":{"author":"Me"}}`, "a bulb: 60 W", "2025-12-26T10:15:00"),
			finds("kitchen light", "whatsapp_WhatsApp_Chat_with_Ann:1"), lists(`{"stream":"whatsapp_WhatsApp-keskustelu"}`, "2026-01-16T09:05:00", "Moi"),
		},
	}, {
		folder: "mastodon",
		files: map[string]string{"outbox.json": jsonOf(t, map[string]any{
			"@context": []any{"https://www.w3.org/ns/activitystreams", "b", "c", "d", "e"}, "type": "OrderedCollection", "totalItems": 3,
			"orderedItems": []any{
				map[string]any{"id": "https://m.example/1/activity", "type": "Create", "published": "2026-02-01T08:00:00Z", "object": map[string]any{
					"id": "https://m.example/1", "content": "<p>First <b>snowdrops</b> of the year</p>", "tag": []any{map[string]any{"type": "Hashtag", "name": "#garden"}}}},
				map[string]any{"id": "https://m.example/2/activity", "type": "Create", "published": "2026-02-01T09:00:00Z", "object": map[string]any{
					"id": "https://m.example/2", "inReplyTo": "https://m.example/1", "content": "<p>And a second pot</p>"}},
				map[string]any{"id": "https://m.example/3/activity", "type": "Announce", "published": "2026-02-02T09:00:00Z", "object": "https://other.example/9"},
			},
		})},
		truths: []truth{
			counts("mastodon_outbox", "3"), lists(`{"stream":"mastodon_outbox","filter":{"type":"announce"}}`, "https://other.example/9", "2026-02-02T09:00:00Z"),
			lists(`{"stream":"mastodon_outbox","expand":["replies"],"filter":{"in_reply_to":"https://m.example/1"}}`, "And a second pot"),
			finds("snowdrops", "mastodon_outbox"),
		},
	}}
}

// slackExport has three channels, one with a thread over two days.
func slackExport(t *testing.T) export {
	message := func(ts, user, text string, more ...string) map[string]any {
		one := map[string]any{"type": "message", "ts": ts, "user": user, "text": text}
		for at := 0; at < len(more); at += 2 {
			one[more[at]] = more[at+1]
		}
		return one
	}
	files := map[string]string{
		"users.json":    jsonOf(t, []any{map[string]any{"id": "U1", "name": "nora", "profile": map[string]any{"display_name": "Nora"}}, map[string]any{"id": "U2", "name": "bo", "real_name": "Bo Berg"}}),
		"channels.json": jsonOf(t, []any{map[string]any{"id": "C1", "name": "general"}, map[string]any{"id": "C2", "name": "random"}}),
		"general/2026-01-05.json": jsonOf(t, []any{message("1767607200.000100", "U1", "Shall we ship the <https://x.example|billing page>?", "thread_ts", "1767607200.000100"),
			message("1767607260.000200", "U2", "Yes &amp; today", "thread_ts", "1767607200.000100")}),
		"general/2026-01-06.json": jsonOf(t, []any{message("1767693600.000300", "U1", "<@U2> done", "thread_ts", "1767607200.000100"), map[string]any{"type": "message", "text": "broken"},
			map[string]any{"type": "message", "subtype": "bot_message", "username": "builder", "ts": "1767693700.000300", "text": "", "attachments": []any{map[string]any{"fallback": "the build is green"}},
				"reactions": []any{map[string]any{"name": "+1", "users": []string{"U1", "U9"}, "count": 2}, map[string]any{"name": "tada", "count": 1}}}}),
	}
	for day := 1; day <= 20; day++ {
		files[fmt.Sprintf("random/2026-02-%02d.json", day)] = jsonOf(t, []any{message(fmt.Sprintf("%d.000000", 1769904000+day*86400), "U2", fmt.Sprintf("coffee number %d", day))})
	}
	return export{folder: "slack", files: files, skips: []string{"general/2026-01-06.json:9: a message without a time"}, truths: []truth{
		finds("build is green", "slack_messages:general-1767693700.000300"), counts("slack_messages", "24"), counts("slack_users", "2"),
		{"aggregate", `{"stream":"slack_messages","metric":"count","group_by":"channel"}`, []string{"random", "20", "general", "4"}},
		{"aggregate", `{"stream":"slack_messages","metric":"count","group_by":"author"}`, []string{"Bo Berg", "21", "Nora", "2"}},
		lists(`{"stream":"slack_messages","filter":{"in_reply_to":"general-1767607200.000100"}}`, "Yes & today", "@Bo Berg done", "2026-01-05T10:01:00.0002Z"),
		{"fetch", `{"id":"cin_files/slack_messages:general-1767607200.000100"}`, []string{"billing page (https://x.example)"}},
		lists(`{"stream":"slack_messages","filter":{"subtype":"bot_message"}}`, "+1 2: Nora, U9", "tada 1"),
		finds("billing page", "slack_messages:general-1767607200.000100"),
	}}
}

func xExport() export {
	tweet := func(id, text, more string) string {
		return `{"tweet":{"id":"` + id + `","created_at":"Thu Jan 15 02:15:00 +0000 2026","full_text":"` + text + `"` + more + `}}`
	}
	return export{folder: "x", files: map[string]string{
		"data/tweets.js":       "window.YTD.tweets.part0 = [\n" + tweet("10", "Fog over the harbour", "") + ",\n" + tweet("11", "It lifted at noon", `,"in_reply_to_status_id":"10"`) + "\n]",
		"data/tweets-part1.js": "window.YTD.tweets.part1 = [ " + tweet("12", "New lamps &amp; more", `,"favorite_count":"3"`) + " ]",
		"data/follower.js":     `window.YTD.follower.part0 = [ {"follower":{"accountId":"7"}}, {"follower":{"accountId":"8"}} ]`,
		"assets/app.js":        "console.log('x')",
	}, skips: []string{"assets/app.js: of no known kind"}, truths: []truth{
		counts("x_data_tweets", "3"), sums("x_data_tweets", "favorite_count", "3"), finds("lamps & more", "x_data_tweets:12"), counts("x_data_follower", "2"), finds("fog harbour", "x_data_tweets:10"),
		lists(`{"stream":"x_data_tweets","filter":{"in_reply_to_status_id":"10"}}`, "It lifted at noon", "2026-01-15T02:15:00Z"),
	}}
}

func spotifyExport(t *testing.T) export {
	part := func(from, to int) string {
		var plays []any
		for n := from; n < to; n++ {
			plays = append(plays, map[string]any{"endTime": fmt.Sprintf("2026-01-%02d 02:15", n%28+1), "artistName": []string{"Ada Low", "The Tides"}[n%2], "trackName": fmt.Sprintf("Song %d", n), "msPlayed": 1000 * n})
		}
		return jsonOf(t, plays)
	}
	return export{folder: "spotify", files: map[string]string{
		"StreamingHistory_music_0.json": part(0, 60), "StreamingHistory_music_1.json": part(60, 100), "StreamingHistory_podcast_0.json": part(0, 3),
	}, truths: []truth{
		counts("spotify_StreamingHistory_music", "100"), sums("spotify_StreamingHistory_music", "msPlayed", "4950000"), counts("spotify_StreamingHistory_podcast", "3"),
		{"aggregate", `{"stream":"spotify_StreamingHistory_music","metric":"count","group_by":"artistName"}`, []string{"Ada Low", "50", "The Tides"}},
	}}
}

// takeoutExport is an archive, as Google sends it.
func takeoutExport(t *testing.T) export {
	letter := func(id, subject, more string) string {
		return "From 1@xxx Thu Jan 15 02:15:00 +0000 2026\nMessage-ID: <" + id + ">\nSubject: " + subject + "\nFrom: Nora <nora@x.example>\nDate: Thu, 15 Jan 2026 03:15:00 +0100\nX-Gmail-Labels: Inbox\n" + more + "\nHello\n\n"
	}
	keep := func(title string) string {
		return jsonOf(t, map[string]any{"title": title, "textContent": "paint the " + title, "userEditedTimestampUsec": 1768443300000000, "createdTimestampUsec": 1768443200000000,
			"labels": []any{map[string]any{"name": "home"}}, "listContent": []any{map[string]any{"text": "brush", "isChecked": true}}, "isTrashed": false})
	}
	photo := func(title string, taken int) string {
		return fmt.Sprintf(`{"title":%q,"creationTime":{"timestamp":"1769000000"},"photoTakenTime":{"timestamp":"%d","formatted":"x"},"geoData":{"latitude":59.8}}`, title, taken)
	}
	months := map[string]string{}
	for _, month := range []string{"JANUARY", "FEBRUARY"} {
		months["Takeout/Location History/2026_"+month+".json"] = `{"timelineObjects":[{"placeVisit":{"name":"Harbour"}},{"activitySegment":{"distance":1200}}]}`
	}
	files := map[string]string{
		"Takeout/Mail/All mail.mbox":                     letter("g1@x", "Plan", "") + letter("g2@x", "Re: Plan", "In-Reply-To: <g1@x>\nReferences: <g1@x>\n") + letter("g3@x", "Other", ""),
		"Takeout/Contacts/All Contacts/All Contacts.vcf": "BEGIN:VCARD\r\nVERSION:3.0\r\nFN:Ann Dahl\r\nitem1.EMAIL;TYPE=INTERNET:ann@x.example\r\nTEL;TYPE=CELL:+49 30 1\r\nORG:Harbour;Office\r\nNOTE:likes\\, tea\r\nEND:VCARD\r\nBEGIN:VCARD\r\nVERSION:2.1\r\nN;CHARSET=UTF-8;ENCODING=QUOTED-PRINTABLE:J=C3=B6rg;Kim=\r\n;;;\r\nTEL;CELL:112\r\nEND:VCARD\r\n",
		"Takeout/Keep/Fence.json":                        keep("Fence"), "Takeout/Keep/Gate.json": keep("Gate"),
		"Takeout/YouTube and YouTube Music/watch-history.json": `[{"title":"Watched Sailing","time":"2026-01-15T02:15:00.000Z"},{"title":"Watched Knots","time":"2026-01-16T02:15:00.000Z"}]`,
		"Takeout/archive_browser.html":                         "<html><head><title>Your export</title></head><body><p>Index of it</p></body></html>",
	}
	for name, text := range months {
		files[name] = text
	}
	return export{folder: "google", files: map[string]string{"takeout-20260301T021500Z-001.zip": packed(t, files), "takeout-20260301T021500Z-002.zip": packed(t, map[string]string{
		"Takeout/Keep/Roof.json": keep("Roof"), "Takeout/Google Photos/2026/IMG_1.jpg.supplemental-metadata.json": photo("IMG_1.jpg", 1768443300), "Takeout/Google Photos/2026/IMG_2.jpg.json": photo("IMG_2.jpg", 1768529700),
	})}, truths: []truth{
		counts("google_takeout-20260301T021500Z_Takeout_Mail_All_mail", "3"), counts("google_takeout-20260301T021500Z_Takeout_Location_History", "4"),
		lists(`{"stream":"google_takeout-20260301T021500Z_Takeout_Mail_All_mail","filter":{"thread_id":"g1@x"}}`, "Re: Plan", "2026-01-15T03:15:00+01:00"),
		counts("google_takeout-20260301T021500Z_Takeout_Keep", "3"), finds("paint the roof", "Takeout_Keep:Roof"), finds("paint the fence", "Takeout_Keep:Fence"),
		lists(`{"stream":"google_takeout-20260301T021500Z_Takeout_Keep"}`, "[x] brush", "2026-01-15T02:15:00Z"),
		lists(`{"stream":"google_takeout-20260301T021500Z_Takeout_Contacts_All_Contacts"}`, "Ann Dahl", "ann@x.example", "Harbour, Office", "likes, tea", "Kim Jörg"),
		counts("google_takeout-20260301T021500Z_Takeout_YouTube_and_YouTube_Music_watch-history", "2"), finds("Index of it", "archive_browser.html"),
		lists(`{"stream":"google_takeout-20260301T021500Z_Takeout_Google_Photos_2026","filter":{"taken_at":{"lt":"2026-01-16"}}}`, "IMG_1.jpg", "2026-01-15T02:15:00", "1 record"),
	}}
}

// repeat repeats a text with a number in it.
func repeat(count int, line string) string {
	var b strings.Builder
	for number := range count {
		fmt.Fprintf(&b, line, number)
	}
	return b.String()
}
