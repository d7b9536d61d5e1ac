package services

import (
	"cmp"
	"io"
	"path"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
)

// Discord exports a folder for each channel, which holds what is known of it and the messages, and a list of the channels beside those.
const (
	DiscordList    = "index.json"
	DiscordChannel = "channel.json"
)

var (
	discordFolder = item.Expression(`^c?\d{15,20}$`)
	// discordStarts are how the files of an export begin, by their names.
	discordStarts = map[string]func([]byte) bool{
		DiscordList:     begins(`\A\s*\{\s*"\d{15,20}"\s*:`),
		DiscordChannel:  begins(`\A\s*\{\s*"id"\s*:`),
		"messages.json": begins(`\A\s*\[\s*(?:\]|\{\s*"ID"\s*:)`),
		"messages.csv":  begins(`\AID,Timestamp,`),
	}
)

func begins(expression string) func([]byte) bool {
	start := item.Expression(expression)
	return func(first []byte) bool { return start().Match(first) }
}

// IsDiscord reports a file of an export of Discord.
func IsDiscord(name string, start []byte) bool {
	folder, base := path.Split(name)
	is := discordStarts[base]
	return is != nil && is(start) && (base == DiscordList || discordFolder().MatchString(path.Base(folder)))
}

// ReadDiscordNames reads what the list of an export calls the channels, by their ids: "gaming in The Crew", "Direct Message with tom#0". A
// list that cannot be read has no names.
func ReadDiscordNames(file io.Reader) map[string]string {
	names := map[string]string{}
	listed, _ := item.ReadAll(file)
	gjson.ParseBytes(listed).ForEach(func(id, name gjson.Result) bool {
		names[id.String()] = name.String()
		return true
	})
	return names
}

// A Channel is what an export of Discord says of a channel.
type Channel struct {
	id, name, guild string
	said            []byte
	err             error // why it cannot be read
}

// ReadChannel reads what an export says of a channel.
func ReadChannel(file io.Reader, id string, names map[string]string) Channel {
	said, err := item.ReadAll(file)
	about, listed := gjson.ParseBytes(said), names[id]
	channel := Channel{id: id, name: text(about, "name"), guild: text(about, "guild.name"), said: said, err: err}
	if guild, ok := strings.CutPrefix(listed, channel.name+" in "); ok && channel.name != "" {
		channel.guild = cmp.Or(channel.guild, guild)
	}
	if channel.guild == "" || channel.name == "" { // of a conversation, the list says with whom it is
		channel.name = cmp.Or(listed, channel.name, id)
	}
	return channel
}

// Record is the channel itself.
func (c Channel) Record() item.Records {
	return item.One(func() (item.Item, error) {
		one := item.Item{Line: 1, ID: c.id}
		if c.err != nil {
			return one, c.err
		}
		fields, err := parse(item.NewParser(), c.said, 1)
		one.Put("id", c.id)
		one.Put("name", c.name)
		one.Put("guild", c.guild)
		put(&one, fields, "id", "name", "guild.name")
		return one, err
	})
}

// Messages reads what a person wrote in the channel, in JSON or, as older exports have it, rows.
func (c Channel) Messages(file io.ReadSeeker, rows bool) item.Records {
	from, kind := objects.NewArray(file), gjson.GetBytes(c.said, "type").String()
	if rows {
		from = table.NewReader(item.Buffer(file), table.Options{})
	}
	return item.Shaped(from, func(one item.Item) (item.Item, error) {
		message := gjson.ParseBytes(one.Data())
		made := item.Item{Line: one.Line, Number: one.Number, Note: one.Note, ID: message.Get("ID").String()}
		if made.ID == "" {
			return one, item.Unusable(one.Line, "a message without an ID")
		}
		made.Put("id", made.ID)
		when := table.Moment(text(message, "Timestamp"))
		if day, clock, ok := strings.Cut(when, "T"); ok && item.IsTimestamp(when) && !strings.ContainsAny(clock, "Z+-") {
			when = day + "T" + clock + "Z" // older exports say that it is of UTC
		}
		made.Put("sent_at", when)
		made.Put("channel", c.name)
		made.Put("guild", c.guild)
		made.Put("text", text(message, "Contents"))
		made.Put("attachments", strings.Fields(text(message, "Attachments")))
		made.Put("channel_type", kind)
		made.Put("channel_id", c.id)
		put(&made, one.Fields, "ID", "Timestamp", "Contents", "Attachments")
		return made, nil
	})
}
