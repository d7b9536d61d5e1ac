package services

import (
	"cmp"
	"crypto/sha256"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode"

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
	slackQuote  = strings.NewReplacer("<", "&lt;", ">", "&gt;", "&", "&amp;")
	// slackName matches mentions and emoji, which texts and blocks write differently.
	slackName  = item.Expression(`<[@#!][^<>]*>|:[^\s:]+:`)
	slackStyle = strings.NewReplacer("*", "", "_", "", "~", "", "`", "", "\u200b", "")
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

// slackLink returns a link as messages write it.
func slackLink(target, label string) string {
	switch {
	case target == "":
		return label
	case label == "" || label == target:
		return "<" + target + ">"
	}
	return "<" + target + "|" + label + ">"
}

// slackNames maps the parts of rich text that name people and channels to their mark in messages, and to the field with the name.
var slackNames = map[string][2]string{
	"user": {"<@", "user_id"}, "channel": {"<#", "channel_id"}, "usergroup": {"<!", "usergroup_id"}, "broadcast": {"<!", "range"},
}

// blockText returns the text of a block as messages write it. Each part ends its line, except the parts of a line of rich text.
func blockText(block gjson.Result) string {
	if block.IsArray() { // a row of a table
		var cells []string
		for _, cell := range block.Array() {
			cells = append(cells, strings.ReplaceAll(strings.Trim(blockText(cell), "\n"), "\n", " "))
		}
		return strings.Join(cells, " | ") + "\n"
	}
	kind, content := text(block, "type"), text(block, "text")
	if name, ok := slackNames[kind]; ok {
		return name[0] + text(block, name[1]) + ">"
	}
	switch kind {
	case "text":
		return slackQuote.Replace(content)
	case "link":
		return slackLink(text(block, "url"), slackQuote.Replace(content))
	case "emoji":
		return ":" + text(block, "name") + ":"
	case "date":
		return slackQuote.Replace(text(block, "fallback"))
	case "color":
		return text(block, "value")
	case "button":
		return slackLink(text(block, "url"), slackQuote.Replace(text(block, "text.text"))) + "\n"
	case "image":
		content = slackLink(text(block, "image_url"), slackQuote.Replace(text(block, "alt_text"))) + "\n"
	case "plain_text", "raw_text":
		content = slackQuote.Replace(content)
	}
	parts := []string{content}
	for _, path := range [...]string{"title", "text", "description", "elements", "fields", "rows", "accessory"} {
		for _, part := range block.Get(path).Array() {
			parts = append(parts, blockText(part))
		}
	}
	if content = strings.Trim(strings.Join(parts, ""), "\n"); content != "" {
		content += "\n"
	}
	return content
}

// attachedText returns the text of what a program or a shared message adds to a message, without its blocks. It has no link whose words are
// known.
func attachedText(attached gjson.Result, known string) string {
	link := text(attached, "title_link")
	if strings.Contains(known, strings.TrimRight(slackWords("<"+link), " ")) {
		link = ""
	}
	lines := []string{text(attached, "pretext"), text(attached, "author_name"), slackLink(link, text(attached, "title")),
		text(attached, "text")}
	for _, field := range list(attached, "fields") {
		lines = append(lines, strings.Trim(text(field, "title")+": "+text(field, "value"), ": "))
	}
	lines = append(lines, text(attached, "footer"))
	return item.Joined(lines, "\n")
}

// slackWords returns the words of a text without its marks, each after a space.
func slackWords(marked string) string {
	plain := slackStyle.Replace(slackEscape.Replace(slackName().ReplaceAllString(marked, " ")))
	words := strings.FieldsFunc(plain, func(one rune) bool { return unicode.IsSpace(one) || unicode.IsPunct(one) })
	return " " + strings.Join(words, " ") + " "
}

// maxKnown is how many bytes of words are searched for each line of a message. Slack's own messages are shorter.
const maxKnown = 1 << 16

// slackText returns all text of a message. Of its blocks and attachments, only lines whose words are not above them are added: most
// programs write the same text into several of them, in different forms.
func slackText(message gjson.Result) string {
	var body []string
	known := ""
	add := func(more string) (isEmpty bool) {
		more = strings.Trim(more, "\n")
		isFirst := body == nil
		for line := range strings.SplitSeq(more, "\n") {
			words := slackWords(line)
			if more != "" && (isFirst || strings.Trim(words, " ") != "" && !strings.Contains(known, words)) {
				body = append(body, line)
			}
		}
		if words := slackWords(more); len(known)+len(words) < maxKnown {
			known += words
		}
		return more == ""
	}
	add(text(message, "text"))
	add(blockText(message.Get("{elements:blocks}")))
	for _, attached := range list(message, "attachments") {
		isEmpty := add(attachedText(attached, known))
		if add(blockText(attached.Get("{elements:blocks}"))) && isEmpty {
			add(text(attached, "fallback"))
		}
	}
	return strings.Join(body, "\n")
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
		made.Put("text", users.plain(slackText(message)))
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
