package services

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"io"
	"path"
	"strconv"
	"strings"
	"time"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
)

// slackDay is the name of a day of a channel in an export of Slack.
var slackDay = item.Expression(`^\d{4}-\d\d-\d\d\.json$`)

// IsSlackDay reports a name that the days of a channel have.
func IsSlackDay(name string) bool { return slackDay().MatchString(path.Base(name)) }

// SlackUsers are the names of people by their ids.
type SlackUsers map[string]string

// ReadSlackUsers reads the list of people of an export. A list that cannot be read has no names.
func ReadSlackUsers(file io.ReadSeeker) SlackUsers {
	users := SlackUsers{}
	people := objects.NewArray(file)
	for {
		one, err := people.Next()
		if err != nil {
			return users
		}
		var person struct {
			ID, Name string
			RealName string `json:"real_name"`
			Profile  struct {
				DisplayName string `json:"display_name"`
				RealName    string `json:"real_name"`
			}
		}
		decode(one, &person)
		for _, name := range []string{person.Profile.DisplayName, person.Profile.RealName, person.RealName, person.Name} {
			if name != "" && users[person.ID] == "" {
				users[person.ID] = name
			}
		}
	}
}

// slackMark is a mention of a person or a channel, or a link, in a message.
var slackMark = item.Expression(`<([@#!]?)([^<>|]*)(?:\|([^<>]*))?>`)

func (u SlackUsers) plain(text string) string {
	text = slackMark().ReplaceAllStringFunc(text, func(mark string) string {
		part := slackMark().FindStringSubmatch(mark)
		switch kind, target, label := part[1], part[2], part[3]; {
		case kind == "@" && u[target] != "":
			return "@" + u[target]
		case kind != "" && label != "":
			return kind + label
		case kind != "":
			return kind + target
		case label != "" && label != target:
			return label + " (" + target + ")"
		default:
			return target
		}
	})
	return strings.NewReplacer("&lt;", "<", "&gt;", ">", "&amp;", "&").Replace(text)
}

// Slack reads the messages of a day of a channel. The answers of a thread name the message that began it.
func Slack(file io.ReadSeeker, channel string, users SlackUsers) item.Reader {
	return shaped{objects.NewArray(file), func(one item.Item) (item.Item, error) {
		var message struct {
			Type, Subtype, User, Username, Text, TS string
			ThreadTS                                string `json:"thread_ts"`
			Files                                   []struct{ Name, Title string }
			Reactions                               []struct {
				Name  string
				Count int
			}
			Attachments []struct{ Text, Fallback string }
			Blocks      []struct{ Text struct{ Text string } }
			Edited      json.RawMessage
		}
		decode(one, &message)
		when, ok := slackTime(message.TS)
		if !ok {
			return one, item.UnusableError{Line: one.Line, Reason: "a message without a time"}
		}
		digest := sha256.Sum256(one.Data())
		made := item.Item{Line: one.Line, ID: channel + "-" + message.TS, Content: string(digest[:])}
		made.Put("channel", channel)
		made.Put("sent_at", when)
		author := message.Username
		if name := users[message.User]; name != "" {
			author = name
		}
		made.Put("author", author)
		made.Put("user_id", message.User)
		for _, attached := range message.Attachments { // what a program posts is in them
			message.Text = strings.TrimLeft(message.Text+"\n"+cmp.Or(attached.Text, attached.Fallback), "\n")
		}
		if message.Text == "" {
			for _, block := range message.Blocks {
				message.Text = strings.TrimLeft(message.Text+"\n"+block.Text.Text, "\n")
			}
		}
		made.Put("text", users.plain(message.Text))
		thread := message.TS
		if message.ThreadTS != "" && message.ThreadTS != message.TS {
			thread = message.ThreadTS
			made.Put("in_reply_to", channel+"-"+thread)
		}
		made.Put("thread_id", channel+"-"+thread)
		made.Put("subtype", message.Subtype)
		var files, reactions []string
		for _, file := range message.Files {
			if file.Name == "" {
				file.Name = file.Title
			}
			files = append(files, file.Name)
		}
		for _, reaction := range message.Reactions {
			reactions = append(reactions, reaction.Name+" "+strconv.Itoa(reaction.Count))
		}
		made.Put("files", files)
		made.Put("reactions", reactions)
		made.Put("edited", len(message.Edited) > 0)
		return made, nil
	}}
}

// slackTime is when a message was sent, of its timestamp: seconds since 1970 with a fraction.
func slackTime(text string) (string, bool) {
	whole, fraction, _ := strings.Cut(text, ".")
	seconds, err := strconv.ParseInt(whole, 10, 64)
	if err != nil || seconds <= 0 || seconds > 1<<35 {
		return "", false
	}
	micros, _ := strconv.ParseInt((fraction + "000000")[:6], 10, 64) // 0 if it is no number
	return time.Unix(seconds, micros*1000).UTC().Format("2006-01-02T15:04:05.000000Z"), true
}
