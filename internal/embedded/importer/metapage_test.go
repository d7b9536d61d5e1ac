package importer

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// The pages of Facebook and Instagram change their class names each year, so messages are recognized by the order of their elements.
func TestPagesOfConversationsAreMessages(t *testing.T) {
	const inside = `<div><div></div><div>`
	header := `<header><div><h1>Bob</h1><aside><time>2026-09-09T08:16Z</time></aside></div></header>`
	message := func(number, name, stamp, content string) map[string]any {
		one := map[string]any{"id": "bob_1-1-" + number, "conversation": "bob_1", "title": "Bob", "sent_at": stamp}
		for key, value := range map[string]string{"sender_name": name, "content": content} {
			if value != "" {
				one[key] = value
			}
		}
		return one
	}
	with := func(one map[string]any, key string, values ...any) map[string]any {
		one[key] = values
		return one
	}
	tests := []struct {
		name, page string
		want       []map[string]any
	}{
		{
			"2019", `<title>Bob</title><body><div role="main"><div class="pam"><div>Participants: Ana and Bob</div></div>` +
				`<div class="pam _2lej uiBoxWhite noborder"><div class="_2lel">Ana</div><div class="_2let">` + inside + `one<br>two &amp; three</div></div></div><div class="_2lem">Jun 18, 2019, 9:35 PM</div></div>` +
				`<div class="pam _2lej uiBoxWhite noborder"><div class="_2lel">Bob</div><div class="_2let">` + inside + `</div><div><a href="inbox/bob_1/photos/1.jpg"><img src="inbox/bob_1/photos/1.jpg"></a></div></div></div><div class="_2lem">Jun 18, 2019, 9:30 PM</div></div></div></body>`,
			[]map[string]any{message("1", "Ana", "2019-06-18T21:35:00", "one\ntwo & three"), with(message("2", "Bob", "2019-06-18T21:30:00", ""), "files", "inbox/bob_1/photos/1.jpg")},
		},
		{
			"2023", `<title></title><body><div>` + header + `<main role="main"><div class="pam _a6-g"><h2>Ana</h2><div>` + inside + `at 2025-01-01 10:00</div></div></div><div>Sep 24, 2025 10:44 pm</div></div>` +
				`<div class="pam _a6-g"><h2></h2><div>` + inside + `gone</div><div><ul><li>😍 Ana</li><li>👍 Cy</li></ul></div></div></div><div>jun. 07, 2024 5:44 am</div></div></main></div></body>`,
			[]map[string]any{message("1", "Ana", "2025-09-24T22:44:00", "at 2025-01-01 10:00"), with(message("2", "", "2024-06-07T05:44:00", "gone"), "reactions", "😍 Ana", "👍 Cy")},
		},
		{
			"2025", `<title>Bob</title><body><div>` + header + `<main><section aria-labelledby="u"><h2 id="u">Ana</h2><div>` + inside + `look</div><div><a href="https://x.example/a">a page</a></div></div></div><footer><a href="https://f.example/dyi"><div>30 мая 2026 г. в 9:05:20</div></a></footer></section>` +
				`<section><h2>Bob</h2><div>` + inside + `ok</div></div></div><footer><div>2026年6月26日 上午9:05</div></footer></section><section><div>no time</div></section></main></div></body>`,
			[]map[string]any{
				with(message("1", "Ana", "30 мая 2026 г. в 9:05:20", "look\na page"), "links", "https://x.example/a"), message("2", "Bob", "2026年6月26日 上午9:05", "ok"),
				{"id": "bob_1-1-3", "conversation": "bob_1", "title": "Bob", "content": "no time"},
			},
		},
		{
			"a box in a box", `<title>Bob</title><body><div>` + header + `<main><div class="_a6-g"><div aria-labelledby="u"><h2>Ana</h2><div>only</div><footer><div>Apr 30, 2011 6:02:45 am</div></footer></div></div></main></div></body>`,
			[]map[string]any{message("1", "Ana", "2011-04-30T06:02:45", "only")},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			records, skips := loadedTree(t, map[string]string{"messages/inbox/bob_1/message_1.html": "<html>" + test.page + "</html>"})
			if diff := cmp.Diff(test.want, records["messages_inbox"]); diff != "" || len(records) != 1 || len(skips) > 0 {
				t.Errorf("(-want +got)\n%s\n%v", diff, skips)
			}
		})
	}
}

func TestAPageWithoutMessagesIsOneText(t *testing.T) {
	for _, page := range []string{"<title>A</title><p>hello</p>", "<title>A</title>hello" + strings.Repeat("<div>", 600) + "<p>1 Jan 2026 10:00"} {
		var kept []Skip
		corpus, err := Open(t.Context(), writeTree(t, map[string]string{"inbox/a/message_1.html": page}), nil, Watch{Kept: func(s Skip) { kept = append(kept, s) }})
		if err != nil {
			t.Fatal(err)
		}
		records := collectRecords(t, corpus)
		if len(records) != 1 || !strings.Contains(string(records[0].Data), "hello") || len(kept) != 1 || !strings.Contains(kept[0].Reason, "JSON") {
			t.Errorf("%v, %v", records, kept)
		}
	}
}
