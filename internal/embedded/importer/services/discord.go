package services

import (
	"cmp"
	"encoding/csv"
	"errors"
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
)

// DiscordNames are what the list of an export calls the channels, by their ids: "gaming in The Crew", "Direct Message with tom#0".
type DiscordNames map[string]string

// ReadDiscordNames reads the list of the channels of an export. A list that cannot be read has no names.
func ReadDiscordNames(file io.Reader) DiscordNames {
	names := DiscordNames{}
	listed, _ := item.ReadAll(file)
	gjson.ParseBytes(listed).ForEach(func(id, name gjson.Result) bool {
		names[id.String()] = name.String()
		return true
	})
	return names
}

// A DiscordChannel is what is known of a channel.
type DiscordChannel struct {
	id, name, guild, kind string
	fields                []item.Field
	err                   error // why it cannot be read
}

// ReadDiscordChannel reads what an export says of a channel.
func ReadDiscordChannel(file io.Reader, id string, names DiscordNames) DiscordChannel {
	channel := DiscordChannel{id: id}
	said, err := item.ReadAll(file)
	if err == nil {
		channel.fields, err = parse(item.NewParser(), said, 1)
	}
	channel.err = err
	about := gjson.ParseBytes(said)
	channel.name, channel.guild, channel.kind = text(about, "name"), text(about, "guild.name"), about.Get("type").String()
	listed := names[id]
	if guild, ok := strings.CutPrefix(listed, channel.name+" in "); ok && channel.name != "" {
		channel.guild = cmp.Or(channel.guild, guild)
	}
	if channel.guild == "" || channel.name == "" { // of a conversation, the list says with whom it is
		channel.name = cmp.Or(listed, channel.name, id)
	}
	return channel
}

func (c DiscordChannel) put(one *item.Item, name string) {
	one.Put(name, c.name)
	one.Put("guild", c.guild)
}

// Record is the channel itself.
func (c DiscordChannel) Record() item.Records {
	return item.One(func() (item.Item, error) {
		one := item.Item{Line: 1, ID: c.id}
		one.Put("id", c.id)
		c.put(&one, "name")
		put(&one, c.fields, "id", "name", "guild.name")
		return one, c.err
	})
}

// Messages reads what a person wrote in the channel, in JSON or, as older exports have it, rows.
func (c DiscordChannel) Messages(file io.ReadSeeker, rows bool) item.Records {
	from := objects.NewArray(file)
	if rows {
		from = csvObjects(file)
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
		c.put(&made, "channel")
		made.Put("text", text(message, "Contents"))
		made.Put("attachments", strings.Fields(text(message, "Attachments")))
		made.Put("channel_type", c.kind)
		made.Put("channel_id", c.id)
		put(&made, one.Fields, "ID", "Timestamp", "Contents", "Attachments")
		return made, nil
	})
}

// csvObjects reads rows below a header as objects of texts.
func csvObjects(file io.Reader) item.Records {
	rows := csv.NewReader(item.Buffer(file))
	rows.LazyQuotes, rows.FieldsPerRecord = true, -1
	var header []string
	number := 0
	return item.Read(func() (err error) {
		header, err = rows.Read()
		return err
	}, func() (item.Item, error) {
		row, err := rows.Read()
		if broken, ok := errors.AsType[*csv.ParseError](err); ok {
			return item.Item{}, item.Unusable(broken.StartLine, "%s", broken.Err)
		} else if err != nil {
			return item.Item{}, err
		}
		number++
		line, _ := rows.FieldPos(0)
		one := item.Item{Line: line, Number: number}
		known := map[string]bool{}
		for column, cell := range row[:min(len(row), len(header))] {
			if name := header[column]; cell != "" && !known[name] {
				known[name] = true
				one.Put(name, cell)
			}
		}
		return one, nil
	})
}
