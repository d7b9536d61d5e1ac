package services

import (
	"bytes"
	"encoding/json"
	"io"
	"path"
	"strings"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/htmltext"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
)

// Mastodon reads what a person posted and boosted: an outbox of ActivityPub.
func Mastodon(file io.ReadSeeker) item.Reader {
	return shaped{objects.NewArray(file, "orderedItems"), func(one item.Item) (item.Item, error) {
		var activity struct {
			ID, Type, Published string
			Object              json.RawMessage
		}
		decode(one.Data(), &activity)
		var post struct {
			ID, URL, Content, Summary, InReplyTo string
			Tag                                  []struct{ Name string }
			Attachment                           []struct{ URL, Name string }
		}
		if json.Unmarshal(activity.Object, &post.URL) == nil { // of what was boosted
			post.ID = activity.ID
		} else {
			decode(activity.Object, &post)
		}
		made := item.Item{Line: one.Line, Number: one.Number, Fields: []item.Field{{Name: "id", Value: item.JSON(post.ID)}}}
		made.Put("type", strings.ToLower(activity.Type))
		made.Put("published_at", activity.Published)
		made.Put("text", htmltext.Text(post.Content))
		made.Put("warning", post.Summary)
		made.Put("url", post.URL)
		made.Put("in_reply_to", post.InReplyTo)
		var tags, files []string
		for _, tag := range post.Tag {
			tags = append(tags, tag.Name)
		}
		for _, file := range post.Attachment {
			files = append(files, strings.TrimSpace(file.URL+" "+file.Name))
		}
		made.Put("tags", tags)
		made.Put("attachments", files)
		return made, nil
	}}
}

// IsOutbox reports that a file is called and begins as an outbox of ActivityPub.
func IsOutbox(name string, start []byte) bool {
	return path.Base(name) == "outbox.json" &&
		(bytes.Contains(start, []byte(`"orderedItems"`)) || bytes.Contains(start, []byte(`"OrderedCollection"`)))
}
