package integration

import "fmt"

// listExports are JSON files in which each object is a named list.
func listExports() []export {
	songs, likes := "", ""
	for day := 1; day <= 12; day++ {
		songs += fmt.Sprintf(`,{"track":{"trackName":"Song %d","artistName":"Ada Low"},"addedDate":"2026-01-%02d"}`, day, day)
		likes += fmt.Sprintf(`,{"title":"gull%d","string_list_data":[{"href":"https://i.example/%d","value":"\u00e2\u009d\u00a4","timestamp":%d}]}`, day%3, day, 1768443300+86400*(day-1))
	}
	return []export{{
		folder: "lists",
		files: map[string]string{
			"Playlist1.json":           `{"playlists":[{"name":"Run","lastModifiedDate":"2026-01-12","items":[` + songs[1:] + `]},{"name":"Sleep","items":[{"track":{"trackName":"Slow Tide","artistName":"Tides"},"addedDate":"2026-02-01"}]}]}`,
			"WhatsApp Chat with Z.txt": repeat(12, "1/13/26, 9:05\u202fAM - Ann: message %d\n") + "1/13/26, 9:05\u202fAM - Bo: the last of the minute\n",
			"newest.csv":               "Date,Amount\n2026-01-15,3\n2026-01-15,2\n2026-01-14,1\n",
			"liked_posts.json":         `{"likes_media_likes":[` + likes[1:] + `]}`,
			"messages.json": `{"userId":"8:nora","conversations":[{"id":"19:crew","displayName":"Crew","MessageList":[{"id":"1","originalarrivaltime":"2026-01-15T02:15:00.123Z","content":"Shall we deploy?","from":"8:ann"},{"id":"2","originalarrivaltime":"2026-01-15T02:16:00Z",` +
				`"content":"Not today","from":"8:nora"}]},{"id":"19:bo","displayName":null,"MessageList":[{"id":"3","originalarrivaltime":"2026-01-15T02:17:00Z","content":"Lunch at the quay","from":"8:bo"}]}]}`,
			"health.json": `{"data":{"metrics":[{"name":"steps","units":"count","data":[{"qty":1000,"date":"2026-01-15 00:00:00 +0100"},{"qty":2500,"date":"2026-01-16 00:00:00 +0100"}]},{"name":"weight","units":"kg","data":[{"qty":70.5,"date":"2026-01-15 07:00:00 +0100"}]}],"workouts":[{"name":"Run"}]}}`,
		},
		truths: []truth{
			counts("lists_Playlist1", "2"), counts("lists_Playlist1_items", "13"), finds("slow tide", "lists_Playlist1_items:13"), {"aggregate", `{"stream":"lists_Playlist1_items","metric":"count","group_by":"list"}`, []string{"Run", "12", "Sleep"}},
			lists(`{"stream":"lists_Playlist1","expand":["items"],"filter":{"name":"Sleep"}}`, "Slow Tide", "2026-02-01"),
			counts("lists_messages_MessageList", "3"), lists(`{"stream":"lists_messages_MessageList","filter":{"parent":"19:crew"},"limit":1}`, "Not today", "2026-01-15T02:16:00Z"), finds("lunch quay", "lists_messages_MessageList:3"), counts("lists_messages_rest", "1"),
			lists(`{"stream":"lists_WhatsApp_Chat_with_Z","limit":1}`, "the last of the minute", "Bo"), lists(`{"stream":"lists_WhatsApp_Chat_with_Z","limit":1,"sort":"sent_at"}`, "message 0"),
			lists(`{"stream":"lists_newest","limit":1}`, "Amount: 3"), counts("lists_liked_posts", "12"), lists(`{"stream":"lists_liked_posts","filter":{"string_list_data.timestamp":{"gte":"2026-01-20"}},"count":"exact"}`, "https://i.example/6", "❤", "7 match"),
			{"aggregate", `{"stream":"lists_health_metrics_data","metric":"sum","field":"qty","group_by":"list"}`, []string{"steps", "3500", "weight", "70.5"}},
		},
	}}
}
