package services

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"io"
	"path"
	"strconv"
	"strings"

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
		decode(one.Data(), &person)
		profile := person.Profile
		users[person.ID] = cmp.Or(users[person.ID], profile.DisplayName, profile.RealName, person.RealName, person.Name)
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
			Subtype, User, Username, Text, TS string
			ThreadTS                          string `json:"thread_ts"`
			Files                             []struct{ Name, Title string }
			Reactions                         []struct {
				Name  string
				Count int
			}
			Attachments []struct{ Text, Fallback string }
			Blocks      []struct{ Text struct{ Text string } }
			Edited      json.RawMessage
		}
		decode(one.Data(), &message)
		when, ok := secondTime(message.TS)
		if !ok {
			return one, item.UnusableError{Line: one.Line, Reason: "a message without a time"}
		}
		digest := sha256.Sum256(one.Data())
		made := item.Item{Line: one.Line, ID: channel + "-" + message.TS, Content: string(digest[:])}
		made.Put("channel", channel)
		made.Put("sent_at", when)
		made.Put("author", cmp.Or(users[message.User], message.Username))
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
			files = append(files, cmp.Or(file.Name, file.Title))
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
