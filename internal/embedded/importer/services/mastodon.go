package services

import (
	"io"
	"strings"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/htmltext"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
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
