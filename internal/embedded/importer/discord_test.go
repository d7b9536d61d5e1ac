package importer

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

// All that a person wrote on Discord is one stream, in which a message has its channel and server, as the files of either kind of export
// name them.
func TestMessagesOfDiscordAreOneStream(t *testing.T) {
	const crew, tom, gone = "Messages/c812345678901234567/", "Messages/c912345678901234568/", "Messages/c712345678901234569/"
	tests := []struct {
		name, stream string
		files        map[string]string
		want         []map[string]any
	}{
		{"JSON", "Messages", map[string]string{
			"Messages/index.json":  `{"812345678901234567":"gaming in The Crew","912345678901234568":"Direct Message with tom#0","712345678901234569":null}`,
			crew + "channel.json":  `{"id":"812345678901234567","type":"GUILD_TEXT","name":"gaming","guild":{"id":"5","name":"The Crew"}}`,
			crew + "messages.json": `[{"ID":1729502391550191614,"Timestamp":"2026-10-27 13:30:57","Contents":"hello","Attachments":""}]`,
			tom + "channel.json":   `{"id":"912345678901234568","type":"DM","recipients":["1","2"]}`,
			tom + "messages.json":  `[{"ID":1729502391550191615,"Timestamp":"2026-10-28 13:30:57","Contents":"","Attachments":"https://x/a.png https://x/b.png"}]`,
			gone + "channel.json":  `{"id":"712345678901234569","type":"GUILD_TEXT"}`,
			gone + "messages.json": `[{"ID":3,"Timestamp":"soon","Contents":"bye","Attachments":"","Pinned":true},{"Contents":"?"}]`,
		}, []map[string]any{
			{"id": "3", "sent_at": "soon", "channel": "712345678901234569", "channel_id": "712345678901234569", "channel_type": "GUILD_TEXT", "text": "bye", "Pinned": true},
			{"id": "1729502391550191614", "sent_at": "2026-10-27T13:30:57Z", "channel": "gaming", "guild": "The Crew", "channel_id": "812345678901234567", "channel_type": "GUILD_TEXT", "text": "hello"},
			{"id": "1729502391550191615", "sent_at": "2026-10-28T13:30:57Z", "channel": "Direct Message with tom#0", "channel_id": "912345678901234568", "channel_type": "DM",
				"attachments": []any{"https://x/a.png", "https://x/b.png"}},
		}},
		{"rows", "package_messages", map[string]string{
			"package/messages/index.json":                       `{"812345678901234567":"gaming in The Crew"}`,
			"package/messages/c812345678901234567/channel.json": `{"id":"812345678901234567","type":0,"name":"gaming"}`,
			"package/messages/c812345678901234567/messages.csv": "ID,Timestamp,Contents,Attachments\n4,2021-05-05 13:30:57.123000+00:00,\"two\nlines, \"\"all\"\"\",\n5,2021-05-05 13:31:00+00:00,x,https://x/a.png\n",
		}, []map[string]any{
			{"id": "4", "sent_at": "2021-05-05T13:30:57.123Z", "channel": "gaming", "guild": "The Crew", "channel_id": "812345678901234567", "channel_type": "0", "text": "two\nlines, \"all\""},
			{"id": "5", "sent_at": "2021-05-05T13:31:00Z", "channel": "gaming", "guild": "The Crew", "channel_id": "812345678901234567", "channel_type": "0", "text": "x", "attachments": []any{"https://x/a.png"}},
		}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			records, skips := loadedTree(t, test.files)
			if diff := cmp.Diff(test.want, records[test.stream]); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if channels := records[test.stream+"_channels"]; len(records) != 2 || len(channels) == 0 || channels[len(channels)-1]["name"] != test.want[len(test.want)-1]["channel"] {
				t.Errorf("streams %v", records)
			}
			if want := len(test.files) / 7; len(skips) != want {
				t.Errorf("left out: %v", skips)
			}
		})
	}
}

func TestOtherFilesOfTheNamesOfDiscordAreRead(t *testing.T) {
	records, _ := loadedTree(t, map[string]string{"a/index.json": `{"x":1}`, "a/b/messages.json": `[{"n":1}]`, "a/b/channel.json": `{"y":1}`, "12345678901234567/messages.csv": "n\n1\n"})
	if len(records) != 4 {
		t.Errorf("streams %v", records)
	}
}
