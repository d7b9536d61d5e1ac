package services

import (
	"cmp"
	"io"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/tidwall/gjson"

	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/item"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/objects"
	"github.com/pdp-connect/pdpp-mcp/internal/embedded/importer/table"
)

// Assistant reads the messages of conversations with an AI assistant, as ChatGPT or Claude exports them.
func Assistant(file io.ReadSeeker) item.Records {
	return parted(objects.NewArray(file), func(one item.Item) []item.Item {
		conversation := gjson.ParseBytes(one.Data())
		begin := item.Item{Line: one.Line}
		begin.Put("conversation", text(conversation, "title")+text(conversation, "name"))
		begin.Put("conversation_id", cmp.Or(text(conversation, "id"), text(conversation, "conversation_id"), text(conversation, "uuid")))
		messages := chatGPTMessages(begin, conversation.Get("mapping").Map())
		for _, message := range list(conversation, "chat_messages") {
			messages = append(messages, claudeMessage(begin, message))
		}
		return messages
	})
}

func newMessage(begin item.Item, id, sender, when string) item.Item {
	made := item.Item{Line: begin.Line, ID: id, Fields: []item.Field{{Name: "id", Value: item.JSON(id)}}}
	made.Fields = append(made.Fields, begin.Fields...)
	made.Put("sender", sender)
	made.Put("sent_at", when)
	return made
}

// chatGPTMessages returns the messages of a ChatGPT conversation by time. They form a tree that branches where a question was asked again.
func chatGPTMessages(begin item.Item, nodes map[string]gjson.Result) []item.Item {
	contents, files := map[string]string{}, map[string][]string{}
	for key, node := range nodes {
		content := node.Get("message.content")
		lines := []string{text(content, "text"), text(content, "result")}
		for _, part := range list(content, "parts") {
			lines = append(lines, part.Str, text(part, "text"))
			if pointer := text(part, "asset_pointer"); pointer != "" {
				files[key] = append(files[key], pointer)
			}
		}
		files[key] = append(files[key], texts(node, "message.metadata.attachments.#.name")...)
		contents[key] = joinLines(lines)
	}
	hasContent := func(key string) bool { return contents[key] != "" || files[key] != nil } // the instructions of an assistant have none
	keys := slices.SortedFunc(maps.Keys(nodes), func(a, b string) int {
		created := func(key string) float64 { return nodes[key].Get("message.create_time").Float() } // 0 where it has no time
		return cmp.Or(cmp.Compare(created(a), created(b)), cmp.Compare(a, b))
	})
	var messages []item.Item
	for _, key := range keys {
		if !hasContent(key) {
			continue
		}
		message := nodes[key].Get("message")
		when := table.Since1970(message.Get("create_time").Raw, time.Second)
		made := newMessage(begin, key, cmp.Or(text(message, "author.name"), text(message, "author.role")), when)
		parent := text(nodes[key], "parent")
		for steps := 0; !hasContent(parent) && steps < len(nodes); steps++ {
			parent = text(nodes[parent], "parent")
		}
		if hasContent(parent) {
			made.Put("in_reply_to", parent)
		}
		made.Put("model", text(message, "metadata.model_slug"))
		if kind := text(message, "content.content_type"); kind != "text" {
			made.Put("kind", kind)
		}
		made.Put("text", contents[key])
		made.Put("files", files[key])
		messages = append(messages, made)
	}
	return messages
}

func claudeMessage(begin item.Item, message gjson.Result) item.Item {
	made := newMessage(begin, text(message, "uuid"), text(message, "sender"), text(message, "created_at"))
	if parent := text(message, "parent_message_uuid"); !strings.HasPrefix(parent, "00000000") { // a nil UUID: no parent
		made.Put("in_reply_to", parent)
	}
	made.Put("text", cmp.Or(text(message, "text"), joinLines(texts(message, "content.#.text"))))
	made.Put("thinking", joinLines(texts(message, "content.#.thinking")))
	made.Put("files", slices.Concat(texts(message, "files.#.file_name"), texts(message, "attachments.#.file_name")))
	made.Put("attached_text", joinLines(texts(message, "attachments.#.extracted_content")))
	return made
}
