package services

import (
	"cmp"
	"crypto/sha256"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
)

// A SlackUser has the real name of a person, and the display name that Slack shows.
type SlackUser struct{ Name, Shown string }

// SlackUsers maps ids to people.
type SlackUsers map[string]SlackUser

// ReadSlackUsers reads the list of people of an export. It skips what it cannot read.
func ReadSlackUsers(file io.ReadSeeker) SlackUsers {
	users := SlackUsers{}
	for one, err := range objects.NewArray(file) {
		if err != nil {
			continue
		}
		person := gjson.ParseBytes(one.Data())
		id := text(person, "id")
		shown, handle := text(person, "profile.display_name"), text(person, "name")
		name := cmp.Or(text(person, "profile.real_name"), text(person, "real_name"), shown, handle)
		users[id] = SlackUser{name, cmp.Or(shown, name)}
	}
	return users
}

var (
	// slackMark matches a mention of a person or a channel, or a link, in a message.
	slackMark   = item.Expression(`<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>`)
	slackEscape = strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&")
)

func (u SlackUsers) plain(text string) string {
	return slackEscape.Replace(slackMark().ReplaceAllStringFunc(text, func(mark string) string {
		part := slackMark().FindStringSubmatch(mark)
		switch kind, target, label := part[1], part[2], part[3]; {
		case kind == "@":
			return "@" + cmp.Or(u[target].Shown, label, target)
		case kind != "":
			return kind + cmp.Or(label, target)
		case label != "" && label != target:
			return label + " (" + target + ")"
		default:
			return target
		}
	}))
}

// blockText returns the text of a block and of its parts. Each section and each part of a rich text ends its line.
func blockText(block gjson.Result) string {
	kind, content := text(block, "type"), cmp.Or(text(block, "text"), text(block, "text.text"), text(block, "url"))
	if kind == "emoji" {
		content = ":" + text(block, "name") + ":"
	} else if user := text(block, "user_id"); user != "" {
		content = "<@" + user + ">"
	}
	parts := []string{content}
	for _, part := range slices.Concat(list(block, "elements"), list(block, "fields")) {
		parts = append(parts, blockText(part))
	}
	content = strings.Join(parts, "")
	if strings.HasPrefix(kind, "rich_text_") || slices.Contains([]string{"section", "header", "context"}, kind) {
		return strings.TrimRight(content, "\n") + "\n"
	}
	return content
}

// Slack reads the messages of one day in a channel. A reply names the message that began its thread.
func Slack(file io.ReadSeeker, channel string, users SlackUsers) item.Records {
	return item.Shaped(objects.NewArray(file), func(one item.Item) (item.Item, error) {
		message := gjson.ParseBytes(one.Data())
		stamp := text(message, "ts")
		when := table.Since1970(stamp, time.Second)
		if when == "" {
			return one, item.Unusable(one.Line, "a message without a time")
		}
		digest := sha256.Sum256(one.Data())
		made := item.Item{Line: one.Line, ID: channel + "-" + stamp, Content: string(digest[:])}
		made.Put("channel", channel)
		made.Put("sent_at", when)
		author := users[text(message, "user")]
		guest := cmp.Or(text(message, "user_profile.real_name"), text(message, "user_profile.name"))
		made.Put("author", cmp.Or(author.Name, guest, text(message, "username")))
		if author.Shown != author.Name {
			made.Put("display_name", author.Shown)
		}
		made.Put("user_id", text(message, "user"))
		body := text(message, "text")
		for _, attached := range list(message, "attachments") { // where programs put their text
			body = strings.TrimLeft(body+"\n"+cmp.Or(text(attached, "text"), text(attached, "fallback")), "\n")
		}
		if body == "" {
			body = strings.Trim(blockText(message.Get("{elements:blocks}")), "\n")
		}
		made.Put("text", users.plain(body))
		thread := cmp.Or(text(message, "thread_ts"), stamp)
		if thread != stamp {
			made.Put("in_reply_to", channel+"-"+thread)
		}
		made.Put("thread_id", channel+"-"+thread)
		made.Put("subtype", text(message, "subtype"))
		var files, reactions []string
		for _, file := range list(message, "files") {
			files = append(files, cmp.Or(text(file, "name"), text(file, "title"), text(file, "id")))
		}
		for _, reaction := range list(message, "reactions") {
			one := text(reaction, "name") + " " + strconv.FormatInt(reaction.Get("count").Int(), 10)
			var who []string
			for _, id := range texts(reaction, "users") {
				who = append(who, cmp.Or(users[id].Name, id))
			}
			if len(who) > 0 {
				one += ": " + strings.Join(who, ", ")
			}
			reactions = append(reactions, one)
		}
		made.Put("files", files)
		made.Put("reactions", reactions)
		made.Put("edited", message.Get("edited").Exists())
		return made, nil
	})
}
