package services

import (
	"html"
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/htmltext"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
)

// Mastodon reads a person's posts and boosts: an outbox of ActivityPub.
func Mastodon(file io.ReadSeeker) item.Records {
	return item.Shaped(objects.NewArray(file, "orderedItems"), func(one item.Item) (item.Item, error) {
		activity := gjson.ParseBytes(one.Data())
		post := activity.Get("object")
		id, url := text(post, "id"), text(post, "url")
		if post.Type == gjson.String { // the URL of the boosted post
			id, url = text(activity, "id"), post.Str
		}
		made := item.Item{Line: one.Line, Number: one.Number, Fields: []item.Field{{Name: "id", Value: item.JSON(id)}}}
		made.Put("type", strings.ToLower(text(activity, "type")))
		made.Put("published_at", text(activity, "published"))
		made.Put("text", htmltext.Text(text(post, "content")))
		made.Put("warning", text(post, "summary"))
		made.Put("url", url)
		made.Put("in_reply_to", text(post, "inReplyTo"))
		made.Put("tags", texts(post, "tag.#.name"))
		var files []string
		for _, file := range list(post, "attachment") {
			files = append(files, strings.TrimSpace(text(file, "url")+" "+text(file, "name")))
		}
		made.Put("attachments", files)
		return made, nil
	})
}

// X reads a file of an archive of X (formerly Twitter): a script that assigns a list to a variable. Each item of the list is wrapped in an
// object with one field.
func X(file io.ReadSeeker) item.Records {
	parser := item.NewParser()
	return parted(item.Shaped(objects.NewArray(&afterAssignment{file}), func(one item.Item) (item.Item, error) {
		if len(one.Fields) == 1 && one.Fields[0].Value[0] == '{' {
			fields, err := parse(parser, one.Fields[0].Value, one.Line)
			if err != nil {
				return one, err
			}
			one.Fields, one.Text = fields, nil
		}
		for index, field := range one.Fields {
			switch text := one.String(field.Name); {
			case strings.HasSuffix(field.Name, "_count") && table.IsNumber(text):
				one.Fields[index].Value, one.Text = []byte(text), nil
			case field.Name == "full_text" || field.Name == "fullText":
				one.Fields[index].Value, one.Text = item.JSON(html.UnescapeString(text)), nil
			}
		}
		return one, nil
	}), directMessages)
}

// directMessages returns the messages of a conversation on X, or nil if the record is something else.
func directMessages(one item.Item) (messages []item.Item) {
	conversation := gjson.ParseBytes(one.Data())
	id := conversation.Get("conversationId")
	if !id.Exists() {
		return nil
	}
	for _, message := range list(conversation, "messages") {
		message.ForEach(func(kind, value gjson.Result) bool { // one, as in {"messageCreate": {…}}
			if fields, err := item.NewParser().Parse([]byte(value.Raw)); err == nil {
				made := item.Item{Line: one.Line}
				made.Put("conversation_id", id.String())
				made.Put("kind", kind.Str)
				made.Fields = append(made.Fields, fields...)
				messages = append(messages, made)
			}
			return true
		})
	}
	return messages
}

// An afterAssignment reads a script from after its first "=".
type afterAssignment struct{ io.ReadSeeker }

func (a *afterAssignment) Seek(int64, int) (int64, error) {
	if _, err := a.ReadSeeker.Seek(0, io.SeekStart); err != nil {
		return 0, err
	}
	var one [1]byte
	for one[0] != '=' {
		if _, err := io.ReadFull(a, one[:]); err != nil {
			return 0, nil //nolint:nilerr // what comes then is no array, which its reader reports
		}
	}
	return 0, nil
}
